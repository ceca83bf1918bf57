import Formats
package import Storage
package import Stories
package import StoryMap

/// Locations that programs extracted: proposals to a story's owner, and nothing to anybody else (LOC-11).
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

    /// Keeps what of a change is a proposal, or ends what was proposed, within the transaction of the change.
    ///
    /// Returns whether something new waits for the owner.
    ///
    /// - Throws: ``ExtractionRefusal/rejected`` when the owner rejected the place before.
    package func settle(
        _ story: Story,
        replacing old: Story?,
        _ proposal: StoryLocation?,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> Bool {
        guard let proposal else {
            // A place given by hand or by a receiver, and a removal, answer all that was asked.
            let isAnswered = old?.location != story.location && story.location?.source != .aiExtracted
            if isAnswered { try transaction.removeProposals(for: story.id) }
            return false
        }
        let rejected = try transaction.rejectedPlaces(of: story.id)
        guard extracted.digests(around: proposal.coordinate, for: story.id).isDisjoint(with: rejected) else {
            throw ExtractionRefusal.rejected
        }
        // What was derived is derived anew when it is shown, and when it is confirmed.
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

    /// Returns a page of what waits for a user, with the stories, the newest first, and where the next page begins.
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

    /// Gives a story the location that its owner confirms; nothing else is proposed for it any more.
    ///
    /// `shown` says how exactly others see it, where the owner says so. Returns the story.
    ///
    /// - Throws: ``Refusal``: not found for what does not wait for the user.
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
            story.touch(at: now, replacing: old)
            try feed.update(story, in: transaction)
            try transaction.removeProposals(for: story.id)
            return story.id
        }
    }

    /// Removes a proposal that its owner rejects: the same place is not proposed again for this story.
    ///
    /// - Throws: ``Refusal``: not found for what does not wait for the user.
    package func reject(_ id: StoryID, of user: UserID) async throws {
        try await store.write { [extracted] transaction in
            guard let proposal = try transaction.proposal(id, of: user) else { throw Refusal.notFound }
            let digest = extracted.digest(of: proposal.location.coordinate, for: proposal.story)
            try transaction.reject(place: digest, of: proposal.story)
            try transaction.removeProposal(id)
        }
    }
}

extension ExtractionRefusal: RefusalConvertible {
    /// A conflict: a location that a program extracted is not kept.
    package var refusal: Refusal {
        switch self {
        case .given(let source):
            Refusal(
                .conflict,
                "location-kept",
                "A location read out of the text does not replace one given by \(source == .gps ? "a receiver" : "hand")."
            )
        case .removed:
            Refusal(
                .conflict,
                "location-removed",
                "The location of this story was removed; one read out of the text does not come back. Give one by hand."
            )
        case .rejected:
            Refusal(
                .conflict,
                "location-rejected",
                "A location at this place was rejected for this story; it is not proposed again."
            )
        }
    }
}
