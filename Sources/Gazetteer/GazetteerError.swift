/// Why a compiled gazetteer cannot be opened.
public struct GazetteerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of damage.
    public enum Code: String, Sendable {
        /// The bytes do not start like a compiled gazetteer.
        case notAGazetteer
        /// Made by another version of the program.
        case unknownVersion
        /// Shorter than it says, or a part lies outside.
        case truncated
        /// A part has an impossible length.
        case damaged
    }

    /// What is wrong.
    public let code: Code
    /// One or two sentences: what is wrong and what to do.
    public let description: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        description = "\(detail). Build the gazetteer again."
    }
}

/// Why the sources of a gazetteer cannot be compiled.
public struct GazetteerSourceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The table, such as `places.tsv`.
    public let file: String
    /// The line, the header being line 1.
    public let row: Int
    /// What is wrong.
    public let reason: String

    /// The place and the reason in one line.
    public var description: String { "\(file):\(row): \(reason)" }
}
