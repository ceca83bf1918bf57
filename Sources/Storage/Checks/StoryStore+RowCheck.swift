import Formats
import GRDB
import Stories

extension StoryStore {
    /// Reads every stored story as a whole, and compares what is derived from it with what is stored.
    ///
    /// - Complexity: O(size of the stories).
    package func checkStories() async throws -> CheckReport {
        let found = try await read { try StoryRows(of: $0) }
        var report = CheckReport()
        report.figures["stories"] = found.count
        if !found.unreadable.isEmpty {
            report.findings.append(
                CheckFinding(
                    "stories-unreadable",
                    found.unreadable.hasUnknown
                        ? "Stories cannot be read because their pages are damaged; some of their ids are unknown."
                        : "Stories cannot be read because their pages are damaged (stories: \(found.unreadable.ids.count)).",
                    .byHand(CheckFinding.restore),
                    stories: found.unreadable.ids
                )
            )
        }
        if !found.invalid.isEmpty {
            report.findings.append(
                CheckFinding(
                    "stories-invalid",
                    "Stories with a value that Waymark does not know are not shown (stories: \(found.invalid.count)).",
                    .byHand("Correct their rows in the table stories, or restore a backup with 'waymark restore'"),
                    stories: found.invalid
                )
            )
        }
        if !found.underived.isEmpty {
            report.findings.append(
                CheckFinding(
                    "stories-derived",
                    "The search text or the audience stored with stories is not what follows from them "
                        + "(stories: \(found.underived.count)).",
                    .repair,
                    stories: found.underived
                )
            )
        }
        return report
    }

    /// Checks what the database's foreign keys do not hold.
    package func checkRelations() async throws -> CheckReport {
        var report = CheckReport()
        for relation in StoredRelation.all {
            do {
                let ids = try await read { try String.fetchAll($0.db, sql: relation.sql) }
                guard !ids.isEmpty else { continue }
                report.findings.append(
                    CheckFinding(
                        relation.code,
                        "\(ids.count) \(relation.what).",
                        relation.isDerived ? .repair : .byHand(CheckFinding.restore),
                        stories: relation.namesStories ? ids : []
                    )
                )
            } catch let error as StoreError where error.code == .damaged {
                report.findings.append(
                    CheckFinding(
                        relation.code,
                        "A table cannot be read: \(relation.what).",
                        .byHand(CheckFinding.restore)
                    )
                )
            }
        }
        return report
    }

    /// Checks the keys in the file and the list of erasures beside it.
    package func checkKeys() async throws -> CheckReport {
        var report = CheckReport()
        for name in StoreKeys.Name.allCases where keys[name].count < 32 {
            report.findings.append(
                CheckFinding(
                    "keys",
                    "The key \(name.rawValue) has \(keys[name].count) bytes instead of 32.",
                    .byHand(CheckFinding.restore)
                )
            )
        }
        report.figures["former_keys"] = StoreKeys.Name.allCases.reduce(0) { $0 + keys.formers($1).count }
        if erasures.hasLostLines {
            report.findings.append(
                CheckFinding(
                    "erasures-lost",
                    "The list of erasures has lost lines: an older copy of the database could bring back erased data.",
                    .byHand("Follow erasures.lost in the folder of keys")
                )
            )
        }
        let entries = erasures.entries
        report.figures["erasures"] = entries.count
        if try await read({ try $0.unapplied(entries) }) != [], !StoreLock.isHeld(database: path) {
            report.findings.append(
                CheckFinding(
                    "erasures-unapplied",
                    "The database predates erasures that are on its list.",
                    .byHand("Start 'waymark serve' once: it repeats them before anything is read")
                )
            )
        }
        return report
    }
}

/// All stories as rows.
private struct StoryRows {
    var count = 0
    var unreadable = UnreadableRows()
    var invalid: [String] = []
    var underived: [String] = []
    /// The columns of the statement, once known.
    private var columns: StoryColumns?

    init(of reader: StoreReader) throws {
        var damaged = DamagedTable(reader.db, table: "stories", key: "fid", index: "stories_by_owner")
        let statement = try reader.db.cachedStatement(
            sql: """
                SELECT fid, \(StoryRow.selection(withText: true)), search_text, place_text, layer
                FROM stories NOT INDEXED WHERE fid >= ? ORDER BY fid
                """
        )
        var last = Int64.min
        while true {
            do {
                // Not `fid > last`, which would look for the last row on its page, even if that is the damaged one.
                let rows = try Row.fetchCursor(statement, arguments: [last + 1])
                while let row = try rows.next() {
                    last = row["fid"]
                    add(row)
                }
                unreadable = damaged.unreadable
                return
            } catch let error as DatabaseError where error.isDamage {
                guard let next = try damaged.next(after: last) else {
                    unreadable = damaged.unreadable
                    return
                }
                last = next - 1
            }
        }
    }

    private mutating func add(_ row: Row) {
        count += 1
        let at = columns ?? (try? StoryColumns(names: row.columnNames))
        columns = at
        guard let at, let story = try? StoryRow.story(row, at) else {
            return invalid.append(row["id"] as String? ?? "")
        }
        // What another program changed is derived anew when the change is taken over.
        let isUnjudged: Bool = row["is_unjudged"]
        guard !isUnjudged else { return }
        let isDerived =
            row["search_text"] as String? == StoryRow.searchText(of: story)
            && row["place_text"] as String? == StoryRow.placeText(of: story)
            && row["layer"] as String? == story.layer.text
        if !isDerived { underived.append(story.id.description) }
    }
}

/// A relation between tables that no foreign key holds; `sql` returns what violates it.
private struct StoredRelation: Sendable {
    let code: String
    let what: String
    let sql: String
    var isDerived = false
    var namesStories = false

    static let all = [
        StoredRelation(
            code: "spatial-missing",
            what: "stories are not in the spatial index, or at another place",
            sql: """
                SELECT id FROM stories LEFT JOIN idx_stories_geom ON pkid = fid WHERE geom IS NOT NULL
                AND (pkid IS NULL OR NOT (ST_X(geom) BETWEEN xmin AND xmax AND ST_Y(geom) BETWEEN ymin AND ymax))
                """,
            isDerived: true,
            namesStories: true
        ),
        StoredRelation(
            code: "spatial-surplus",
            what: "boxes of the spatial index belong to no story",
            sql: "SELECT pkid FROM idx_stories_geom WHERE pkid NOT IN (SELECT fid FROM stories WHERE geom IS NOT NULL)",
            isDerived: true
        ),
        StoredRelation(
            code: "notices-unlinked",
            what: "links between notifications and stories are missing",
            sql: """
                SELECT notices.id FROM notices, json_each(notices.content) AS entry
                WHERE NOT EXISTS (SELECT 1 FROM notice_stories WHERE notice_stories.user = notices.user
                    AND notice = notices.id AND story = entry.value)
                """,
            isDerived: true
        ),
        StoredRelation(
            code: "pictures",
            what: "stories show a picture that is not stored, or not that one",
            sql: """
                SELECT id FROM stories LEFT JOIN story_pictures ON story = id
                WHERE picture_version IS NOT NULL AND version IS NOT picture_version
                """,
            namesStories: true
        ),
        StoredRelation(
            code: "feed-positions",
            what: "feeds have notifications after their last position",
            sql: """
                SELECT notices.user FROM notices JOIN feed_positions USING (user)
                GROUP BY notices.user HAVING max(position) > max(latest)
                """
        ),
    ]
}
