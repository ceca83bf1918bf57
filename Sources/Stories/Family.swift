/// A group of users who share stories (PRV-04).
public struct Family: Hashable, Sendable {
    /// The family's id.
    public let id: FamilyID
    /// The name shown to members and invited users, 1–``StoryLimits/nameLength`` bytes.
    public var name: String
    /// The time of creation.
    public let createdAt: Timestamp

    /// Creates a family.
    public init(id: FamilyID, name: String, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
    }
}

/// A member of a family.
public struct FamilyMember: Hashable, Sendable {
    /// The user.
    public let user: UserID
    /// The member's role.
    public let role: FamilyRole
    /// The time the user joined.
    public let since: Timestamp

    /// Creates a member.
    public init(user: UserID, role: FamilyRole, since: Timestamp) {
        self.user = user
        self.role = role
        self.since = since
    }

    /// Returns whether this member takes over before `other` if there is no owner left: admins first, then the
    /// longest-standing member; of those who joined at the same time, the first by id.
    public func succeeds(before other: FamilyMember) -> Bool {
        let order: [FamilyRole] = [.owner, .admin, .member]
        let ranks = (order.firstIndex(of: role) ?? 0, order.firstIndex(of: other.role) ?? 0)
        return (ranks.0, since.milliseconds, user) < (ranks.1, other.since.milliseconds, other.user)
    }
}

/// Limits on families.
public enum FamilyLimits: Sendable {
    /// The maximum number of members per family.
    public static let members = 500
    /// The maximum number of families per user.
    public static let families = 100
    /// The maximum number of pending invitations per family.
    public static let invitations = 200
    /// The maximum number of invitations per request.
    public static let batch = 50
    /// The validity of an invitation in milliseconds: seven days.
    public static let lifetime: Int64 = 7 * 86_400_000
}

extension FamilyRole {
    /// Whether a member with this role may create, cancel and resend invitations at all.
    public var managesInvitations: Bool { self != .member }

    /// Whether a member with this role may change the family's name and other members' roles, and delete the family.
    public var managesFamily: Bool { self == .owner }

    /// Returns whether a member with this role may offer `role` to others, and cancel or resend such an offer.
    ///
    /// Owners may offer every role except owner, which only existing members can receive; admins cannot create other
    /// admins.
    public func mayOffer(_ role: FamilyRole) -> Bool {
        switch self {
        case .owner: role != .owner
        case .admin: role == .member
        case .member: false
        }
    }

    /// Returns whether a member with this role may remove another member whose role is `other`.
    public func mayRemove(_ other: FamilyRole) -> Bool {
        switch self {
        case .owner: true
        case .admin: other == .member
        case .member: false
        }
    }
}

extension Story {
    /// Withdraws the story from a family that its owner leaves or that is deleted, without making it visible to anyone
    /// else.
    ///
    /// A story shared only with that family becomes private; other levels are unchanged. In both cases,
    /// ``StoryLocation/familySeesExact`` is cleared, so that the exact point is not revealed to the owner's other
    /// families instead.
    public mutating func withdraw(from former: FamilyID) {
        guard family == former else { return }
        if privacy == .familyOnly { privacy = .private }
        family = nil
        location?.familySeesExact = false
    }
}
