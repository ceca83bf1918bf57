import Foundation
import GRDB
public import Stories

extension StoreReader {
    /// Returns the secrets stored inside the database.
    func secrets() throws -> [StoreKeys.Name: [UInt8]] {
        var secrets: [StoreKeys.Name: [UInt8]] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT name, key FROM secrets") {
            if let name = StoreKeys.Name(rawValue: row["name"]) { secrets[name] = [UInt8](row["key"] as Data) }
        }
        return secrets
    }

    /// Pings the database: throws if it does not respond.
    public func ping() throws {
        _ = try Int.fetchOne(db, sql: "SELECT 1")
    }

    /// Returns the user with an id, or `nil`.
    public func user(_ id: UserID) throws -> User? {
        let statement = try db.cachedStatement(
            sql: "SELECT * FROM users WHERE id = ? AND \(StoreReader.isAccount)"
        )
        return try statement.first([id.rawValue], user) ?? nil
    }

    /// Returns when a user was created, or `nil` if there is none.
    public func creationTime(of id: UserID) throws -> Timestamp? {
        try Int64.fetchOne(
            db.cachedStatement(
                sql: "SELECT created_ms FROM users WHERE id = ? AND \(StoreReader.isAccount)"
            ),
            arguments: [id.rawValue]
        )
        .map { Timestamp(milliseconds: $0) }
    }

    /// Returns all users, sorted by id.
    public func users() throws -> [User] {
        try Row.fetchAll(db, sql: "SELECT * FROM users WHERE \(StoreReader.isAccount) ORDER BY id")
            .compactMap(user)
    }

    /// Returns the names of the given users.
    public func names(of ids: Set<UserID>) throws -> [UserID: String] {
        let statement = try db.cachedStatement(
            sql: "SELECT name FROM users WHERE id = ? AND \(StoreReader.isAccount)"
        )
        var names: [UserID: String] = [:]
        for id in ids { names[id] = try String.fetchOne(statement, arguments: [id.rawValue]) }
        return names
    }

    /// Returns a user as a viewer, with their families and all members; `nil` if there is no such user.
    public func viewer(_ id: UserID) throws -> Viewer? {
        guard try user(id) != nil else { return nil }
        let statement = try db.cachedStatement(
            sql: """
                SELECT other.family, other.user FROM memberships AS mine
                JOIN memberships AS other ON other.family = mine.family WHERE mine.user = ?
                """
        )
        let rows = try Row.fetchCursor(statement, arguments: [id.rawValue])
        var families: [FamilyID: Set<UserID>] = [:]
        while let row = try rows.next() {
            guard let family = FamilyID(row["family"] as String), let member = UserID(row["user"] as String) else {
                continue
            }
            families[family, default: []].insert(member)
        }
        return Viewer(user: id, families: families)
    }

    private func user(_ row: Row) -> User? {
        UserID(row["id"] as String).map { User(id: $0, name: row["name"], email: row["email"]) }
    }
}

extension StoreTransaction {
    /// Stores a user, or changes the name and e-mail address of an existing one.
    public func save(_ user: User, at now: Timestamp) throws {
        try refuseErasing(user.id)
        try noteRenaming(of: user)
        try db.execute(
            sql: """
                INSERT INTO users (id, name, email, created_ms) VALUES (?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET name = excluded.name, email = excluded.email
                """,
            arguments: [user.id.rawValue, user.name, user.email, now.milliseconds]
        )
    }

    /// Stores a user with the id as the name, unless one with that id already exists.
    ///
    /// - Throws: ``StoreError`` with code `erasing` while an account with that id is being erased.
    public func ensureUser(_ id: UserID, at now: Timestamp) throws {
        try refuseErasing(id)
        try db.execute(
            sql: "INSERT OR IGNORE INTO users (id, name, created_ms) VALUES (?, ?, ?)",
            arguments: [id.rawValue, id.rawValue, now.milliseconds]
        )
    }

    /// Stores a family, or renames an existing one.
    public func saveFamily(_ id: FamilyID, name: DisplayName, at now: Timestamp) throws {
        try db.execute(
            sql: """
                INSERT INTO families (id, name, created_ms) VALUES (?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET name = excluded.name
                """,
            arguments: [id.rawValue, name.text, now.milliseconds]
        )
    }

    /// Makes a user a member of a family or changes a member's role; the only way to join a family.
    ///
    /// Invitations that the member may not make in this role are cancelled, and the member's own invitation ends.
    public func saveMember(_ user: UserID, of family: FamilyID, role: FamilyRole, at now: Timestamp) throws {
        noteMembership(of: user, in: family, role: role, replacing: try self.role(of: user, in: family))
        try db.execute(
            sql: """
                INSERT INTO memberships (family, user, role, since_ms, since_stamp) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (family, user) DO UPDATE SET role = excluded.role
                """,
            arguments: [family.rawValue, user.rawValue, role.rawValue, now.milliseconds, stamp]
        )
        try noteViews(of: user, in: family)
        try endInvitation(of: user, into: family)
        try cancelInvitations(by: user, into: family, beyond: role)
    }

    /// Ends a user's membership, the only way to leave a family; returns whether they were a member.
    ///
    /// Their invitations are cancelled, and the collections and named places they shared with the family become
    /// private. The caller must make private the stories they shared only with the family.
    @discardableResult
    public func removeMember(_ user: UserID, of family: FamilyID) throws -> Bool {
        noteMembership(of: user, in: family, role: nil, replacing: try role(of: user, in: family))
        try noteEndOfMemberships(of: user, in: family)
        try db.execute(
            sql: "DELETE FROM memberships WHERE family = ? AND user = ?",
            arguments: [family.rawValue, user.rawValue]
        )
        let wasMember = db.changesCount > 0
        try cancelInvitations(by: user, into: family, beyond: nil)
        try withdrawCollections(of: user, from: family)
        try withdrawNamedPlaces(of: user, from: family)
        return wasMember
    }
}
