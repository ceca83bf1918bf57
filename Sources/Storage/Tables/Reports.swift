import GRDB
public import Stories

/// A report as shown to operators.
public struct ReportEntry: Hashable, Sendable {
    /// The report.
    public let report: Report
    /// The owner of the story, or `nil` if the story is gone for good.
    public let owner: UserID?
    /// How many users reported the story.
    public let count: Int
}

extension StoreReader {
    /// Returns the report with a tracking id, or `nil`.
    public func report(_ id: StoryID) throws -> Report? {
        try Row.fetchOne(db, sql: "SELECT * FROM reports WHERE id = ?", arguments: [id.description]).flatMap(report)
    }

    /// Returns the report with a tracking id if this user made it, or `nil`.
    ///
    /// Looking up someone else's report takes no more reads than looking up one that does not exist.
    public func report(_ id: StoryID, by reporter: UserID) throws -> Report? {
        try Row.fetchOne(
            db,
            sql: "SELECT * FROM reports WHERE id = ? AND reporter = ?",
            arguments: [id.description, reporter.rawValue]
        )
        .flatMap(report)
    }

    /// Returns whether an actioned report withholds the story.
    public func isWithheldByReport(_ story: StoryID) throws -> Bool {
        try Int.fetchOne(
            db,
            sql: "SELECT 1 FROM reports WHERE story = ? AND status = 'actioned' LIMIT 1",
            arguments: [story.description]
        ) != nil
    }

    /// Returns a report as shown to operators, or `nil`.
    public func reportEntry(_ id: StoryID) throws -> ReportEntry? {
        try Row.fetchOne(db, sql: StoreReader.entries + " WHERE id = ?", arguments: [id.description])
            .flatMap(entry)
    }

    /// Returns a page of the reports with any of these statuses, or of all reports if `statuses` is empty, oldest
    /// first.
    ///
    /// It starts after the time and id of the previous page's last report.
    public func reportEntries(
        statuses: [ReportStatus],
        after: (createdAt: Timestamp, id: StoryID)?,
        limit: Int
    ) throws -> [ReportEntry] {
        var conditions: [String] = []
        var arguments: StatementArguments = []
        if !statuses.isEmpty {
            conditions.append("status IN (\(repeatElement("?", count: statuses.count).joined(separator: ", ")))")
            arguments += StatementArguments(statuses.map(\.rawValue))
        }
        if let after {
            conditions.append("(created_ms, id) > (?, ?)")
            arguments += [after.createdAt.milliseconds, after.id.description]
        }
        let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        return
            try Row.fetchAll(
                db,
                sql: StoreReader.entries + filter + " ORDER BY created_ms, id LIMIT ?",
                arguments: arguments + [limit]
            )
            .compactMap(entry)
    }

    // A deleted story's owner is known while the story is retained.
    private static let entries = """
        SELECT *, (SELECT count(*) FROM reports AS others WHERE others.story = reports.story) AS reported,
        coalesce((SELECT owner FROM stories WHERE stories.id = reports.story),
            (SELECT owner FROM sealed_stories WHERE sealed_stories.story = reports.story)) AS owner FROM reports
        """

    private func entry(_ row: Row) throws -> ReportEntry? {
        try report(row)
            .map { report in
                ReportEntry(
                    report: report,
                    owner: (row["owner"] as String?).flatMap { UserID($0) },
                    count: row["reported"]
                )
            }
    }

    private func report(_ row: Row) throws -> Report? {
        guard let id = StoryID(row["id"] as String), let story = StoryID(row["story"] as String),
            let reason = ReportReason(rawValue: row["reason"]), let status = ReportStatus(rawValue: row["status"])
        else { return nil }
        return Report(
            id: id,
            story: story,
            reporter: (row["reporter"] as String?).flatMap { UserID($0) },
            reason: reason,
            text: row["text"],
            status: status,
            note: row["note"],
            createdAt: Timestamp(milliseconds: row["created_ms"]),
            updatedAt: Timestamp(milliseconds: row["updated_ms"])
        )
    }
}

extension StoreTransaction {
    /// Stores a new report, or the changed status and note of an existing one.
    ///
    /// A new report replaces an existing one whose reporter is gone: a new user with that name may report the story
    /// again.
    public func save(_ report: Report) throws {
        try db.execute(
            sql: """
                INSERT INTO reports (id, story, reporter, reason, text, status, note, created_ms, updated_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
                reporter = excluded.reporter, reason = excluded.reason, text = excluded.text,
                status = excluded.status, note = excluded.note, created_ms = excluded.created_ms,
                updated_ms = excluded.updated_ms
                """,
            arguments: [
                report.id.description, report.story.description, report.reporter?.rawValue, report.reason.rawValue,
                report.text, report.status.rawValue, report.note, report.createdAt.milliseconds,
                report.updatedAt.milliseconds,
            ]
        )
    }
}
