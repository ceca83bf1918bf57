/// What came out of reading one file.
public struct ImportResult: Sendable {
    /// The stories to write, in the order of the file; empty when the file is refused.
    public package(set) var stories: [ImportedStory] = []
    /// What is wrong or doubtful, in the order of the file, at most ``problemLimit`` of each severity.
    public package(set) var problems: [ImportProblem] = []
    /// How many errors there were, those not listed among them.
    public package(set) var errorCount = 0
    /// How many warnings there were, those not listed among them.
    public package(set) var warningCount = 0
    /// What the file was read as, or `nil` when it could not be told.
    public package(set) var format: ImportFormat?
    /// How many rows the file has, the header not among them.
    public package(set) var rows = 0
    /// How many rows have errors and were left out.
    public package(set) var badRows = 0
    /// Whether nothing of the file may be written.
    public package(set) var isRefused = false

    /// The most problems of each severity that are listed; all are counted.
    public static let problemLimit = 1000

    /// The listed errors.
    public var errors: [ImportProblem] { problems.filter { $0.severity == .error } }

    /// The listed warnings.
    public var warnings: [ImportProblem] { problems.filter { $0.severity == .warning } }

    /// The first `limit` errors as lines, and one that counts the rest.
    public func errorSummary(limit: Int = 20) -> [String] {
        ImportResult.summary(errors, of: errorCount, limit: limit, noun: "error")
    }

    /// The first `limit` warnings as lines, and one that counts the rest.
    public func warningSummary(limit: Int = 20) -> [String] {
        ImportResult.summary(warnings, of: warningCount, limit: limit, noun: "warning")
    }

    private static func summary(_ problems: [ImportProblem], of count: Int, limit: Int, noun: String) -> [String] {
        let lines = problems.prefix(max(0, limit)).map(\.description)
        let rest = count - lines.count
        guard rest > 0 else { return lines }
        return lines + ["… and \(rest) more \(noun)\(rest == 1 ? "" : "s")"]
    }

    /// Takes note of a problem.
    mutating func add(_ problem: ImportProblem) {
        let count: Int
        switch problem.severity {
        case .error:
            errorCount += 1
            count = errorCount
        case .warning:
            warningCount += 1
            count = warningCount
        }
        if count <= ImportResult.problemLimit { problems.append(problem) }
    }
}

/// How far the reading of a file has come.
public struct ImportProgress: Hashable, Sendable {
    /// How many rows were read.
    public let rows: Int
    /// How many bytes of the unpacked file were read.
    public let bytes: Int
    /// How many bytes the unpacked file has.
    public let totalBytes: Int
}
