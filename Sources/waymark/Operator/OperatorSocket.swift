import Foundation
import Glibc
import Synchronization

/// A connection between an operator's program and a running service on the same machine.
///
/// It is a local socket beside the database, which only the user who runs the service may open. Whoever may open it may
/// also open the database.
///
/// Both sides send frames: a letter, the length in four bytes, and so many bytes. Its calls block.
final class OperatorSocket: Sendable {
    /// What a frame means.
    enum Letter: UInt8, Sendable {
        /// The command: its arguments as a JSON object.
        case run = 82
        /// A part of a file that was asked for, its end, and that it cannot be read.
        case data = 68
        case end = 90
        case unreadable = 78
        /// Before its first part: what a file was before the operator's program converted it. Or why that is impossible.
        case converted = 67
        case refused = 80
        /// Before the first part of a folder of photographs: their names, as ``GatheredPhotos/listing`` writes them.
        case gathered = 71
        /// Output, errors, lines of a report, and a part of a complete table for review.
        case output = 79
        case error = 69
        case report = 83
        case table = 84
        /// Asks for a file of the command or a line of the operator, as ``OperatorFetch/bytes`` writes it.
        case fetch = 70
        /// The exit code, in one byte.
        case exit = 88
    }

    /// The maximum length of a frame in bytes.
    static let mostBytes = 1 << 20

    private let descriptor: Int32
    private let sending = Mutex(())

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// The path of the socket beside a database; `nil` if it is too long for one.
    static func path(beside database: String) -> String? {
        let path = URL(fileURLWithPath: database).resolvingSymlinksInPath().path + ".operator"
        return path.utf8.count < MemoryLayout<sockaddr_un>.size - 8 ? path : nil
    }

    /// Removes the socket beside a database, so that nobody tries to connect to a service that has ended.
    static func remove(beside database: String) {
        if let path = path(beside: database) { unlink(path) }
    }

    /// Calls `body` with an address as the system wants it.
    static func withAddress<Value>(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            for (index, byte) in path.utf8.prefix(bytes.count - 1).enumerated() { bytes[index] = byte }
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Connects to the service that holds a database; `nil` if none listens.
    static func connect(to database: String) -> OperatorSocket? {
        guard let path = path(beside: database) else { return nil }
        let descriptor = socket(AF_UNIX, OperatorSocket.kind, 0)
        guard descriptor >= 0 else { return nil }
        guard withAddress(path, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            return nil
        }
        return OperatorSocket(descriptor)
    }

    /// The kind of socket: a stream.
    static let kind = Int32(SOCK_STREAM.rawValue)

    /// Sends a frame; long bytes are sent in several.
    ///
    /// Returns `false` if the other side is gone.
    @discardableResult
    func send(_ letter: Letter, _ bytes: [UInt8] = []) -> Bool {
        sending.withLock { _ in
            var rest = bytes[...]
            repeat {
                let part = rest.prefix(OperatorSocket.mostBytes)
                rest = rest.dropFirst(part.count)
                let length = (0..<4).map { UInt8(truncatingIfNeeded: part.count >> (8 * (3 - $0))) }
                guard write([letter.rawValue] + length + part) else { return false }
            } while !rest.isEmpty
            return true
        }
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...]
                .withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }

    /// Returns the next frame; `nil` once the other side is gone, or if it sends nonsense.
    func receive() -> (letter: Letter, bytes: [UInt8])? {
        guard let head = read(5), let letter = Letter(rawValue: head[0]) else { return nil }
        let length = head[1...].reduce(0) { $0 << 8 | Int($1) }
        guard length <= OperatorSocket.mostBytes, let bytes = read(length) else { return nil }
        return (letter, bytes)
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes[filled...].withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return nil }
            filled += got
        }
        return bytes
    }

    /// Ends both directions, so that pending reads and writes return.
    func shut() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}
