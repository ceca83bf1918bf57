import Formats
package import Storage
package import Stories
package import StoryMap

/// Manages locations extracted by programs: proposals to a story's owner, invisible to everyone else (LOC-11).
package struct ProposalService: StoreService {
    package let context: StoreContext
    package let maps: MapService
    package let feed: FeedService

    /// Creates a value from its parts.
    package init(context: StoreContext, maps: MapService, feed: FeedService) {
        self.context = context
        self.maps = maps
        self.feed = feed
    }

    private var extracted: ExtractedPlaces { ExtractedPlaces(secret: store.keys[.storyIDs]) }

    /// Stores the proposal made by a change of a story; if the change makes none but settles earlier ones, removes
    /// these.
    ///
    /// Runs in the transaction of the change.
    ///
    /// Returns whether a new proposal waits for the owner.
    ///
    /// - Throws: ``ExtractionRefusal/rejected`` if the owner rejected the place before.
    package func settle(
        _ story: Story,
        replacing old: Story?,
        _ proposal: StoryLocation?,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> Bool {
        guard let proposal else {
            // A new location set by a person or a GPS receiver settles all proposals, and so does a removal.
            let isAnswered = old?.location != story.location && story.location?.source != .aiExtracted
            if isAnswered { try transaction.removeProposals(for: story.id) }
            return false
        }
        let rejected = try transaction.rejectedPlaces(of: story.id)
        guard extracted.digests(around: proposal.coordinate, for: story.id).isDisjoint(with: rejected) else {
            throw ExtractionRefusal.rejected
        }
        // Derived names are derived again when the proposal is shown and when it is confirmed.
        var given = proposal
        for name in proposal.derived { given.names[name] = nil }
        given.derived = []
        return try transaction.save(
            LocationProposal(
                id: extracted.proposalID(of: proposal.coordinate, for: story.id),
                story: story.id,
                owner: story.owner,
                location: given,
                createdAt: now
            )
        )
    }

    /// Returns a page of the proposals that wait for a user, newest first, with their stories and the start of the next
    /// page.
    package func page(
        of user: UserID,
        after cursor: ListCursor?,
        limit: Int
    ) async throws -> (proposals: [LocationProposal], stories: [StoryID: Story], next: ListCursor?) {
        try await store.read { transaction in
            let found = try transaction.proposals(
                of: user,
                after: cursor.map { ($0.createdAt, $0.id) },
                limit: limit + 1
            )
            let page = Array(found.prefix(limit))
            let stories = try transaction.stories(page.map(\.story), withText: false)
            let next = found.count > limit ? page.last.map { ListCursor(createdAt: $0.createdAt, id: $0.id) } : nil
            return (page, stories, next)
        }
    }

    /// Gives a story the location that its owner confirms, and removes all other proposals for it.
    ///
    /// `shown` applies the precision for others, if the owner specifies one. Returns the id of the story.
    ///
    /// - Throws: ``Refusal``: not found if no such proposal waits for the user.
    package func confirm(
        _ id: StoryID,
        of user: UserID,
        shown: @escaping @Sendable (inout StoryLocation) throws -> Void
    ) async throws -> StoryID {
        let now = now()
        return try await store.write { [self] transaction in
            guard let proposal = try transaction.proposal(id, of: user), let old = try transaction.story(proposal.story)
            else { throw Refusal.notFound }
            var story = old
            var location = maps.derivingNames(proposal.location)
            (location.createdAt, location.updatedAt) = (nil, nil)
            story.confirmLocation(location)
            if var confirmed = story.location {
                try shown(&confirmed)
                confirmed.stamp(at: now, replacing: old.location)
                story.location = confirmed
            }
            story.settleExtents(replacing: old)
            story.touch(at: now, replacing: old)
            try feed.update(story, in: transaction)
            try transaction.removeProposals(for: story.id)
            return story.id
        }
    }

    /// Removes a proposal that its owner rejects: its place is not proposed again for this story.
    ///
    /// - Throws: ``Refusal``: not found if no such proposal waits for the user.
    package func reject(_ id: StoryID, of user: UserID) async throws {
        try await store.write { [extracted] transaction in
            guard let proposal = try transaction.proposal(id, of: user) else { throw Refusal.notFound }
            let digest = extracted.digest(of: proposal.location.coordinate, for: proposal.story)
            try transaction.reject(place: digest, of: proposal.story)
            try transaction.removeProposal(id)
        }
    }
}

extension LocationProposal {
    /// Returns the proposal with the names of its place that nobody gave, from the gazetteer.
    func derivingNames(from maps: MapService) -> LocationProposal {
        LocationProposal(
            id: id,
            story: story,
            owner: owner,
            location: maps.derivingNames(location),
            createdAt: createdAt
        )
    }
}

extension ExtractionRefusal: RefusalConvertible {
    /// A conflict: the extracted location is not stored.
    package var refusal: Refusal {
        switch self {
        case .given(let source):
            Refusal(
                .conflict,
                "location-kept",
                "A location extracted from the text does not replace one set by "
                    + (source == .gps ? "GPS." : source == .geocoded ? "the words of its archive." : "hand.")
            )
        case .removed:
            Refusal(
                .conflict,
                "location-removed",
                "The location of this story was removed, so none is extracted from its text any more. Set one by hand."
            )
        case .rejected:
            Refusal(
                .conflict,
                "location-rejected",
                "A location at this place was rejected for this story; it will not be proposed again."
            )
        }
    }
}
