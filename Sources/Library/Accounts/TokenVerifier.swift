import Crypto
import Formats
import Stories

/// Checks tokens by the rules of RFC 8725.
struct TokenVerifier: Sendable {
    /// What a good token says.
    struct Claims: Sendable {
        let user: UserID
        let issued: Timestamp
        let scopes: Set<Scope>
        /// The chain of refresh tokens it came from, of the built-in issuer.
        let chain: String?
        /// What the user's signing out everywhere last left, of the built-in issuer.
        let epoch: String?
        /// When the user was made, as it was when the token was issued, of the built-in issuer.
        let userCreated: Int?
        let isBuiltIn: Bool
    }

    /// Why a token is not good.
    enum Refusal: Error, Hashable, Sendable {
        /// It is not ours, not signed right, not for here.
        case invalid
        /// It was good.
        case expired
    }

    /// How far clocks may differ, in seconds.
    static let skew = 60.0
    /// The times that a token may name, in seconds: until the end of the year 9999.
    private static let times = 0.0...253_402_300_799

    private let secret: SymmetricKey
    private let outside: KeySetFile?
    private let trustsScopes: Bool

    init(secret: SymmetricKey, outside: KeySetFile?, trustsScopes: Bool) {
        self.secret = secret
        self.outside = outside
        self.trustsScopes = trustsScopes
    }

    /// What a token says, after everything about it has been found right.
    func claims(of text: some StringProtocol, now: Timestamp) throws(Refusal) -> Claims {
        guard let token = SignedToken(parsing: text), let (key, issuer) = key(token.keyID, now: now),
            key.algorithms.contains(token.algorithm), key.isValid(token.signature, of: token.signedBytes)
        else { throw .invalid }
        let claims = token.claims
        guard claims["iss"]?.string == issuer.name, TokenVerifier.names(issuer.audience, in: claims["aud"]),
            let user = claims["sub"]?.string.flatMap({ UserID($0) })
        else { throw .invalid }
        let issued = try TokenVerifier.checkTimes(of: claims, issuer: issuer, now: now)
        return Claims(
            user: user,
            issued: issued,
            scopes: try scopes(claims["scope"], issuer: issuer),
            chain: issuer.isBuiltIn ? claims["sid"]?.string : nil,
            epoch: issuer.isBuiltIn ? claims["epoch"]?.string : nil,
            userCreated: issuer.isBuiltIn ? claims["user_created"]?.integer : nil,
            isBuiltIn: issuer.isBuiltIn
        )
    }

    /// The key of an id and the issuer it is good for; an unknown id finds nothing, never another key.
    private func key(_ id: String, now: Timestamp) -> (key: VerificationKey, issuer: TokenIssuer)? {
        if id == Accounts.keyID { return (.secret(secret), .builtIn) }
        guard let outside, let key = outside.key(id, now: now) else { return nil }
        return (key, outside.issuer)
    }

    private static func names(_ audience: String, in claim: JSONValue?) -> Bool {
        claim?.string == audience || claim?.array?.contains(.string(audience)) == true
    }

    /// Checks `iat`, `exp`, which must be there, and `nbf`; returns the first.
    private static func checkTimes(
        of claims: [String: JSONValue],
        issuer: TokenIssuer,
        now: Timestamp
    ) throws(Refusal) -> Timestamp {
        let seconds = Double(now.milliseconds) / 1_000
        guard let issued = claims["iat"]?.number, let end = claims["exp"]?.number, times.contains(issued),
            times.contains(end), issued <= seconds + skew
        else { throw .invalid }
        if let start = claims["nbf"] {
            guard let start = start.number, times.contains(start), start <= seconds + skew else { throw .invalid }
        }
        // The built-in issuer ends its tokens by the very clock they are checked with.
        guard end > seconds - (issuer.isBuiltIn ? 0 : skew) else { throw .expired }
        return Timestamp(milliseconds: Int64(issued) * 1_000)
    }

    /// What a token is good for: what it lists of what is known here; an outside one that lists nothing, all of a user's.
    ///
    /// Only an operator who said so lets an outside issuer hand out what goes beyond a user's own.
    private func scopes(_ claim: JSONValue?, issuer: TokenIssuer) throws(Refusal) -> Set<Scope> {
        guard let claim else {
            guard !issuer.isBuiltIn else { throw .invalid }
            return Scope.user
        }
        guard let text = claim.string else { throw .invalid }
        let listed = Scope.set(text)
        return issuer.isBuiltIn || trustsScopes ? listed : listed.intersection(Scope.user)
    }
}
