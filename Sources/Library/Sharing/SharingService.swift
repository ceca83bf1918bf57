import Storage
package import Stories
package import StoryMap

/// A link with what its owner may know about it.
package struct ShareLinkView: Sendable {
    /// The link.
    package let link: ShareLink
    /// The title of its story or collection; `nil` if it is gone.
    package let title: String?
    /// The number of stories that it shows at present.
    package let storyCount: Int
}

/// Makes, lists and revokes the links by which users show a story or a collection to people without an account, and
/// answers the holders of these links.
package struct SharingService: StoreService {
    package let context: StoreContext
    /// Returns the further names by which words find places.
    private let names: PlaceNames

    /// Creates a value from its parts.
    package init(context: StoreContext, names: @escaping PlaceNames) {
        self.context = context
        self.names = names
    }

    /// Makes a link that its owner can give away; returns it with its secret, which is shown once and stored nowhere.
    ///
    /// It is valid for `days`, 1 to ``StoryLimits/shareDays``. Throws ``Refusal``: not found if the owner does not see the
    /// subject; forbidden if it belongs to another user; a conflict at the maximum number of links, and for a collection
    /// of too many stories.
    package func share(
        _ subject: ShareSubject,
        precision: SharePrecision,
        days: Int,
        by owner: UserID
    ) async throws -> (view: ShareLinkView, secret: String) {
        let drawn = SecretText.new(.share, random: random)
        let now = now()
        let link = ShareLink(
            id: drawn.id,
            digest: drawn.digest,
            owner: owner,
            subject: subject,
            precision: precision,
            createdAt: now,
            expiresAt: now.advanced(byMilliseconds: Int64(days) * 86_400_000)
        )
        let view = try await store.write { transaction in
            guard let viewer = try transaction.viewer(owner) else { throw Refusal.notFound }
            try SharingService.check(subject, of: viewer, in: transaction)
            try transaction.dropShareLinks(of: owner, endedBy: now)
            guard try transaction.shareLinks(of: owner, at: now).count < StoryLimits.shareCount else {
                throw Refusal.tooManyLinks
            }
            let view = try SharingService.view(of: link, in: transaction)
            guard view.storyCount <= StoryLimits.sharedStoryCount else { throw Refusal.tooManyShared }
            try transaction.insert(link)
            return view
        }
        return (view, drawn.text)
    }

    /// Returns the links of a user that have not expired, newest first.
    package func links(of owner: UserID) async throws -> [ShareLinkView] {
        let now = now()
        return try await store.read { transaction in
            try transaction.shareLinks(of: owner, at: now).map { try SharingService.view(of: $0, in: transaction) }
        }
    }

    /// Revokes a link of a user at once.
    ///
    /// Restoring an older copy of the database does not bring it back.
    ///
    /// - Throws: ``Refusal/notFound`` for an unknown link, one that has ended, and one of another user.
    package func revoke(_ id: String, of owner: UserID) async throws {
        let now = now()
        guard try await store.write({ try $0.endShareLink(id, of: owner, at: now) }) else { throw Refusal.notFound }
    }

    /// Rejects a subject that is not the viewer's own.
    private static func check(_ subject: ShareSubject, of viewer: Viewer, in transaction: StoreReader) throws {
        let owner: UserID? =
            switch subject {
            case .story(let id): try transaction.story(id, visibleTo: viewer)?.owner
            case .collection(let id): try transaction.collection(id, visibleTo: viewer)?.owner
            }
        guard let owner else { throw Refusal.notFound }
        guard owner == viewer.user else { throw Refusal.forbidden }
    }

    /// Returns a link as its owner sees it.
    private static func view(of link: ShareLink, in transaction: StoreReader) throws -> ShareLinkView {
        let contents = try SharedContents(of: link, in: transaction, limit: .max)
        var title = contents?.collection?.title
        if case .story(let id) = link.subject { title = try transaction.story(id)?.title }
        return ShareLinkView(link: link, title: title, storyCount: contents?.stories.count ?? 0)
    }
}

// What the holder of a link gets.
extension SharingService {
    /// Returns the map of the stories that a link shows at this moment.
    ///
    /// - Throws: ``Refusal/endedLink`` if the link has ended meanwhile or shows nothing.
    package func map(of link: ShareLink) async throws -> SharedMap {
        let now = now()
        let contents = try await store.read { try SharedContents(open: link, in: $0, at: now) }
        let (high, low) = store.keys.integers(.versions)
        return SharedMap(contents, service: self, key: DigestKey(high: high, low: low))
    }

    /// Returns the bytes of the picture of a story; `nil` if it has none, or if the link does not show the story.
    ///
    /// - Throws: ``Refusal/endedLink`` if the link has ended meanwhile or shows nothing.
    package func picture(of id: StoryID, through link: ShareLink) async throws -> [UInt8]? {
        let now = now()
        return try await store.read { transaction in
            let contents = try SharedContents(open: link, in: transaction, at: now)
            guard let story = contents.stories.first(where: { $0.id == id }) else { return nil }
            return try transaction.pictureBytes(of: story)
        }
    }

    /// Returns those of the stories that the link still shows, with their texts, in this order.
    ///
    /// - Throws: ``Refusal/endedLink`` if the link has ended meanwhile or shows nothing.
    func stories(_ ids: [StoryID], through link: ShareLink) async throws -> [StoryView] {
        let now = now()
        return try await store.read { transaction in
            let contents = try SharedContents(open: link, in: transaction, at: now)
            let texts = try contents.texts(of: ids, in: transaction)
            return ids.compactMap { texts[$0] }
                .map { story in
                    var view = StoryView(story: story, viewer: .anonymous, ownerName: contents.ownerName)
                    view.isShared = true
                    return view
                }
        }
    }

    /// Returns those of the stories behind a link whose texts contain all of the folded words, with their ranks.
    ///
    /// Names of a place are searched only where the link shows the exact point.
    func ranks(of words: [String], through link: ShareLink) async throws -> [StoryID: UInt8] {
        let now = now()
        let matcher = TextMatcher(words, viewer: .anonymous, names: names)
        return try await store.read { transaction in
            let contents = try SharedContents(open: link, in: transaction, at: now)
            var found: [StoryID: UInt8] = [:]
            let ids = contents.stories.map(\.id)
            for start in stride(from: 0, to: ids.count, by: SharingService.piece) {
                let part = Array(ids[start..<min(start + SharingService.piece, ids.count)])
                for story in try contents.texts(of: part, in: transaction).values {
                    found[story.id] = matcher.rank(SearchableText(story))
                }
            }
            return found
        }
    }

    /// The number of stories whose texts are in memory at a time.
    private static let piece = 100
}

extension Refusal {
    fileprivate static let tooManyLinks = Refusal(
        .conflict,
        "too-many-links",
        "You have \(StoryLimits.shareCount) links, the maximum. Revoke one first."
    )

    fileprivate static let tooManyShared = Refusal(
        .conflict,
        "too-many-stories",
        "A link shows at most \(StoryLimits.sharedStoryCount) stories. Share a smaller collection."
    )
}
