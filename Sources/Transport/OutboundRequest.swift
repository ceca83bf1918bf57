/// A request to send over HTTP.
public struct OutboundRequest: Hashable, Sendable, CustomStringConvertible {
    /// A header field.
    public struct Field: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The value.
        public let value: String

        /// Creates a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The method: `GET`, `POST`, `PUT` or `DELETE`.
    public let method: String
    /// The absolute URL.
    public let url: String
    /// The header fields, except those that HTTP itself sets.
    public let headers: [Field]
    /// The body; empty for none.
    public let body: [UInt8]
    /// Whether the receiver may get the request twice.
    ///
    /// If a kept connection ends without an answer, libcurl sends the request again on a new one: it cannot know whether
    /// the receiver was already gone. A request that must not be repeated gets a connection of its own.
    public let isRepeatable: Bool

    /// Creates a request.
    public init(
        method: String = "POST",
        url: String,
        headers: [Field] = [],
        body: [UInt8] = [],
        isRepeatable: Bool = true
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isRepeatable = isRepeatable
    }

    /// The method and the size, without the URL.
    public var description: String { "\(method) of \(body.count) bytes" }

    /// Whether method and header are valid.
    var isSound: Bool {
        ["GET", "POST", "PUT", "DELETE"].contains(method) && headers.count <= 64
            && headers.allSatisfy { OutboundRequest.isName($0.name) && OutboundRequest.isValue($0.value) }
    }

    /// Fields reserved for HTTP itself, or for unsupported features.
    private static let reserved: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer", "expect",
        "cookie", "proxy-authorization", "proxy-connection",
    ]

    private static func isName(_ name: String) -> Bool {
        let isToken = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
        return (1...64).contains(name.utf8.count) && isToken && !reserved.contains(name.lowercased())
    }

    private static func isValue(_ value: String) -> Bool {
        value.utf8.count <= 8_192 && value.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
    }
}

/// An e-mail to send over SMTP.
public struct OutboundMail: Hashable, Sendable, CustomStringConvertible {
    /// The sender's address.
    public let from: String
    /// The recipient's address.
    public let to: String
    /// The message (RFC 5322), with lines ended by CR LF.
    public let bytes: [UInt8]

    /// Creates an e-mail.
    public init(from: String, to: String, bytes: [UInt8]) {
        self.from = from
        self.to = to
        self.bytes = bytes
    }

    /// The size, without addresses.
    public var description: String { "mail of \(bytes.count) bytes" }

    /// Whether both addresses are valid.
    var isSound: Bool { OutboundMail.isAddress(from) && OutboundMail.isAddress(to) }

    /// The sender's domain, used to greet the mail server instead of this machine's name.
    var domain: String { String(from.drop { $0 != "@" }.dropFirst()).lowercased() }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, parts.count == 2, !parts[0].isEmpty else { return false }
        guard OutboundURL.isName(parts[1].lowercased()) else { return false }
        return text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>()[]\\,;:\"".utf8.contains($0) }
    }
}

/// The answer to a request or an e-mail.
public struct OutboundResponse: Hashable, Sendable, CustomStringConvertible {
    /// The HTTP status or the SMTP reply code.
    public let status: Int
    /// The header fields by lower-case name; the first one if a name is repeated.
    public let headers: [String: String]
    /// The beginning of the body, or the last line of the SMTP reply.
    public let body: [UInt8]
    /// Whether the body ended in time and within its limit.
    public let isComplete: Bool
    /// The HTTP version, 1 or 2; 0 for SMTP.
    public let version: Int

    /// Creates an answer.
    public init(
        status: Int,
        headers: [String: String] = [:],
        body: [UInt8] = [],
        isComplete: Bool = true,
        version: Int = 1
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isComplete = isComplete
        self.version = version
    }

    /// The status and the size, without content.
    public var description: String { "answer \(status) with \(body.count) bytes" }
}
