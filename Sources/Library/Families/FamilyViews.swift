package import Stories

/// A family as a member sees it.
package struct FamilyView: Sendable {
    package let family: Family
    /// The role of this member.
    package let role: FamilyRole
    package let memberCount: Int
}

/// A pending invitation as the invited user sees it; the name is all they see of the family.
package struct InvitationView: Sendable {
    package let invitation: Invitation
    package let familyName: String
    package let inviterName: String
}
