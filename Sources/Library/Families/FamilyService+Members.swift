import Notifications
package import Storage
package import Stories

/// Why a change of a family is refused to somebody who may make such changes.
package enum FamilyRefusal: String, Error, Hashable, Sendable, CustomStringConvertible {
    /// It would leave members without an owner.
    case lastOwner = "last-owner"
    /// The family has as many members as a family can have.
    case familyFull = "family-full"
    /// The user belongs to as many families as a user can.
    case tooManyFamilies = "too-many-families"

    /// One sentence: why, and what to do.
    package var description: String {
        switch self {
        case .lastOwner:
            "A family needs an owner: make another member owner first, or delete the family."
        case .familyFull:
            "A family has at most \(FamilyLimits.members) members."
        case .tooManyFamilies:
            "Nobody belongs to more than \(FamilyLimits.families) families; leave one first."
        }
    }
}

extension FamilyRefusal: RefusalConvertible {
    package var refusal: Refusal { Refusal(.conflict, rawValue, description) }
}

extension FamilyService {
    /// Makes a user a member of a family, or gives a member another role.
    ///
    /// - Throws: ``FamilyRefusal`` when the last owner would be none any more, or a limit is reached.
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

    /// Ends the membership of a user; what they shared with the family alone becomes private, at once.
    ///
    /// The last member takes the family along. Returns whether the user was a member.
    ///
    /// - Throws: ``FamilyRefusal`` when members would be left without an owner.
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

    /// Ends a membership, and takes the names of places that were shared in it out of what was told.
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

    /// Deletes a family with its memberships; what was shared with it alone becomes private to its owners.
    ///
    /// Its invitations are cancelled, and its owners are told but for the one who did it; the command line is nobody.
    /// Returns whether there was such a family.
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

    /// Takes a user out of all their families, as removing their account does.
    ///
    /// Where they were the last owner, the longest-standing admin becomes owner, else the longest-standing member; a
    /// family of their own is deleted. Invitations they sent or got by name go too.
    package func leaveAllFamilies(of user: UserID, in transaction: StoreTransaction) throws {
        for (family, membership) in try transaction.families(of: user) {
            _ = try appointHeir(of: user, in: family.id, role: membership.role, in: transaction)
            _ = try endMembership(of: user, in: family.id, in: transaction)
        }
        try transaction.removeInvitations(for: user)
    }

    /// Takes a user whose account is being erased out of the families that others belong to as well.
    ///
    /// Their stories and named places are left as they are: nobody sees them any more, and they go one by one.
    func leaveSharedFamilies(of user: UserID, in transaction: StoreTransaction) throws {
        for (family, membership) in try transaction.families(of: user)
        where try appointHeir(of: user, in: family.id, role: membership.role, in: transaction) {
            _ = try transaction.removeMember(user, of: family.id)
        }
    }

    /// Makes another member owner of a family that loses its last one; returns whether it has other members.
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

    /// Takes the stories that name a family out of it: those of one owner, or all.
    private func withdrawStories(
        naming family: FamilyID,
        owner: UserID?,
        in transaction: StoreTransaction
    ) throws {
        let now = now()
        let ids = try transaction.storyIDs(naming: family, owner: owner)
        // A few at a time: texts can be long.
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
        // Neither id holds what stands between them; the time, because an operator may give an id again.
        let message = "waymark family deleted 1|\(family.id)|\(user)|\(now.milliseconds)"
        return FeedItem(
            id: feed.messageID(of: message),
            user: user,
            at: now,
            createdAt: now,
            subject: .familyDeleted,
            title: "Family deleted",
            body: "The family \(family.name) was deleted. What was shared with it alone is private to its owner now."
        )
    }
}
