import GRDB
public import Stories

// Endings here also apply to every older copy of the database.
extension StoreTransaction {
    /// Revokes an API key, but only a key of `user` if given; returns whether one was revoked.
    public func endKey(_ id: String, of user: UserID? = nil, at now: Timestamp) throws -> Bool {
        // Search only the user's own keys: neither the result nor the time taken may depend on whether someone else's
        // key has this id.
        let known = if let user { try keys(of: user).first { $0.id == id } } else { try key(id) }
        guard let key = known, try removeKey(id, of: user) else { return false }
        try put(erasureList.entry(.key, of: .key(id), at: now, until: key.expiresAt), isSwept: true)
        return true
    }

    /// Ends a sign-in with all its tokens.
    public func endSignIn(_ id: String, at now: Timestamp) throws {
        guard let end = try signInEnd(id) else { return }
        try endSignIn(id)
        try put(erasureList.entry(.signIn, of: .signIn(id), at: now, until: end), isSwept: true)
    }

    /// Ends a session of the page, but only one of `user` if given; returns whether it was active.
    public func endPageSession(_ id: String, of user: UserID? = nil, at now: Timestamp) throws -> Bool {
        // As for keys: neither the result nor the time taken may depend on whether someone else's session has this id.
        guard let session = try pageSession(id, of: user) else { return false }
        try removePageSession(id)
        try put(erasureList.entry(.signIn, of: .signIn(id), at: now, until: session.expiresAt), isSwept: true)
        return now < session.expiresAt
    }

    /// Revokes a link to a story or a collection, but only one of `owner` if given; returns whether it was open.
    public func endShareLink(_ id: String, of owner: UserID? = nil, at now: Timestamp) throws -> Bool {
        // As for keys: neither the result nor the time taken may depend on whether someone else's link has this id.
        guard let link = try shareLink(id, of: owner) else { return false }
        try removeShareLink(id)
        try put(erasureList.entry(.signIn, of: .signIn(id), at: now, until: link.expiresAt), isSwept: true)
        return link.isOpen(at: now)
    }

    /// Removes a passkey of a user; returns whether there was one.
    public func endPasskey(_ id: StoryID, of user: UserID, at now: Timestamp) throws -> Bool {
        // As for keys: neither the result nor the time taken may depend on whether someone else's passkey has this id.
        guard try passkeys(of: user).contains(where: { $0.id == id }) else { return false }
        try removePasskey(id.description)
        try put(erasureList.entry(.signIn, of: .signIn(id.description), at: now), isSwept: true)
        return true
    }

    /// Removes the link between an account at a provider and that of `user`; returns whether there was one.
    public func endProviderAccount(_ id: String, of user: UserID, at now: Timestamp) throws -> Bool {
        // Search only the user's own: neither the result nor the time taken may depend on whether someone else's has this
        // id.
        guard try providerAccounts(of: user).contains(where: { $0.id == id }) else { return false }
        try removeProviderAccount(id)
        try put(erasureList.entry(.signIn, of: .signIn(id), at: now), isSwept: true)
        return true
    }

    /// Removes a collection with the links to it, and returns whether it existed.
    ///
    /// Its stories are unchanged.
    @discardableResult
    public func endCollection(_ id: CollectionID, at now: Timestamp) throws -> Bool {
        for link in try shareLinks(to: id) { _ = try endShareLink(link, at: now) }
        return try removeCollection(id)
    }

    /// Ends all sign-ins and sessions of a user and all access tokens issued so far; `id` is the number of the new
    /// line on the list of erasures.
    public func endSignIns(of user: UserID, at now: Timestamp, id: StoryID) throws {
        let entry = erasureList.entry(.signOut, of: .user(user), at: now, id: id)
        try endSignIns(of: user, epoch: entry.epoch, at: now)
        try put(entry, isSwept: true)
    }

    /// Records that a story was deleted; `isForGood` if nothing of it is kept.
    public func noteDeletion(of story: StoryID, isForGood: Bool, at now: Timestamp) throws {
        let entry = erasureList.entry(isForGood ? .storyPurged : .storyDeleted, of: .story(story), at: now)
        try put(entry, isSwept: true)
    }

    /// Records that a deleted story is back, so that an older copy from before its deletion keeps it.
    public func noteReturn(of story: StoryID, at now: Timestamp) {
        guard let entry = erasureList.deletion(of: story) else { return }
        afterCommit.lines.append(
            ErasureList.Entry(id: entry.id, at: now, kind: .takenBack, subject: entry.subject, until: nil)
        )
    }

    /// Records that everything deleted at `limit` or before is gone for good.
    public func noteRetentionEnd(of limit: Timestamp) throws {
        try put(erasureList.entry(.retention, of: .retained, at: limit), isSwept: true)
    }

    /// Adds a line to the list of erasures before this transaction commits, and records that this copy has seen it.
    ///
    /// `isSwept` states that nothing of the erased content can be left in free space.
    public func put(_ entry: ErasureList.Entry, isSwept: Bool) throws {
        try markApplied(entry, isSwept: isSwept)
        afterCommit.lines.append(entry)
    }

    /// Forgets the lines this copy has seen that are not among `entries`, the lines still on the list, unless some of
    /// their erased content may remain.
    public func forgetApplied(but entries: [ErasureList.Entry]) throws {
        let listed = Set(entries.map(\.id.description))
        for id in try String.fetchAll(db, sql: "SELECT id FROM applied_erasures WHERE swept = 1")
        where !listed.contains(id) {
            try db.execute(sql: "DELETE FROM applied_erasures WHERE id = ?", arguments: [id])
        }
    }

    /// Destroys a deleted story that is kept sealed; returns whether there was one.
    public func purgeSealed(_ id: StoryID) throws -> Bool {
        guard try sealedStory(id) != nil else { return false }
        return try purgeSealed([id.description]) == 1
    }
}

extension ErasureList.Entry {
    /// The epoch contained in access tokens issued after this sign-out everywhere.
    public var epoch: String { id.description }
}
