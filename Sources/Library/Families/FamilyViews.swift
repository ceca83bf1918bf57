package import Stories

/// A family as a member sees it.
package struct FamilyView: Sendable {
    package let family: Family
    /// The member's own role.
    package let role: FamilyRole
    package let memberCount: Int
}

/// A pending invitation as the invited user sees it: of the family nothing but its name.
package struct InvitationView: Sendable {
    package let invitation: Invitation
    package let familyName: String
    package let inviterName: String
}
