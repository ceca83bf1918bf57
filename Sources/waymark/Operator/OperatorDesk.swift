import Foundation
import Glibc
import Library
import Logging
import Storage
import Synchronization

/// Where a running service takes commands from operators' programs, which it has carried out as if it had no service.
///
/// Every connection has a thread of its own for each direction, so no thread for requests waits for an operator.
final class OperatorDesk: Sendable {
    /// Carries out the command with these arguments and returns its exit code.
    typealias Work = @Sendable (_ arguments: [String]) async -> Int32

    /// The maximum number of commands under way.
    private static let most = 4

    private let descriptor: Int32
    private let library: StoryLibrary
    private let work: Work
    private let busy = Mutex(0)

    /// Opens the desk of a service; `nil` if the socket cannot be made, which is logged.
    init?(for library: StoryLibrary, logger: Logger, work: @escaping Work) {
        (self.library, self.work) = (library, work)
        guard library.store.isWritable, let path = OperatorSocket.path(beside: library.store.path) else { return nil }
        unlink(path)
        descriptor = socket(AF_UNIX, OperatorSocket.kind, 0)
        guard descriptor >= 0 else { return nil }
        // No other user may open it, also not between its making and its permissions.
        let mask = umask(0o177)
        let isBound = OperatorSocket.withAddress(path) { bind(descriptor, $0, $1) } == 0
        umask(mask)
        guard isBound, listen(descriptor, 8) == 0 else {
            logger.warning("operators' commands that write need the service stopped: their socket cannot be made")
            close(descriptor)
            return nil
        }
        let thread = Thread { [self] in accept() }
        thread.name = "waymark.operator"
        thread.start()
    }

    private func accept() {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            guard connection >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            let socket = OperatorSocket(connection)
            let thread = Thread { [self] in serve(socket) }
            thread.name = "waymark.operator.read"
            thread.start()
        }
    }

    /// Serves one command; runs on the connection's own thread, which reads.
    private func serve(_ socket: OperatorSocket) {
        guard let first = socket.receive(), first.letter == .run,
            let request = OperatorRequest(first.bytes)
        else { return }
        let isFree = busy.withLock { busy in
            guard busy < OperatorDesk.most else { return false }
            busy += 1
            return true
        }
        let outgoing = OperatorOutgoing(socket)
        guard isFree, request.version == Release.version else {
            let words =
                isFree
                ? "The service is waymark \(request.serviceVersion); this program is \(request.version). Use the same version."
                : "The service is busy with other commands. Try again in a moment."
            outgoing.put(.error, Array((words + "\n").utf8))
            outgoing.end(with: 1)
            if isFree { busy.withLock { $0 -= 1 } }
            return
        }
        let incoming = OperatorIncoming()
        let session = OperatorSession(library: library, isTerminal: request.isTerminal) { piece in
            switch piece {
            case .output(let bytes): outgoing.put(.output, bytes)
            case .error(let bytes): outgoing.put(.error, bytes)
            case .report(let bytes): outgoing.put(.report, bytes)
            case .table(let bytes): outgoing.put(.table, bytes)
            }
        } fetch: { asked, limit in
            try await incoming.fetch(limit: limit) { outgoing.put(.fetch, asked.bytes) }
        }
        let (work, store) = (work, library.store)
        let task = Task(executorPreference: LongWorkExecutor.shared) { [self] in
            let code = await StoryStore.$lent.withValue(store) {
                await OperatorSession.$current.withValue(session) { await work(request.arguments) }
            }
            outgoing.end(with: UInt8(truncatingIfNeeded: code))
            busy.withLock { $0 -= 1 }
        }
        while let frame = socket.receive() { incoming.take(frame.letter, frame.bytes) }
        // The operator has gone, or has the exit code.
        task.cancel()
        incoming.stop()
    }
}

/// The frames that wait to be sent, and the thread that sends them: a command never waits for its operator's terminal.
private final class OperatorOutgoing: Sendable {
    private let socket: OperatorSocket
    private let waiting = Mutex<[(OperatorSocket.Letter, [UInt8])]>([])
    private let filled = DispatchSemaphore(value: 0)

    init(_ socket: OperatorSocket) {
        self.socket = socket
        let thread = Thread { [self] in send() }
        thread.name = "waymark.operator.write"
        thread.start()
    }

    func put(_ letter: OperatorSocket.Letter, _ bytes: [UInt8]) {
        waiting.withLock { $0.append((letter, bytes)) }
        filled.signal()
    }

    /// Sends the exit code after everything else, and ends the connection.
    func end(with code: UInt8) { put(.exit, [code]) }

    private func send() {
        while true {
            filled.wait()
            let (letter, bytes) = waiting.withLock { $0.removeFirst() }
            let isSent = socket.send(letter, bytes)
            if letter == .exit || !isSent { break }
        }
        socket.shut()
    }
}

/// The file that a command is waiting for.
private final class OperatorIncoming: Sendable {
    private struct State {
        var file = HandedFile()
        var limit = 0
        var waiting: CheckedContinuation<HandedFile?, Never>?
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Asks for a file by `ask`, and returns it; `nil` if the operator's program cannot read it, or has gone.
    func fetch(limit: Int, _ ask: @Sendable () -> Void) async throws -> HandedFile? {
        await withCheckedContinuation { continuation in
            let isStopped = state.withLock { state in
                if !state.isStopped { (state.file, state.limit, state.waiting) = (HandedFile(), limit, continuation) }
                return state.isStopped
            }
            if isStopped { continuation.resume(returning: nil) } else { ask() }
        }
    }

    func take(_ letter: OperatorSocket.Letter, _ bytes: [UInt8]) {
        let (waiting, result) = state.withLock { state -> (CheckedContinuation<HandedFile?, Never>?, HandedFile?) in
            switch letter {
            // One byte more than allowed is enough to refuse it.
            case .data: state.file.bytes += bytes.prefix(max(0, state.limit + 1 - state.file.bytes.count))
            case .gathered: state.file.listing += bytes
            case .converted: state.file.origin = ConvertedOrigin(bytes)
            case .end:
                defer { state.file = HandedFile() }
                return (state.waiting.take(), state.file)
            case .refused:
                return (state.waiting.take(), HandedFile(refusal: String(decoding: bytes, as: UTF8.self)))
            case .unreadable: return (state.waiting.take(), nil)
            default: break
            }
            return (nil, nil)
        }
        waiting?.resume(returning: result)
    }

    func stop() {
        let waiting = state.withLock { state in
            state.isStopped = true
            return state.waiting.take()
        }
        waiting?.resume(returning: nil)
    }
}
