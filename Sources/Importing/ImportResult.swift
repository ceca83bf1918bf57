/// The result of reading one file.
public struct ImportResult: Sendable {
    /// The stories to write, in file order; empty if the file is rejected.
    public package(set) var stories: [ImportedStory] = []
    /// The problems in file order, behind those of columns that are not read; at most ``problemLimit`` of each severity.
    public package(set) var problems: [ImportProblem] = []
    /// The number of errors, including those not listed.
    public package(set) var errorCount = 0
    /// The number of warnings, including those not listed.
    public package(set) var warningCount = 0
    /// The format of the file, or `nil` if it could not be determined.
    public package(set) var format: ImportFormat?
    /// The number of rows in the file, excluding the header.
    public package(set) var rows = 0
    /// The number of rows with errors, which were skipped.
    public package(set) var badRows = 0
    /// The number of rows without a position that were located by their words.
    public package(set) var located = 0
    /// The number of rows that name a place for which nothing sure enough was found.
    public package(set) var unlocated = 0
    /// Whether the whole file is rejected.
    public package(set) var isRefused = false
    private let members: [String]
    private let rewords: (@Sendable (String) -> String)?
    private let onProblem: (@Sendable (ImportProblem) -> Void)?

    /// Creates the result of a file that is not read yet.
    init(for options: StoryImporter.Options) {
        (members, rewords, onProblem) = (options.members, options.rewords, options.onProblem)
    }

    /// The maximum number of problems of each severity that are listed; all are counted.
    public static let problemLimit = 1000

    /// The listed errors.
    public var errors: [ImportProblem] { problems.filter { $0.severity == .error } }

    /// The listed warnings.
    public var warnings: [ImportProblem] { problems.filter { $0.severity == .warning } }

    /// Returns the first `limit` errors as lines, followed by a line with the number of further errors.
    public func errorSummary(limit: Int = 20) -> [String] {
        ImportResult.summary(errors, of: errorCount, limit: limit, noun: "error")
    }

    /// Returns the first `limit` warnings as lines, followed by a line with the number of further warnings.
    public func warningSummary(limit: Int = 20) -> [String] {
        ImportResult.summary(warnings, of: warningCount, limit: limit, noun: "warning")
    }

    private static func summary(_ problems: [ImportProblem], of count: Int, limit: Int, noun: String) -> [String] {
        let lines = problems.prefix(max(0, limit)).map(\.description)
        let rest = count - lines.count
        guard rest > 0 else { return lines }
        return lines + ["… and \(rest) more \(noun)\(rest == 1 ? "" : "s")"]
    }

    /// Records a problem.
    mutating func add(_ found: ImportProblem) {
        let count: Int
        switch found.severity {
        case .error:
            errorCount += 1
            count = errorCount
        case .warning:
            warningCount += 1
            count = warningCount
        }
        let isListed = count <= ImportResult.problemLimit
        guard isListed || onProblem != nil else { return }
        let problem = found.named(after: members).reworded(rewords)
        if isListed { problems.append(problem) }
        onProblem?(problem)
    }

    /// Records warnings about the whole file in front of all others, because of many warnings only the first are shown.
    mutating func addFirst(_ found: [ImportProblem]) {
        let first = found.map { $0.named(after: members).reworded(rewords) }
        let room = max(0, ImportResult.problemLimit - first.count)
        let beyond = problems.indices.filter { problems[$0].severity == .warning }.dropFirst(room)
        for index in beyond.reversed() { problems.remove(at: index) }
        problems.insert(contentsOf: first.prefix(ImportResult.problemLimit), at: 0)
        warningCount += first.count
        for problem in first { onProblem?(problem) }
    }
}

/// The progress of reading a file.
public struct ImportProgress: Hashable, Sendable {
    /// The number of rows read.
    public let rows: Int
    /// The number of bytes of the decompressed file that were read.
    public let bytes: Int
    /// The size of the decompressed file in bytes.
    public let totalBytes: Int

    package init(rows: Int, bytes: Int, totalBytes: Int) {
        (self.rows, self.bytes, self.totalBytes) = (rows, bytes, totalBytes)
    }
}
