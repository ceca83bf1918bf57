/// The reason a message could not be written for a channel.
public enum ChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operator has not configured the credentials that the channel needs.
    case noCredentials(ChannelKind)
    /// The operator's account needs an access token first; see ``ChannelWriter/tokenRequest(at:)``.
    case needsAccessToken
    /// The message's id or type contains invalid characters.
    case badMessage
    /// A key of the channel or the operator is invalid.
    case badKey

    /// The reason, without secrets.
    public var description: String {
        switch self {
        case .noCredentials(let kind): "the operator has not configured the channel \(kind.rawValue)"
        case .needsAccessToken: "an access token has to be fetched first"
        case .badMessage: "the message has an id or a type that cannot be sent"
        case .badKey: "a key is invalid"
        }
    }
}
