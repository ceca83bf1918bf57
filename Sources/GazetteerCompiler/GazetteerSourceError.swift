/// The reason the sources of a gazetteer cannot be compiled.
public struct GazetteerSourceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The table, such as `places.tsv`.
    public let file: String
    /// The line number; the header is line 1.
    public let row: Int
    /// The problem.
    public let reason: String

    /// The place and the reason in one line.
    public var description: String { "\(file):\(row): \(reason)" }
}
