/// The reason a compiled gazetteer cannot be opened.
public struct GazetteerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of damage.
    public enum Code: String, Sendable {
        /// The bytes do not start like a compiled gazetteer.
        case notAGazetteer
        /// The file was made by another version of the program.
        case unknownVersion
        /// The file is shorter than declared, or a section extends outside it.
        case truncated
        /// A section has an impossible length.
        case damaged
    }

    /// The kind of damage.
    public let code: Code
    /// One or two sentences: the problem and how to fix it.
    public let description: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        description = "\(detail). Build the gazetteer again."
    }
}
