import Importing
import Storage
package import Stories

/// What an archive says in words about the place of a story that has no location yet, for exports.
package struct WaitingWords: Sendable {
    /// Everything in one text: "near Macon, Ga.".
    package let text: String?
    /// A county.
    package let county: String?
    /// A postal code.
    package let postalCode: String?
    /// The parts that are names of a location; a street is its address.
    package let names: [LocationName: String]
    /// How exactly the place would be shown.
    package let precision: LocationPrecision
    /// Whether family members would see an exact place.
    package let familySeesExact: Bool
    /// Whether a program extracted the words.
    package let isExtracted: Bool

    init(_ placement: RowPlacement) {
        let words = placement.words
        func part(_ text: String) -> String? { text.isEmpty ? nil : text }
        (text, county, postalCode) = (part(words.text), part(words.county), part(words.postalCode))
        names = words.names
        (precision, familySeesExact) = (placement.precision, placement.familySeesExact)
        isExtracted = placement.isExtracted
    }

    /// Returns the words about those stories that are the viewer's own and have no location, by story.
    ///
    /// Nobody else gets them: they may say where a story is before its owner agreed to show that. A story whose owner
    /// removed its location is left out, so that no copy brings the place back.
    package static func read(of views: [StoryView], in maps: MapService) async throws -> [StoryID: WaitingWords] {
        let ids = views.filter(\.mayHaveWaitingWords).map(\.story.id)
        guard !ids.isEmpty else { return [:] }
        return try await maps.context.store.read { transaction in
            var words: [StoryID: WaitingWords] = [:]
            for id in ids { words[id] = try transaction.placeWords(of: id)?.placement.map { WaitingWords($0) } }
            return words
        }
    }
}

extension StoryView {
    fileprivate var mayHaveWaitingWords: Bool {
        viewer.user == story.owner && story.location == nil && story.absentLocation?.isRemoved != true
    }
}
