import Geometry
import Stories

/// The places of stories that have not been announced, grouped around a place that was entered.
struct StoryPlaces {
    private struct Place {
        let id: PlaceID
        let point: Coordinate
    }

    /// The places, sorted by latitude, then by id.
    private let places: [Place]
    /// The stories left to announce, by place; a story with several places occurs once at each of them.
    private var stories: [PlaceID: [NearbyStory]]
    /// The places of each story that has several.
    private let several: [StoryID: [PlaceID]]

    /// The maximum number of points farther away than half the diameter that are considered, nearest first; each of
    /// them must be compared with all points of the group.
    private static let farPoints = 64

    init(_ nearby: [NearbyStory]) {
        var stories: [PlaceID: [NearbyStory]] = [:]
        var several: [StoryID: [PlaceID]] = [:]
        var latest: (id: StoryID, place: PlaceID)?
        for story in nearby.sorted(by: StoryPlaces.isBefore) {
            if let latest, latest.id == story.id {
                guard latest.place != story.placeID else { continue }
                several[story.id, default: [latest.place]].append(story.placeID)
            }
            stories[story.placeID, default: []].append(story)
            latest = (story.id, story.placeID)
        }
        self.stories = stories
        self.several = several
        let places = stories.compactMap { id, stories in stories.first.map { Place(id: id, point: $0.point) } }
        self.places = places.sorted { ($0.point.latitude, $0.id) < ($1.point.latitude, $1.id) }
    }

    /// Returns whether a place itself has stories left to announce.
    func holdsStories(at place: PlaceID) -> Bool { stories[place] != nil }

    /// Orders stories by id, then by place; at one place the story's own location comes before further places.
    private static func isBefore(_ a: NearbyStory, _ b: NearbyStory) -> Bool {
        if a.id != b.id { return a.id < b.id }
        if a.placeID != b.placeID { return a.placeID < b.placeID }
        guard let first = a.further?.place, let second = b.further?.place else {
            return a.further == nil && b.further != nil
        }
        return first < second
    }

    /// Removes the stories of places, wherever else they are, and returns them, sorted by id.
    ///
    /// A story at several of the places is returned as it is at `first`, or else at the place with the smallest id.
    mutating func take(_ group: Set<PlaceID>, first: PlaceID) -> [NearbyStory] {
        var taken: [NearbyStory] = []
        for place in [first] + group.subtracting([first]).sorted() {
            for story in stories.removeValue(forKey: place) ?? [] {
                taken.append(story)
                for other in several[story.id] ?? [] where other != place { remove(story.id, from: other) }
            }
        }
        return taken.sorted { $0.id < $1.id }
    }

    private mutating func remove(_ story: StoryID, from place: PlaceID) {
        guard var left = stories.removeValue(forKey: place) else { return }
        left.removeAll { $0.id == story }
        if !left.isEmpty { stories[place] = left }
    }

    /// Returns the place entered and those around it, no two further apart than `diameter` metres (complete linkage).
    ///
    /// Candidates are considered by distance, then by id, so that neither the order of stories nor distant places
    /// affect the result. Places within one of `named` are excluded: they are announced under that name on a visit to
    /// it.
    func group(around visit: PlaceVisit, diameter: Double, butNotIn named: [NamedPlace] = []) -> Set<PlaceID> {
        var members: [Coordinate] = [visit.coordinate]
        var group: Set<PlaceID> = [visit.placeID]
        var compared = 0
        for (distance, place) in neighbours(of: visit, within: diameter) {
            if holdsExactStories(at: place.id), named.naming(place.point) != nil { continue }
            if distance > diameter / 2 {
                compared += 1
                guard compared <= StoryPlaces.farPoints else { break }
                guard members.allSatisfy({ StoryPlaces.distance($0, place.point) <= diameter }) else { continue }
            }
            members.append(place.point)
            group.insert(place.id)
        }
        return group
    }

    /// Returns whether any of the remaining stories at a place is known to have happened there, rather than somewhere
    /// around it.
    func holdsExactStories(at place: PlaceID) -> Bool { stories[place]?.contains(where: \.isExact) ?? false }

    /// Returns the place entered and all places in the same named place.
    func group(in named: NamedPlace, of visit: PlaceVisit) -> Set<PlaceID> {
        let reach = named.radius / GreatCircle.metresPerDegree * 1.01
        var index = firstIndex(north: named.coordinate.latitude - reach)
        var group: Set<PlaceID> = [visit.placeID]
        while index < places.count, places[index].point.latitude <= named.coordinate.latitude + reach {
            let place = places[index]
            index += 1
            if holdsExactStories(at: place.id), named.contains(place.point) { group.insert(place.id) }
        }
        return group
    }

    private func neighbours(of visit: PlaceVisit, within diameter: Double) -> [(distance: Double, place: Place)] {
        let reach = diameter / GreatCircle.metresPerDegree * 1.01
        let north = visit.coordinate.latitude + reach
        var index = firstIndex(north: visit.coordinate.latitude - reach)
        var found: [(distance: Double, place: Place)] = []
        while index < places.count, places[index].point.latitude <= north {
            let place = places[index]
            index += 1
            guard place.id != visit.placeID, stories[place.id] != nil else { continue }
            let distance = StoryPlaces.distance(visit.coordinate, place.point)
            if distance <= diameter { found.append((distance, place)) }
        }
        return found.sorted { ($0.distance, $0.place.id) < ($1.distance, $1.place.id) }
    }

    private func firstIndex(north latitude: Double) -> Int {
        var low = 0
        var high = places.count
        while low < high {
            let middle = low + (high - low) / 2
            if places[middle].point.latitude < latitude { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the distance in metres, rounded to 0.01, so that rounding differences between math libraries do not
    /// affect the result.
    private static func distance(_ a: Coordinate, _ b: Coordinate) -> Double {
        (GreatCircle.distance(a, b) * 100).rounded() / 100
    }
}
