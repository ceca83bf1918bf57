import Importing
import Storage
import Stories

/// Turns the further places of rows into those of stories (LOC-10).
///
/// The id of a place that a file gave follows from what the file says of it. So a place that its owner edited since is
/// known: its id follows from something else.
struct ImportedPlaces {
    let extracted: ExtractedPlaces
    let maps: MapService

    /// Returns the places of a row for a new story, in order; what a row says twice is one place, as coarse as the
    /// coarser.
    func new(of row: ImportedStory, for story: StoryID) -> [StoryPlace] {
        var places: [StoryPlace] = []
        for given in row.places {
            var place = given.place(id: given.keptID ?? extracted.placeID(saying: given.identity, for: story))
            if let same = places.firstIndex(where: { $0.id == place.id }) {
                places[same].narrow(to: place.location)
                places[same].isConfirmed = places[same].isConfirmed && place.isConfirmed
                continue
            }
            place.location = place.location(namedBy: maps)
            places.append(place)
        }
        return places.sorted(by: StoryPlace.isBefore)
    }

    /// Returns the places of a story that an earlier import made, after a change of its row.
    ///
    /// What the file said before and nobody edited goes when the file no longer says it; what the owner added or edited
    /// stays, and what they removed does not come back. A place is never shown more exactly than before, nor is one that
    /// takes the place of others shown more exactly than those were.
    ///
    /// The extent that a row gives is that of `location`, as the story has it after the change: shown no more exactly. If
    /// the location is not the row's (`takesExtents`), no extent comes and none goes.
    func merged(
        of row: ImportedStory,
        into old: Story,
        at location: StoryLocation?,
        takesExtents: Bool,
        in transaction: StoreTransaction
    ) throws -> [StoryPlace] {
        guard !row.places.isEmpty || !old.places.isEmpty else { return [] }
        func isTaken(_ place: StoryPlace) -> Bool { takesExtents || place.role != .extent }
        var stored = old.places
        var (merged, added) = ([StoryPlace](), [StoryPlace]())
        for place in new(of: row, for: old.id) {
            if let same = stored.firstIndex(where: { $0.identity == place.identity }) {
                var known = stored.remove(at: same)
                known.location.precision = known.location.precision.stricter(place.location.precision)
                merged.append(known)
            } else if isTaken(place) {
                added.append(place)
            }
        }
        let gone = stored.filter { isTaken($0) && $0.id == extracted.placeID(saying: $0.identity, for: old.id) }
        merged += stored.filter { place in !gone.contains { $0.id == place.id } }
        let rejected = try added.isEmpty ? [] : Set(transaction.rejectedPlaces(of: old.id))
        for var place in added where !rejected.contains(extracted.digest(of: place.location.coordinate, for: old.id)) {
            // A story that its owner filled up keeps what it has.
            guard merged.count < StoryLimits.placeCount else { break }
            for other in gone { place.narrow(to: other.location) }
            if place.role == .extent, let location, location.precision != .exact { place.narrow(to: location) }
            merged.append(place)
        }
        return merged.sorted(by: StoryPlace.isBefore)
    }
}

extension ExtractedPlaces {
    /// Returns the id of a further place of an imported story; equal for what says the same.
    func placeID(saying identity: String, for story: StoryID) -> StoryID { make("imported|\(story)|\(identity)") }
}

extension ImportService {
    /// The further places of rows.
    var places: ImportedPlaces {
        ImportedPlaces(extracted: ExtractedPlaces(secret: store.keys[.storyIDs]), maps: maps)
    }
}
