import Crypto
import Formats
import Storage
import Stories

/// Checks tokens by the rules of RFC 8725; the signatures of an outside issuer are checked by jwt-kit.
struct TokenVerifier: Sendable {
    /// The contents of a valid token.
    struct Claims: Sendable {
        let user: UserID
        let issued: Timestamp
        let scopes: Set<Scope>
        /// The id of the chain of refresh tokens it came from; built-in issuer only.
        let chain: String?
        /// The epoch set by the user's last sign-out everywhere; built-in issuer only.
        let epoch: String?
        /// The creation time of the user when the token was issued, in milliseconds since 1970; built-in issuer only.
        let userCreated: Int?
        let isBuiltIn: Bool
    }

    /// The reason for rejecting a token.
    enum Refusal: Error, Hashable, Sendable {
        /// Its form, key, signature, issuer, audience, subject, times or scopes are not valid here.
        case invalid
        /// It was valid but has expired.
        case expired
    }

    /// The tolerated clock difference, in seconds.
    static let skew = 60.0
    /// The times that a token may contain, in seconds since 1970: until the end of the year 9999.
    private static let times = 0.0...253_402_300_799

    private let keys: StoreKeys
    private let outside: KeySetFile?
    private let trustsScopes: Bool

    /// Creates the checks for tokens under the key of tokens, or a former one that is still accepted, and for those of an
    /// outside issuer.
    init(keys: StoreKeys, outside: KeySetFile?, trustsScopes: Bool) {
        self.keys = keys
        self.outside = outside
        self.trustsScopes = trustsScopes
    }

    /// Returns the contents of a token after checking all of it.
    func claims(of text: some StringProtocol, now: Timestamp) async throws(Refusal) -> Claims {
        guard let token = SignedToken(parsing: text), let (keys, issuer) = await candidates(token.keyID, now: now),
            keys.contains(where: {
                $0.algorithms.contains(token.algorithm) && $0.isValid(token.signature, of: token.signedBytes)
            })
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

    /// Returns the keys with an id and their issuer; an unknown id returns `nil`, never another key.
    private func candidates(_ id: String, now: Timestamp) async -> (keys: [VerificationKey], issuer: TokenIssuer)? {
        if id == Accounts.keyID {
            return (keys.accepted(.tokens, at: now).map { .secret(SymmetricKey(data: $0)) }, .builtIn)
        }
        guard let outside, let key = await outside.key(id, now: now) else { return nil }
        return ([key], outside.issuer)
    }

    private static func names(_ audience: String, in claim: JSONValue?) -> Bool {
        claim?.string == audience || claim?.array?.contains(.string(audience)) == true
    }

    /// Checks `iat` and `exp`, which are required, and `nbf`; returns the time of issue, `iat`.
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
        // The built-in issuer sets the expiry by the same clock that checks it.
        guard end > seconds - (issuer.isBuiltIn ? 0 : skew) else { throw .expired }
        return Timestamp(milliseconds: Int64(issued) * 1_000)
    }

    /// Returns the scopes of a token: the listed ones that are known here.
    ///
    /// A token of the outside issuer without a `scope` claim gets all scopes of a user. That issuer can grant scopes
    /// beyond a user's own only if the operator allows it.
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
