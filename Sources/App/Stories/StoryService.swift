import Storage
import Stories

/// Creates, changes, deletes and reads stories.
package struct StoryService: StoreService {
    package let context: StoreContext
    let maps: MapService
    let accesses: AccessLog
    let feed: FeedService
    /// Keeps locations that programs extracted until the owner confirms them.
    let proposals: ProposalService
    /// Removes stories with all that follows.
    package let removal: StoryRemoval
    /// Announces new stories.
    package let news: StoryNews

    /// What repetitions of requests are known by.
    var keys: CreationKeys { CreationKeys(secret: store.keys[.storyIDs]) }
}
