import Geometry
import Stories
import StoryMap
import TestSupport

/// A random world in which some stories have further places, and what everybody sees of it, found the obvious way.
struct PlacedWorld {
    var world: StoryWorld
    private(set) var stories: [StoryID: Story] = [:]
    private(set) var further: [StoryID: [FurtherPlace]] = [:]
    private var generator: SplitMix64

    init(seed: UInt64, count: Int) {
        world = StoryWorld(seed: seed, count: count)
        generator = SplitMix64(seed: seed + 9_000)
        for story in world.stories { put(story) }
    }

    /// Puts a story with new further places, often none.
    mutating func put(_ story: Story) {
        stories[story.id] = story
        further[story.id] = places(of: story)
    }

    mutating func remove(_ id: StoryID) {
        stories[id] = nil
        further[id] = nil
    }

    private mutating func places(of story: Story) -> [FurtherPlace] {
        guard Int.random(in: 0..<3, using: &generator) > 0 else { return [] }
        return (0..<Int.random(in: 1...4, using: &generator))
            .compactMap { number in
                guard var location = world.randomStory().location else { return nil }
                // Some are where the story is, or in the same published cell.
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: location.coordinate = story.location?.coordinate ?? location.coordinate
                case 1:
                    let near = story.location?.coordinate ?? location.coordinate
                    location.coordinate = Coordinate(
                        wrappingLatitude: near.latitude + 0.01 * generator.unit(),
                        longitude: near.longitude
                    )
                default: break
                }
                // The same small ids in different stories, so that nothing may take them for ids of the world.
                let corners = [0, 0.1]
                    .map { step in
                        PlaceShape.Corner(
                            longitude: location.coordinate.longitude,
                            latitude: max(-90, location.coordinate.latitude - step)
                        )
                    }
                var shape = Int.random(in: 0..<6, using: &generator) == 0 ? PlaceShape.line(corners) : nil
                if Int.random(in: 0..<6, using: &generator) == 0 { shape = area(around: location.coordinate) }
                return FurtherPlace(
                    id: StoryID(high: 0, low: UInt64(5 - number)),
                    location: location,
                    shape: shape,
                    isExtent: number == 0
                )
            }
    }

    /// A square of up to three degrees, sometimes too large for a fence.
    private mutating func area(around center: Coordinate) -> PlaceShape {
        let half = 1.5 * generator.unit() * generator.unit()
        let (south, north) = (max(-90, center.latitude - half), min(90, center.latitude + half))
        let west = max(-180, center.longitude - half)
        let east = center.longitude + half
        let corners = [(west, south), (east, south), (east, north), (west, north), (west, south)]
        return .polygon([corners.map { PlaceShape.Corner(longitude: $0.0, latitude: $0.1) }])
    }

    func further(_ story: Story) -> [FurtherPlace] { further[story.id] ?? [] }

    /// A fresh index of everything.
    var index: MapIndex {
        let index = MapIndex(digestKey: testKey, further: { [further] in further[$0.id] ?? [] })
        index.load(stories.values)
        return index
    }

    /// The world as far as a viewer sees it: without hidden stories and hidden further places.
    func seen(by viewer: Viewer) -> PlacedWorld {
        var seen = self
        for (id, story) in stories {
            guard story.isVisible(to: viewer) else {
                seen.remove(id)
                continue
            }
            seen.further[id] = further(story).filter { point(of: $0, story, viewer) != nil }
        }
        return seen
    }

    private func point(of place: FurtherPlace, _ story: Story, _ viewer: Viewer) -> Coordinate? {
        // The rules of the stories say how an extent is shown, those of the map say where.
        var placed = story
        let role = place.isExtent ? PlaceRole.extent : .spokenOf
        placed.places = [StoryPlace(id: place.id, role: role, location: place.location, shape: place.shape)]
        return placed.places(for: viewer).first?.location.coordinate
    }

    /// The places of a story that a viewer sees, the story's own location first, then by id.
    func shown(_ story: Story, _ viewer: Viewer) -> [(place: StoryID?, point: Coordinate)] {
        guard story.isVisible(to: viewer) else { return [] }
        var shown: [(place: StoryID?, point: Coordinate)] = []
        if let own = story.point(for: viewer) { shown.append((nil, own)) }
        for place in further(story).sorted(by: { $0.id < $1.id }) {
            if let point = point(of: place, story, viewer) { shown.append((place.id, point)) }
        }
        return shown
    }
}

