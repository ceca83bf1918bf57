import Foundation
import Subprocess

/// What a program did.
struct ProgramEnd: Sendable {
    /// How it ended.
    enum End: Hashable, Sendable {
        case success, failed, tooLong, tooLarge
    }

    let end: End
    /// The beginning of what it wrote to its standard error.
    let errors: String
    let output: [UInt8]

    /// The errors, each once, or the lack of them, on one line.
    var words: String {
        var said: Set<String> = []
        let kept = messages.filter { !$0.contains(ProgramEnd.skipping) && said.insert($0).inserted }
        let text = kept.joined(separator: " ")
        return text.isEmpty ? "it ended without a word" : String(text.prefix(300))
    }

    /// What ogr2ogr's last words name, after the reason: an option that users of Waymark cannot give.
    private static let skipping = "-skipfailures"

    /// The errors, or everything if none is marked as one, each on one line.
    private var messages: [String] {
        let lines = errors.split(whereSeparator: \.isNewline)
        let first = lines.firstIndex { $0.hasPrefix("ERROR") } ?? lines.startIndex
        var messages: [[Substring]] = []
        for line in lines[first...] {
            // "ERROR 1: …", whose text may go on in the next line.
            if messages.isEmpty || line.hasPrefix("ERROR") { messages.append([]) }
            messages[messages.count - 1] += line.split(separator: " ")
        }
        return messages.map { $0.joined(separator: " ") }
    }

    var hasErrors: Bool { errors.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("ERROR") } }
}

/// A folder of one conversion, with a copy of its file under a plain name: no other file is found beside it, and what GDAL
/// reads is what was recognised.
struct Workplace: Sendable {
    let limits: GDALConverter.Limits
    /// The name of the file.
    let source: String
    private let folder: URL

    /// The most that is read of a program's standard error.
    private static let mostErrors = 1 << 20
    /// The most address space that a program gets, in KiB.
    private static let addressSpace = 4 << 20
    /// What installations of GDAL beside the system's need.
    private static let inherited = ["GDAL_DATA", "GDAL_DRIVER_PATH", "LD_LIBRARY_PATH", "PROJ_DATA", "PROJ_LIB"]

    /// - Throws: an error of the file system.
    init(_ bytes: [UInt8], fileExtension: String, limits: GDALConverter.Limits) throws {
        self.limits = limits
        source = "source.\(fileExtension)"
        folder = FileManager.default.temporaryDirectory.appending(path: "waymark-gdal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        do {
            try Data(bytes).write(to: folder.appending(path: source))
        } catch {
            remove()
            throw error
        }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Runs a program in the folder, with nothing to read and hardly anything in its environment.
    ///
    /// - Throws: ``GDALConverter/Failure`` if it cannot be started, or `CancellationError`.
    func run(_ program: String, _ arguments: [String], skippedDrivers: [String] = []) async throws -> ProgramEnd {
        // The shell sets the limits that a process can only set for itself. A lower one that it has already stays.
        let script = """
            cd "$1" && shift && { ulimit -t \(limits.seconds); ulimit -v \(Workplace.addressSpace); \
            ulimit -f \(limits.bytes / 512 + 1); } 2>/dev/null; exec "$@" >output 2>errors
            """
        let words = ["-c", script, "sh", folder.path, program] + arguments
        let environment = self.environment(skipping: skippedDrivers)
        let deadline = Duration.seconds(limits.seconds)
        let status: TerminationStatus?
        do {
            status = try await withThrowingTaskGroup(
                of: TerminationStatus?.self,
                returning: TerminationStatus?.self
            ) { group in
                group.addTask { try await Workplace.status(of: words, environment) }
                group.addTask {
                    try await Task.sleep(for: deadline)
                    return nil
                }
                let first: TerminationStatus? = try await group.next() ?? nil
                // Ends the program, if it is the time that is over.
                group.cancelAll()
                return first
            }
        } catch {
            try Task.checkCancellation()
            throw GDALConverter.Failure(reason: "GDAL's program \(program) cannot be started")
        }
        try Task.checkCancellation()
        return try result(status)
    }

    private static func status(
        of words: [String],
        _ environment: [Environment.Key: String]
    ) async throws -> TerminationStatus {
        let done = try await Subprocess.run(
            .name("sh"),
            arguments: Arguments(words),
            environment: .custom(environment),
            output: .discarded
        )
        return done.terminationStatus
    }

    private func environment(skipping drivers: [String]) -> [Environment.Key: String] {
        var environment: [Environment.Key: String] = [
            "PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": folder.path, "TMPDIR": folder.path, "PROJ_NETWORK": "OFF",
        ]
        if !drivers.isEmpty { environment["OGR_SKIP"] = drivers.joined(separator: ",") }
        let own = ProcessInfo.processInfo.environment
        for name in Workplace.inherited {
            if let key = Environment.Key(rawValue: name), let value = own[name] { environment[key] = value }
        }
        return environment
    }

    private func result(_ status: TerminationStatus?) throws -> ProgramEnd {
        let errors = String(decoding: beginning(of: "errors"), as: UTF8.self)
        let path = folder.appending(path: "output")
        let size = (try? FileManager.default.attributesOfItem(atPath: path.path)[.size] as? Int) ?? 0
        let end: ProgramEnd.End
        switch status {
        // The shell's limit lies just above ours.
        case _ where size > limits.bytes: end = .tooLarge
        case nil, .signaled(SIGXCPU): end = .tooLong
        case .exited(0): end = .success
        default: end = .failed
        }
        guard end == .success else { return ProgramEnd(end: end, errors: errors, output: []) }
        guard let data = try? Data(contentsOf: path, options: .mappedIfSafe) else {
            throw GDALConverter.Failure(reason: "what GDAL wrote cannot be read; look at TMPDIR")
        }
        return ProgramEnd(end: end, errors: errors, output: [UInt8](data))
    }

    private func beginning(of name: String) -> Data {
        guard let file = FileHandle(forReadingAtPath: folder.appending(path: name).path) else { return Data() }
        defer { try? file.close() }
        return (try? file.read(upToCount: Workplace.mostErrors)) ?? Data()
    }
}
