import Foundation
import GRDB
import Notifications
public import Stories

extension StoreReader {
    /// The invitation of a token.
    public struct InvitationToken: Sendable {
        /// The invitation.
        public let invitation: InvitationID
        /// Whether the invitation has since been sent again with another token.
        public let isReplaced: Bool
    }

    /// The state of an invitation, and the invitation itself while it is pending.
    public struct StoredInvitation: Sendable {
        /// The state.
        public let state: Invitation.State
        /// The invitation; `nil` once it has ended.
        public let pending: Invitation?
        /// The user it is for, ended or not; `nil` when it went by e-mail.
        public let user: UserID?
    }

    /// Returns the invitation of the token or code with this digest, or `nil` if there never was one.
    public func invitationToken(hash: [UInt8]) throws -> InvitationToken? {
        let row = try Row.fetchOne(
            db,
            sql: "SELECT invitation, replaced FROM invitation_tokens WHERE hash = ?",
            arguments: [Data(hash)]
        )
        guard let row, let id = InvitationID(row["invitation"] as String) else { return nil }
        return InvitationToken(invitation: id, isReplaced: row["replaced"])
    }

    /// Returns an invitation, pending or ended, or `nil` if it does not exist.
    public func invitation(_ id: InvitationID) throws -> StoredInvitation? {
        stored(try Row.fetchOne(db, sql: "SELECT * FROM invitations WHERE id = ?", arguments: [id.rawValue]))
    }

    /// Returns an invitation if it is for this user, or `nil`.
    ///
    /// Looking up someone else's invitation takes no more reads than looking up one that does not exist.
    public func invitation(_ id: InvitationID, for invitee: UserID) throws -> StoredInvitation? {
        stored(
            try Row.fetchOne(
                db,
                sql: "SELECT * FROM invitations WHERE id = ? AND invitee = ?",
                arguments: [id.rawValue, invitee.rawValue]
            )
        )
    }

    private func stored(_ row: Row?) -> StoredInvitation? {
        guard let row, let state = Invitation.State(rawValue: row["state"]) else { return nil }
        return StoredInvitation(
            state: state,
            pending: state == .pending ? StoreReader.invitation(row) : nil,
            user: (row["invitee"] as String?).flatMap { UserID($0) }
        )
    }

    /// Returns the pending invitation of an invitee into a family, or `nil`.
    public func pendingInvitation(of invitee: Invitation.Invitee, into family: FamilyID) throws -> Invitation? {
        let (user, email) = StoreReader.columns(of: invitee)
        return
            try Row.fetchOne(
                db,
                sql: """
                    SELECT * FROM invitations WHERE family = ? AND state = 'pending'
                    AND (invitee = ? OR email = ? COLLATE NOCASE)
                    """,
                arguments: [family.rawValue, user, email]
            )
            .flatMap(StoreReader.invitation)
    }

