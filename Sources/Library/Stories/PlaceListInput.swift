import Formats
import Geometry
import Storage
import Stories

/// Reads the further places in the body of a story: the whole list, in place of the one it had (LOC-10).
///
/// An element with the `id` of a place of the story changes that place; one without is the place that says the same, or
/// a new one. A place that no element stands for is removed.
struct PlaceListInput {
    private let elements: [JSONValue]
    private let extracted: ExtractedPlaces
    private let random: RandomSource
    private let maps: MapService

    /// Creates a value; `nil` if the body says nothing of places.
    init?(body: JSONValue, for stories: StoryService) {
        guard let given = body["places"] else { return nil }
        elements = given.array ?? []
        (extracted, random, maps) = (stories.extracted, stories.random, stories.maps)
    }

    /// The list that was read, with at most one problem per field.
    struct Reading {
        var places: [StoryPlace] = []
        var problems: [FieldProblem] = []
    }

    /// Returns the places that the story then has, in order.
    ///
    /// - Throws: ``ExtractionRefusal`` if a program would move a place.
    func places(of story: Story) throws -> Reading {
        var reading = Reading()
        let named = Set(elements.compactMap { $0["id"]?.string.flatMap { StoryID($0) } })
        // The places by their ids, and those that elements without an id can mean.
        var known = Dictionary(story.places.map { ($0.id, $0) }) { first, _ in first }
        var unnamed = story.places.filter { !named.contains($0.id) }
        for (index, element) in elements.enumerated() {
            let input = PlaceInput(body: element, prefix: "places[\(index)].")
            if let id = element["id"] {
                guard let place = id.string.flatMap({ StoryID($0) }).flatMap({ known.removeValue(forKey: $0) }) else {
                    let message = "must be the id of a place of this story, and stand in the list once"
                    reading.problems.append(FieldProblem(field: input.prefix + "id", message: message))
                    continue
                }
                try change(place, input, in: story, &reading)
            } else {
                add(input, to: story, unnamed: &unnamed, &reading)
            }
        }
        reading.places.sort(by: StoryPlace.isBefore)
        return reading
    }

    private func change(_ place: StoryPlace, _ input: PlaceInput, in story: Story, _ reading: inout Reading) throws {
        let change = input.reading(changing: place, in: story)
        reading.problems += change.problems
        guard change.problems.isEmpty else { return }
        try input.checkExtraction(change.place, replacing: place)
        reading.places.append(change.place == place ? place : named(change.place))
    }

    private func add(
        _ input: PlaceInput,
        to story: Story,
        unnamed: inout [StoryPlace],
        _ reading: inout Reading
    ) {
        let new = input.reading(for: story) { point, role in
            guard !input.isExtracted else { return extracted.placeID(of: point, role, for: story.id) }
            var generator = random
            return StoryID(using: &generator)
        }
        reading.problems += new.problems
        guard new.problems.isEmpty else { return }
        let same = unnamed.firstIndex { known in
            known.isGivenLike(new.place) || (input.isExtracted && extracted.isSame(new.place, as: known, of: story.id))
        }
        if let same {
            reading.places.append(unnamed.remove(at: same))
        } else if !reading.places.contains(where: { $0.id == new.place.id }) {
            reading.places.append(named(new.place))
        }
    }

    private func named(_ place: StoryPlace) -> StoryPlace {
        var named = place
        named.location = place.location(namedBy: maps)
        return named
    }
}

extension StoryPlace {
    /// Returns whether two places were given alike, whatever follows from the point or is kept by the store.
    func isGivenLike(_ other: StoryPlace) -> Bool {
        (role, seconds, shape) == (other.role, other.seconds, other.shape)
            && location.given == other.location.given
    }
}

extension [StoryPlace] {
    /// Returns whether two lists were given alike, whatever ids their places got.
    func areGivenLike(_ others: [StoryPlace]) -> Bool {
        var rest = others
        return count == others.count
            && allSatisfy { place in
                rest.firstIndex { $0.isGivenLike(place) }.map { rest.remove(at: $0) } != nil
            }
    }
}

extension StoryLocation {
    /// The location as it was given: without derived names, floor and times.
    fileprivate var given: StoryLocation {
        var given = self
        for name in derived { given.names[name] = nil }
        given.derived = []
        given.adoptUpkeep(of: nil)
        return given
    }
}

extension Story {
    /// Gives the further places the times of a change, and puts them in order.
    mutating func stampPlaces(at now: Timestamp, replacing old: Story?) {
        guard places != old?.places ?? [] else { return }
        let known = Dictionary((old?.places ?? []).map { ($0.id, $0.location) }) { first, _ in first }
        for index in places.indices {
            let before = known[places[index].id]
            places[index].location.stamp(at: now, replacing: before)
        }
        places.sort(by: StoryPlace.isBefore)
    }
}

extension ExtractedPlaces {
    /// Returns whether an extraction found a place that is known already.
    func isSame(_ place: StoryPlace, as known: StoryPlace, of story: StoryID) -> Bool {
        guard known.id != place.id else { return true }
        guard known.role == place.role else { return false }
        return digests(around: place.location.coordinate, for: story)
            .contains(digest(of: known.location.coordinate, for: story))
    }
}

extension ExtractedPlaces {
    /// Completes a change of the further places: their times, and what programs may not bring back.
    ///
    /// - Throws: ``ExtractionRefusal/rejected`` if a new extracted place is one that the owner removed or rejected.
    func settle(
        _ story: inout Story,
        replacing old: Story,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        guard story.places != old.places else { return }
        story.stampPlaces(at: now, replacing: old)
        let (before, after) = (Set(old.places.map(\.id)), Set(story.places.map(\.id)))
        for place in story.places where !place.isConfirmed && !before.contains(place.id) {
            let digests = digests(around: place.location.coordinate, for: story.id)
            guard try digests.isDisjoint(with: transaction.rejectedPlaces(of: story.id)) else {
                throw ExtractionRefusal.rejected
            }
        }
        for place in old.places where !after.contains(place.id) {
            try transaction.reject(place: digest(of: place.location.coordinate, for: story.id), of: story.id)
        }
    }
}

extension StoryPlace {
    /// Returns the location with the names that the gazetteer knows; of a line or an area only those that hold for more
    /// than the point by which it is placed.
    func location(namedBy maps: MapService) -> StoryLocation {
        var location = maps.derivingNames(location)
        guard shape != nil else { return location }
        for name in [LocationName.name, .address, .city] where location.derived.contains(name) {
            location.names[name] = nil
            location.derived.remove(name)
        }
        return location
    }
}
