public import Stories

/// The reason an attempt failed, as named in metrics and lists.
public enum DeliveryProblem: String, CaseIterable, Hashable, Sendable {
    /// No connection: unknown host, connection refused or reset.
    case unreachable
    /// No answer in time.
    case timedOut = "timed_out"
    /// The certificate or the encryption failed.
    case insecure
    /// The service is not allowed to connect to the address.
    case refusedAddress = "refused_address"
    /// The response was invalid.
    case badAnswer = "bad_answer"
    /// The endpoint redirected the request; redirects are not followed.
    case redirected
    /// The endpoint reported an error of its own.
    case serverError = "server_error"
    /// The endpoint asked for fewer messages.
    case throttled
    /// The endpoint rejected the channel's key or token.
    case unauthorized
    /// The URL does not exist.
    case notFound = "not_found"
    /// The endpoint rejected the message.
    case badMessage = "bad_message"
    /// The message is too large for the endpoint.
    case tooLarge = "too_large"
    /// The operator's credentials are missing or were rejected.
    case credentials
    /// The message expired before it was delivered.
    case expired
}

/// The outcome of an attempt, which determines the next step.
public enum DeliveryOutcome: Hashable, Sendable {
    /// The message was delivered.
    case delivered
    /// The attempt failed; retry on schedule, see ``RetryPolicy``.
    case retry(DeliveryProblem)
    /// The endpoint asked for a pause until this time.
    case throttled(until: Timestamp)
    /// The endpoint no longer exists: disable the channel.
    case endpointGone
    /// The message will never be accepted: move it to the dead letters at once.
    case rejected(DeliveryProblem)
    /// The message may have been delivered, and the receiver could not drop a repeat: move it to the dead letters.
    case uncertain(DeliveryProblem)

    /// Creates the outcome of an attempt that got no answer.
    public init(failure problem: DeliveryProblem) {
        switch problem {
        case .refusedAddress, .badMessage, .tooLarge, .expired: self = .rejected(problem)
        default: self = .retry(problem)
        }
    }

    /// The name of the outcome in metrics and lists.
    public var word: String {
        switch self {
        case .delivered: "delivered"
        case .retry: "retry"
        case .throttled: "throttled"
        case .endpointGone: "endpoint_gone"
        case .rejected: "rejected"
        case .uncertain: "uncertain"
        }
    }

    /// The problem, or `nil` for a delivery.
    public var problem: DeliveryProblem? {
        switch self {
        case .delivered: nil
        case .retry(let problem), .rejected(let problem), .uncertain(let problem): problem
        case .throttled: .throttled
        case .endpointGone: .notFound
        }
    }

    /// Whether it counts as a failure of the endpoint, see ``CircuitBreaker``.
    ///
    /// An endpoint that asks for a pause or rejects a message is working.
    public var isFailure: Bool {
        switch self {
        case .retry, .uncertain: true
        case .delivered, .throttled, .endpointGone, .rejected: false
        }
    }
}

extension DeliveryOutcome {
    /// The reason stored with an entry that ends because its message may have been delivered.
    public static let uncertainReason = "uncertain"

    /// Returns the outcome that avoids a repeat, for a receiver that cannot drop one.
    ///
    /// - Parameter mayHaveArrived: whether the message may have been delivered although the attempt failed.
    /// - Returns: this outcome, unless it would lead to another attempt.
    public func avoidingRepeat(mayHaveArrived: Bool) -> DeliveryOutcome {
        guard mayHaveArrived else { return self }
        switch self {
        case .retry(let problem): return .uncertain(problem)
        case .throttled: return .uncertain(.serverError)
        case .delivered, .endpointGone, .rejected, .uncertain: return self
        }
    }

    /// Returns whether a message may have been delivered although the answer reports a failure.
    ///
    /// A proxy that lost the receiver does not know what it did. Apprise answers 424 if one of several services failed.
    public static func mayHaveDelivered(_ answer: ChannelAnswer, _ kind: ChannelKind) -> Bool {
        answer.status == 502 || answer.status == 504 || kind == .apprise && answer.status == 424
    }
}

/// The parts of an endpoint's answer that determine the outcome.
public struct ChannelAnswer: Hashable, Sendable {
    /// The HTTP status or the SMTP reply code.
    public let status: Int
    /// The `Retry-After` field, or `nil`.
    public let retryAfter: String?
    /// The beginning of the body, or the last line of the SMTP reply.
    public let body: [UInt8]

    /// Creates an answer.
    public init(status: Int, retryAfter: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}
