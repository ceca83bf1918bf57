import Formats

/// Who signed in at a provider, as its ID token says.
public struct ProviderIdentity: Hashable, Sendable {
    /// The provider.
    public let issuer: String
    /// The provider's own name for the person, which never changes and is never given to another.
    public let subject: String
    /// The e-mail address, if the provider says that it is the person's.
    public let email: String?
    /// The person's name; anything the provider likes.
    public let name: String?

    /// Creates a value from its parts.
    public init(issuer: String, subject: String, email: String? = nil, name: String? = nil) {
        self.issuer = issuer
        self.subject = subject
        self.email = email
        self.name = name
    }

    /// Returns whether a text can be a subject: 1 to 255 printable ASCII characters (OpenID Connect Core §2).
    public static func isSubject(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// An ID token in its compact form, read but not yet believed.
public struct IDToken: Sendable {
    /// The difference between clocks that is tolerated, in seconds.
    public static let skew = 60.0
    /// The maximum age of a token in seconds.
    public static let mostAge = 600.0

    /// What a token has to say to be accepted.
    public struct Expectation: Hashable, Sendable {
        /// The issuer.
        public let issuer: String
        /// This service's id at the provider.
        public let audience: String
        /// The nonce of the sign-in.
        public let nonce: String
        /// The time, in seconds since 1970.
        public let time: Double

        /// Creates a value from its parts.
        public init(issuer: String, audience: String, nonce: String, time: Double) {
            self.issuer = issuer
            self.audience = audience
            self.nonce = nonce
            self.time = time
        }
    }

    private let algorithm: ProviderKeys.Algorithm
    private let keyID: String?
    private let signed: [UInt8]
    private let signature: [UInt8]
    private let claims: JSONValue

    /// Reads a token.
    ///
    /// - Throws: ``OpenIDError/token(_:)``: malformed, or an algorithm that is not accepted.
    public init(parsing text: String) throws(OpenIDError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= TokenExchange.mostTokenBytes, parts.count == 3, let header = IDToken.json(parts[0]),
            let claims = IDToken.json(parts[1]), let signature = Base64.decodeURL(parts[2].utf8)
        else { throw .token(.malformed) }
        // What `crit` names must be understood (RFC 7515 §4.1.11), and nothing is. Tokens for other uses have other types.
        guard header["crit"] == nil, header["typ"].map({ $0.string?.lowercased() == "jwt" }) ?? true,
            header["kid"].map({ $0.string != nil }) ?? true
        else { throw .token(.malformed) }
        guard let algorithm = header["alg"]?.string.flatMap(ProviderKeys.Algorithm.init) else {
            throw .token(.algorithm)
        }
        self.algorithm = algorithm
        self.claims = claims
        self.signature = signature
        keyID = header["kid"]?.string
        signed = Array(parts[0].utf8) + [UInt8(ascii: ".")] + Array(parts[1].utf8)
    }

    /// Returns whom the token is about, once signature and claims are right (OpenID Connect Core §3.1.3.7).
    ///
    /// - Throws: ``OpenIDError/token(_:)``: the first thing that is wrong.
    public func identity(keys: ProviderKeys, _ expected: Expectation) throws(OpenIDError) -> ProviderIdentity {
        try keys.check(signature, of: signed, algorithm, key: keyID)
        guard claims["iss"]?.string == expected.issuer else { throw .token(.issuer) }
        try checkAudience(expected.audience)
        try checkTimes(expected.time)
        guard !expected.nonce.isEmpty, claims["nonce"]?.string == expected.nonce else { throw .token(.nonce) }
        guard let subject = claims["sub"]?.string, ProviderIdentity.isSubject(subject) else { throw .token(.malformed) }
        // Some providers write the truth value as a text.
        let isVerified = claims["email_verified"] == .bool(true) || claims["email_verified"] == .string("true")
        return ProviderIdentity(
            issuer: expected.issuer,
            subject: subject,
            email: isVerified ? claims["email"]?.string : nil,
            name: claims["name"]?.string ?? claims["preferred_username"]?.string
        )
    }

    private func checkAudience(_ expected: String) throws(OpenIDError) {
        let audiences: [String]
        switch claims["aud"] {
        case .string(let one)?: audiences = [one]
        case .array(let several)?:
            audiences = several.compactMap(\.string)
            guard audiences.count == several.count else { throw .token(.malformed) }
        default: throw .token(.malformed)
        }
        guard audiences.contains(expected) else { throw .token(.audience) }
        // A token for several services says for whom it was made.
        if let party = claims["azp"] {
            guard party.string == expected else { throw .token(.audience) }
        } else if audiences.count > 1 {
            throw .token(.audience)
        }
    }

    private func checkTimes(_ now: Double) throws(OpenIDError) {
        guard let end = claims["exp"]?.number, let start = claims["iat"]?.number else { throw .token(.malformed) }
        guard start <= now + IDToken.skew else { throw .token(.future) }
        if let first = claims["nbf"] {
            guard let first = first.number else { throw .token(.malformed) }
            guard first <= now + IDToken.skew else { throw .token(.future) }
        }
        guard now < end + IDToken.skew else { throw .token(.expired) }
        guard now - start <= IDToken.mostAge else { throw .token(.old) }
    }

    private static func json(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64.decodeURL(part.utf8),
            let json = try? JSONValue(
                parsing: bytes,
                limits: .init(bytes: TokenExchange.mostTokenBytes, depth: 16, allowsRepeatedNames: false)
            ), json.object != nil
        else { return nil }
        return json
    }
}
