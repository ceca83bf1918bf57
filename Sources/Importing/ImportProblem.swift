/// A problem that an import reports about a file or one of its rows.
public struct ImportProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The severity of a problem.
    public enum Severity: String, Hashable, Sendable {
        /// The row is imported, though not completely understood.
        case warning
        /// The row cannot be imported.
        case error
    }

    /// The file's name as given.
    public let file: String
    /// The line of a table, or the number of a feature, starting at one; `nil` for the whole file.
    public let row: Int?
    /// The field by its name in interfaces, or `nil`.
    public let field: String?
    /// The severity.
    public let severity: Severity
    /// The problem and how to fix it, without a full stop.
    public let message: String

    /// Creates a problem.
    public init(file: String, row: Int? = nil, field: String? = nil, severity: Severity, message: String) {
        self.file = file
        self.row = row
        self.field = field
        self.severity = severity
        self.message = message
    }

    /// `file:row: field: message`, without the unknown parts.
    public var description: String {
        let place = row.map { "\(file):\($0)" } ?? file
        return place + ": " + (field.map { $0 + ": " } ?? "") + message
    }

    /// Returns the problem of a file that was gathered from `members`: a row of it is one of them, and named as such.
    func named(after members: [String]) -> ImportProblem {
        guard let row, members.indices.contains(row - 1) else { return self }
        let folder = file.hasSuffix("/") ? file : file + "/"
        return ImportProblem(file: folder + members[row - 1], field: field, severity: severity, message: message)
    }

    /// Returns the problem with its message as `rewords` says it.
    func reworded(_ rewords: ((String) -> String)?) -> ImportProblem {
        guard let rewords else { return self }
        return ImportProblem(file: file, row: row, field: field, severity: severity, message: rewords(message))
    }
}
