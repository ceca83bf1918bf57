/// The policy for outbound connections: destinations and limits.
public struct OutboundOptions: Sendable {
    /// Whether `http` is allowed as well as `https`.
    public var allowsHTTP = false
    /// Non-public addresses that may be dialled.
    public var allowedRanges: [AddressRange] = []
    /// The ports that may be dialled, or `nil` for all; ``allowsHTTP`` adds port 80.
    public var allowedPorts: Set<Int>? = [443, 8443, 2197]
    /// The maximum time to establish a connection, including name resolution and encryption.
    public var connectTimeout = Duration.seconds(5)
    /// The maximum time from dialling to the end of the answer.
    public var timeout = Duration.seconds(20)
    /// The maximum number of concurrent transfers to one host; the others wait in order.
    public var mostPerHost = 16
    /// The maximum number of concurrent transfers to the mail server; many servers limit connections.
    public var mostToMailServer = 4
    /// The limits that replace ``mostPerHost``, by host name: push services of vendors are shared by all users.
    public var mostByHost: [String: Int] = [
        "api.push.apple.com": 64, "api.sandbox.push.apple.com": 64, "fcm.googleapis.com": 64, "web.push.apple.com": 64,
        "updates.push.services.mozilla.com": 64,
    ]
    /// The maximum number of concurrent transfers.
    public var mostAtOnce = 1_024
    /// The maximum number of waiting calls.
    public var mostWaiting = 20_000
    /// The maximum time a call may wait to be started; it then fails with ``OutboundError/busy``.
    public var longestWait = Duration.seconds(20)
    /// The maximum number of bytes read of an answer's body.
    public var mostAnswerBytes = 4_096
    /// The maximum size of an answer's header, in bytes.
    public var mostHeaderBytes = 32_768
    /// The maximum size of a request body, in bytes.
    public var mostBodyBytes = 1_048_576
    /// A file of trusted certificates replacing the system's, or `nil`.
    public var certificates: String?
    /// The mail server, or `nil`.
    public var mailServer: MailServer?
    /// Replaces name resolution in tests: returns the addresses of a host, called for every transfer.
    package var resolver: (@Sendable (String) -> [String])?

    /// Creates options that allow `https` to public addresses.
    public init() {}

    /// Checks the syntax, scheme and port of a URL and, if its host is an IP address, that address.
    ///
    /// Use it to reject a URL when it is entered; the address of a host name is checked when dialled.
    ///
    /// - Returns: the parsed URL.
    /// - Throws: ``OutboundError/badURL(_:)`` or ``OutboundError/refusedAddress``.
    public func check(_ text: String) throws(OutboundError) -> OutboundURL {
        let url = try OutboundURL(text)
        guard url.scheme == "https" || allowsHTTP else { throw .badURL(.scheme) }
        guard allows(port: url.port) else { throw .badURL(.port) }
        if let literal = url.literal, !guardian.allows(literal) { throw .refusedAddress }
        return url
    }

    var guardian: AddressGuard { AddressGuard(allowed: allowedRanges) }

    /// Returns the maximum number of concurrent transfers to the host of a job.
    func bound(of job: Job) -> Int {
        guard case .http(_, let url) = job else { return max(1, mostToMailServer) }
        return max(1, mostByHost[url.host] ?? mostPerHost)
    }

    func allows(port: Int) -> Bool {
        guard let allowedPorts else { return true }
        return allowedPorts.contains(port) || allowsHTTP && port == 80
    }
}

/// The operator's mail server, which may be at any address because the operator chose it.
public struct MailServer: Hashable, Sendable, CustomStringConvertible {
    /// The protection of the connection.
    public enum Security: String, CaseIterable, Hashable, Sendable {
        /// Encrypted from the first byte, usually port 465.
        case tls
        /// Encrypted after STARTTLS, which is required before anything is sent; usually port 587.
        case startTLS = "starttls"
        /// No protection: for a server on this machine.
        case none
    }

    /// The credentials for the server.
    public struct Login: Hashable, Sendable {
        /// The user name.
        public let user: String
        /// The password.
        public let password: String

        /// Creates a login.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// The name or the IP address.
    package let host: String
    /// The port.
    package let port: Int
    /// The protection of the connection.
    package let security: Security
    let login: Login?

    /// Creates a server.
    ///
    /// - Throws: ``OutboundError/badURL(_:)`` for an invalid host or port, ``OutboundError/insecure`` for a login that
    ///   would be sent unencrypted, ``OutboundError/badContent`` for a login with control characters.
    public init(host: String, port: Int, security: Security, login: Login? = nil) throws(OutboundError) {
        guard (1...65_535).contains(port) else { throw .badURL(.port) }
        let host = host.lowercased()
        _ = try OutboundURL.literal(host)
        if let login {
            guard security != .none else { throw .insecure }
            let isPlain = (login.user + login.password).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            guard isPlain, !login.user.isEmpty else { throw .badContent }
        }
        self.host = host
        self.port = port
        self.security = security
        self.login = login
    }

    /// The kind of protection; neither the server's name nor the login.
    public var description: String { "mail server (\(security.rawValue))" }
}
