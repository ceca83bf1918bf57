/// The reason nothing was sent, or no answer was received.
///
/// A plain value without addresses or content.
public enum OutboundError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error in a URL.
    public enum URLProblem: String, Hashable, Sendable {
        /// Too short or too long.
        case length
        /// A character that is invalid in a URL.
        case characters
        /// Neither `https` nor, if allowed, `http`.
        case scheme
        /// A user name.
        case userInfo = "user_info"
        /// No host, or a non-canonical one.
        case host
        /// An invalid port, or one that may not be dialled.
        case port
    }

    /// The URL may not be dialled.
    case badURL(URLProblem)
    /// A header field, an e-mail address or the content size is not allowed.
    case badContent
    /// The host's IP address may not be dialled.
    case refusedAddress
    /// The host's name has no address.
    case couldNotResolve
    /// The connection failed.
    case couldNotConnect
    /// No answer in time.
    case timedOut
    /// The certificate or the encryption is invalid.
    case insecure
    /// The connection was closed before the answer was complete.
    case closedEarly
    /// The answer is invalid.
    case badAnswer
    /// The header of the answer is too large.
    case answerTooLarge
    /// Too many calls are waiting.
    case busy
    /// No mail server is configured.
    case noMailServer
    /// The transport was shut down.
    case shutDown
    /// libcurl failed with this code.
    case failed(Int)

    /// The name of the error in metrics and lists.
    public var word: String {
        switch self {
        case .badURL: "bad_url"
        case .badContent: "bad_content"
        case .refusedAddress: "refused_address"
        case .couldNotResolve: "could_not_resolve"
        case .couldNotConnect: "could_not_connect"
        case .timedOut: "timed_out"
        case .insecure: "insecure"
        case .closedEarly: "closed_early"
        case .badAnswer: "bad_answer"
        case .answerTooLarge: "answer_too_large"
        case .busy: "busy"
        case .noMailServer: "no_mail_server"
        case .shutDown: "shut_down"
        case .failed: "failed"
        }
    }

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .badURL(let problem): "the address cannot be used (\(problem.rawValue))"
        case .badContent: "the content to be sent is not allowed"
        case .refusedAddress: "connections to the host's address are not allowed"
        case .couldNotResolve: "the host's name has no address"
        case .couldNotConnect: "the connection to the address failed"
        case .timedOut: "there was no answer in time"
        case .insecure: "the certificate or the encryption is invalid"
        case .closedEarly: "the connection was closed before the answer was complete"
        case .badAnswer: "the answer is invalid"
        case .answerTooLarge: "the header of the answer is too large"
        case .busy: "too many calls are already waiting"
        case .noMailServer: "no mail server is configured"
        case .shutDown: "sending has been shut down"
        case .failed(let code): "the transfer failed with code \(code)"
        }
    }
}
