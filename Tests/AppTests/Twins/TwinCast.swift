import Stories

/// Through whose eyes a twin world is looked at.
enum TwinViewer: String, CaseIterable, Sendable {
    /// Nobody in particular.
    case anonymous
    /// Somebody with a family of their own, or, in every other round, somebody the service has never heard of.
    case stranger
    /// A member of the family that most stories belong to.
    case member
    /// Somebody who was a member of it and is none any more.
    case former
    /// The owner of that family and of many stories.
    case owner
    /// The link's viewer: somebody without an account who holds a link to a collection of the owner.
    case holder

    /// The user's id in a round; `nil` for the anonymous.
    func user(round: Int) -> String? {
        switch self {
        case .anonymous, .holder: nil
        case .stranger: round.isMultiple(of: 2) ? "sue" : "newcomer"
        case .member: "mia"
        case .former: "fred"
        case .owner: "olga"
        }
    }
}

/// Who lives in a twin world: the same people in each, unless the viewer may not know of them.
enum TwinCast: Sendable {
    /// A membership.
    struct Member: Sendable {
        let user: String
        let family: String
        let role: FamilyRole
    }

    /// Everybody whom some viewer may know of.
    static let people = ["olga", "mia", "fred", "ann", "sue", "tom", "iva"]
    /// Those of whom no viewer may know: nothing of theirs is public, and they share a family with none of the others.
    ///
    /// The first is one whom viewers try to name all the same.
    static let hidden = ["gus", "hal"]
    /// The families.
    static let families = ["north", "south", "lake", "shadow"]

    /// Who belongs to which family at the start, those who have left again by then not among them.
    static let members = [
        Member(user: "olga", family: "north", role: .owner), Member(user: "ann", family: "north", role: .admin),
        Member(user: "mia", family: "north", role: .member), Member(user: "ann", family: "south", role: .owner),
        Member(user: "tom", family: "south", role: .member), Member(user: "sue", family: "lake", role: .owner),
        Member(user: "tom", family: "lake", role: .member), Member(user: "gus", family: "shadow", role: .owner),
        Member(user: "hal", family: "shadow", role: .member),
    ]

    /// The families of a user with all their members.
    static func viewer(_ user: String?) -> Viewer {
        guard let user, let id = UserID(user) else { return .anonymous }
        let mine = Set(members.filter { $0.user == user }.map(\.family))
        var families: [FamilyID: Set<UserID>] = [:]
        for member in members where mine.contains(member.family) {
            guard let family = FamilyID(member.family), let other = UserID(member.user) else { continue }
            families[family, default: []].insert(other)
        }
        return Viewer(user: id, families: families)
    }
}
