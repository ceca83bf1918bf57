package import Crypto
import Foundation
public import Logging
public import Storage
public import Stories

/// Issues and checks the tokens and keys that identify callers.
public struct Accounts: Sendable {
    package let store: StoryStore
    package let now: @Sendable () -> Timestamp
    package let random: RandomSource
    package let secret: SymmetricKey
    private let verifier: TokenVerifier
    private let logger: Logger

    /// The issuer written into tokens and required in them.
    public static let issuer = "waymark"
    /// The audience of the built-in issuer's tokens.
    public static let audience = "waymark"
    /// The id of the built-in issuer's key.
    package static let keyID = "waymark"

    /// Creates accounts that sign with the token key of the store (HS256) and also trust an outside issuer, if given.
    ///
    /// With `trustsScopes`, that issuer may also grant `act-as` and `admin:ops`; otherwise at most a user's own scopes.
    public init(
        store: StoryStore,
        now: @escaping @Sendable () -> Timestamp,
        random: RandomSource = .system,
        outsideIssuer: KeySetFile? = nil,
        trustsScopes: Bool = false,
        logger: Logger = Logger(label: "waymark.accounts")
    ) async {
        self.store = store
        self.now = now
        self.random = random
        self.logger = logger
        secret = SymmetricKey(data: store.keys[.tokens])
        verifier = TokenVerifier(keys: store.keys, outside: outsideIssuer, trustsScopes: trustsScopes)
    }

    /// The same message for every invalid token or key, so that it reveals nothing about the reason.
    package static let invalid = Refusal.unauthenticated(
        "The token is not valid for this service. Get a new one and try again."
    )

