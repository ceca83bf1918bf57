/// The HTTP request or e-mail of one attempt.
///
/// URLs and headers contain secrets, so its description omits them.
public enum OutgoingMessage: Hashable, Sendable, CustomStringConvertible {
    /// An HTTP request.
    case http(OutgoingHTTP)
    /// An e-mail.
    case mail(OutgoingMail)
    /// A message for the operator's broker.
    case publication(OutgoingPublication)

    /// The protocol and the size only.
    public var description: String {
        switch self {
        case .http(let http): http.description
        case .mail(let mail): mail.description
        case .publication(let publication): publication.description
        }
    }
}

/// An HTTP request to send.
public struct OutgoingHTTP: Hashable, Sendable, CustomStringConvertible {
    /// A header field.
    public struct Field: Hashable, Sendable {
        /// The name, in lower case.
        public let name: String
        /// The value.
        public let value: String

        /// Creates a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The method.
    public let method: String
    /// The absolute URL.
    public let url: String
    /// The header.
    public private(set) var headers: [Field]
    /// The body.
    public let body: [UInt8]
    /// Whether the receiver recognises a repeat of this request; see ``ChannelKind/dropsRepeats``.
    public let isRepeatable: Bool

    /// Creates a request; by default a POST that its receiver may get twice.
    public init(
        method: String = "POST",
        url: String,
        headers: [Field],
        body: [UInt8],
        isRepeatable: Bool = true
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isRepeatable = isRepeatable
    }

    /// Adds a field to the header.
    package mutating func add(_ field: Field) { headers.append(field) }

    /// Returns the value of the first field with a name, which must be in lower case.
    public subscript(header name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The method and the size, without the URL.
    public var description: String { "\(method) of \(body.count) bytes" }
}

/// An e-mail to send.
public struct OutgoingMail: Hashable, Sendable, CustomStringConvertible {
    /// The sender's address, for the envelope.
    public let from: String
    /// The recipient's address, for the envelope.
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
}

/// A message to publish at the operator's broker (MQTT), which it does not keep.
public struct OutgoingPublication: Hashable, Sendable, CustomStringConvertible {
    /// The topic.
    public let topic: String
    /// The content.
    public let payload: [UInt8]

    /// Creates a message.
    public init(topic: String, payload: [UInt8]) {
        self.topic = topic
        self.payload = payload
    }

    /// The size, without the topic.
    public var description: String { "publication of \(payload.count) bytes" }
}
