import Foundation
import Synchronization

/// A server on this machine that does with each connection what a test says; every connection has a thread of its own.
///
/// Sendable: its socket never changes, and what does is behind a lock.
final class LocalServer: Sendable {
    /// One accepted connection.
    struct Connection: Sendable {
        let socket: Int32

        /// Reads until the header and as much body as it announces are there; `nil` at the end of the connection.
        func readRequest() -> String? {
            var bytes: [UInt8] = []
            while true {
                let text = String(decoding: bytes, as: UTF8.self)
                if let end = text.range(of: "\r\n\r\n") {
                    let length = text[..<end.lowerBound].lowercased().split(separator: "content-length: ").dropFirst()
                        .first.flatMap { Int($0.prefix { $0.isNumber }) }
                    if text[end.upperBound...].utf8.count >= length ?? 0 { return text }
                }
                guard let more = read() else { return nil }
                bytes += more
            }
        }

        /// The next bytes; `nil` at the end.
        func read(most: Int = 65_536) -> [UInt8]? {
            var buffer = [UInt8](repeating: 0, count: most)
            let count = recv(socket, &buffer, most, 0)
            return count > 0 ? Array(buffer.prefix(count)) : nil
        }

        /// A line without its end; `nil` at the end.
        func readLine() -> String? {
            var line: [UInt8] = []
            while let byte = read(most: 1)?.first {
                if byte == 0x0A { return String(decoding: line.filter { $0 != 0x0D }, as: UTF8.self) }
                line.append(byte)
            }
            return nil
        }

        /// Whether the bytes could be written.
        @discardableResult
        func write(_ text: String) -> Bool { write(Array(text.utf8)) }

        @discardableResult
        func write(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// Answers with a status and a body.
        @discardableResult
        func answer(_ status: Int = 200, _ body: String = "ok", headers: String = "") -> Bool {
            write("HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
        }
    }

    /// The address cannot be listened at.
    struct NoSocket: Error {}

    let port: Int
    private let listener: Int32
    private let counts = Mutex((accepted: 0, open: Set<Int32>()))

    /// How many connections came.
    var accepted: Int { counts.withLock { $0.accepted } }

    /// Listens at all addresses of this machine, of both families.
    init(address: String = "::", port: Int = 0, _ serve: @escaping @Sendable (Connection) -> Void) throws {
        let isV6 = address.contains(":")
        let listener = socket(isV6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw NoSocket() }
        var on: Int32 = 1
        var off: Int32 = 0
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, 4)
        if isV6 { setsockopt(listener, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, 4) }
        guard LocalServer.bind(listener, address, UInt16(port), isV6), listen(listener, 512) == 0 else {
            close(listener)
            throw NoSocket()
        }
        self.listener = listener
        self.port = LocalServer.port(of: listener)
        Thread.detachNewThread { [self] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else {
                    // Closed by the thread that uses it: its number may be somebody else's right after.
                    close(listener)
                    return
                }
                counts.withLock { counts in
                    counts.accepted += 1
                    counts.open.insert(socket)
                }
                Thread.detachNewThread { [self] in
                    serve(Connection(socket: socket))
                    counts.withLock { _ = $0.open.remove(socket) }
                    close(socket)
                }
            }
        }
    }

    /// Ends the listening and all connections.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        counts.withLock { for socket in $0.open { shutdown(socket, Int32(SHUT_RDWR)) } }
    }

    private static func bind(_ socket: Int32, _ address: String, _ port: UInt16, _ isV6: Bool) -> Bool {
        if isV6 {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            inet_pton(AF_INET6, address, &name.sin6_addr)
            return withUnsafeBytes(of: &name) { bind(socket, $0) }
        }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &name.sin_addr)
        return withUnsafeBytes(of: &name) { bind(socket, $0) }
    }

    private static func bind(_ socket: Int32, _ name: UnsafeRawBufferPointer) -> Bool {
        guard let address = name.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
        return Foundation.bind(socket, address, socklen_t(name.count)) == 0
    }

    private static func port(of socket: Int32) -> Int {
        var name = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &name) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
            getsockname(socket, address, &length)
        }
        // The port stands at the same place in both families.
        return Int(UInt16(bigEndian: name.sin6_port))
    }
}

/// Holds threads back until a test lets them go.
final class Gate: Sendable {
    private let condition = NSCondition()
    private let state = Mutex((isOpen: false, waiting: 0, most: 0))

    /// Waits until the gate is open.
    func pass() {
        condition.lock()
        state.withLock { state in
            state.waiting += 1
            state.most = max(state.most, state.waiting)
        }
        condition.broadcast()
        while !state.withLock({ $0.isOpen }) { condition.wait() }
        state.withLock { $0.waiting -= 1 }
        condition.unlock()
    }

    /// Opens the gate for all.
    func open() {
        condition.lock()
        state.withLock { $0.isOpen = true }
        condition.broadcast()
        condition.unlock()
    }

    /// The most that ever waited at once.
    var most: Int { state.withLock { $0.most } }

    /// Waits until so many wait at the gate; `false` when they did not come in half an hour.
    ///
    /// Whoever makes them come is a task among a thousand others when all tests run at once.
    func waits(for count: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                let end = Date(timeIntervalSinceNow: 1_800)
                condition.lock()
                while state.withLock({ $0.waiting < count }), condition.wait(until: end) {}
                condition.unlock()
                continuation.resume(returning: state.withLock { $0.waiting >= count })
            }
        }
    }
}
