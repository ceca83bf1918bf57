import Foundation
import GRDB
import Geometry
public import Stories

/// A story that a client has to check again.
public struct ChangedStory: Hashable, Sendable {
    /// The id of the story.
    public let id: StoryID
    /// Whether the viewer could see it at some time since their last sync, so that they may be notified of its removal.
    public let wasSeen: Bool
    /// Whether the viewer has hidden it from their own views.
    public let isHidden: Bool
}

extension StoreReader {
    /// Returns the stories about which a viewer may learn something new, sorted by id, at most `limit` after
    /// `position`.
    ///
    /// Without `since`, these are all stories the viewer may see. With it, they are those whose visibility or content
    /// may have changed for the viewer at that instant or later, or was changing just then; see
    /// ``StoryStore/answerInstant(after:)``. A story the viewer may not see now, or has hidden, is to be reported as
    /// removed if it ``ChangedStory/wasSeen``, and omitted otherwise. Unchanged stories may be included.
    public func changes(
        for viewer: Viewer,
        since: Timestamp?,
        after position: StoryID?,
        limit: Int
    ) throws -> [ChangedStory] {
        let start = try since.map { try firstUntold(at: StoreClock.stamp($0)) } ?? 0
        let hidden = try viewer.user.map(hiddenStories) ?? []
        let page = ChangePage(
            db: db,
            viewer: viewer,
            start: start,
            position: position?.description ?? "",
            // Hidden stories are removed below, so the page must have room for them.
            limit: max(1, limit) + hidden.count
        )
        var (changed, seen) = (Set<String>(), Set<String>())
        if since == nil {
            changed.formUnion(try page.everything())
        } else {
            let history = try audienceHistory(of: viewer, since: start)
            let (begun, ended) = try page.hides()
            changed.formUnion(try page.changed(history) + ended)
            seen.formUnion(try page.seen(history) + begun)
        }
        let hiddenNames = Set(hidden.map(\.description))
        return changed.subtracting(hiddenNames).union(seen).sorted().prefix(max(1, limit))
            .compactMap { text in
                StoryID(text)
                    .map {
                        ChangedStory(id: $0, wasSeen: seen.contains(text), isHidden: hiddenNames.contains(text))
                    }
            }
    }
}

/// One page of changes, assembled from several queries; each returns the first ids after the position.
private struct ChangePage {
    let db: Database
    let viewer: Viewer
    /// The stamp from which changes count.
    let start: Int64
    let position: String
    let limit: Int

    /// From this number of changes in a layer, walking the layer by id is faster than sorting the changes for every
    /// page.
    private static let many = 10_000

    /// Returns everything the viewer may see.
    func everything() throws -> [String] {
        var found: [String] = []
        for layer in viewer.layers {
            found += try ids(
                "SELECT id FROM stories INDEXED BY stories_layer WHERE layer = ?3 AND id > ?1 ORDER BY id LIMIT ?2",
                [layer.text]
            )
        }
        guard let user = viewer.user?.rawValue else { return found }
        return found
            + (try ids(
                "SELECT id FROM stories WHERE owner = ?3 AND family IS NOT NULL AND id > ?1 ORDER BY id LIMIT ?2",
                [user]
            ))
    }

    /// Returns visible stories that changed for the viewer, or that became visible.
    func changed(_ history: AudienceHistory) throws -> [String] {
        let (kin, families) = (try list(viewer.kin.map(\.rawValue)), try list(viewer.families.keys.map(\.rawValue)))
        var found: [String] = []
        for layer in viewer.layers.map(\.text) {
            // The stamp of changes visible to everyone decides, unless the viewer is family for the story.
            let index = try isMany(in: layer) ? "stories_layer" : "stories_touched"
            found += try ids(
                """
                SELECT id FROM stories INDEXED BY \(index) WHERE layer = ?3 AND touched_stamp >= ?4
                AND (shown_stamp >= ?4 OR (trusted_stamp >= ?4 AND CASE WHEN family IS NULL
                THEN owner IN (SELECT value FROM json_each(?5)) ELSE family IN (SELECT value FROM json_each(?6)) END))
                AND id > ?1 ORDER BY id LIMIT ?2
                """,
                [layer, start, kin, families]
            )
        }
        guard let user = viewer.user?.rawValue else { return found }
        found += try ids(
            "SELECT id FROM stories WHERE owner = ?3 AND touched_stamp >= ?4 AND id > ?1 ORDER BY id LIMIT ?2",
            [user, start]
        )
        return found + (try regained(history))
    }

