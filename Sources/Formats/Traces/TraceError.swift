/// The reason a file could not be read as a trace.
public struct TraceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Hashable, Sendable {
        /// The file has no known format, or lacks the data a trace needs.
        case notATrace
        /// The format is known but the file violates its rules.
        case malformed
        /// An implausible position or sequence of times.
        case invalidValue
        /// Content rejected for safety: a document type declaration, or a size beyond the limits.
        case refused
    }

    /// The kind of error.
    public let code: Code
    /// The name of the file as given; may be empty.
    public let file: String
    /// The place in the file.
    public let place: TracePlace
    /// The problem, without coordinates.
    public let problem: String
    /// How to fix it.
    public let remedy: String

    /// Creates an error.
    public init(_ code: Code, file: String, place: TracePlace = .file, problem: String, remedy: String) {
        self.code = code
        self.file = file
        self.place = place
        self.problem = problem
        self.remedy = remedy
    }

    /// One line of text: `run.gpx, line 12: XML is not well formed (…); save the file again`.
    public var description: String {
        let location = [file, place.description].filter { !$0.isEmpty }.joined(separator: ", ")
        return (location.isEmpty ? "" : location + ": ") + problem + "; " + remedy
    }
}

/// The limits for a trace file.
public struct TraceLimits: Hashable, Sendable {
    /// The maximum size in bytes, after decompression.
    public var bytes: Int
    /// The maximum nesting depth of XML elements.
    public var depth: Int
    /// The maximum total number of points, waypoints and route points.
    public var points: Int
    /// The maximum number of problems kept with their text.
    public var problems: Int

    /// Creates limits, by default 50 MiB, 64 levels, 1,000,000 points and 100 problems.
    public init(bytes: Int = 50 << 20, depth: Int = 64, points: Int = 1_000_000, problems: Int = 100) {
        self.bytes = bytes
        self.depth = depth
        self.points = points
        self.problems = problems
    }
}
