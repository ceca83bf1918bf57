import Foundation
import GRDB
import Stories

extension StoreReader {
    /// Returns the latest stamp in use, so that none is issued twice after a restart with a clock set back.
    func latestStamp() throws -> Int64 {
        try Int64.fetchOne(
            db,
            sql: """
                SELECT max((SELECT ifnull(max(touched_stamp), 0) FROM stories),
                (SELECT ifnull(max(until_stamp), 0) FROM past_audiences),
                (SELECT ifnull(max(since_stamp), 0) FROM memberships), (SELECT ifnull(max(stamp), 0) FROM hides),
                (SELECT ifnull(max(until_stamp), 0) FROM past_memberships))
                """
        ) ?? 0
    }
}

/// Records, with every change, until when each audience could see a story.
extension StoreTransaction {
    /// How many days past visibility is remembered; a sync that goes back further starts over.
    public static let audienceMemory = 90

    /// The stamp of this transaction: issued at its first change of visibility, then constant.
    var stamp: Int64 {
        if let stamp = afterCommit.stamp { return stamp }
        let stamp = clock.stamp()
        afterCommit.stamp = stamp
        return stamp
    }

    /// Returns the values of a new story's layer column and stamp columns.
    func audienceArguments(_ story: Story) -> [(any DatabaseValueConvertible)?] {
        [story.layer.text, stamp, stamp, stamp, stamp]
    }

    /// Records, before a story is replaced, for whom it changes; `known` is the stored story if it was just read.
    func noteAudience(of story: Story, replacing known: Story? = nil) throws {
        guard let old = try known ?? self.story(story.id) else { return }
        try noteReach(of: story, replacing: old)
        let change = story.change(from: old)
        guard change > .nobody else { return }
        if story.layer != old.layer { try closeAudience(of: story.id) }
        if story.layer == .public, old.family != story.family { try noteFormerCircle(of: old) }
        let statement = try db.cachedStatement(
            sql: """
                UPDATE stories SET layer_stamp = CASE WHEN layer = ?1 THEN layer_stamp ELSE ?2 END, layer = ?1,
                shown_stamp = CASE WHEN ?3 THEN ?2 ELSE shown_stamp END,
                trusted_stamp = CASE WHEN ?4 THEN ?2 ELSE trusted_stamp END, touched_stamp = ?2 WHERE id = ?5
                """
        )
        try statement.execute(
            arguments: [
                story.layer.text, stamp, change == .everybody, change >= .trusted, story.id.description,
            ]
        )
    }

    /// Records the former family audience of a public story that now names another family, or none.
    ///
    /// If the story named a family, this audience is that family, which saw the family's name and perhaps the exact
    /// point. Otherwise it is all the owner's families, provided that they were trusted with the exact point.
    private func noteFormerCircle(of old: Story) throws {
        guard old.family != nil || old.location?.familySeesExact == true else { return }
        let circle = old.family.map(VisibilityLayer.group) ?? .kin(old.owner)
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO past_audiences (layer, until_stamp, story, owner, from_stamp)
                SELECT ?1, ?2, id, owner, layer_stamp FROM stories WHERE id = ?3 AND layer_stamp < ?2
                """
        )
        try statement.execute(arguments: [circle.text, stamp, old.id.description])
    }

    /// Records, before a story is removed, who could see it until now, and that the story must not be created again.
    func noteDisappearance(of id: StoryID) throws {
        try closeAudience(of: id)
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO deleted_stories (story, owner, client_key)
                SELECT id, owner, client_key FROM stories WHERE id = ?
                """
        )
        try statement.execute(arguments: [id.description])
    }

    /// Ends a story's period in its layer; a period that began in this same transaction was never visible to anyone.
    func closeAudience(of id: StoryID) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO past_audiences (layer, until_stamp, story, owner, from_stamp)
                SELECT layer, ?1, id, owner, layer_stamp FROM stories WHERE id = ?2 AND layer_stamp < ?1
                """
        )
        try statement.execute(arguments: [stamp, id.description])
        let limit = try memoryLimit
        try db.cachedStatement(sql: "DELETE FROM past_audiences WHERE until_stamp < ?").execute(arguments: [limit])
    }

    /// How far back the past is remembered, in stamps.
    static let memoryLength = Int64(audienceMemory) * 86_400_000 * 1_000_000

    /// The stamp before which ended records are no longer needed: even the oldest answer that a sync can continue from
    /// reflects them.
    private var memoryLimit: Int64 {
        get throws {
            let oldest = stamp - StoreTransaction.memoryLength
            return try firstUntold(at: oldest - oldest % 1_000_000)
        }
    }

    /// Records that all memberships of a user, or only the one in `family` if given, end now.
    func noteEndOfMemberships(of user: UserID, in family: FamilyID? = nil) throws {
        try noteViews(of: user, in: family)
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO past_memberships (family, user, until_stamp, from_stamp)
                SELECT family, user, ?1, since_stamp FROM memberships
                WHERE user = ?2 AND (?3 IS NULL OR family = ?3) AND since_stamp < ?1
                """,
            arguments: [stamp, user.rawValue, family?.rawValue]
        )
        try db.execute(
            sql: "DELETE FROM past_memberships WHERE until_stamp < ?",
            arguments: [try memoryLimit]
        )
    }

    /// Records a change of every story of a renamed user: each contains the name.
    func noteRenaming(of user: User) throws {
        guard let old = try self.user(user.id), old.name != user.name else { return }
        try db.execute(
            sql: "UPDATE stories SET shown_stamp = ?1, trusted_stamp = ?1, touched_stamp = ?1 WHERE owner = ?2",
            arguments: [stamp, user.id.rawValue]
        )
    }

    /// Ends a user's memberships and replaces the user with a pseudonym in the records of the past.
    ///
    /// Call it when an account is erased, after its stories are removed and before its user is. Others' clients still
    /// learn which stories are gone: ids and times stay, without a name.
    func forgetAudience(of owner: UserID, as pseudonym: String) throws {
        try noteEndOfMemberships(of: owner)
        try db.execute(sql: "DELETE FROM memberships WHERE user = ?", arguments: [owner.rawValue])
        let layers = [
            (VisibilityLayer.own(owner).text, "own:" + pseudonym),
            (VisibilityLayer.kin(owner).text, "kin:" + pseudonym),
        ]
        for (layer, replacement) in layers {
            try db.execute(
                sql: "UPDATE past_audiences SET layer = ? WHERE layer = ?",
                arguments: [replacement, layer]
            )
        }
        let name = owner.rawValue
        try db.execute(sql: "UPDATE past_audiences SET owner = ? WHERE owner = ?", arguments: [pseudonym, name])
        try db.execute(sql: "UPDATE past_memberships SET user = ? WHERE user = ?", arguments: [pseudonym, name])
        try db.execute(sql: "DELETE FROM deleted_stories WHERE owner = ?", arguments: [name])
        try db.execute(sql: "DELETE FROM batch_answers WHERE user = ?", arguments: [name])
    }
}

extension VisibilityLayer {
    /// The layer as stored.
    var text: String {
        switch self {
        case .public: "public"
        case .kin(let owner): VisibilityLayer.kinText(owner.rawValue)
        case .group(let family): VisibilityLayer.groupText(family.rawValue)
        case .own(let owner): "own:" + owner.rawValue
        }
    }

    /// Returns the layer of stories someone shares with all their families; the name may be a pseudonym.
    static func kinText(_ owner: String) -> String { "kin:" + owner }

    /// Returns the layer of a family.
    static func groupText(_ family: String) -> String { "group:" + family }
}
