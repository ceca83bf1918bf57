import Storage
import Stories

/// Creates, changes, deletes and reads stories.
package struct StoryService: StoreService {
    package let context: StoreContext
    package let maps: MapService
    package let accesses: AccessLog
    package let feed: FeedService
    /// Keeps locations that programs extracted until the owner confirms them.
    package let proposals: ProposalService
    /// Removes stories, and updates everything that depends on them.
    package let removal: StoryRemoval
    /// Announces new stories.
    package let news: StoryNews

    /// Creates a value from its parts.
    package init(
        context: StoreContext,
        maps: MapService,
        accesses: AccessLog,
        feed: FeedService,
        proposals: ProposalService,
        removal: StoryRemoval,
        news: StoryNews
    ) {
        self.context = context
        self.maps = maps
        self.accesses = accesses
        self.feed = feed
        self.proposals = proposals
        self.removal = removal
        self.news = news
    }

    /// The keys by which repeated requests are recognized.
    package var keys: CreationKeys { CreationKeys(secret: store.keys[.storyIDs]) }

    /// How places that programs extracted are recognized.
    var extracted: ExtractedPlaces { ExtractedPlaces(secret: store.keys[.storyIDs]) }
}
