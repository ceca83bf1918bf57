import Geometry
import Stories

/// The words, places and names of the twin worlds.
enum TwinWords: Sendable {
    /// Words that occur in stories of every level.
    static let open = ["river", "mill", "bridge", "school", "train", "orchard", "Ida's"]
    /// Words that occur in family and private stories only.
    static let closed = ["zebra", "quartz", "lantern"]
    static let tags = ["blues", "railway", "church"]
    static let closedTags = ["secret-tag", "vault"]
    static let people = ["Ida", "Ralph", "Émile"]
    static let closedPeople = ["Nobody Else"]
    static let collections = ["summer", "winter"]
    static let kinds = ["interview", "photo", "document", "video_object", "observation"]
    static let closedKinds = ["diary"]
    static let dates = ["1936", "1936-05", "1940/1945", "1936-05-17", "2001"]

    /// Where the stories are: towns, both sides of the antimeridian, near a pole, and a corner of published cells.
    static let towns: [(latitude: Double, longitude: Double)] = [
        (33.7554, -84.3736), (36.154, -95.9928), (48.8534, 2.3488), (-17.8, 179.995), (66.1, -179.995), (84.9, 10),
        (10, 10),
    ]
}

/// Makes stories of all levels and precisions at the same places, in the same minutes, with the same words.
struct TwinStories {
    private var draw: TwinDraw
    private let owners: [String]
    private let now: Timestamp

    init(seed: UInt64, owners: [String], now: Timestamp) {
        draw = TwinDraw(seed: seed)
        self.owners = owners
        self.now = now
    }

    /// The next story.
    mutating func next() throws -> Story {
        guard let owner = UserID(draw.pick(owners)) else { throw TwinFault("an owner's name is no id") }
        let families = TwinCast.members.filter { $0.user == owner.rawValue }.map(\.family)
        // Few instants, so that lists have ties and cursors fall between what is seen and what is not.
        let created = Timestamp(milliseconds: now.milliseconds - Int64(draw.pick(1...40)) * 60_000)
        let id = StoryID(using: &draw)
        var story = Story(id: id, kind: .photo, title: "", owner: owner, createdAt: created)
        // Nothing of the hidden people is public.
        let levels: [Privacy] =
            TwinCast.hidden.contains(owner.rawValue)
            ? [.familyOnly, .private] : [.public, .public, .familyOnly, .private]
        story.privacy = draw.pick(levels)
        if story.privacy != .private, !families.isEmpty, draw.chance(40) {
            story.family = FamilyID(draw.pick(families))
        }
        story.autoPrivate = draw.chance(8)
        describe(&story)
        if draw.chance(88) { story.location = location() }
        story.places = further()
        story.shownUpdatedAt = Timestamp(milliseconds: created.milliseconds + Int64(draw.pick(0...60_000)))
        story.updatedAt = Timestamp(
            milliseconds: story.shownUpdatedAt.milliseconds + (draw.chance(50) ? 0 : Int64(draw.pick(1...60_000)))
        )
        return story
    }

    private mutating func describe(_ story: inout Story) {
        let isClosed = story.effectivePrivacy != .public
        func either(_ open: [String], _ closed: [String]) -> String {
            isClosed && draw.chance(50) ? draw.pick(closed) : draw.pick(open)
        }
        story.kind = StoryKind(either(TwinWords.kinds, TwinWords.closedKinds)) ?? .photo
        story.title = "\(either(TwinWords.open, TwinWords.closed)) \(draw.pick(1...99))"
        let words = (0..<draw.pick(1...8)).map { _ in either(TwinWords.open, TwinWords.closed) }
        if draw.chance(70) { story.text = words.joined(separator: " ") }
        if draw.chance(60) { story.date = StoryDate(draw.pick(TwinWords.dates)) }
        if draw.chance(50) { story.tags = [either(TwinWords.tags, TwinWords.closedTags)] }
        if draw.chance(50) { story.people = [either(TwinWords.people, TwinWords.closedPeople)] }
        if draw.chance(40) { story.collection = draw.pick(TwinWords.collections) }
        if draw.chance(30) { story.clientID = "w\(story.id.low)" }
        if draw.chance(20) {
            story.source = "list.csv"
            story.sourceID = "\(story.id.low)"
        }
        if story.id.low.isMultiple(of: 3) {
            story.picture = StoryPicture(version: story.id.low, width: 400, height: 300)
        }
    }

