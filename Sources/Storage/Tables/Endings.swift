import GRDB
public import Stories

// What ends here has ended in every older copy of the database, too.
extension StoreTransaction {
    /// Ends an API key, of that user if one is given; returns whether there was one.
    public func endKey(_ id: String, of user: UserID? = nil, at now: Timestamp) throws -> Bool {
        // Among a user's own keys: whether another's key has this id takes no part, not even in how long this takes.
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

    /// Ends all sign-ins of a user and all access tokens issued before; `id` is the number of it on the list.
    public func endSignIns(of user: UserID, at now: Timestamp, id: StoryID) throws {
        let entry = erasureList.entry(.signOut, of: .user(user), at: now, id: id)
        try endSignIns(of: user, epoch: entry.epoch, at: now)
        try put(entry, isSwept: true)
    }

    /// Notes that a story was deleted; `isForGood` when nothing of it is kept.
    public func noteDeletion(of story: StoryID, isForGood: Bool, at now: Timestamp) throws {
        let entry = erasureList.entry(isForGood ? .storyPurged : .storyDeleted, of: .story(story), at: now)
        try put(entry, isSwept: true)
    }

    /// Notes that a deleted story is back: an older copy, in which it was not deleted yet, keeps it.
    public func noteReturn(of story: StoryID, at now: Timestamp) {
        guard let entry = erasureList.deletion(of: story) else { return }
        afterCommit.lines.append(
            ErasureList.Entry(id: entry.id, at: now, kind: .takenBack, subject: entry.subject, until: nil)
        )
    }

    /// Notes that everything deleted at `limit` or before is gone for good.
    public func noteRetentionEnd(of limit: Timestamp) throws {
        try put(erasureList.entry(.retention, of: .retained, at: limit), isSwept: true)
    }

    /// Puts a line on the list of erasures before this transaction commits, and remembers that this copy knows it.
    ///
    /// `isSwept` says that nothing of what went can be left in free space.
    public func put(_ entry: ErasureList.Entry, isSwept: Bool) throws {
        try markApplied(entry, isSwept: isSwept)
        afterCommit.lines.append(entry)
    }

    /// Forgets which lines this copy has seen that are not on the list any more.
    public func forgetApplied(but entries: [ErasureList.Entry]) throws {
        let listed = Set(entries.map(\.id.description))
        for id in try String.fetchAll(db, sql: "SELECT id FROM applied_erasures WHERE swept = 1")
        where !listed.contains(id) {
            try db.execute(sql: "DELETE FROM applied_erasures WHERE id = ?", arguments: [id])
        }
    }

    /// Destroys a story that is kept sealed; returns whether it was.
    public func purgeSealed(_ id: StoryID) throws -> Bool {
        guard try sealedStory(id) != nil else { return false }
        return try purgeSealed([id.description]) == 1
    }
}

extension ErasureList.Entry {
    /// What access tokens say that were issued after this signing out everywhere.
    public var epoch: String { id.description }
}
