import Crypto
import CryptoExtras
import Formats
public import Stories
import Synchronization

extension ChannelWriter {
    /// The tokens in use.
    struct Tokens: Sendable {
        /// A token and the period in which it is used.
        struct Token: Sendable {
            let text: String
            let from: Timestamp
            let until: Timestamp

            func isGood(at now: Timestamp) -> Bool { from <= now && now < until }
        }

        var vapid: [String: Token] = [:]
        var apns: Token?
        var fcm: Token?
    }

    /// The maximum number of push services, each with a key, whose tokens are cached.
    private static let mostServices = 256
    private static let hour: Int64 = 3_600_000

    /// Returns the VAPID token of an origin (RFC 8292).
    ///
    /// The RFC allows a token to last a day; these tokens last twelve hours and are no longer used in the final hour.
    func vapidToken(for origin: String, key: VAPIDKey, at now: Timestamp) throws -> String {
        let name = "\(key.publicKey) \(origin)"
        if let token = tokens.withLock({ $0.vapid[name] }), token.isGood(at: now) { return token.text }
        var claims = JSONWriter()
        claims.beginObject()
        claims.key("aud")
        claims.value(origin)
        claims.key("exp")
        claims.value(Int(now.seconds) + 12 * 3600)
        claims.key("sub")
        claims.value(key.subject)
        claims.endObject()
        let text = try ChannelWriter.token(header: #"{"typ":"JWT","alg":"ES256"}"#, claims: claims.bytes, key: key.key)
        let until = now.advanced(byMilliseconds: 11 * ChannelWriter.hour)
        tokens.withLock { tokens in
            if tokens.vapid.count >= ChannelWriter.mostServices { tokens.vapid = [:] }
            tokens.vapid[name] = Tokens.Token(text: text, from: now, until: until)
        }
        return text
    }

    /// Returns the APNs token.
    ///
    /// Apple rejects tokens over an hour old, and tokens renewed more often than every twenty minutes. So a token is
    /// renewed after forty minutes.
    func apnsToken(_ key: APNsKey, at now: Timestamp) throws -> String {
        if let token = tokens.withLock({ $0.apns }), token.isGood(at: now) { return token.text }
        let header = #"{"alg":"ES256","kid":"\#(key.keyID)"}"#
        let claims = #"{"iss":"\#(key.teamID)","iat":\#(now.seconds)}"#
        let text = try ChannelWriter.token(header: header, claims: Array(claims.utf8), key: key.key)
        let until = now.advanced(byMilliseconds: ChannelWriter.hour * 2 / 3)
        tokens.withLock { $0.apns = Tokens.Token(text: text, from: now, until: until) }
        return text
    }

    /// Returns the access token for FCM.
    func fcmToken(at now: Timestamp) throws -> String {
        guard let token = tokens.withLock({ $0.fcm }), token.isGood(at: now) else {
            throw ChannelError.needsAccessToken
        }
        return token.text
    }

    /// Writes the request for a Google access token, if one is needed (RFC 7523).
    ///
    /// - Returns: `nil` if the operator has no Google account or the current token is still valid.
    /// - Throws: ``ChannelError/badKey`` if the account's key cannot sign.
    public func tokenRequest(at now: Timestamp) throws -> OutgoingMessage? {
        guard let account = credentials.fcm else { return nil }
        if let token = tokens.withLock({ $0.fcm }), token.isGood(at: now) { return nil }
        var claims = JSONWriter()
        claims.beginObject()
        claims.key("iss")
        claims.value(account.clientEmail)
        claims.key("scope")
        claims.value("https://www.googleapis.com/auth/firebase.messaging")
        claims.key("aud")
        claims.value(account.tokenAddress)
        claims.key("iat")
        claims.value(Int(now.seconds))
        claims.key("exp")
        claims.value(Int(now.seconds) + 3600)
        claims.endObject()
        let text = ChannelWriter.unsigned(header: #"{"alg":"RS256","typ":"JWT"}"#, claims: claims.bytes)
        let digest = SHA256.hash(data: Array(text.utf8))
        guard let signature = try? account.key.signature(for: digest, padding: .insecurePKCS1v1_5) else {
            throw ChannelError.badKey
        }
        let assertion = text + "." + Base64.encodeURL(Array(signature.rawRepresentation))
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
        let headers: [OutgoingHTTP.Field] = [
            .init("content-type", "application/x-www-form-urlencoded"), .init("user-agent", ChannelWriter.userAgent),
        ]
        return .http(OutgoingHTTP(url: account.tokenAddress, headers: headers, body: Array(form.utf8)))
    }

    /// Stores the access token from Google's response to ``tokenRequest(at:)``.
    ///
    /// - Returns: whether the response contained one.
    public func keepToken(from answer: ChannelAnswer, at now: Timestamp) -> Bool {
        guard (200..<300).contains(answer.status), let json = try? JSONValue(parsing: answer.body) else { return false }
        guard let text = json["access_token"]?.string, (1...3_500).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        let seconds = min(86_400, max(0, json["expires_in"]?.integer ?? 3600))
        // The token is replaced five minutes early, so that it does not expire in transit.
        let until = now.advanced(byMilliseconds: Int64(seconds) * 1000 - 300_000)
        tokens.withLock { $0.fcm = Tokens.Token(text: text, from: now, until: until) }
        return true
    }

    /// Discards the tokens of a kind after its vendor rejected the credentials.
    public func forgetTokens(of kind: ChannelKind) {
        tokens.withLock { tokens in
            switch kind {
            case .webPush: tokens.vapid = [:]
            case .apns: tokens.apns = nil
            case .fcm: tokens.fcm = nil
            case .webhook, .ntfy, .gotify, .apprise, .email, .mqtt: break
            }
        }
    }

    private static func token(header: String, claims: [UInt8], key: P256.Signing.PrivateKey) throws -> String {
        let text = unsigned(header: header, claims: claims)
        guard let signature = try? key.signature(for: Array(text.utf8)) else { throw ChannelError.badKey }
        return text + "." + Base64.encodeURL(Array(signature.rawRepresentation))
    }

    private static func unsigned(header: String, claims: [UInt8]) -> String {
        Base64.encodeURL(header.utf8) + "." + Base64.encodeURL(claims)
    }
}
