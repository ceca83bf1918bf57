/// What may leave, to where, and how long it may take.
public struct OutboundOptions: Sendable {
    /// Whether `http` is dialled as well as `https`.
    public var allowsHTTP = false
    /// Addresses that are dialled although they are not public.
    public var allowedRanges: [AddressRange] = []
    /// The ports that are dialled, or `nil` for all; port 80 goes with ``allowsHTTP``.
    public var allowedPorts: Set<Int>? = [443, 8443, 2197]
    /// The longest time until a connection stands, name and encryption included.
    public var connectTimeout = Duration.seconds(5)
    /// The longest time from dialling to the end of the answer.
    public var timeout = Duration.seconds(20)
    /// So many transfers to one host at once; the others wait in their order.
    public var mostPerHost = 16
    /// So many to the mail server at once; many count connections.
    public var mostToMailServer = 4
    /// Other bounds than ``mostPerHost``, by host name: the push services of vendors serve everybody.
    public var mostByHost: [String: Int] = [
        "api.push.apple.com": 64, "api.sandbox.push.apple.com": 64, "fcm.googleapis.com": 64, "web.push.apple.com": 64,
        "updates.push.services.mozilla.com": 64,
    ]
    /// So many transfers at once.
    public var mostAtOnce = 1_024
    /// So many may wait.
    public var mostWaiting = 20_000
    /// So long at most: whoever waits for a host that does not answer learns that it is busy.
    public var longestWait = Duration.seconds(20)
    /// So much of an answer's body is read.
    public var mostAnswerBytes = 4_096
    /// So large may the header of an answer be.
    public var mostHeaderBytes = 32_768
    /// So much can be sent at once.
    public var mostBodyBytes = 1_048_576
    /// A file of certificates to trust instead of the system's, or `nil`.
    public var certificates: String?
    /// The mail server, or `nil`.
    public var mailServer: MailServer?
    /// Answers names instead of the system, for tests: the addresses of a host, asked at every transfer.
    package var resolver: (@Sendable (String) -> [String])?

    /// Creates options that allow `https` to public addresses.
    public init() {}

    /// Checks an address by its spelling, its port, and, where the host is an address itself, by that.
    ///
    /// Good for refusing an address when it is entered; what its name leads to is decided where it is dialled.
    ///
    /// - Returns: the address.
    /// - Throws: ``OutboundError/badURL(_:)`` or ``OutboundError/refusedAddress``.
    public func check(_ text: String) throws(OutboundError) -> OutboundURL {
        let url = try OutboundURL(text)
        guard url.scheme == "https" || allowsHTTP else { throw .badURL(.scheme) }
        guard allows(port: url.port) else { throw .badURL(.port) }
        if let literal = url.literal, !guardian.allows(literal) { throw .refusedAddress }
        return url
    }

    var guardian: AddressGuard { AddressGuard(allowed: allowedRanges) }

    /// How many transfers there may be to the host of a job at once.
    func bound(of job: Job) -> Int {
        guard case .http(_, let url) = job else { return max(1, mostToMailServer) }
        return max(1, mostByHost[url.host] ?? mostPerHost)
    }

    func allows(port: Int) -> Bool {
        guard let allowedPorts else { return true }
        return allowedPorts.contains(port) || allowsHTTP && port == 80
    }
}

/// The operator's mail server; named by the operator, so it may stand at any address.
public struct MailServer: Hashable, Sendable, CustomStringConvertible {
    /// How the connection is protected.
    public enum Security: String, CaseIterable, Hashable, Sendable {
        /// Encrypted from the first byte, usually port 465.
        case tls
        /// Encrypted after STARTTLS, without which nothing is sent; usually port 587.
        case startTLS = "starttls"
        /// Not at all: for a server on this machine.
        case none
    }

    /// Who signs in.
    public struct Login: Hashable, Sendable {
        /// The name.
        public let user: String
        /// The password.
        public let password: String

        /// Creates a login.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    let host: String
    let port: Int
    let security: Security
    let login: Login?

    /// Creates a server.
    ///
    /// - Throws: ``OutboundError/badURL(_:)`` for a host or port that is none, ``OutboundError/insecure`` for a login that
    ///   would be sent in the clear, ``OutboundError/badContent`` for a login with control characters.
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

    /// How it is protected; neither its name nor the login.
    public var description: String { "mail server (\(security.rawValue))" }
}
