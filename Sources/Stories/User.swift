/// A person known to the service.
public struct User: Hashable, Sendable {
    /// The user's id.
    public let id: UserID
    /// The name shown to others, 1–``StoryLimits/nameLength`` bytes.
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

/// The permissions of a family member (PRV-04).
public enum FamilyRole: String, CaseIterable, Hashable, Sendable {
    /// All permissions.
    case owner
    /// Inviting and removing members.
    case admin
    /// Reading and leaving.
    case member
}
