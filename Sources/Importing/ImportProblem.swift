/// Something an import has to say about a file or one of its rows.
public struct ImportProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// How much it matters.
    public enum Severity: String, Hashable, Sendable {
        /// The row comes in, though not all of it was understood.
        case warning
        /// The row cannot come in.
        case error
    }

    /// The file's name as it was given.
    public let file: String
    /// The line of a table, or the number of a feature, counted from one; `nil` when it concerns the whole file.
    public let row: Int?
    /// The field it concerns, by the name interfaces use, or `nil`.
    public let field: String?
    /// How much it matters.
    public let severity: Severity
    /// What is wrong and what to do, without a full stop.
    public let message: String

    /// Creates a problem.
    public init(file: String, row: Int? = nil, field: String? = nil, severity: Severity, message: String) {
        self.file = file
        self.row = row
        self.field = field
        self.severity = severity
        self.message = message
    }

    /// `file:row: field: message`, without the parts that are not known.
    public var description: String {
        let place = row.map { "\(file):\($0)" } ?? file
        return place + ": " + (field.map { $0 + ": " } ?? "") + message
    }
}
