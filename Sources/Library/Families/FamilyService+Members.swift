import Notifications
package import Storage
package import Stories

/// The reason for rejecting a change to a family by a user who may otherwise make such changes.
package enum FamilyRefusal: String, Error, Hashable, Sendable, CustomStringConvertible {
    /// The change would leave members without an owner.
    case lastOwner = "last-owner"
    /// The family has the maximum number of members.
    case familyFull = "family-full"
    /// The user belongs to the maximum number of families.
    case tooManyFamilies = "too-many-families"

    /// One sentence with the reason and, where possible, the remedy.
    package var description: String {
        switch self {
        case .lastOwner:
            "A family needs an owner. Make another member an owner first, or delete the family."
        case .familyFull:
            "A family can have at most \(FamilyLimits.members) members. One must leave or be removed first."
        case .tooManyFamilies:
            "A user can belong to at most \(FamilyLimits.families) families. Leave one first."
        }
    }
}

extension FamilyRefusal: RefusalConvertible {
    package var refusal: Refusal { Refusal(.conflict, rawValue, description) }
}

extension FamilyService {
    /// Adds a user to a family, or gives a member another role.
    ///
    /// - Throws: ``FamilyRefusal`` if the family would lose its last owner, or a limit is reached.
    package func setMember(
        _ user: UserID,
        of family: FamilyID,
        role: FamilyRole,
        in transaction: StoreTransaction
    ) throws {
        let members = try transaction.members(of: family)
        if let present = members.first(where: { $0.user == user }) {
            let owners = members.filter { $0.role == .owner }.count
            guard present.role != .owner || role == .owner || owners > 1 else { throw FamilyRefusal.lastOwner }
        } else {
            guard members.count < FamilyLimits.members else { throw FamilyRefusal.familyFull }
            let families = try transaction.families(of: user).count
            guard families < FamilyLimits.families else { throw FamilyRefusal.tooManyFamilies }
        }
        try transaction.saveMember(user, of: family, role: role, at: now())
    }

    /// Ends a user's membership; data that the user shared only with the family becomes private at once.
    ///
    /// If no other member remains, the family is deleted. Returns whether the user was a member.
    ///
    /// - Throws: ``FamilyRefusal`` if the remaining members would have no owner.
    package func endMembership(
        of user: UserID,
        in family: FamilyID,
        in transaction: StoreTransaction
    ) throws -> Bool {
        let members = try transaction.members(of: family)
        guard let leaving = members.first(where: { $0.user == user }) else { return false }
        let others = members.filter { $0.user != user }
        guard !others.isEmpty else { return try deleteFamily(family, by: user, in: transaction) }
        guard leaving.role != .owner || others.contains(where: { $0.role == .owner }) else {
            throw FamilyRefusal.lastOwner
        }
        try withdrawStories(naming: family, owner: user, in: transaction)
        return try removeMember(user, of: family, in: transaction)
    }

    /// Ends a membership, and rewords notifications that name places shared through it.
    private func removeMember(
        _ user: UserID,
        of family: FamilyID,
        in transaction: StoreTransaction
    ) throws -> Bool {
        let shared = try transaction.namedPlaces(of: user).filter { $0.privacy == .familyOnly }
        let wasMember = try transaction.removeMember(user, of: family)
        for place in shared { try feed.reword(namedBy: place.id, in: transaction) }
        try feed.reword(try transaction.namedNotices(of: user), in: transaction)
        return wasMember
    }

    /// Deletes a family with its memberships; data shared only with the family becomes private to the data's owner.
    ///
    /// Cancels its invitations and notifies the family's owners except `actor`, which is `nil` for the command line.
    /// Returns whether the family existed.
    package func deleteFamily(
        _ id: FamilyID,
        by actor: UserID?,
        in transaction: StoreTransaction
    ) throws -> Bool {
        guard let family = try transaction.family(id) else { return false }
        let members = try transaction.members(of: id)
        try transaction.withdrawInvitations(into: id)
        try withdrawStories(naming: id, owner: nil, in: transaction)
        for member in members { _ = try removeMember(member.user, of: id, in: transaction) }
        try transaction.removeFamily(id)
        for member in members where member.role == .owner && member.user != actor {
            try feed.announce(deletionNotice(of: family, for: member.user), in: transaction)
        }
        return true
    }

