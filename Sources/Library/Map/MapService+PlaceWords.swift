package import Importing
import Storage
package import Stories

// What archives say in words about places that are not on the map.
extension MapService {
    /// Returns the words about the places of a viewer's own stories that have no location, by story.
    ///
    /// Nobody else sees them: they may say where a story is before its owner agreed to show that. A story whose owner
    /// removed its location is left out, so that no copy brings the place back.
    package func placeWords(of views: [StoryView]) async throws -> [StoryID: RowPlacement] {
        let ids = views.filter(\.mayHavePlaceWords).map(\.story.id)
        guard !ids.isEmpty else { return [:] }
        return try await context.store.read { transaction in
            var words: [StoryID: RowPlacement] = [:]
            for id in ids { words[id] = try transaction.placeWords(of: id)?.placement }
            return words
        }
    }
}

extension StoryView {
    fileprivate var mayHavePlaceWords: Bool {
        viewer.user == story.owner && story.location == nil && story.absentLocation?.isRemoved != true
    }
}
