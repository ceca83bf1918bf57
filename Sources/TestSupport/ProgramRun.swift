import Foundation
import Synchronization

/// What a program did that a test started: its exit code and what it wrote to its standard output.
///
/// Foundation's `Process` reads past the end of a directory entry when it lists the open files, which ends the tests with a
/// segmentation fault once the services of other tests hold some 1,360 files open. `posix_spawn` lists nothing.
public struct ProgramRun: Sendable {
    /// The exit code, or 128 and the number of the signal that ended the program.
    public let status: Int32
    /// The bytes of the standard output.
    public let output: [UInt8]

    /// Runs a program to its end, with an empty standard input; blocks the thread meanwhile.
    ///
    /// - Parameters:
    ///   - program: a path, or a name that is looked up in `PATH`.
    ///   - arguments: the arguments, without the program's own name.
    ///   - showsErrors: whether the program's standard error is that of the tests; it is dropped otherwise.
    /// - Throws: `POSIXError` if the program cannot be started.
    public init(_ program: String, _ arguments: [String] = [], showsErrors: Bool = true) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("output")
        let identifier = try ProgramRun.start(program, arguments, output: path, showsErrors: showsErrors)
        status = try ProgramRun.wait(for: identifier)
        output = [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    /// Starts a program that writes its standard output to a file, and returns the id of its process.
    fileprivate static func start(
        _ program: String,
        _ arguments: [String],
        output: String,
        showsErrors: Bool
    ) throws -> pid_t {
        var identifier: pid_t = 0
        let failure = try withFileActions(output: output, showsErrors: showsErrors) { actions in
            let words = ([program] + arguments).map { strdup($0) } + [nil]
            let environment = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
            defer { for word in words + environment { free(word) } }
            return withSignals { signals in
                posix_spawnp(&identifier, program, actions, signals, words, environment)
            }
        }
        guard failure == 0 else { throw error(failure) }
        return identifier
    }

    /// Waits for the end of a process and returns its status.
    fileprivate static func wait(for identifier: pid_t) throws -> Int32 {
        var state: Int32 = 0
        while waitpid(identifier, &state, 0) == -1 {
            guard errno == EINTR else { throw error(errno) }
        }
        let signal = state & 0x7F
        return signal == 0 ? (state >> 8) & 0xFF : 128 + signal
    }

    private static func withFileActions(
        output: String,
        showsErrors: Bool,
        _ body: (UnsafePointer<posix_spawn_file_actions_t>) throws -> Int32
    ) throws -> Int32 {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        if !showsErrors { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        return try body(&actions)
    }

    /// Lets the program receive every signal: the threads that run tasks block them all, which it would inherit.
    private static func withSignals(_ body: (UnsafePointer<posix_spawnattr_t>) -> Int32) -> Int32 {
        #if canImport(Darwin)
        var attributes: posix_spawnattr_t?
        #else
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        return body(&attributes)
    }

    private static func error(_ code: Int32) -> POSIXError { POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
}

/// A program that runs beside a test until it is stopped, at the latest when this value is released.
public final class RunningProgram: Sendable {
    private let identifier: Mutex<pid_t?>

    /// Starts a program, with an empty standard input; what it writes goes to a file.
    ///
    /// - Throws: `POSIXError` if the program cannot be started.
    public init(_ program: String, _ arguments: [String], output: String = "/dev/null") throws {
        let started = try ProgramRun.start(program, arguments, output: output, showsErrors: false)
        identifier = Mutex(started)
    }

    deinit { stop(by: SIGKILL) }

    /// Sends the program a signal, by default SIGTERM, and waits for its end.
    public func stop(by signal: Int32? = nil) {
        let taken = identifier.withLock { identifier in
            defer { identifier = nil }
            return identifier
        }
        guard let taken else { return }
        kill(taken, signal ?? SIGTERM)
        _ = try? ProgramRun.wait(for: taken)
    }
}
