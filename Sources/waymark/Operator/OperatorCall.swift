import Foundation

/// Has a running service carry out a command of this program.
struct OperatorCall {
    private let socket: OperatorSocket
    private let inputs: [String]
    private let report: String?

    /// Connects to the service that holds the command's database; `nil` if none listens.
    init?(_ command: any DoneByService) {
        guard let socket = OperatorSocket.connect(to: command.database.path) else { return nil }
        self.socket = socket
        inputs = command.inputs
        report = command.reportFile
    }

    /// Sends the command, passes its output on and its files over, and returns its exit code.
    ///
    /// The service gets no other files than those that the command names, and none is written but its report.
    func run(_ arguments: [String]) -> Int32 {
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
        while let (letter, bytes) = socket.receive() {
            switch letter {
            case .output: Console.write(bytes)
            case .error: try? FileHandle.standardError.write(contentsOf: Data(bytes))
            case .report: try? reporting?.write(contentsOf: Data(bytes))
            case .fetch: hand(over: bytes.reduce(0) { $0 << 8 | Int($1) })
            case .exit: return Int32(bytes.first ?? 1)
            default: break
            }
        }
        Console.error(
            "The service ended before the command did. What it had stored stays; repeat the command once the service runs."
        )
        return ExitStatus.failed.rawValue
    }

    /// Sends a file that the command names.
    private func hand(over index: Int) {
        if index == OperatorSession.question {
            guard let line = readLine() else { return _ = socket.send(.unreadable) }
            socket.send(.data, Array(line.utf8))
            return _ = socket.send(.end)
        }
        guard inputs.indices.contains(index) else { return _ = socket.send(.unreadable) }
        let name = inputs[index]
        let handle = name == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: name)
        guard let handle else { return _ = socket.send(.unreadable) }
        do {
            while let part = try handle.read(upToCount: OperatorSocket.mostBytes), !part.isEmpty {
                guard socket.send(.data, [UInt8](part)) else { return }
            }
            socket.send(.end)
        } catch {
            socket.send(.unreadable)
        }
    }
}
