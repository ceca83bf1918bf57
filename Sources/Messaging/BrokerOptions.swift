/// The operator's broker of messages (MQTT), and how the service signs in there.
public struct BrokerOptions: Sendable {
    /// The name and the password.
    public struct Login: Hashable, Sendable, CustomStringConvertible {
        /// The name.
        public let user: String
        /// The password; `nil` for none.
        public let password: String?

        /// Creates a value from its parts.
        public init(user: String, password: String?) {
            self.user = user
            self.password = password
        }

        /// What it is, without its values: descriptions end up in logs.
        public var description: String { "login" }
    }

    /// Where it is.
    public let address: BrokerAddress
    /// The name and the password; `nil` for none.
    public let login: Login?
    /// A file of certificates (PEM) to trust instead of the system's, for a broker with a certificate of its own.
    public let certificates: String?
    /// The topics below the prefix.
    public let topics: BrokerTopics
    /// The prefix under which Home Assistant looks for entities; `nil` to show it nothing.
    public let discovery: String?

    /// Checks what an operator gave.
    ///
    /// - Throws: ``BrokerProblem`` naming the option. A password is never sent in the clear to another machine.
    public init(
        address: String,
        login: Login? = nil,
        certificates: String? = nil,
        prefix: String = BrokerTopics.usualPrefix,
        discovery: String? = nil
    ) throws(BrokerProblem) {
        self.address = try BrokerAddress(address)
        topics = try BrokerTopics(prefix: prefix)
        self.discovery = discovery
        if let discovery, !BrokerTopics.isPrefix(discovery) {
            throw BrokerTopics.badPrefix("--mqtt-discovery-prefix")
        }
        self.login = login
        self.certificates = certificates
        if login?.password != nil, !self.address.isEncrypted, !self.address.isOnThisMachine {
            throw BrokerProblem(
                option: "--mqtt-password-file",
                message: "a password is never sent in the clear to another machine. Let the broker listen with TLS and "
                    + "give --mqtt mqtts://…"
            )
        }
        if certificates != nil, !self.address.isEncrypted {
            throw BrokerProblem(option: "--mqtt-ca", message: "is of use with --mqtt mqtts://… alone.")
        }
    }
}

/// The topics of the service at a broker, below a prefix that the operator chose.
public struct BrokerTopics: Hashable, Sendable {
    /// The prefix unless the operator chooses another.
    public static let usualPrefix = "waymark"

    /// The prefix, without a slash at its end.
    public let prefix: String

    /// Creates the topics below a prefix.
    ///
    /// - Throws: ``BrokerProblem`` unless it consists of words of `A-Za-z0-9_-`, separated by slashes.
    public init(prefix: String) throws(BrokerProblem) {
        guard BrokerTopics.isPrefix(prefix) else { throw BrokerTopics.badPrefix("--mqtt-prefix") }
        self.prefix = prefix
    }

    static func isPrefix(_ text: String) -> Bool {
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= 64
            && words.allSatisfy { word in !word.isEmpty && word.utf8.allSatisfy(BrokerTopics.isOfWord) }
    }

    static func badPrefix(_ option: String) -> BrokerProblem {
        BrokerProblem(
            option: option,
            message: "must be words of letters, digits, - and _ such as home/waymark, at most 64 characters."
        )
    }

    /// What to subscribe to for positions: the topic of each device, and below it that of its transitions.
    public var positions: [String] { ["\(prefix)/in/+", "\(prefix)/in/+/event"] }

    /// Returns the key of a device in the topic of a message; `nil` for any other topic.
    public func key(in topic: String) -> Substring? {
        let start = "\(prefix)/in/"
        guard topic.hasPrefix(start) else { return nil }
        let parts = topic.dropFirst(start.count).split(separator: "/", omittingEmptySubsequences: false)
        guard let key = parts.first, !key.isEmpty, parts.count == 1 || parts.count == 2 && parts[1] == "event" else {
            return nil
        }
        return key
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
