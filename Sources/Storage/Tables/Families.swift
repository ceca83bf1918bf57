import GRDB
public import Stories

extension StoreReader {
    /// Returns the family with an id, or `nil`.
    public func family(_ id: FamilyID) throws -> Family? {
        try Row.fetchOne(db, sql: "SELECT * FROM families WHERE id = ?", arguments: [id.rawValue]).flatMap(family)
    }

    /// Returns all families, sorted by id.
    public func families() throws -> [Family] {
        try Row.fetchAll(db, sql: "SELECT * FROM families ORDER BY id").compactMap(family)
    }

    /// Returns the families a user belongs to, in the order they joined them.
    public func families(of user: UserID) throws -> [(family: Family, membership: FamilyMember)] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT families.*, memberships.user, memberships.role, memberships.since_ms FROM memberships
                JOIN families ON families.id = memberships.family WHERE memberships.user = ?
                ORDER BY memberships.since_ms, families.id
                """,
            arguments: [user.rawValue]
        )
        return rows.compactMap { row in
            family(row).flatMap { family in member(row).map { (family, $0) } }
        }
    }

    /// Returns the members of a family, longest membership first.
    public func members(of family: FamilyID) throws -> [FamilyMember] {
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT user, role, since_ms FROM memberships WHERE family = ? ORDER BY since_ms, user",
            arguments: [family.rawValue]
        )
        return rows.compactMap(member)
    }

    /// Returns how many members a family has.
    public func memberCount(of family: FamilyID) throws -> Int {
        try Int.fetchOne(
            db,
            sql: "SELECT count(*) FROM memberships WHERE family = ?",
            arguments: [family.rawValue]
        ) ?? 0
    }

    /// Returns the role of a user in a family, or `nil` if they do not belong to it or it does not exist.
    public func role(of user: UserID, in family: FamilyID) throws -> FamilyRole? {
        try String.fetchOne(
            db,
            sql: "SELECT role FROM memberships WHERE family = ? AND user = ?",
            arguments: [family.rawValue, user.rawValue]
        )
        .flatMap(FamilyRole.init)
    }

    /// Returns the ids of the stories naming a family, of one owner or of all, sorted.
    public func storyIDs(naming family: FamilyID, owner: UserID? = nil) throws -> [StoryID] {
        let ids = try String.fetchAll(
            db,
            sql: "SELECT id FROM stories WHERE family = ? AND (? IS NULL OR owner = ?) ORDER BY id",
            arguments: [family.rawValue, owner?.rawValue, owner?.rawValue]
        )
        return ids.compactMap { StoryID($0) }
    }

    private func family(_ row: Row) -> Family? {
        FamilyID(row["id"] as String)
            .map { Family(id: $0, name: row["name"], createdAt: Timestamp(milliseconds: row["created_ms"])) }
    }

    private func member(_ row: Row) -> FamilyMember? {
        guard let user = UserID(row["user"] as String), let role = FamilyRole(rawValue: row["role"]) else { return nil }
        return FamilyMember(user: user, role: role, since: Timestamp(milliseconds: row["since_ms"]))
    }
}

extension StoreTransaction {
    /// Records that everyone who shares a family with a user may see different stories; only the members of `family` if
    /// it is given.
    func noteViews(of user: UserID, in family: FamilyID?) throws {
        noteView(of: user)
        let members = try String.fetchAll(
            db,
            sql: """
                SELECT DISTINCT other.user FROM memberships AS mine JOIN memberships AS other
                ON other.family = mine.family WHERE mine.user = ?1 AND (?2 IS NULL OR mine.family = ?2)
                """,
            arguments: [user.rawValue, family?.rawValue]
        )
        for member in members { if let member = UserID(member) { noteView(of: member) } }
    }

    /// Removes a family without members and cancels all invitations into it.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if it has members, or `vanished` if stories still name it.
    public func removeFamily(_ id: FamilyID) throws {
        guard try memberCount(of: id) == 0 else {
            throw StoreError(.conflict, "Family \(id) still has members.")
        }
        try cancelInvitations(into: id)
        try db.execute(sql: "DELETE FROM families WHERE id = ?", arguments: [id.rawValue])
    }
}
