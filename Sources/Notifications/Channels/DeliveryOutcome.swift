public import Stories

/// Why an attempt did not deliver; the words for metrics and lists.
public enum DeliveryProblem: String, CaseIterable, Hashable, Sendable {
    /// No connection: no such name, nobody listening, or cut off.
    case unreachable
    /// No answer in time.
    case timedOut = "timed_out"
    /// The other side's certificate or the encryption failed.
    case insecure
    /// The address may not be dialled.
    case refusedAddress = "refused_address"
    /// It answered with something that is no answer.
    case badAnswer = "bad_answer"
    /// It sent the message elsewhere; nobody follows.
    case redirected
    /// It failed, by its own account.
    case serverError = "server_error"
    /// It wants fewer messages.
    case throttled
    /// It does not accept the channel's key or token.
    case unauthorized
    /// There is nothing at that address.
    case notFound = "not_found"
    /// It does not accept the message.
    case badMessage = "bad_message"
    /// The message is too large for it.
    case tooLarge = "too_large"
    /// It does not accept the operator's credentials, or there are none.
    case credentials
    /// It came too late to be of use.
    case expired
}

/// What came of an attempt, and so what to do next.
public enum DeliveryOutcome: Hashable, Sendable {
    /// It arrived.
    case delivered
    /// It failed; try again on schedule, see ``RetryPolicy``.
    case retry(DeliveryProblem)
    /// The endpoint asks to be left alone until then.
    case throttled(until: Timestamp)
    /// The endpoint is no more: the channel is to be switched off.
    case endpointGone
    /// It will never be accepted: to the dead letters at once.
    case rejected(DeliveryProblem)

    /// The outcome of an attempt that brought no answer.
    public init(failure problem: DeliveryProblem) {
        switch problem {
        case .refusedAddress, .badMessage, .tooLarge, .expired: self = .rejected(problem)
        default: self = .retry(problem)
        }
    }

    /// The word for it in metrics and lists.
    public var word: String {
        switch self {
        case .delivered: "delivered"
        case .retry: "retry"
        case .throttled: "throttled"
        case .endpointGone: "endpoint_gone"
        case .rejected: "rejected"
        }
    }

    /// What went wrong, or `nil` of a delivery.
    public var problem: DeliveryProblem? {
        switch self {
        case .delivered: nil
        case .retry(let problem), .rejected(let problem): problem
        case .throttled: .throttled
        case .endpointGone: .notFound
        }
    }

    /// Whether it counts as a failure of the endpoint, see ``CircuitBreaker``.
    ///
    /// An endpoint that asks for patience or finds a message bad is at work.
    public var isFailure: Bool {
        switch self {
        case .retry: true
        case .delivered, .throttled, .endpointGone, .rejected: false
        }
    }
}

/// What an endpoint answered, as far as outcomes depend on it.
public struct ChannelAnswer: Hashable, Sendable {
    /// The status of HTTP, or the reply code of SMTP.
    public let status: Int
    /// The field `Retry-After`, or `nil`.
    public let retryAfter: String?
    /// The beginning of the body, or the last line of SMTP.
    public let body: [UInt8]

    /// Creates an answer.
    public init(status: Int, retryAfter: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}
