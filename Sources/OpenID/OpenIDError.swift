/// The reason why a sign-in with a provider was not accepted.
///
/// A plain value without anything that the provider sent, apart from what `refused` holds.
public enum OpenIDError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A part of an ID token that is wrong.
    public enum TokenFault: String, CaseIterable, Sendable {
        /// It is not a JSON Web Token, or a claim that must be there is missing or of another type.
        case malformed
        /// It is signed with an algorithm that is not accepted, or not at all.
        case algorithm
        /// The provider has no such key.
        case unknownKey = "unknown_key"
        /// The signature is not by that key.
        case signature
        /// It was issued by somebody else.
        case issuer
        /// It is for another service.
        case audience
        /// It answers another request.
        case nonce
        /// It has expired.
        case expired
        /// It was issued, or becomes valid, in the future.
        case future
        /// It was issued too long ago.
        case old

        /// Whether clocks that differ are the likely cause.
        public var isOfClocks: Bool { self == .expired || self == .future || self == .old }
    }

    /// A part of the answer that the browser brings back.
    public enum AnswerFault: String, Sendable {
        /// It belongs to no sign-in that this browser began, or to one that took too long.
        case state
        /// It comes from another provider.
        case issuer
        /// It has neither a code nor an error, or one that is too long.
        case malformed
    }

    /// The discovery document lacks or contradicts this member.
    case metadata(String)
    /// The provider's keys cannot be read.
    case keys
    /// The answer that the browser brings back is wrong.
    case answer(AnswerFault)
    /// The person or the provider said no, with this error code of OAuth.
    case refused(String)
    /// The token endpoint's answer is not a token answer, or an error.
    case exchange
    /// The ID token is wrong.
    case token(TokenFault)

    /// One sentence without a full stop, for the operator's log.
    public var description: String {
        switch self {
        case .metadata(let member): "the provider's discovery document has no usable \(member)"
        case .keys: "the provider's keys cannot be read"
        case .answer(let fault): "the browser's answer is wrong (\(fault.rawValue))"
        case .refused(let code): "the provider refused (\(code))"
        case .exchange: "the provider's token endpoint gave no token"
        case .token(let fault): "the provider's ID token is wrong (\(fault.rawValue))"
        }
    }
}
