public import Geometry
import Stories

extension MapSnapshot {
    /// Returns the places whose centre lies in the closed box, with the query's matches at each, sorted by id.
    ///
    /// With `asPublished`, other users' stories are at their published point, even for family who may see them more
    /// precisely: fences use this, so that a notification reveals nothing more. Of further places it then has only
    /// those that make a fence, and it also has lines and areas whose centre lies elsewhere, if the box around them
    /// touches `box`. Of the lines and areas, only the `mostOutlines` smallest are returned.
    ///
    /// - Complexity: O(*p* log *n* + *o*) for *p* places and *o* lines and areas that make fences.
    public func places(
        in box: BoundingBox,
        _ query: StoryQuery,
        asPublished: Bool = false,
        mostOutlines: Int = .max
    ) -> [MapPlace] {
        let scope = Scope(query, segments: segments)
        var places = scope.places(in: box, asPublished: asPublished)
        if asPublished, hasOutlines {
            for id in scope.outlinedPlaces(touching: box, most: mostOutlines) where places[id] == nil {
                // All stories of the place decide whether it is entered at an outline.
                let around = BoundingBox(id.coordinate).expanded(byMetres: 3)
                let place = scope.places(in: around, asPublished: true)[id]
                if let place, place.outline != nil { places[id] = place }
            }
            places = places.keepingSmallest(mostOutlines)
        }
        return
            places.map { id, place in
                MapPlace(
                    id: id,
                    stories: place.stories.sorted(),
                    further: place.further,
                    outline: asPublished ? place.outline : nil
                )
            }
            .sorted { $0.id < $1.id }
    }

    /// Whether any line or area makes a fence, for whichever viewer.
    public var hasOutlines: Bool { segments.contains { !$0.run.further.outlined.isEmpty } }
}

/// The stories at a place: each is listed once, however many of its own places are the same.
private struct StoriesAtPlace {
    private(set) var stories: [StoryID] = []
    /// The stories with further places, and whether each is there only by those.
    private var several: [StoryID: Bool] = [:]
    /// The outlines of the lines and areas, each with its story and its further place.
    private var outlines: [(story: StoryID, place: StoryID, outline: Outline)] = []
    /// Whether a story is there by a point, its own location aside.
    private var hasPoint = false
    /// The stories with further places whose own location is there.
    private var located: [StoryID] = []

    /// The stories that are there only by a further place, sorted by id.
    var further: [StoryID] { several.filter(\.value).keys.sorted() }

    /// What the lines and areas have in common; `nil` if a story is there by a point, other than the location of which a
    /// line or an area is the extent.
    var outline: Outline? {
        guard !hasPoint, !outlines.isEmpty, Set(located).isSubset(of: outlines.map(\.story)) else { return nil }
        let sorted = outlines.sorted { ($0.story, $0.place) < ($1.story, $1.place) }
        return Outline.common(to: sorted.map(\.outline))
    }

    mutating func add(_ story: StoryID, _ member: Member, _ outline: Outline?) {
        if let outline {
            outlines.append((story, member.place, outline))
        } else if member.hasFurther, member.place == .ownLocation {
            located.append(story)
        } else {
            hasPoint = true
        }
        guard member.hasFurther else { return stories.append(story) }
        let isFurther = member.place != .ownLocation
        guard let known = several.updateValue(isFurther, forKey: story) else { return stories.append(story) }
        several[story] = known && isFurther
    }
}

extension [PlaceID: StoriesAtPlace] {
    /// Returns the places without the largest lines and areas if there are more than `most`.
    fileprivate func keepingSmallest(_ most: Int) -> Self {
        guard most < count else { return self }
        let outlined = compactMap { id, place in place.outline.map { (id: id, box: $0.box) } }
        guard outlined.count > most else { return self }
        var left = self
        for place in outlined.sorted(by: { $0.box.isSmaller(than: $1.box, $0.id < $1.id) }).dropFirst(most) {
            left[place.id] = nil
        }
        return left
    }
}

extension BoundingBox {
    /// Returns whether the box covers fewer square degrees than another, or `or` if both cover the same.
    fileprivate func isSmaller(than other: BoundingBox, _ or: Bool) -> Bool {
        let (own, others) = (width * height, other.width * other.height)
        return own == others ? or : own < others
    }
}

extension Scope {
    /// Returns the wanted places whose centre lies in the closed box.
    fileprivate func places(in box: BoundingBox, asPublished: Bool) -> [PlaceID: StoriesAtPlace] {
        var pieces: [Piece] = []
        visit(box.expanded(byMetres: 2)) { slice, range, _ in pieces.append(Piece(slice: slice, range: range)) }
        var places: [PlaceID: StoriesAtPlace] = [:]
        for member in members(of: pieces, where: { isWanted($0, $1, asPublished: asPublished) }) {
            let outline = asPublished ? outline(of: member) : nil
            places[PlaceID(member.point), default: StoriesAtPlace()].add(story(member).id, member, outline)
        }
        return places.filter { box.contains($0.key.coordinate) }
    }

    /// Returns the places of the wanted lines and areas whose box touches another, the `most` smallest.
    fileprivate func outlinedPlaces(touching box: BoundingBox, most: Int) -> [PlaceID] {
        var pieces: [Piece] = []
        for (index, slice) in slices.enumerated() {
            for outlined in slice.run.further.outlined(in: slice.range, touching: box) {
                let position = Int(outlined.position)
                pieces.append(Piece(slice: index, range: position..<position + 1))
            }
        }
        guard !pieces.isEmpty else { return [] }
        var boxes: [PlaceID: BoundingBox] = [:]
        for member in members(of: pieces, where: { isWanted($0, $1, asPublished: true) }) {
            guard let outline = outline(of: member) else { continue }
            let id = PlaceID(member.point)
            guard let known = boxes[id] else {
                boxes[id] = outline.box
                continue
            }
            if outline.box.isSmaller(than: known, false) { boxes[id] = outline.box }
        }
        return boxes.sorted { $0.value.isSmaller(than: $1.value, $0.key < $1.key) }.prefix(most).map(\.key)
    }

    private func isWanted(_ slice: Slice, _ index: Int, asPublished: Bool) -> Bool {
        let row = Int(slice.run.rows[index])
        let view = views[slice.view]
        if asPublished {
            if abs(slice.run.marks[index]) > 1, !view.isOwn(row) { return false }
            if let mark = slice.run.further.mark(at: index), mark.place != .ownLocation, !mark.makesFence {
                return false
            }
        }
        return view.wants(row)
    }

    /// Returns the outline of the fence at a member's place, `nil` if it is around a point.
    private func outline(of member: Member) -> Outline? {
        let segment = views[member.view].segment
        guard member.place != .ownLocation, !segment.run.further.outlined.isEmpty else { return nil }
        for index in segment.placements(of: member.row) {
            let position = Int(segment.placements[index])
            guard segment.run.further.place(at: position) == member.place else { continue }
            if let outline = segment.run.further.outline(at: position) { return outline }
        }
        return nil
    }
}
