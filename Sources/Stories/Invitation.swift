/// The id of an invitation: 32 hexadecimal digits.
public struct InvitationID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The digits.
    public let rawValue: String

    /// Parses 32 lower-case hexadecimal digits; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        guard let digits = StoryID(text) else { return nil }
        rawValue = digits.description
    }

    /// Creates a random id from a generator of 64 high-quality bits per call.
    public init(using generator: inout some RandomNumberGenerator) {
        rawValue = StoryID(using: &generator).description
    }

    /// The digits.
    public var description: String { rawValue }

    /// Orders ids by their digits.
    public static func < (a: InvitationID, b: InvitationID) -> Bool { a.rawValue < b.rawValue }
}

/// An invitation to a family.
public struct Invitation: Hashable, Sendable {
    /// The recipient of an invitation.
    public enum Invitee: Hashable, Sendable {
        /// A user, who sees the invitation in their own list; the user may not exist yet.
        case user(UserID)
        /// Anyone with the link sent to this address.
        case email(String)
    }

    /// The state of an invitation.
    public enum State: String, Hashable, Sendable {
        /// Waiting for an answer.
        case pending
        /// Accepted: a user joined with it.
        case accepted
        /// Declined by the recipient.
        case declined
        /// Cancelled by the family, or because the inviter lost the right to invite.
        case cancelled
    }

    /// The invitation's id.
    public let id: InvitationID
    /// The family.
    public let family: FamilyID
    /// The responsible user: the one who created the invitation or last resent it.
    public let inviter: UserID
    /// The recipient.
    public let invitee: Invitee
    /// The offered role: admin or member.
    public let role: FamilyRole
    /// The time of creation.
    public let createdAt: Timestamp
    /// The time of expiry.
    public let expiresAt: Timestamp

    /// Creates an invitation.
    public init(
        id: InvitationID,
        family: FamilyID,
        inviter: UserID,
        invitee: Invitee,
        role: FamilyRole,
        createdAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.id = id
        self.family = family
        self.inviter = inviter
        self.invitee = invitee
        self.role = role
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Returns whether the invitation has expired.
    public func hasExpired(at now: Timestamp) -> Bool { expiresAt.milliseconds <= now.milliseconds }

    /// Returns whether a text looks like an e-mail address: printable ASCII, one `@`, a host of letters, digits, dots,
    /// hyphens.
    ///
    /// Only sending an e-mail shows whether the address works.
    public static func isEmail(_ text: some StringProtocol) -> Bool {
        let refused = Set(" \"(),:;<>[\\]".utf8)
        guard text.utf8.count <= StoryLimits.emailLength,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !refused.contains($0) })
        else { return false }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count) else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
            }
    }
}
