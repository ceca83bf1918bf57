package import HTTPTypes
import Synchronization

/// Where people reach the service: as the operator says, else host and port, which may be known only once it listens.
package final class PublicAddress: Sendable {
    private let given: String?
    private let host: String
    private let port: Mutex<Int>
    private let trustsProxy: Bool

    /// Creates the address of a service that listens on a host and port.
    ///
    /// - Parameters:
    ///   - url: The address as the operator gives it, without a slash at the end, or `nil`.
    ///   - host: A name or an IP address, without brackets.
    ///   - port: The port; 0 until ``listens(on:)`` says it.
    ///   - trustsProxy: Whether a proxy of ours writes `X-Forwarded-Proto`.
    package init(url: String?, host: String, port: Int, trustsProxy: Bool) {
        given = url
        self.host = host.contains(":") ? "[\(host)]" : host
        self.port = Mutex(port)
        self.trustsProxy = trustsProxy
    }

    /// Notes the port that the service got.
    func listens(on port: Int) {
        self.port.withLock { $0 = port }
    }

    /// The address, without a slash at the end.
    var url: String { given ?? "http://\(host):\(port.withLock { $0 })" }

    /// The address by which a client reached the service, for answers that go back to nobody else.
    ///
    /// Unless the operator says it, it is what the request names; a proxy of ours tells whether that was by TLS.
    package func url(authority: String?, headers: HTTPFields) -> String {
        guard given == nil, let authority, HostName.isValid(authority) else { return url }
        let isSecure = trustsProxy && headers[.forwardedProtocol]?.lowercased() == "https"
        return (isSecure ? "https://" : "http://") + authority
    }
}

extension HTTPField.Name {
    /// `X-Forwarded-Proto`.
    static let forwardedProtocol = known("X-Forwarded-Proto")
}