    /// Returns visible stories that show the viewer a different point or family name because someone joined or left a
    /// family.
    private func regained(_ history: AudienceHistory) throws -> [String] {
        let layers = try list(viewer.layers.map(\.text))
        var found: [String] = []
        for owner in history.changedKin {
            // Include stories no longer trusted to any family: a member who left may have known the exact point until
            // then.
            found += try ids(
                """
                SELECT id FROM stories WHERE owner = ?3 AND layer IN (SELECT value FROM json_each(?4))
                AND (layer <> 'public' OR family IS NULL) AND id > ?1 ORDER BY id LIMIT ?2
                """,
                [owner, layers]
            )
        }
        for family in history.changedFamilies {
            found += try ids(
                """
                SELECT id FROM stories WHERE family = ?3 AND layer IN (SELECT value FROM json_each(?4))
                AND id > ?1 ORDER BY id LIMIT ?2
                """,
                [family, layers]
            )
        }
        return found
    }

    /// Returns stories the viewer could see at some time since `start`, which left their layer or whose layer the
    /// viewer lost.
    func seen(_ history: AudienceHistory) throws -> [String] {
        var found: [String] = []
        for period in history.periods {
            let times: [(any DatabaseValueConvertible)?] = [period.layer, start, period.from, period.until]
            found += try ids(
                """
                SELECT story FROM past_audiences WHERE layer = ?3 AND until_stamp >= ?4 AND until_stamp > ?5
                AND from_stamp < ?6 AND story > ?1 ORDER BY story LIMIT ?2
                """,
                times
            )
            guard period.until < .max else { continue }
            found += try ids(
                """
                SELECT id FROM stories INDEXED BY stories_layer WHERE layer = ?3 AND layer_stamp < ?4 AND id > ?1
                ORDER BY id LIMIT ?2
                """,
                [period.layer, period.until]
            )
        }
        guard let user = viewer.user?.rawValue else { return found }
        return found
            + (try ids(
                """
                SELECT story FROM past_audiences WHERE owner = ?3 AND until_stamp >= ?4 AND story > ?1
                ORDER BY story LIMIT ?2
                """,
                [user, start]
            ))
    }

    /// Returns the stories the viewer has hidden, and those the viewer has unhidden, since `start`.
    func hides() throws -> (begun: [String], ended: [String]) {
        guard let user = viewer.user?.rawValue else { return ([], []) }
        func found(_ condition: String) throws -> [String] {
            try ids(
                """
                SELECT story FROM hides WHERE user = ?3 AND stamp >= ?4 AND until_ms \(condition) AND story > ?1
                ORDER BY story LIMIT ?2
                """,
                [user, start]
            )
        }
        return (try found("IS NULL"), try found("IS NOT NULL"))
    }

    private func isMany(in layer: String) throws -> Bool {
        let statement = try db.cachedStatement(
            sql:
                "SELECT 1 FROM stories INDEXED BY stories_touched WHERE layer = ? AND touched_stamp >= ? LIMIT 1 OFFSET ?"
        )
        return try Int.fetchOne(statement, arguments: [layer, start, ChangePage.many]) != nil
    }

    /// Returns the ids a query finds after the position (`?1`), at most as many as the page holds (`?2`).
    private func ids(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?]) throws -> [String] {
        try String.fetchAll(
            try db.cachedStatement(sql: sql),
            arguments: StatementArguments([position, limit] + arguments)
        )
    }

    private func list(_ names: [String]) throws -> String {
        // Names of users, families and layers contain no character that JSON would escape.
        "[" + names.sorted().map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }
}

@available(*, unavailable)
extension ChangePage: Sendable {}