/// The answers about a world's places, found by looking at every story.
struct PlacedOracle {
    /// A matching story at one of the places that the viewer sees.
    struct Shown {
        let story: Story
        let place: StoryID?
        let point: Coordinate
    }

    let matching: [Story]
    let shown: [Shown]
    private let viewer: Viewer
    private let world: PlacedWorld

    init(_ world: PlacedWorld, _ parts: StoryQueryParts) {
        viewer = parts.viewer
        self.world = world
        let matching = BruteForceMap(world.stories.values).found(parts).map(\.story)
        self.matching = matching
        shown = matching.flatMap { story in
            world.shown(story, parts.viewer).map { Shown(story: story, place: $0.place, point: $0.point) }
        }
    }

    /// The story's own location before its further places.
    private static func order(_ shown: Shown) -> StoryID { shown.place ?? StoryID(high: 0, low: 0) }

    func stories(in box: BoundingBox?) -> [Story] {
        guard let box else { return matching }
        let ids = Set(shown.filter { box.contains($0.point) }.map(\.story.id))
        return matching.filter { ids.contains($0.id) }
    }

    func list(in box: BoundingBox?) -> [StoryID] {
        stories(in: box)
            .sorted {
                let (a, b) = ($0.times(for: viewer).createdAt, $1.times(for: viewer).createdAt)
                return a != b ? a > b : $0.id < $1.id
            }
            .map(\.id)
    }

    func places(in box: BoundingBox) -> Int { shown.filter { box.contains($0.point) }.count }

    /// The nearest place of each story within the box, nearest first.
    func nearest(to coordinate: Coordinate, in box: BoundingBox = .world) -> [Shown] {
        var seen: Set<StoryID> = []
        return shown.filter { box.contains($0.point) }
            .map { (distance: GreatCircle.distance(coordinate, $0.point), shown: $0) }
            .sorted {
                if $0.distance != $1.distance { return $0.distance < $1.distance }
                if $0.shown.story.id != $1.shown.story.id { return $0.shown.story.id < $1.shown.story.id }
                return PlacedOracle.order($0.shown) < PlacedOracle.order($1.shown)
            }
            .map(\.shown)
            .filter { seen.insert($0.story.id).inserted }
    }

    /// A place with a fence.
    struct Fenced {
        let stories: [StoryID]
        /// The stories that are there only by a further place.
        let further: [StoryID]
        /// The boxes around the lines and areas, if nothing is there but those, and locations of the same stories.
        let boxes: [BoundingBox]

        func isFound(in box: BoundingBox, at place: PlaceID) -> Bool {
            box.contains(place.coordinate) || boxes.contains { $0.touches(box) }
        }
    }

    /// The places with fences: stories at their own locations as published, and at further places that everybody sees
    /// exactly.
    var fenced: [PlaceID: Fenced] {
        var own: [PlaceID: Set<StoryID>] = [:]
        var further: [PlaceID: Set<StoryID>] = [:]
        var shapes: [PlaceID: [BoundingBox?]] = [:]
        var drawn: [PlaceID: Set<StoryID>] = [:]
        for story in matching {
            let point = story.owner == viewer.user ? story.location?.coordinate : story.publishedPoint
            if let point { own[PlaceID(point), default: []].insert(story.id) }
            for place in world.further(story) where place.location.published == .exact {
                if let shape = place.shape, !Outline.fits(shape.box) { continue }
                let id = PlaceID(place.location.coordinate)
                further[id, default: []].insert(story.id)
                shapes[id, default: []].append(place.shape?.box)
                if place.shape != nil { drawn[id, default: []].insert(story.id) }
            }
        }
        var fenced: [PlaceID: Fenced] = [:]
        for id in Set(own.keys).union(further.keys) {
            let (here, more) = (own[id] ?? [], further[id] ?? [])
            let boxes = shapes[id] ?? []
            fenced[id] = Fenced(
                stories: here.union(more).sorted(),
                further: more.subtracting(here).sorted(),
                boxes: here.isSubset(of: drawn[id] ?? []) && !boxes.contains(nil) ? boxes.compactMap(\.self) : []
            )
        }
        return fenced
    }

    var byPlace: [PlaceID: [StoryID]] {
        Dictionary(grouping: shown) { PlaceID($0.point) }.mapValues { Set($0.map(\.story.id)).sorted() }
    }
}
