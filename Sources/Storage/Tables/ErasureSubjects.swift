import GRDB
public import Stories

/// The subjects of lines of the list of erasures that this copy of the database still contains.
public struct ErasureSubjects: Sendable {
    private var users: [StoryID: UserID] = [:]
    private var stories: [StoryID: StoryID] = [:]
    private var texts: [StoryID: String] = [:]

    /// Returns the person a line is about, if present.
    public func user(of entry: ErasureList.Entry) -> UserID? { users[entry.subject] }
    /// Returns the story a line is about, if present, sealed or not.
    public func story(of entry: ErasureList.Entry) -> StoryID? { stories[entry.subject] }
    /// Returns the id of the key a line is about, if present.
    public func key(of entry: ErasureList.Entry) -> String? { texts[entry.subject] }
    /// Returns the id of the sign-in or session a line is about, if present.
    public func signIn(of entry: ErasureList.Entry) -> String? { texts[entry.subject] }

    /// Finds the subjects of these lines, searching only the tables that may contain them.
    public init(
        of entries: [ErasureList.Entry],
        on list: ErasureList,
        in transaction: StoreReader
    ) throws {
        let db = transaction.db
        let kinds = Set(entries.map(\.kind))
        if !kinds.isDisjoint(with: [.account, .locationData, .consent, .signOut]) {
            for user in try transaction.users().map(\.id) { users[list.digest(of: .user(user))] = user }
        }
        if !kinds.isDisjoint(with: [.storyDeleted, .storyPurged]) {
            let wanted = Set(entries.map(\.subject))
            let ids = try String.fetchCursor(
                db,
                sql: "SELECT id FROM stories UNION ALL SELECT story FROM sealed_stories"
            )
            while let id = try ids.next() {
                guard let id = StoryID(id) else { continue }
                let digest = list.digest(of: .story(id))
                if wanted.contains(digest) { stories[digest] = id }
            }
        }
        if kinds.contains(.key) {
            for key in try transaction.keys(of: nil) { texts[list.digest(of: .key(key.id))] = key.id }
        }
        if kinds.contains(.signIn) {
            let tables = ["sign_ins", "page_sessions", "share_links", "passkeys", "provider_accounts"]
            let sql = tables.map { "SELECT id FROM \($0)" }.joined(separator: " UNION ALL ")
            for id in try String.fetchAll(db, sql: sql) {
                texts[list.digest(of: .signIn(id))] = id
            }
        }
    }
}
