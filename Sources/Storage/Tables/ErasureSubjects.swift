import GRDB
public import Stories

/// What this copy of the database still has of what lines of the list of erasures are about.
public struct ErasureSubjects: Sendable {
    private var users: [StoryID: UserID] = [:]
    private var stories: [StoryID: StoryID] = [:]
    private var texts: [StoryID: String] = [:]

    /// The person a line is about, if they are here.
    public func user(of entry: ErasureList.Entry) -> UserID? { users[entry.subject] }
    /// The story a line is about, if it is here, sealed or not.
    public func story(of entry: ErasureList.Entry) -> StoryID? { stories[entry.subject] }
    /// The id of the key a line is about, if it is here.
    public func key(of entry: ErasureList.Entry) -> String? { texts[entry.subject] }
    /// The id of the sign-in a line is about, if it is here.
    public func signIn(of entry: ErasureList.Entry) -> String? { texts[entry.subject] }

    /// Looks for what these lines are about, in the tables that can have it alone.
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
            for id in try String.fetchAll(db, sql: "SELECT id FROM sign_ins") {
                texts[list.digest(of: .signIn(id))] = id
            }
        }
    }
}
