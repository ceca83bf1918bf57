import Crypto
import Formats
import Storage
public import Stories

extension Accounts {
    /// An access token and a refresh token, each shown once.
    public struct Pair: Sendable {
        /// The access token.
        public let access: String
        /// The validity of the access token, in seconds.
        public let accessSeconds: Int
        /// The refresh token.
        public let refresh: String
        /// The validity of the refresh token, in seconds.
        public let refreshSeconds: Int
    }

    /// The validity of an access token issued with a refresh token, in seconds.
    package static let accessSeconds = 900
    /// The validity of a refresh token, in seconds.
    package static let refreshSeconds = 30 * 86_400
    /// The period during which the exchange of a refresh token may be repeated, in seconds.
    static let repeatSeconds: Int64 = 30

    /// Issues an access token for a user with these scopes, valid for `seconds`, but at least one second.
    ///
    /// - Throws: `StoreError` if the database cannot be read.
    public func issueToken(
        for user: UserID,
        seconds: Int,
        scopes: Set<Scope> = Scope.user
    ) async throws -> String {
        let instant = now()
        return try await store.read { transaction in
            try accessToken(for: user, seconds: seconds, scopes: scopes, chain: nil, at: instant, in: transaction)
        }
    }

    /// Signs a user in: issues an access token valid for 15 minutes and the first refresh token of a new chain.
    ///
    /// - Throws: `StoreError` with code `conflict` for an unknown user.
    public func signIn(_ user: UserID, scopes: Set<Scope> = Scope.user) async throws -> Pair {
        let refresh = SecretText.new(.refresh, random: random)
        let instant = now()
        return try await store.write { transaction in
            let signIn = SignIn(id: refresh.id, user: user, scopes: Scope.text(scopes))
            return try pair(refresh, of: signIn, at: instant, in: transaction)
        }
    }

    /// Exchanges a refresh token for the next pair; returns `nil` if it is not valid.
    ///
    /// The next refresh token is derived from the old one and a secret of this installation. So two concurrent
    /// exchanges receive the same refresh token, and a client that missed the response may retry within
    /// ``repeatSeconds``, but only until the next token has itself been used. Presenting the old token later than that
    /// indicates theft and ends the whole chain.
    package func refresh(_ text: String) async throws -> Pair? {
        guard let presented = SecretText(parsing: text, kind: .refresh) else { return nil }
        let digest = presented.digest
        // An unknown token must not occupy the writer.
        guard try await store.read({ try $0.refreshToken(digest) }) != nil else { return nil }
        let next = successors(of: presented)
        let instant = now()
        return try await store.write { transaction in
            guard let token = try transaction.refreshToken(digest), instant < token.expiresAt else { return nil }
            guard let used = token.usedAt else {
                guard let first = next.first else { return nil }
                try transaction.markUsed(refreshToken: digest, successor: first.digest, at: instant)
                return try pair(first, of: token.signIn, at: instant, in: transaction)
            }
            let age = instant.milliseconds - used.milliseconds
            guard !token.isSuccessorUsed, age <= Accounts.repeatSeconds * 1_000 else {
                try transaction.endSignIn(token.signIn.id, at: instant)
                return nil
            }
            // The first exchange may have been before the key was rotated.
            let made = try next.first { try transaction.refreshToken($0.digest) != nil }
            return try made.map { try pair($0, of: token.signIn, at: instant, isRepeated: true, in: transaction) }
        }
    }

    /// Ends the chain of a refresh token, used or not, and all access tokens issued from it.
    package func revoke(_ text: String) async throws {
        guard let presented = SecretText(parsing: text, kind: .refresh) else { return }
        let (digest, instant) = (presented.digest, now())
        try await store.write { transaction in
            guard let token = try transaction.refreshToken(digest) else { return }
            try transaction.endSignIn(token.signIn.id, at: instant)
        }
    }

    /// Signs a user out everywhere: immediately ends all chains of refresh tokens and all access tokens issued so far.
    package func signOutEverywhere(_ user: UserID) async throws {
        var generator = random
        let (id, instant) = (StoryID(using: &generator), now())
        try await store.write { try $0.endSignIns(of: user, at: instant, id: id) }
    }

    private func pair(
        _ refresh: SecretText,
        of signIn: SignIn,
        at instant: Timestamp,
        isRepeated: Bool = false,
        in transaction: StoreTransaction
    ) throws -> Pair {
        if !isRepeated {
            let end = Timestamp(milliseconds: instant.milliseconds + Int64(Accounts.refreshSeconds) * 1_000)
            try transaction.save(signIn, newest: refresh.digest, expiresAt: end, at: instant)
        }
        let access = try accessToken(
            for: signIn.user,
            seconds: Accounts.accessSeconds,
            scopes: Scope.set(signIn.scopes),
            chain: signIn.id,
            at: instant,
            in: transaction
        )
        return Pair(
            access: access,
            accessSeconds: Accounts.accessSeconds,
            refresh: refresh.text,
            refreshSeconds: Accounts.refreshSeconds
        )
    }

    private func accessToken(
        for user: UserID,
        seconds: Int,
        scopes: Set<Scope>,
        chain: String?,
        at instant: Timestamp,
        in transaction: StoreReader
    ) throws -> String {
        let issued = Int(instant.milliseconds / 1_000)
        var claims = JSONWriter(capacity: 400)
        claims.beginObject()
        claims.member("iss", Accounts.issuer)
        claims.member("aud", Accounts.audience)
        claims.member("sub", user.rawValue)
        claims.member("iat", issued)
        claims.member("exp", issued + max(1, seconds))
        claims.member("jti", Base64.encodeURL(random.bytes(12)))
        claims.member("scope", Scope.text(scopes))
        if let chain { claims.member("sid", chain) }
        if let epoch = try transaction.accessEpoch(of: user)?.epoch { claims.member("epoch", epoch) }
        if let created = try transaction.creationTime(of: user) {
            claims.member("user_created", Int(created.milliseconds))
        }
        claims.endObject()
        let header = #"{"alg":"HS256","typ":"at+jwt","kid":"\#(Accounts.keyID)"}"#
        let signed = Base64.encodeURL(header.utf8) + "." + Base64.encodeURL(claims.bytes)
        return signed + "." + Base64.encodeURL(HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: secret))
    }

    /// Returns the next refresh token, under the present key and the former ones, the present first.
    private func successors(of token: SecretText) -> [SecretText] {
        store.keys.known(.tokens)
            .map { key in
                let message = Array("refresh\u{0}\(token.text)".utf8)
                let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key))
                return SecretText(.refresh, id: token.id, secret: Array(code))
            }
    }
}