    /// Returns the pending invitations into a family, newest first, including expired ones, which can be sent again.
    public func pendingInvitations(into family: FamilyID) throws -> [Invitation] {
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT * FROM invitations WHERE family = ? AND state = 'pending' ORDER BY created_ms DESC, id",
            arguments: [family.rawValue]
        )
        return rows.compactMap(StoreReader.invitation)
    }

    /// Returns at most `limit` pending invitations that expired after `since` and by `now`, in order of expiry.
    public func expiredInvitations(after since: Timestamp, upTo now: Timestamp, limit: Int) throws -> [Invitation] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT * FROM invitations WHERE state = 'pending' AND expires_ms > ? AND expires_ms <= ?
                ORDER BY expires_ms, id LIMIT ?
                """
        )
        return try Row.fetchAll(statement, arguments: [since.milliseconds, now.milliseconds, limit])
            .compactMap(StoreReader.invitation)
    }

    fileprivate static func columns(of invitee: Invitation.Invitee) -> (user: String?, email: String?) {
        switch invitee {
        case .user(let user): (user.rawValue, nil)
        case .email(let email): (nil, email)
        }
    }

    /// Reads a pending invitation; `nil` for an ended one, which lacks the required columns.
    private static func invitation(_ row: Row) -> Invitation? {
        let user = (row["invitee"] as String?).flatMap { UserID($0) }.map(Invitation.Invitee.user)
        let invitee = user ?? (row["email"] as String?).map(Invitation.Invitee.email)
        guard let id = InvitationID(row["id"] as String), let invitee,
            let family = (row["family"] as String?).flatMap({ FamilyID($0) }),
            let inviter = (row["inviter"] as String?).flatMap({ UserID($0) }),
            let role = FamilyRole(rawValue: row["role"])
        else { return nil }
        return Invitation(
            id: id,
            family: family,
            inviter: inviter,
            invitee: invitee,
            role: role,
            createdAt: Timestamp(milliseconds: row["created_ms"]),
            expiresAt: Timestamp(milliseconds: row["expires_ms"])
        )
    }
}

extension StoreTransaction {
    /// Stores a new pending invitation with the digests of its link's token and its code, if it has any.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if one for the same invitee into the same family is pending.
    public func insert(_ invitation: Invitation, tokenHashes: [[UInt8]]) throws {
        let (user, email) = StoreTransaction.columns(of: invitation.invitee)
        try db.execute(
            sql: """
                INSERT INTO invitations (id, family, inviter, invitee, email, role, state, created_ms, expires_ms)
                VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?)
                """,
            arguments: [
                invitation.id.rawValue, invitation.family.rawValue, invitation.inviter.rawValue, user, email,
                invitation.role.rawValue, invitation.createdAt.milliseconds, invitation.expiresAt.milliseconds,
            ]
        )
        for hash in tokenHashes { try insertToken(hash, of: invitation.id) }
    }

    /// Renews a pending invitation with its new inviter, role and expiry, and new tokens if given.
    ///
    /// New tokens make the old ones invalid.
    public func renew(_ invitation: Invitation, tokenHashes: [[UInt8]]) throws {
        try db.execute(
            sql: "UPDATE invitations SET inviter = ?, role = ?, expires_ms = ? WHERE id = ? AND state = 'pending'",
            arguments: [
                invitation.inviter.rawValue, invitation.role.rawValue, invitation.expiresAt.milliseconds,
                invitation.id.rawValue,
            ]
        )
        guard !tokenHashes.isEmpty else { return }
        try db.execute(
            sql: "UPDATE invitation_tokens SET replaced = 1 WHERE invitation = ?",
            arguments: [invitation.id.rawValue]
        )
        for hash in tokenHashes { try insertToken(hash, of: invitation.id) }
    }

    private func insertToken(_ hash: [UInt8], of invitation: InvitationID) throws {
        try db.execute(
            sql: "INSERT INTO invitation_tokens (hash, invitation) VALUES (?, ?)",
            arguments: [Data(hash), invitation.rawValue]
        )
    }

    /// Ends a pending invitation; returns whether it was pending and, for an answer, had not expired by `now`.
    ///
    /// A single statement changes the state only if it is pending, so exactly one of several answers succeeds.
    public func end(_ id: InvitationID, as state: Invitation.State, notExpiredAt now: Timestamp? = nil) throws -> Bool {
        try db.execute(
            sql: """
                UPDATE invitations SET state = ?, email = NULL
                WHERE id = ? AND state = 'pending' AND (? IS NULL OR expires_ms > ?)
                """,
            arguments: [state.rawValue, id.rawValue, now?.milliseconds, now?.milliseconds]
        )
        guard db.changesCount > 0 else { return false }
        noteEnd(of: id.rawValue)
        return true
    }

    /// Records who accepted an invitation that went by e-mail.
    public func noteAcceptance(of id: InvitationID, by user: UserID) throws {
        try db.execute(
            sql: "UPDATE invitations SET invitee = ? WHERE id = ? AND state = 'accepted' AND invitee IS NULL",
            arguments: [user.rawValue, id.rawValue]
        )
    }

    /// Removes a withdrawn invitation from its invitee's feed.
    public func withdrawInvitation(_ id: InvitationID, from user: UserID) throws {
        try withdrawInvitations(from: user, detail: "invitation", id.rawValue)
    }

    /// Removes all invitations into a family, including answered ones, from the invitees' feeds.
    public func withdrawInvitations(into family: FamilyID) throws {
        let users =
            try String.fetchAll(
                db,
                sql: """
                    SELECT DISTINCT invitee FROM invitations WHERE family = ? AND invitee IS NOT NULL ORDER BY invitee
                    """,
                arguments: [family.rawValue]
            )
            .compactMap { UserID($0) }
        for user in users { try withdrawInvitations(from: user, detail: "family", family.rawValue) }
    }

    private func withdrawInvitations(from user: UserID, detail: String, _ value: String) throws {
        let ids = try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id FROM notices WHERE user = ? AND type = ? AND json_extract(data, '$.details.' || ?) = ?
                    """
            ),
            arguments: [user.rawValue, NoticeType.invitation.rawValue, detail, value]
        )
        noteOutdatedAttempts(of: user)
        for id in ids { try reword(id, of: user, as: nil) }
    }

    /// Cancels every pending invitation into a family.
    func cancelInvitations(into family: FamilyID) throws {
        try noteEnds(where: "family = ?", [family.rawValue])
        try db.execute(
            sql: "UPDATE invitations SET state = 'cancelled', email = NULL WHERE family = ? AND state = 'pending'",
            arguments: [family.rawValue]
        )
    }

    /// Cancels a user's pending invitations into a family that a member with `role` may not make; all of them if it is
    /// `nil`.
    func cancelInvitations(by user: UserID, into family: FamilyID, beyond role: FamilyRole?) throws {
        for offered in FamilyRole.allCases where role?.mayOffer(offered) != true {
            let ended = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, invitee FROM invitations
                    WHERE family = ? AND inviter = ? AND role = ? AND state = 'pending' AND invitee IS NOT NULL
                    """,
                arguments: [family.rawValue, user.rawValue, offered.rawValue]
            )
            for row in ended {
                guard let id = InvitationID(row["id"] as String), let invitee = UserID(row["invitee"] as String) else {
                    continue
                }
                try withdrawInvitation(id, from: invitee)
            }
            try noteEnds(
                where: "family = ? AND inviter = ? AND role = ?",
                [family.rawValue, user.rawValue, offered.rawValue]
            )
            try db.execute(
                sql: """
                    UPDATE invitations SET state = 'cancelled', email = NULL
                    WHERE family = ? AND inviter = ? AND role = ? AND state = 'pending'
                    """,
                arguments: [family.rawValue, user.rawValue, offered.rawValue]
            )
        }
    }

    /// Ends a user's own pending invitation into a family they now belong to.
    func endInvitation(of user: UserID, into family: FamilyID) throws {
        try noteEnds(where: "family = ? AND invitee = ?", [family.rawValue, user.rawValue])
        try db.execute(
            sql: """
                UPDATE invitations SET state = 'accepted' WHERE family = ? AND invitee = ? AND state = 'pending'
                """,
            arguments: [family.rawValue, user.rawValue]
        )
    }

    /// Records that the pending invitations that meet a condition are about to end.
    private func noteEnds(where condition: String, _ arguments: [String]) throws {
        let sql = "SELECT id FROM invitations WHERE state = 'pending' AND \(condition) ORDER BY id"
        for id in try String.fetchAll(db, sql: sql, arguments: StatementArguments(arguments)) { noteEnd(of: id) }
    }

    /// Removes the invitations that name a user as invitee, ended or not.
    public func removeInvitations(for user: UserID) throws {
        try noteEnds(where: "invitee = ?", [user.rawValue])
        try db.execute(sql: "DELETE FROM invitations WHERE invitee = ?", arguments: [user.rawValue])
    }
}
