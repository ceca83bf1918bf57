import GRDB
public import Stories

/// An invitation, whatever became of it; what an ended one no longer has is `nil`.
public struct InvitationRecord: Sendable {
    /// The invitation's id.
    public let id: InvitationID
    /// The family; `nil` once it is deleted.
    public let family: FamilyID?
    /// The responsible member; `nil` once their account is removed.
    public let inviter: UserID?
    /// The recipient; for an ended invitation by e-mail, who accepted it, or `nil`.
    public let invitee: Invitation.Invitee?
    /// The offered role.
    public let role: FamilyRole
    /// The state; a pending invitation may have expired.
    public let state: Invitation.State
    /// The time of creation.
    public let createdAt: Timestamp
    /// The time of expiry.
    public let expiresAt: Timestamp
}

extension StoreReader {
    /// Returns the pending invitations into a family and, if created after `start`, the ended ones, newest first.
    public func invitations(into family: FamilyID, endedSince start: Timestamp) throws -> [InvitationRecord] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT * FROM invitations WHERE family = ? AND (state = 'pending' OR created_ms > ?)
                ORDER BY created_ms DESC, id
                """
        )
        return try Row.fetchAll(statement, arguments: [family.rawValue, start.milliseconds])
            .compactMap(InvitationRecord.init)
    }

    /// Returns the pending invitations that name a user as invitee and, if created after `start`, those that the user
    /// answered, newest first.
    public func invitations(for user: UserID, endedSince start: Timestamp) throws -> [InvitationRecord] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT * FROM invitations WHERE invitee = ?
                AND (state = 'pending' OR state IN ('accepted', 'declined') AND created_ms > ?)
                ORDER BY created_ms DESC, id
                """
        )
        return try Row.fetchAll(statement, arguments: [user.rawValue, start.milliseconds])
            .compactMap(InvitationRecord.init)
    }
}

extension InvitationRecord {
    /// Creates the record of a pending invitation.
    public init(_ invitation: Invitation) {
        self.init(
            id: invitation.id,
            family: invitation.family,
            inviter: invitation.inviter,
            invitee: invitation.invitee,
            role: invitation.role,
            state: .pending,
            createdAt: invitation.createdAt,
            expiresAt: invitation.expiresAt
        )
    }

    fileprivate init?(_ row: Row) {
        guard let id = InvitationID(row["id"] as String), let role = FamilyRole(rawValue: row["role"]),
            let state = Invitation.State(rawValue: row["state"])
        else { return nil }
        let user = (row["invitee"] as String?).flatMap { UserID($0) }.map(Invitation.Invitee.user)
        self.init(
            id: id,
            family: (row["family"] as String?).flatMap { FamilyID($0) },
            inviter: (row["inviter"] as String?).flatMap { UserID($0) },
            invitee: user ?? (row["email"] as String?).map(Invitation.Invitee.email),
            role: role,
            state: state,
            createdAt: Timestamp(milliseconds: row["created_ms"]),
            expiresAt: Timestamp(milliseconds: row["expires_ms"])
        )
    }
}
