/// Why somebody reports a story (PRV-06).
public enum ReportReason: String, CaseIterable, Hashable, Sendable {
    /// Advertising, or the same thing over and over.
    case spam
    /// It attacks somebody.
    case harassment
    /// It does not belong here.
    case inappropriate
    /// Something else; the text says what.
    case other
}

/// What became of a report.
public enum ReportStatus: String, CaseIterable, Hashable, Sendable {
    /// Nobody has looked at it yet.
    case pending
    /// An operator has looked at it and not yet decided.
    case reviewed
    /// The story is withheld from everyone but its owner.
    case actioned
    /// The story stays as it is.
    case dismissed
}

/// What a user told the operators about a story.
public struct Report: Hashable, Sendable {
    /// The tracking id: a keyed digest of reporter and story, so that a repeat has the same one.
    public let id: StoryID
    /// The reported story; it may be gone by now.
    public let story: StoryID
    /// Who reported it, or `nil` when that account is gone.
    public let reporter: UserID?
    /// Why.
    public let reason: ReportReason
    /// In the reporter's words, at most ``StoryLimits/reportLength`` bytes.
    public let text: String?
    /// What became of it.
    public var status: ReportStatus
    /// The operators' own note, at most ``StoryLimits/reportLength`` bytes; the reporter does not get it.
    public var note: String?
    /// When it was made.
    public let createdAt: Timestamp
    /// When its status or note last changed.
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
    /// The most bytes in the text of a report, or in an operator's note to it.
    public static let reportLength = 2_000
    /// The most stories somebody can have hidden at a time.
    public static let hiddenCount = 10_000
}
