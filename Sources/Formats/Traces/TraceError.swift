/// Why a file could not be read as a trace.
public struct TraceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What sort of obstacle it is.
    public enum Code: Hashable, Sendable {
        /// The bytes are none of the formats, or hold none of what a trace needs.
        case notATrace
        /// The format is clear but the file breaks its rules.
        case malformed
        /// A position, or a number of times, that makes no sense.
        case invalidValue
        /// Something that is refused for safety: a document type declaration, a size beyond the limits.
        case refused
    }

    /// What sort of obstacle it is.
    public let code: Code
    /// The name of the file as it was given; may be empty.
    public let file: String
    /// Where in the file.
    public let place: TracePlace
    /// What is wrong; names no coordinate.
    public let problem: String
    /// What to do about it.
    public let remedy: String

    /// Creates an error.
    public init(_ code: Code, file: String, place: TracePlace = .file, problem: String, remedy: String) {
        self.code = code
        self.file = file
        self.place = place
        self.problem = problem
        self.remedy = remedy
    }

    /// One line for a person: `run.gpx, line 12: XML is not well formed (…); save the file again`.
    public var description: String {
        let location = [file, place.description].filter { !$0.isEmpty }.joined(separator: ", ")
        return (location.isEmpty ? "" : location + ": ") + problem + "; " + remedy
    }
}

/// How much a trace file may hold.
public struct TraceLimits: Hashable, Sendable {
    /// The most bytes, after decompression.
    public var bytes: Int
    /// The most XML elements one inside the other.
    public var depth: Int
    /// The most points, waypoints and route points together.
    public var points: Int
    /// The most problems that are kept with their words.
    public var problems: Int

    /// Creates limits: 50 MiB, 64 levels, 1,000,000 points, 100 problems unless told otherwise.
    public init(bytes: Int = 50 << 20, depth: Int = 64, points: Int = 1_000_000, problems: Int = 100) {
        self.bytes = bytes
        self.depth = depth
        self.points = points
        self.problems = problems
    }
}
