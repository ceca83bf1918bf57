/// Why a message could not be written for a channel.
public enum ChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operator has not set up what the channel needs.
    case noCredentials(ChannelKind)
    /// The operator's account has to fetch a token first; see ``ChannelWriter/tokenRequest(at:)``.
    case needsAccessToken
    /// The message's id or type is not of the allowed characters.
    case badMessage
    /// A key of the channel or the operator cannot be used.
    case badKey

    /// What is wrong, without anything secret.
    public var description: String {
        switch self {
        case .noCredentials(let kind): "the operator has not set up the channel \(kind.rawValue)"
        case .needsAccessToken: "an access token has to be fetched first"
        case .badMessage: "the id or the type of the message is not one that can be sent"
        case .badKey: "a key cannot be used"
        }
    }
}