    private mutating func location() -> StoryLocation {
        let town = draw.pick(TwinWords.towns)
        // Many at the very same point, the others in cells around it.
        let spread = draw.chance(30) ? 0 : draw.chance(50) ? 0.002 : 0.2
        let point = Coordinate(
            wrappingLatitude: town.latitude + spread * (draw.unit() - 0.5),
            longitude: town.longitude + spread * (draw.unit() - 0.5)
        )
        var location = StoryLocation(coordinate: point)
        location.precision = draw.pick([
            .exact, .exact, .hidden, .approximate(.hundredth), .approximate(.tenth), .approximate(.degree),
        ])
        location.familySeesExact = draw.chance(40)
        location.showsExactTimes = draw.chance(25)
        location.source = draw.pick(LocationSource.allCases)
        if draw.chance(40) { location.accuracy = Double(draw.pick(1...200)) }
        if draw.chance(60) { location.names[.name] = "House \(draw.pick(1...99))" }
        if draw.chance(30) {
            location.names[.city] = "Town \(draw.pick(1...9))"
            location.derived = [.city]
        }
        return location
    }

    /// Places besides the location: often none, sometimes one of several that nobody may see.
    private mutating func further() -> [StoryPlace] {
        guard draw.chance(40) else { return [] }
        return (0..<draw.pick(1...3))
            .map { _ in
                var place = secret()
                place.location = location()
                place.location.showsExactTimes = false
                place.isConfirmed = draw.chance(80)
                // The floor of an approximate one may depend on the area, which its twin would not have.
                if place.location.precision.cell == nil, draw.chance(30) {
                    let shape = shape(around: place.location.coordinate)
                    (place.shape, place.location.coordinate) = (shape, shape.anchor)
                }
                return place
            }
    }

