/// The identity of an invitation: 32 hexadecimal digits.
public struct InvitationID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The digits.
    public let rawValue: String

    /// Reads 32 hexadecimal digits; anything else is `nil`.
    public init?(_ text: some StringProtocol) {
        guard let digits = StoryID(text) else { return nil }
        rawValue = digits.description
    }

    /// Creates a random id from a generator of 64 good bits a call.
    public init(using generator: inout some RandomNumberGenerator) {
        rawValue = StoryID(using: &generator).description
    }

    /// The digits.
    public var description: String { rawValue }

    /// Orders ids by their digits.
    public static func < (a: InvitationID, b: InvitationID) -> Bool { a.rawValue < b.rawValue }
}

/// An invitation into a family.
public struct Invitation: Hashable, Sendable {
    /// Who is invited.
    public enum Invitee: Hashable, Sendable {
        /// A user, who finds it in their own list; there may be none of that id yet.
        case user(UserID)
        /// Whoever gets the link.
        case email(String)
    }

    /// What became of an invitation.
    public enum State: String, Hashable, Sendable {
        /// It waits for an answer.
        case pending
        /// Somebody joined by it.
        case accepted
        /// The invited said no.
        case declined
        /// The family took it back, or whoever invited had no right to any more.
        case cancelled
    }

    /// The invitation's identity.
    public let id: InvitationID
    /// Into which family.
    public let family: FamilyID
    /// Who vouches for it: who invited, or last sent it again.
    public let inviter: UserID
    /// Who is invited.
    public let invitee: Invitee
    /// What they are offered to be: admin or member.
    public let role: FamilyRole
    /// When it was made.
    public let createdAt: Timestamp
    /// When it ends.
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

    /// Whether its time has run out.
    public func hasExpired(at now: Timestamp) -> Bool { expiresAt.milliseconds <= now.milliseconds }

    /// Whether a text looks like an e-mail address: printable ASCII, one `@`, a host of letters, digits, dots, hyphens.
    ///
    /// Whether it reaches anybody only a mail can tell.
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
