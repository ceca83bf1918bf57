import Formats
import Gazetteer
import Geometry
public import Stories

/// The table of rows that wait for somebody to say where they are, as it is written: one row each, with candidates.
///
/// It is made for spreadsheet programs: UTF-8 with a byte order mark, and no text that such a program would take for a
/// formula.
public enum ReviewTable: Sendable {
    /// The columns, in the order in which they are written.
    public static let columns: [String] =
        ["row", "story", "owner", "source", "source_id", "title", "words", Column.choice]
        + (1...PlacingRules.candidates).flatMap { Column.names(of: $0) }

    /// The names of columns that are read again.
    enum Column: Sendable {
        static let choice = "choice"

        /// Returns the columns of a candidate, numbered from one.
        static func names(of number: Int) -> [String] {
            ["name", "kind", "confidence", "lat", "lon", "metres"].map { "\($0)_\(number)" }
        }
    }

    /// The bytes that begin a table: the mark and the header.
    public static let header: [UInt8] = [0xEF, 0xBB, 0xBF] + CSVWriter.row(columns)

    /// A row to write.
    public struct Row: Sendable {
        /// The line or number of the row in the imported file; `nil` if it is not known.
        public var row: Int?
        /// The story.
        public var story: StoryID
        /// The owner of the story.
        public var owner: UserID
        /// The name of the import.
        public var source: String
        /// The id in that source.
        public var sourceID: String
        /// The title of the story.
        public var title: String
        /// The words that say where it is.
        public var words: PlaceWords
        /// The places to choose from.
        public var candidates: [PlaceCandidate]

        /// Creates a row.
        public init(
            row: Int?,
            story: StoryID,
            owner: UserID,
            source: String,
            sourceID: String,
            title: String,
            words: PlaceWords,
            candidates: [PlaceCandidate]
        ) {
            self.row = row
            self.story = story
            self.owner = owner
            self.source = source
            self.sourceID = sourceID
            self.title = title
            self.words = words
            self.candidates = candidates
        }
    }

    /// Returns the bytes of one row with its line end.
    public static func bytes(of row: Row) -> [UInt8] {
        var fields = [
            row.row.map(String.init) ?? "", row.story.description, row.owner.rawValue, harmless(row.source),
            harmless(row.sourceID), harmless(row.title), harmless(row.words.summary), "",
        ]
        for candidate in row.candidates.prefix(PlacingRules.candidates) {
            fields += [
                harmless(candidate.label), candidate.kind.name, "\((candidate.confidence * 1_000).rounded() / 1_000)",
                degrees(candidate.coordinate.latitude), degrees(candidate.coordinate.longitude),
                "\(Int(candidate.radius.rounded()))",
            ]
        }
        fields += [String](repeating: "", count: columns.count - fields.count)
        return CSVWriter.row(fields)
    }

    /// Returns a text that no spreadsheet program takes for a formula: an apostrophe before what would begin one.
    static func harmless(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, formulas.contains(first) else { return text }
        return "'" + text
    }

    /// Returns the text that ``harmless(_:)`` was given.
    static func plain(_ text: String) -> String {
        guard text.first == "'", let next = text.unicodeScalars.dropFirst().first, formulas.contains(next) else {
            return text
        }
        return String(text.dropFirst())
    }

    private static let formulas: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "'"]

    private static func degrees(_ value: Double) -> String { "\((value * 1e6).rounded() / 1e6)" }
}