    /// Ends all memberships of a user, as removing their account requires.
    ///
    /// If the user was the last owner, the longest-standing admin becomes owner, else the longest-standing member. A
    /// family without other members is deleted. Invitations that the user sent are cancelled; those they received by
    /// name are removed.
    package func leaveAllFamilies(of user: UserID, in transaction: StoreTransaction) throws {
        for (family, membership) in try transaction.families(of: user) {
            _ = try appointHeir(of: user, in: family.id, role: membership.role, in: transaction)
            _ = try endMembership(of: user, in: family.id, in: transaction)
        }
        try transaction.removeInvitations(for: user)
    }

    /// Ends a membership in an older copy of the database, or lowers its role; a family never loses its last owner.
    func narrowMembership(
        of user: UserID,
        in family: FamilyID,
        to role: FamilyRole?,
        in transaction: StoreTransaction
    ) throws {
        guard let present = try transaction.role(of: user, in: family) else { return }
        guard let role else {
            _ = try appointHeir(of: user, in: family, role: present, in: transaction)
            _ = try endMembership(of: user, in: family, in: transaction)
            return
        }
        let ranks: [FamilyRole] = [.member, .admin, .owner]
        guard let new = ranks.firstIndex(of: role), let old = ranks.firstIndex(of: present), new < old else { return }
        if try appointHeir(of: user, in: family, role: present, in: transaction) {
            try transaction.saveMember(user, of: family, role: role, at: now())
        }
    }

    /// Ends the memberships of a user whose account is being erased, in families with other members.
    ///
    /// Stories and named places are left unchanged: nobody can see them any more, and they are erased one by one.
    func leaveSharedFamilies(of user: UserID, in transaction: StoreTransaction) throws {
        for (family, membership) in try transaction.families(of: user)
        where try appointHeir(of: user, in: family.id, role: membership.role, in: transaction) {
            _ = try transaction.removeMember(user, of: family.id)
        }
    }

    /// Appoints a new owner if a family loses its last one; returns whether the family has other members.
    private func appointHeir(
        of user: UserID,
        in family: FamilyID,
        role: FamilyRole,
        in transaction: StoreTransaction
    ) throws -> Bool {
        let others = try transaction.members(of: family).filter { $0.user != user }
        if role == .owner, !others.contains(where: { $0.role == .owner }),
            let heir = others.min(by: { $0.succeeds(before: $1) })
        {
            try transaction.saveMember(heir.user, of: family, role: .owner, at: now())
        }
        return !others.isEmpty
    }

    /// Withdraws from a family the stories that name it: those of one owner, or all.
    private func withdrawStories(
        naming family: FamilyID,
        owner: UserID?,
        in transaction: StoreTransaction
    ) throws {
        let now = now()
        let ids = try transaction.storyIDs(naming: family, owner: owner)
        // Works in small parts, because texts can be long.
        for start in stride(from: 0, to: ids.count, by: 200) {
            let part = Array(ids[start..<min(start + 200, ids.count)])
            let stories = try transaction.stories(part)
            for old in part.compactMap({ stories[$0] }) {
                var story = old
                story.withdraw(from: family)
                story.touch(at: now, replacing: old)
                try feed.update(story, in: transaction)
            }
        }
    }

    private func deletionNotice(of family: Family, for user: UserID) -> FeedItem {
        let now = now()
        // Neither id can contain the separator. The time is included because an operator may use an id again.
        let message = "waymark family deleted 1|\(family.id)|\(user)|\(now.milliseconds)"
        return FeedItem(
            id: feed.messageID(of: message),
            user: user,
            at: now,
            createdAt: now,
            subject: .familyDeleted,
            title: "Family deleted",
            body: "The family \(family.name) was deleted. Everything shared only with it is now private to its owner."
        )
    }
}
