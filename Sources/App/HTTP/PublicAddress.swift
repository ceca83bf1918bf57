import Synchronization

/// Where people reach the service: as the operator says, else host and port, which may be known only once it listens.
final class PublicAddress: Sendable {
    private let given: String?
    private let host: String
    private let port: Mutex<Int>

    init(options: WaymarkService.Options) {
        given = options.publicURL
        host = options.host.contains(":") ? "[\(options.host)]" : options.host
        port = Mutex(options.port)
    }

    /// Notes the port that the service got.
    func listens(on port: Int) {
        self.port.withLock { $0 = port }
    }

    /// The address, without a slash at the end.
    var url: String { given ?? "http://\(host):\(port.withLock { $0 })" }
}