    /// A line or an area of some hundred metres or kilometres, which makes a fence if it is exact.
    private mutating func shape(around point: Coordinate) -> PlaceShape {
        let half = draw.chance(50) ? 0.002 : 0.05
        let (east, north) = (min(179, max(-179, point.longitude)), min(80, max(-80, point.latitude)))
        let corners = [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1), (-1, -1)]
            .map { PlaceShape.Corner(longitude: east + half * $0.0, latitude: north + half * $0.1) }
        return draw.chance(50) ? .polygon([corners]) : .line(Array(corners.prefix(2)))
    }

    /// A place that its owner alone may see.
    private mutating func secret() -> StoryPlace {
        var location = location()
        (location.precision, location.familySeesExact, location.showsExactTimes) = (.hidden, false, false)
        let id = StoryID(using: &draw)
        let seconds = draw.chance(50) ? Double(draw.pick(0...3_600)) : nil
        return StoryPlace(id: id, role: draw.pick(PlaceRole.known), seconds: seconds, location: location)
    }

    /// The places of a story that `viewer` cannot tell from its own: what they do not see is gone or something else.
    private mutating func places(of story: Story, for viewer: Viewer, isVaried: Bool) -> [StoryPlace] {
        var kept: [StoryPlace] = []
        for place in story.places {
            let precision = story.precision(of: place, for: viewer)
            var twin = place
            switch precision {
            case _ where !place.isConfirmed: continue
            case .hidden: continue
            case .exact: break
            case .approximate(let cell):
                let point = place.location.coordinate
                twin.location.coordinate = isVaried ? elsewhere(in: cell, of: point) : cell.center(of: point)
                twin.location.names = isVaried ? [.name: "Hut \(draw.pick(1...99))", .country: "Atlantis"] : [:]
                twin.location.derived = isVaried ? [.country] : []
                twin.location.accuracy = isVaried ? Double(draw.pick(1...900)) : nil
            }
            kept.append(twin)
        }
        if isVaried, draw.chance(40) { kept.insert(secret(), at: 0) }
        if isVaried, draw.chance(30) {
            var waiting = secret()
            (waiting.isConfirmed, waiting.location.precision) = (false, .exact)
            kept.append(waiting)
        }
        return kept
    }

    /// Another story that `viewer` cannot tell from this one: what they may not see of it is gone or, with `isVaried`,
    /// something else.
    mutating func twin(of story: Story, for viewer: Viewer, isVaried: Bool) -> Story {
        guard story.owner != viewer.user else { return story }
        var twin = story
        twin.clientID = isVaried && draw.chance(50) ? "x\(draw.digits(16))" : nil
        twin.source = isVaried && story.source == nil ? "other.csv" : nil
        twin.sourceID = twin.source.map { _ in draw.digits(16) }
        // Kin are not trusted with a point that is for another family, so there that family stays.
        if let family = story.family, viewer.families[family] == nil, !viewer.kin.contains(story.owner) {
            twin.family = nil
        }
        twin.updatedAt = Timestamp(
            milliseconds: story.shownUpdatedAt.milliseconds + (isVaried ? Int64(draw.pick(0...90_000)) : 0)
        )
        twin.places = places(of: story, for: viewer, isVaried: isVaried)
        guard let location = story.location else {
            // A hidden point is, for others, none, where it does not make the times coarser.
            if isVaried, draw.chance(50) { twin.location = hidden(showingTimes: true) }
            return twin
        }
        twin = elsewhen(twin, story.timePrecision(for: viewer), isVaried: isVaried)
        let isTrusted = location.familySeesExact && story.location(for: viewer)?.coordinate == location.coordinate
        switch location.precision {
        case .exact: break
        case .hidden where !isTrusted:
            let isNone = location.showsExactTimes && !(isVaried && draw.chance(70))
            twin.location = isNone ? nil : hidden(showingTimes: location.showsExactTimes)
        case .approximate(let cell) where !isTrusted:
            twin.location?.coordinate =
                isVaried
                ? elsewhere(in: cell, of: location.coordinate)
                : story.publishedPoint
                    ?? location.coordinate
            twin.location?.names = isVaried ? [.name: "Cabin \(draw.pick(1...99))", .country: "Atlantis"] : [:]
            twin.location?.accuracy = isVaried ? Double(draw.pick(1...900)) : nil
            twin.location?.derived = isVaried ? [.country] : []
        default: break
        }
        return twin
    }

    /// The story at another time that is shown as the same.
    private mutating func elsewhen(_ story: Story, _ precision: TimePrecision, isVaried: Bool) -> Story {
        guard precision != .exact else { return story }
        let start = precision.start(of: story.createdAt)
        let span = story.createdAt.milliseconds - start.milliseconds
        let created = Timestamp(milliseconds: start.milliseconds + (isVaried ? Int64(draw.unit() * Double(span)) : 0))
        var twin = story.copied(under: story.id, createdAt: created)
        twin.date = story.date.flatMap { date in
            guard let days = date.days else { return isVaried ? StoryDate(words: "some day") : nil }
            let first = precision.period(of: days.lowerBound).lowerBound
            return isVaried ? StoryDate(text: "some day", first: first, last: days.upperBound) : precision.widened(date)
        }
        return twin
    }

    private mutating func hidden(showingTimes: Bool) -> StoryLocation {
        var location = location()
        location.precision = .hidden
        location.familySeesExact = false
        location.showsExactTimes = showingTimes
        return location
    }

    private mutating func elsewhere(in cell: PublishedCell, of coordinate: Coordinate) -> Coordinate {
        let center = cell.center(of: coordinate)
        for _ in 0..<20 {
            let other = Coordinate(
                wrappingLatitude: center.latitude + cell.degrees * (draw.unit() - 0.5),
                longitude: center.longitude + cell.degrees * (draw.unit() - 0.5)
            )
            if cell.center(of: other) == center { return other }
        }
        return center
    }
}
