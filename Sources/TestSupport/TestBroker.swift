import Foundation
import Synchronization

/// Debian's broker of messages (mosquitto) on a free port of this machine, for one test.
public final class TestBroker: Sendable {
    /// The port.
    public let port: Int
    private let folder: TemporaryFolder
    private let program = Mutex<RunningProgram?>(nil)

    /// Whether the broker and its two programs for the command line are installed; scripts/setup does that.
    ///
    /// Where continuous integration runs, they must be.
    public static let isInstalled: Bool = {
        if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        return ["mosquitto", "mosquitto_pub", "mosquitto_sub"].allSatisfy { path(of: $0) != nil }
    }()

    /// Starts a broker.
    ///
    /// - Parameters:
    ///   - settings: further lines of its file of settings.
    ///   - listener: what stands with the listener, such as its certificate.
    /// - Throws: `POSIXError` if it cannot be started.
    public init(settings: [String] = ["allow_anonymous true"], listener: [String] = []) async throws {
        folder = try TemporaryFolder()
        port = try TestBroker.freePort()
        var lines = ["listener \(port) 127.0.0.1"] + listener
        lines += ["persistence true", "persistence_location \(folder.url.path)/", "log_dest none"] + settings
        // Otherwise it becomes somebody else, who may not write into the folder.
        if geteuid() == 0 { lines.append("user root") }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: folder.url.appending(path: "broker.conf"))
        try await start()
    }

    /// Starts it again after ``stop(by:)``.
    public func start() async throws {
        let running = try RunningProgram(
            TestBroker.path(of: "mosquitto") ?? "mosquitto",
            ["-c", folder.path("broker.conf")]
        )
        program.withLock { $0 = running }
        try await TestBroker.wait { TestBroker.answers(at: self.port) }
    }

    /// Ends it; by SIGTERM it stores its sessions first.
    public func stop(by signal: Int32? = nil) {
        let running = program.withLock { program in
            defer { program = nil }
            return program
        }
        running?.stop(by: signal)
    }

    /// Publishes a message of quality 1, and returns when the broker has it.
    public func publish(_ topic: String, _ payload: String, isRetained: Bool = false) throws {
        try publish(topic, (payload.isEmpty ? ["-n"] : ["-m", payload]) + (isRetained ? ["-r"] : []))
    }

    /// Publishes the content of a file as ``publish(_:_:)`` does.
    public func publish(_ topic: String, file: String) throws { try publish(topic, ["-f", file]) }

    /// Lets the broker keep from now on what is published in matching topics, for ``read(_:in:)``.
    public func keep(_ filter: String) throws {
        guard try reader(filter, ["-E"]).status == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    /// Returns the next messages that the broker has kept, each as its topic, a blank and its content.
    ///
    /// - Throws: `POSIXError` if there are fewer within a minute.
    public func read(_ count: Int, in filter: String) throws -> [String] {
        let run = try reader(filter, ["-v", "-C", "\(count)", "-W", "60"])
        guard run.status == 0 else { throw POSIXError(.ETIMEDOUT) }
        return String(decoding: run.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Returns the messages that the broker has retained in matching topics, each as its topic, a blank and its content.
    public func retained(in filter: String) throws -> [String] {
        let place = ["-h", "127.0.0.1", "-p", "\(port)", "-t", filter, "-v", "--retained-only", "-W", "1"]
        let run = try ProgramRun("mosquitto_sub", place, showsErrors: false)
        return String(decoding: run.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Runs a reader whose session the broker keeps.
    private func reader(_ filter: String, _ more: [String]) throws -> ProgramRun {
        let place = ["-h", "127.0.0.1", "-p", "\(port)", "-i", "reader", "-c", "-q", "1", "-t", filter]
        return try ProgramRun("mosquitto_sub", place + more, showsErrors: false)
    }

    private func publish(_ topic: String, _ content: [String]) throws {
        let place = ["-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-t", topic]
        guard try ProgramRun("mosquitto_pub", place + content).status == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    /// Waits until something is true that other programs and threads bring about.
    ///
    /// - Throws: `POSIXError` if it does not become true.
    public static func wait(
        atMost limit: Duration = .seconds(60),
        until isTrue: () async throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + limit
        while try await !isTrue() {
            guard ContinuousClock.now < end else { throw POSIXError(.ETIMEDOUT) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Returns where a program is; the broker lies in a folder that not every `PATH` names.
    private static func path(of program: String) -> String? {
        let given = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = given.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        return folders.map { $0 + "/" + program }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func freePort() throws -> Int {
        try withSocket { socket, address in
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard bind(socket, address, size) == 0 else { throw POSIXError(.EADDRINUSE) }
            var length = size
            guard getsockname(socket, address, &length) == 0 else { throw POSIXError(.EADDRINUSE) }
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
    }

    private static func answers(at port: Int) -> Bool {
        let answers = try? withSocket(port: UInt16(port)) { socket, address in
            connect(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
        return answers ?? false
    }

    /// Runs `body` with a socket and an address on this machine.
    private static func withSocket<Value>(
        port: UInt16 = 0,
        _ body: (Int32, UnsafeMutablePointer<sockaddr>) throws -> Value
    ) throws -> Value {
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body(descriptor, $0) }
        }
    }
}
