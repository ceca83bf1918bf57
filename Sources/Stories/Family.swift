/// A group of users who share stories (PRV-04).
public struct Family: Hashable, Sendable {
    /// The family's identity.
    public let id: FamilyID
    /// The name its members and those invited see, 1–``StoryLimits/nameLength`` bytes.
    public var name: String
    /// When it was made.
    public let createdAt: Timestamp

    /// Creates a family.
    public init(id: FamilyID, name: String, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
    }
}

/// Somebody's place in a family.
public struct FamilyMember: Hashable, Sendable {
    /// Who.
    public let user: UserID
    /// What they may do.
    public let role: FamilyRole
    /// Since when they belong to it.
    public let since: Timestamp

    /// Creates a member.
    public init(user: UserID, role: FamilyRole, since: Timestamp) {
        self.user = user
        self.role = role
        self.since = since
    }

    /// Whether this one takes over before `other` where nobody is owner any more: admins first, then whoever is longest
    /// in the family; of those who came together, the first by id.
    public func succeeds(before other: FamilyMember) -> Bool {
        let order: [FamilyRole] = [.owner, .admin, .member]
        let ranks = (order.firstIndex(of: role) ?? 0, order.firstIndex(of: other.role) ?? 0)
        return (ranks.0, since.milliseconds, user) < (ranks.1, other.since.milliseconds, other.user)
    }
}

/// How large families may grow.
public enum FamilyLimits: Sendable {
    /// The most members of one family.
    public static let members = 500
    /// The most families of one user.
    public static let families = 100
    /// The most pending invitations of one family.
    public static let invitations = 200
    /// The most invitations in one request.
    public static let batch = 50
    /// How long an invitation holds, in milliseconds: seven days.
    public static let lifetime: Int64 = 7 * 86_400_000
}

extension FamilyRole {
    /// Whether somebody in this role may invite, cancel and resend at all.
    public var managesInvitations: Bool { self != .member }

    /// Whether somebody in this role may change the name and others' roles, and delete the family.
    public var managesFamily: Bool { self == .owner }

    /// Whether somebody in this role may offer `role` to others, and cancel or resend such an offer.
    ///
    /// Owners offer every role but their own, which is given to members only; admins make nobody their equal.
    public func mayOffer(_ role: FamilyRole) -> Bool {
        switch self {
        case .owner: role != .owner
        case .admin: role == .member
        case .member: false
        }
    }

    /// Whether somebody in this role may remove another member whose role is `other`.
    public func mayRemove(_ other: FamilyRole) -> Bool {
        switch self {
        case .owner: true
        case .admin: other == .member
        case .member: false
        }
    }
}

extension Story {
    /// Takes the story from a family that its owner leaves or that is deleted; nobody new gets to see anything by that.
    ///
    /// What was shared with that family alone becomes private. Another level stays, but the exact point, which was that
    /// family's to see, is not handed to the owner's other families in its stead.
    public mutating func withdraw(from former: FamilyID) {
        guard family == former else { return }
        if privacy == .familyOnly { privacy = .private }
        family = nil
        location?.familySeesExact = false
    }
}
