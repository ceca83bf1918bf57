import Foundation

/// Has a running service carry out a command of this program.
struct OperatorCall {
    private let socket: OperatorSocket
    private let files: OperatorFiles
    private let report: String?
    private let review: String?

    /// Connects to the service that holds the command's database; `nil` if none listens.
    init?(_ command: any DoneByService) {
        guard let socket = OperatorSocket.connect(to: command.database.path) else { return nil }
        self.socket = socket
        files = OperatorFiles(of: command, over: socket)
        report = command.reportFile
        review = command.reviewFile
    }

    /// Sends the command, passes its output on and its files over, and returns its exit code.
    ///
    /// The service gets no other files than those that the command names, and none is written but its report and its table
    /// for review.
    func run(_ arguments: [String]) async -> Int32 {
        var table: ReceivedTable?
        do throws(CommandFailure) {
            if let review { table = try ReceivedTable(review) }
        } catch {
            Console.error(error.description)
            return error.code.rawValue
        }
        defer { table?.discard() }
        socket.send(.run, OperatorRequest(arguments: arguments, isTerminal: isatty(STDOUT_FILENO) == 1).bytes)
        var reporting: FileHandle?
        defer { try? reporting?.close() }
        if let report {
            guard FileManager.default.createFile(atPath: report, contents: nil, attributes: [.posixPermissions: 0o600]),
                let handle = FileHandle(forWritingAtPath: report)
            else {
                Console.error("--report: \(excerpt(report)) cannot be written; check its folder.")
                return ExitStatus.usage.rawValue
            }
            reporting = handle
        }
        var files = files
        while let (letter, bytes) = socket.receive() {
            switch letter {
            case .output: Console.write(bytes)
            case .error: try? FileHandle.standardError.write(contentsOf: Data(bytes))
            case .report: try? reporting?.write(contentsOf: Data(bytes))
            case .fetch:
                if let asked = OperatorFetch(bytes) { await files.hand(over: asked) } else { socket.send(.unreadable) }
            case .table: table?.add(bytes)
            case .exit: return table?.finish() == false ? ExitStatus.failed.rawValue : Int32(bytes.first ?? 1)
            default: break
            }
        }
        Console.error(
            "The service ended before the command did. What it had stored stays; repeat the command once the service runs."
        )
        return ExitStatus.failed.rawValue
    }
}

/// A table for review that a service sends when it is complete; it appears under its name at the end of the command.
private struct ReceivedTable {
    private let path: String
    private var file: FileHandle?
    private var hasFailed = false

    private var partPath: String { path + ".part" }

    /// - Throws: ``CommandFailure`` if there is a file of this name.
    init(_ path: String) throws(CommandFailure) {
        try NewTable.checkIsFree(path)
        self.path = path
    }

    mutating func add(_ bytes: [UInt8]) {
        if file == nil, !hasFailed {
            // Titles and words of private stories: only for the person who runs the command.
            let access: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            _ = FileManager.default.createFile(atPath: partPath, contents: nil, attributes: access)
            file = FileHandle(forWritingAtPath: partPath)
        }
        do {
            guard let file else { throw CocoaError(.fileWriteUnknown) }
            try file.write(contentsOf: Data(bytes))
        } catch {
            hasFailed = true
        }
    }

    /// Gives the table its name, if one came; prints a failure, and returns `false` then.
    func finish() -> Bool {
        guard file != nil || hasFailed else { return true }
        do {
            guard !hasFailed else { throw CocoaError(.fileWriteUnknown) }
            try file?.synchronize()
            try FileManager.default.moveItem(atPath: partPath, toPath: path)
            return true
        } catch {
            Console.error("\(excerpt(path)) cannot be written; free some space, or check its folder, and try again.")
            return false
        }
    }

    /// Removes what has no name yet.
    func discard() {
        try? file?.close()
        if file != nil { try? FileManager.default.removeItem(atPath: partPath) }
    }
}
