/// A person known to the service.
public struct User: Hashable, Sendable {
    /// The user's identity.
    public let id: UserID
    /// The name others see, 1–``StoryLimits/nameLength`` bytes.
    public var name: String
    /// An e-mail address, or `nil`.
    public var email: String?

    /// Creates a user.
    public init(id: UserID, name: String, email: String? = nil) {
        self.id = id
        self.name = name
        self.email = email
    }
}

/// What a member may do in a family (PRV-04).
public enum FamilyRole: String, CaseIterable, Hashable, Sendable {
    /// Everything.
    case owner
    /// Inviting and removing members.
    case admin
    /// Reading and leaving.
    case member
}
