import Foundation
import HTTPTypes
import JWTKit
public import Storage
public import Stories

/// Issues and checks the tokens that say who somebody is.
public struct Accounts: Sendable {
    private let store: StoryStore
    private let now: @Sendable () -> Timestamp
    private let signing: JWTKeyCollection

    /// The issuer written into tokens and demanded of them.
    public static let issuer = "waymark"

    /// Creates accounts that sign with the token key of the store (HS256).
    public init(store: StoryStore, now: @escaping @Sendable () -> Timestamp) async {
        self.store = store
        self.now = now
        signing = JWTKeyCollection()
        // HS256 alone: a token that names another algorithm finds no key.
        await signing.add(hmac: HMACKey(from: store.keys[.tokens]), digestAlgorithm: .sha256)
    }

    /// Issues a token for a user that is good for so many seconds, at least one.
    public func issueToken(for user: UserID, seconds: Int) async throws -> String {
        let issued = Double(now().milliseconds / 1_000)
        let claims = AccessToken(
            sub: SubjectClaim(value: user.rawValue),
            iss: IssuerClaim(value: Accounts.issuer),
            iat: IssuedAtClaim(value: Date(timeIntervalSince1970: issued)),
            exp: ExpirationClaim(value: Date(timeIntervalSince1970: issued + Double(max(1, seconds))))
        )
        return try await signing.sign(claims, header: ["typ": "at+jwt"])
    }

    /// Returns who makes a request with these header fields; without `Authorization`, nobody in particular.
    ///
    /// A good token of an unknown user creates the user.
    ///
    /// - Throws: ``Problem`` (401) for a header that holds no good bearer token.
    func principal(headers: HTTPFields) async throws -> Principal {
        guard let authorization = headers[.authorization] else { return .anonymous }
        let (user, issued) = try await subject(of: authorization)
        // The token of an erased account must not bring it back; it counts whole seconds.
        if let erased = store.erasures.accountErasure(of: user), issued <= erased {
            throw Problem.unauthorized("The token is not valid here. Get a new one and try again.")
        }
        let known = try await store.read { (try $0.viewer(user), try $0.creationTime(of: user)) }
        if let viewer = known.0 {
            // A token of somebody who was removed is not good for the next one of that name. It counts whole seconds.
            guard let created = known.1, issued.milliseconds + 999 >= created.milliseconds else {
                throw Problem.unauthorized("The token is not valid here. Get a new one and try again.")
            }
            return Principal(viewer: viewer, scopes: Scope.user, account: user.rawValue)
        }
        try await store.write { try $0.ensureUser(user, at: issued) }
        return Principal(viewer: Viewer(user: user), scopes: Scope.user, account: user.rawValue)
    }

    private func subject(of authorization: String) async throws -> (user: UserID, issued: Timestamp) {
        let parts = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Problem.unauthorized("The Authorization header must be 'Bearer TOKEN'.")
        }
        guard parts[1].utf8.count <= 8_192,
            let token = try? await signing.verify(String(parts[1]), as: AccessToken.self)
        else { throw Problem.unauthorized("The token is not valid here. Get a new one and try again.") }
        let seconds = Double(now().milliseconds) / 1_000
        guard token.iss.value == Accounts.issuer, let user = UserID(token.sub.value) else {
            throw Problem.unauthorized("The token is not valid here. Get a new one and try again.")
        }
        guard token.exp.value.timeIntervalSince1970 > seconds, token.iat.value.timeIntervalSince1970 <= seconds + 60
        else { throw Problem.unauthorized("The token has expired. Get a new one and try again.") }
        return (user, Timestamp(milliseconds: Int64(max(0, token.iat.value.timeIntervalSince1970)) * 1_000))
    }
}

/// The claims of an access token (RFC 9068's `at+jwt`).
private struct AccessToken: JWTPayload {
    let sub: SubjectClaim
    let iss: IssuerClaim
    let iat: IssuedAtClaim
    let exp: ExpirationClaim

    /// The times are checked against the injected clock by ``Accounts``; the signature has been by now.
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
