/// The reason for reporting a story (PRV-06).
public enum ReportReason: String, CaseIterable, Hashable, Sendable {
    /// Advertising or repetition.
    case spam
    /// An attack on a person.
    case harassment
    /// Content that does not belong here.
    case inappropriate
    /// Another reason, given in the text.
    case other
}

/// The status of a report.
public enum ReportStatus: String, CaseIterable, Hashable, Sendable {
    /// No operator has looked at it yet.
    case pending
    /// An operator has looked at it but not decided yet.
    case reviewed
    /// The story is withheld from everyone but its owner.
    case actioned
    /// The story is unchanged.
    case dismissed
}

/// A user's report to the operators about a story.
public struct Report: Hashable, Sendable {
    /// The tracking id: a keyed digest of reporter and story, so that a repeated report has the same id.
    public let id: StoryID
    /// The reported story, which may have been deleted.
    public let story: StoryID
    /// The reporter, or `nil` if the account was deleted.
    public let reporter: UserID?
    /// The reason.
    public let reason: ReportReason
    /// The reporter's explanation, at most ``StoryLimits/reportLength`` bytes.
    public let text: String?
    /// The status.
    public var status: ReportStatus
    /// The operators' note, at most ``StoryLimits/reportLength`` bytes; not shown to the reporter.
    public var note: String?
    /// The time of the report.
    public let createdAt: Timestamp
    /// The time of the last change of status or note.
    public var updatedAt: Timestamp

    /// Creates a report.
    public init(
        id: StoryID,
        story: StoryID,
        reporter: UserID?,
        reason: ReportReason,
        text: String? = nil,
        status: ReportStatus = .pending,
        note: String? = nil,
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        self.id = id
        self.story = story
        self.reporter = reporter
        self.reason = reason
        self.text = text
        self.status = status
        self.note = note
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension StoryLimits {
    /// The maximum size of a report's text, or of an operator's note on it, in bytes.
    public static let reportLength = 2_000
    /// The maximum number of stories a user can hide at a time.
    public static let hiddenCount = 10_000
}
