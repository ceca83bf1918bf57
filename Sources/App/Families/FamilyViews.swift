import Stories

/// A family as a member sees it.
struct FamilyView: Sendable {
    let family: Family
    /// The member's own role.
    let role: FamilyRole
    let memberCount: Int
}

/// A pending invitation as the invited user sees it: of the family nothing but its name.
struct InvitationView: Sendable {
    let invitation: Invitation
    let familyName: String
    let inviterName: String
}