    /// Returns the principal that these credentials identify; without `Authorization` and a session, the anonymous one.
    ///
    /// If the request writes data, a valid token of an unknown user creates that user. A service that names an unknown
    /// user creates them too, unless it sends `Waymark-User-Create: false`. Reads create no user: an unknown user gets
    /// the view of a user without any data.
    ///
    /// - Throws: ``Refusal``: 401 if the header contains no valid bearer token, if the session is not valid, or if `Waymark-User` comes without a
    ///   token; 403 if the caller may not send `Waymark-User`; 400 if it is not an id, if it names an unknown user who
    ///   must not be created, or if `Waymark-User-Create` is neither true nor false.
    package func principal(_ credentials: Credentials, isWriting: Bool) async throws -> Principal {
        if credentials.opensLink { return try await principal(link: credentials) }
        guard let authorization = credentials.authorization else {
            guard credentials.user == nil else {
                throw Refusal.unauthenticated("Waymark-User requires a service's token in the Authorization header.")
            }
            guard let session = credentials.session else { return .anonymous }
            return try await principal(session: session)
        }
        let parts = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Refusal.unauthenticated("The Authorization header must be 'Bearer TOKEN'.")
        }
        let isKey = parts[1].hasPrefix(SecretText.Kind.key.rawValue)
        let named = credentials.user.flatMap { UserID($0) }
        let caller =
            isKey
            ? try await self.caller(key: parts[1], naming: named)
            : try await self.caller(token: parts[1], naming: named, isWriting: isWriting)
        return try await acting(
            caller,
            as: credentials.user,
            mayCreate: try Accounts.mayCreate(credentials),
            isWriting: isWriting
        )
    }

    /// The principal of a token or key and, if it is a service, the user whom the request names.
    ///
    /// Both are read at once, because each read of the database waits in a queue.
    private struct Caller {
        let principal: Principal
        var named: Viewer?
    }

    private func caller(token text: Substring, naming named: UserID?, isWriting: Bool) async throws -> Caller {
        let claims: TokenVerifier.Claims
        do {
            claims = try await verifier.claims(of: text, now: now())
        } catch .expired {
            throw Refusal.unauthenticated("The token has expired. Get a new one and try again.")
        } catch .invalid {
            throw Accounts.invalid
        }
        // An outside issuer may let its users choose their own ids, so its tokens cannot name the owner of imports.
        guard claims.isBuiltIn || claims.user != UserID.archive else { throw Accounts.invalid }
        // The list of erasures is stored outside the database, so this check also works after an older copy of the
        // database is restored. Tokens count whole seconds, so one issued in the second of the erasure is rejected.
        if let erased = store.erasures.accountErasure(of: claims.user), claims.issued <= erased {
            throw Accounts.invalid
        }
        let end = AccessEnd(user: claims.user, keys: store.keys)
        let found = try await store.read { transaction in
            let viewer = try transaction.viewer(claims.user)
            guard try Accounts.isGood(claims, isKnown: viewer != nil, end: end, in: transaction) else {
                throw Accounts.invalid
            }
            let principal = Principal(
                viewer: viewer ?? Viewer(user: claims.user),
                scopes: claims.scopes,
                account: claims.user.rawValue
            )
            let caller = Caller(principal: principal, named: try principal.viewer(named: named, in: transaction))
            return (caller: caller, isKnown: viewer != nil)
        }
        if !found.isKnown, isWriting { try await ensureUser(claims.user, at: min(claims.issued, now())) }
        return found.caller
    }

    /// Returns whether a token that is valid in itself is also valid for the current state of its user.
    private static func isGood(
        _ claims: TokenVerifier.Claims,
        isKnown: Bool,
        end: AccessEnd,
        in transaction: StoreReader
    ) throws -> Bool {
        // Tokens count whole seconds, so this is the latest time at which the token may have been issued.
        let latest = claims.issued.milliseconds + 999
        guard isKnown else {
            // A token issued before a user was removed must not create the user again.
            let ended = try end.recorded(in: transaction)
            let isOfNobody = claims.userCreated == nil && claims.chain == nil && claims.epoch == nil
            return isOfNobody && latest > ended?.milliseconds ?? .min
        }
        // A token of a removed user is not valid for a later user with the same name. Our own say whose they are; only
        // for those of others do the times decide, which are wrong for a while after the clock was set back.
        guard let created = try transaction.creationTime(of: claims.user)?.milliseconds,
            claims.userCreated.map({ $0 == created }) ?? (latest >= created)
        else { return false }
        if let chain = claims.chain, try !transaction.isSignedIn(chain, user: claims.user) { return false }
        let epoch = try transaction.accessEpoch(of: claims.user)
        guard !claims.isBuiltIn else { return claims.epoch == epoch?.epoch }
        return claims.issued.milliseconds > epoch?.since.milliseconds ?? .min
    }

    private func caller(key text: Substring, naming named: UserID?) async throws -> Caller {
        guard let secret = SecretText(parsing: text, kind: .key) else { throw Accounts.invalid }
        let (digest, now) = (secret.digest, now())
        let found = try await store.read { transaction in
            let key = try transaction.key(secret.id)
            let owner = try key?.user.flatMap { try transaction.viewer($0) }
            // For an unknown id, the digest is compared with zeros, so that the check takes as long as for a wrong secret
            // and the answer is the same.
            let isRight = isSameSecret(key?.digest ?? [UInt8](repeating: 0, count: 32), digest)
            guard isRight, let key, key.expiresAt.map({ now < $0 }) ?? true, key.kind == .service || owner != nil else {
                throw Accounts.invalid
            }
            var principal = Principal(
                viewer: owner ?? .anonymous,
                scopes: Scope.set(key.scopes),
                account: key.user?.rawValue ?? "key:" + key.id,
                device: key.device
            )
            principal.keyName = key.name
            principal.viewer.service = principal.service
            let caller = Caller(principal: principal, named: try principal.viewer(named: named, in: transaction))
            return (caller: caller, key: key)
        }
        await noteUse(of: found.key, at: now)
        return found.caller
    }

    /// Records the hour of a key's last use, with at most one write per hour.
    private func noteUse(of key: StoredKey, at now: Timestamp) async {
        let hour = now.startOfHour
        guard key.usedAt != hour else { return }
        await noting("a key") { try $0.noteUse(ofKey: key.id, at: hour) }
    }

    /// Writes the last use of `what`, and logs a failure: reading must still work if the disk is full.
    func noting(_ what: String, _ body: @escaping @Sendable (StoreTransaction) throws -> Void) async {
        guard store.isWritable else { return }
        do {
            try await store.write(body)
        } catch {
            logger.error("the last use of \(what) could not be recorded", metadata: ["why": "\(error)"])
        }
    }

    /// Returns whether an unknown user named by a service may be created, which is the default.
    private static func mayCreate(_ credentials: Credentials) throws -> Bool {
        switch credentials.createsUser?.lowercased() {
        case nil, "true": true
        case "false": false
        default: throw Refusal(.malformed, "bad-header", "Waymark-User-Create must be true or false.")
        }
    }

    /// Returns the principal acting for the user that a service names.
    private func acting(
        _ caller: Caller,
        as named: String?,
        mayCreate: Bool,
        isWriting: Bool
    ) async throws -> Principal {
        let principal = caller.principal
        guard let named else { return principal }
        guard principal.isService else {
            throw Refusal(
                .forbidden,
                "scope-missing",
                "Only services may send Waymark-User; this token or key lacks the scope \(Scope.actAs.rawValue)."
            )
        }
        guard let user = UserID(named) else {
            throw Refusal(
                .malformed,
                "bad-user",
                "Waymark-User must be an id: 1 to 64 characters of A-Z, a-z, 0-9, dot, underscore and hyphen."
            )
        }
        if caller.named == nil {
            guard mayCreate else { throw Refusal.unknownUser }
            if isWriting { try await ensureUser(user, at: now()) }
        }
        var acting = Principal(
            viewer: caller.named ?? Viewer(user: user),
            scopes: principal.scopes,
            account: principal.account
        )
        acting.keyName = principal.keyName
        acting.viewer.service = principal.service
        return acting
    }

    private func ensureUser(_ user: UserID, at instant: Timestamp) async throws {
        try await store.write { try $0.ensureUser(user, at: instant) }
    }
}

extension Principal {
    /// Returns the user whom a request of a service names; `nil` if they are unknown, or if this is no service.
    fileprivate func viewer(named: UserID?, in transaction: StoreReader) throws -> Viewer? {
        guard isService, let named else { return nil }
        return try transaction.viewer(named)
    }
}
