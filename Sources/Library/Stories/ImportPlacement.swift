import Formats
import Gazetteer
import Importing
import Notifications
import Storage
package import Stories

// What a row says about its place in words, beside the story that it makes.
extension ImportService {
    /// Returns the id of the story that a row makes, unless an earlier import made it under another key.
    package func storyID(owner: UserID, source: String, sourceID: String) -> StoryID {
        KeyedID.imported(secret: store.keys[.storyIDs], owner: owner, source: source, sourceID: sourceID)
    }

    /// Returns whether a row whose content is stored already still changes its story: its words were not kept before, are
    /// others now, or found a place that the story lacks.
    func addsPlace(_ row: ImportedStory, to id: StoryID, in transaction: StoreTransaction) throws -> Bool {
        guard let placement = row.placement else { return false }
        guard let kept = try transaction.placeWords(of: id), kept.words == placement.words.json else { return true }
        guard placement.place != nil, kept.state == .waiting, !placement.isExtracted else { return false }
        let story = try transaction.story(id)
        return story?.location == nil && story?.absentLocation?.isRemoved != true
    }

    /// Returns whether a story keeps the place that was found by the same words as those of a row, for which no place was
    /// looked for or found this time.
    func keepsPlace(_ story: Story, of row: ImportedStory, in transaction: StoreTransaction) throws -> Bool {
        guard let placement = row.placement, placement.place == nil, story.location?.source == .geocoded else {
            return false
        }
        return try transaction.placeWords(of: story.id)?.words == placement.words.json
    }

    /// Stores the words of a row beside its stored story; `isKnown` if an earlier import may have stored others.
    func saveWords(
        of row: ImportedStory,
        for id: StoryID,
        isKnown: Bool,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        guard let placement = row.placement else {
            if isKnown { try transaction.removePlaceWords(of: id) }
            return
        }
        if isKnown, placement.place == nil, let kept = try transaction.placeWords(of: id),
            kept.words == placement.words.json
        {
            return
        }
        var words = StoredPlaceWords(placement)
        if let place = placement.place { words.settle(place, as: .located) }
        try transaction.save(words, of: id, at: now)
    }
}

extension StoredPlaceWords {
    /// Creates the words of a row that wait for a place.
    init(_ placement: RowPlacement) {
        self.init(
            words: placement.words.json,
            precision: placement.precision,
            familySeesExact: placement.familySeesExact,
            isExtracted: placement.isExtracted
        )
    }

    /// Records the place that was found or chosen.
    mutating func settle(_ place: PlaceCandidate, as state: State) {
        self.state = state
        confidence = place.confidence
        kind = place.kind.name
        self.place = place.id.isEmpty ? nil : place.id
    }

    /// Returns the words as an import reads them; `nil` if they cannot be read.
    var placement: RowPlacement? {
        guard let json = try? JSONValue(parsing: Array(words.utf8)), let words = PlaceWords(json: json) else {
            return nil
        }
        var placement = RowPlacement(words: words)
        placement.precision = precision
        placement.familySeesExact = familySeesExact
        placement.isExtracted = isExtracted
        return placement
    }
}
