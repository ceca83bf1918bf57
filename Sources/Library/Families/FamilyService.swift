package import Storage
package import Stories

/// Families, their members and roles.
package struct FamilyService: StoreService {
    package let context: StoreContext
    package let feed: FeedService

    /// Creates a family whose only member and owner is `user`.
    package func createFamily(name: DisplayName, owner user: UserID) async throws -> FamilyView {
        let now = now()
        var generator = random
        guard let id = FamilyID(StoryID(using: &generator).description) else {
            preconditionFailure("32 hexadecimal digits are a family's id")
        }
        return try await store.write { [self] transaction in
            try transaction.saveFamily(id, name: name, at: now)
            try setMember(user, of: id, role: .owner, in: transaction)
            return try FamilyService.view(of: id, for: user, transaction)
        }
    }

    /// Returns the families of a user, in the order they joined them.
    package func familyViews(of user: UserID) async throws -> [(view: FamilyView, since: Timestamp)] {
        try await store.read { transaction in
            try transaction.families(of: user)
                .map { family, membership in
                    let count = try transaction.memberCount(of: family.id)
                    return (FamilyView(family: family, role: membership.role, memberCount: count), membership.since)
                }
        }
    }

    /// Returns a family as one of its members sees it.
    ///
    /// - Throws: ``Refusal``, not found, if the user is not a member.
    package func familyView(_ id: FamilyID, for user: UserID) async throws -> FamilyView {
        try await store.read { try FamilyService.view(of: id, for: user, $0) }
    }

    /// Returns the members of a family with their names, longest membership first.
    ///
    /// - Throws: ``Refusal``, not found, if the user is not a member.
    package func familyMembers(
        _ id: FamilyID,
        for user: UserID
    ) async throws -> (members: [FamilyMember], names: [UserID: String]) {
        try await store.read { transaction in
            _ = try FamilyService.view(of: id, for: user, transaction)
            let members = try transaction.members(of: id)
            return (members, try transaction.names(of: Set(members.map(\.user))))
        }
    }

    /// Renames a family; only owners may do so.
    package func renameFamily(_ id: FamilyID, to name: DisplayName, by user: UserID) async throws -> FamilyView {
        let now = now()
        return try await store.write { transaction in
            try FamilyService.checkOwner(user, of: id, transaction)
            try transaction.saveFamily(id, name: name, at: now)
            return try FamilyService.view(of: id, for: user, transaction)
        }
    }

    /// Deletes a family; only owners may do so.
    package func deleteFamily(_ id: FamilyID, by user: UserID) async throws {
        try await store.write(isLong: true) { [self] transaction in
            try FamilyService.checkOwner(user, of: id, transaction)
            _ = try deleteFamily(id, by: user, in: transaction)
        }
    }

    /// Gives a member another role; only owners may do so.
    package func changeRole(
        of member: UserID,
        in id: FamilyID,
        to role: FamilyRole,
        by user: UserID
    ) async throws
        -> (member: FamilyMember, name: String?)
    {
        try await store.write { [self] transaction in
            try FamilyService.checkOwner(user, of: id, transaction)
            guard try transaction.role(of: member, in: id) != nil else { throw Refusal.notFound }
            try setMember(member, of: id, role: role, in: transaction)
            guard let changed = try transaction.members(of: id).first(where: { $0.user == member }) else {
                throw Refusal.notFound
            }
            return (changed, try transaction.names(of: [member])[member])
        }
    }

    /// Removes a member from a family; `user` must be that member, or have a role that may remove them.
    package func removeMember(_ member: UserID, from id: FamilyID, by user: UserID) async throws {
        try await store.write(isLong: true) { [self] transaction in
            guard let own = try transaction.role(of: user, in: id),
                let other = try transaction.role(of: member, in: id)
            else { throw Refusal.notFound }
            guard member == user || own.mayRemove(other) else { throw Refusal.familyRole }
            _ = try endMembership(of: member, in: id, in: transaction)
        }
    }

    /// Returns a family as one of its members sees it, within a transaction.
    ///
    /// - Throws: ``Refusal``, not found, if the user is not a member.
    package static func view(
        of id: FamilyID,
        for user: UserID,
        _ transaction: StoreReader
    ) throws -> FamilyView {
        guard let role = try transaction.role(of: user, in: id), let family = try transaction.family(id) else {
            throw Refusal.notFound
        }
        return FamilyView(family: family, role: role, memberCount: try transaction.memberCount(of: id))
    }

    private static func checkOwner(_ user: UserID, of id: FamilyID, _ transaction: StoreTransaction) throws {
        guard let role = try transaction.role(of: user, in: id) else { throw Refusal.notFound }
        guard role.managesFamily else { throw Refusal.familyRole }
    }

    /// Returns the role of a user who may see and create invitations.
    ///
    /// - Throws: ``Refusal``: forbidden for members whose role does not allow it, not found for other users.
    static func managingRole(
        of user: UserID,
        in family: FamilyID,
        _ transaction: StoreReader
    ) throws -> FamilyRole {
        guard let role = try transaction.role(of: user, in: family) else { throw Refusal.notFound }
        guard role.managesInvitations else { throw Refusal.familyRole }
        return role
    }
}
