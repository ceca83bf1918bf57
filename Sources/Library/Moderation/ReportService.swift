import Notifications
package import Storage
package import Stories

/// Reports of stories: made by users, decided by operators.
package struct ReportService: StoreService {
    package let context: StoreContext
    package let feed: FeedService

    /// Stores a user's report of a story; a repeated report returns the first one, even if the story has since changed
    /// or been deleted (PRV-06).
    ///
    /// - Throws: ``Refusal``: not found for a story the user may not see; a conflict for their own.
    package func report(
        _ id: StoryID,
        by user: UserID,
        reason: ReportReason,
        text: String?
    ) async throws -> (report: Report, isNew: Bool) {
        let now = now()
        // Other users cannot derive the id of a report, and it does not depend on other reports.
        let tracking = KeyedID.make(
            secret: store.keys[.storyIDs],
            message: Array("report|\(user.rawValue)|\(id)".utf8)
        )
        return try await store.write { transaction in
            if let known = try transaction.report(tracking, by: user) { return (known, false) }
            _ = try MarkService.othersStory(id, seenBy: user, in: transaction, toDo: "reported")
            let report = Report(
                id: tracking,
                story: id,
                reporter: user,
                reason: reason,
                text: text,
                createdAt: now,
                updatedAt: now
            )
            try transaction.save(report)
            return (report, true)
        }
    }

    /// Sets the status of a report and withholds its story, or shows it again, accordingly; returns `nil` if the report
    /// does not exist.
    ///
    /// A story is withheld from everyone but its owner while any report of it is `actioned`. A `note` of `nil` keeps
    /// the current note; an empty one removes it.
    package func setStatus(_ status: ReportStatus, note: String?, of id: StoryID) async throws -> ReportEntry? {
        let now = now()
        return try await store.write { [self] transaction in
            guard var report = try transaction.report(id) else { return nil }
            report.status = status
            if let note { report.note = note.isEmpty ? nil : note }
            report.updatedAt = max(now, report.updatedAt)
            try transaction.save(report)
            let isWithheld = try transaction.isWithheldByReport(report.story)
            if let old = try transaction.story(report.story), old.isWithheld != isWithheld {
                var story = old
                story.isWithheld = isWithheld
                story.touch(at: now, replacing: old)
                try feed.update(story, in: transaction)
            }
            return try transaction.reportEntry(id)
        }
    }
}
