package import HTTPTypes
import Synchronization

/// The public URL of the service: as configured, or else built from host and port.
///
/// The port may be unknown until the service listens.
package final class PublicAddress: Sendable {
    /// The configured URL, without a trailing slash; `nil` if there is none.
    package let given: String?
    private let host: String
    private let port: Mutex<Int>
    /// Whether our own proxy sets `X-Forwarded-Proto`.
    let trustsProxy: Bool
    /// Whether the service itself speaks TLS.
    let isEncrypted: Bool

    /// Creates the address of a service that listens on a host and port.
    ///
    /// - Parameters:
    ///   - url: The configured URL without a trailing slash, or `nil`.
    ///   - host: A host name or an IP address, without brackets.
    ///   - port: The port; 0 until ``listens(on:)`` sets it.
    ///   - trustsProxy: Whether our own proxy sets `X-Forwarded-Proto`.
    ///   - isEncrypted: Whether the service itself speaks TLS.
    package init(url: String?, host: String, port: Int, trustsProxy: Bool, isEncrypted: Bool = false) {
        self.isEncrypted = isEncrypted
        given = url
        self.host = host.contains(":") ? "[\(host)]" : host
        self.port = Mutex(port)
        self.trustsProxy = trustsProxy
    }

    /// Records the port assigned to the service.
    package func listens(on port: Int) {
        self.port.withLock { $0 = port }
    }

    /// The URL, without a trailing slash.
    package var url: String { given ?? "\(isEncrypted ? "https" : "http")://\(host):\(port.withLock { $0 })" }

    /// Returns the URL by which a client reached the service, for answers that only this client receives.
    ///
    /// Unless configured, it is taken from the request; a trusted proxy reports whether the client used TLS.
    package func url(authority: String?, headers: HTTPFields) -> String {
        guard given == nil, let authority, HostName.isValid(authority) else { return url }
        let isSecure = isEncrypted || trustsProxy && headers[.forwardedProtocol]?.lowercased() == "https"
        return (isSecure ? "https://" : "http://") + authority
    }
}

extension HTTPField.Name {
    /// `X-Forwarded-Proto`.
    static let forwardedProtocol = known("X-Forwarded-Proto")
}
