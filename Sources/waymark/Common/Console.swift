import Foundation
import Observing
import Synchronization

/// The exit status of a command.
enum ExitStatus: Int32, Sendable {
    /// The command failed.
    case failed = 1
    /// The usage or the input is invalid.
    case usage = 2
    /// Nothing was found.
    case notFound = 3
}

/// The reason a command ends early: one or two plain sentences and the exit code.
struct CommandFailure: Error, Sendable, CustomStringConvertible {
    let code: ExitStatus
    let description: String

    static func usage(_ words: String) -> CommandFailure { CommandFailure(code: .usage, description: words) }
    static func failed(_ words: String) -> CommandFailure { CommandFailure(code: .failed, description: words) }
    static func notFound(_ words: String) -> CommandFailure { CommandFailure(code: .notFound, description: words) }
}

/// Standard output for data, standard error for everything else.
enum Console: Sendable {
    /// Whether standard output is a terminal.
    static var isTerminal: Bool { OperatorSession.current?.isTerminal ?? (isatty(STDOUT_FILENO) == 1) }

    /// Writes bytes to standard output; ends the program if the reader has closed the pipe or writing fails.
    static func write(_ bytes: [UInt8]) {
        if let session = OperatorSession.current { return session.write(.output(bytes)) }
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            // If the reader has gone (`| head`), it has read all it needed.
            if errno == EPIPE { exit(0) }
            self.error("The output cannot be written: \(String(cString: strerror(errno))).")
            exit(ExitStatus.failed.rawValue)
        }
    }

    /// Writes a line to standard output; characters that could control a terminal or forge another line become spaces.
    static func line(_ text: String) {
        write(Array((tame(text) + "\n").utf8))
    }

    /// Writes lines to standard error, sanitised as in ``line(_:)``.
    static func error(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { tame($0) + "\n" }
        if let session = OperatorSession.current { return session.write(.error(Array(lines.joined().utf8))) }
        try? FileHandle.standardError.write(contentsOf: Data(lines.joined().utf8))
    }

    /// Returns the text with spaces in place of all characters that could control a terminal, begin another line, or
    /// change the text direction.
    static func tame(_ text: some StringProtocol) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: " "
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Writes a remark to standard error unless `quiet` is set.
    static func remark(_ text: String, quiet: Bool) {
        if !quiet { error(text) }
    }
}

/// Returns the bytes of a command's file with an index among ``DoneByService/inputs``, where the operator has it.
///
/// - Throws: any error of reading.
func contents(of path: String, index: Int, limit: Int) async throws -> [UInt8] {
    guard let session = OperatorSession.current else { return try contents(of: path) }
    guard let file = try await session.contents(of: index, limit: limit), file.refusal == nil else {
        throw CocoaError(.fileReadNoSuchFile)
    }
    return file.bytes
}

/// What stands for standard input and standard output on the command line.
let standardStream = "-"

/// Returns the bytes of a file or a pipe, or of standard input.
func contents(of path: String) throws -> [UInt8] {
    guard path != standardStream else { return [UInt8](try FileHandle.standardInput.readToEnd() ?? Data()) }
    guard let file = FileHandle(forReadingAtPath: path) else { throw CocoaError(.fileReadNoSuchFile) }
    defer { try? file.close() }
    return [UInt8](try file.readToEnd() ?? Data())
}

/// Returns the beginning of user input for a message: one line, at most sixty characters.
func excerpt(_ text: some StringProtocol) -> String {
    let start = text.prefix(60)
    return Console.tame(start.unicodeScalars.count > 240 ? String(start.prefix(10)) : String(start))
        + (start.endIndex < text.endIndex ? "…" : "")
}

/// Returns the beginning of an argument for a message that begins with it or ends with it; quotation marks if it is blank.
func given(_ text: String) -> String { text.allSatisfy(\.isWhitespace) ? "\"\(excerpt(text))\"" : excerpt(text) }

/// Returns a number with the singular or plural noun.
func counted(_ count: Int, _ one: String, _ several: String) -> String { "\(count) \(count == 1 ? one : several)" }

/// A progress bar on standard error; none if that is not a terminal or `quiet` is set.
struct ProgressBar: Sendable {
    private let label: String
    private let isShown: Bool
    private let pace = WorkPace()

    init(_ label: String, quiet: Bool) {
        self.label = label
        isShown = !quiet && OperatorSession.current == nil && isatty(STDERR_FILENO) == 1
    }

    /// Draws the bar at `done` out of `total`, with `count` units done.
    func show(done: Int, of total: Int, count: Int, unit: String) {
        guard isShown, total > 0 else { return }
        let filled = min(30, max(0, 30 * done / total))
        let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: 30 - filled)
        let percent = min(100, 100 * done / total)
        try? FileHandle.standardError.write(
            contentsOf: Data(
                "\r\(label) \(bar) \(percent) %  \(count) \(unit)\(pace.words(done: done, of: total))\u{1B}[K".utf8
            )
        )
    }

    /// Removes the bar.
    func end() {
        guard isShown else { return }
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K".utf8))
    }
}

/// How fast the work of a progress bar goes on.
private final class WorkPace: Sendable {
    private let began = ContinuousClock.now
    private let left = Mutex(TimeLeft())

    /// Returns how long it still takes, as it stands behind the count; nothing while nobody can say.
    func words(done: Int, of total: Int) -> String {
        let now = (ContinuousClock.now - began) / Duration.seconds(1)
        let seconds = left.withLock { $0.seconds(done: done, of: total, at: now) }
        return seconds.map { "  \(TimeLeft.words($0)) left" } ?? ""
    }
}
