package import OpenID

/// Speaks with the provider: reads what it says about itself, and exchanges codes for identities.
///
/// What the provider says about itself is kept for an hour. Neither a failing provider nor tokens with made-up key ids
/// make this service ask for it more often than ``pause`` allows.
package final class ProviderClient: Sendable {
    /// How long the discovery document and the keys are kept, in milliseconds.
    package static let kept: Int64 = 3_600_000
    /// The shortest time between two requests for the same document, in milliseconds.
    package static let pause: Int64 = 10_000

    /// The settings of the operator.
    package let settings: ProviderSettings
    private let transport: any ProviderTransport
    private let metadata: ProviderShelf<ProviderMetadata>
    private let keys: ProviderShelf<ProviderKeys>

    /// Creates a client; `lasting` is a clock in milliseconds that never jumps.
    package init(
        _ settings: ProviderSettings,
        transport: any ProviderTransport,
        lasting: @escaping @Sendable () -> Int64
    ) {
        let issuer = settings.issuer
        let metadata = ProviderShelf(keptFor: ProviderClient.kept, pause: ProviderClient.pause, lasting: lasting) {
            let url = ProviderMetadata.address(of: issuer)
            return try ProviderMetadata(
                parsing: try await ProviderClient.body(of: url, "discovery document", through: transport),
                issuer: issuer
            )
        }
        keys = ProviderShelf(keptFor: ProviderClient.kept, pause: ProviderClient.pause, lasting: lasting) {
            let url = try await metadata.current().keys.text
            return try await ProviderKeys(parsing: try await ProviderClient.body(of: url, "keys", through: transport))
        }
        self.settings = settings
        self.transport = transport
        self.metadata = metadata
    }

    /// Returns the address to which a browser is sent to sign in.
    ///
    /// - Throws: ``ProviderOutage``; `OpenIDError` if the discovery document is wrong.
    package func authorizationAddress(of attempt: SignInAttempt, redirect: String) async throws -> String {
        try await metadata.current().authorizationAddress(of: attempt, for: client(redirect))
    }

    /// Returns who signed in, by the answer that the browser brought back; `now` tells the time in seconds since 1970.
    ///
    /// - Throws: ``ProviderOutage``; `OpenIDError` if anything is wrong.
    package func identity(
        by answer: AuthorizationAnswer,
        to attempt: SignInAttempt,
        redirect: String,
        now: @Sendable () -> Double
    ) async throws -> ProviderIdentity {
        let provider = try await metadata.current()
        let code = try answer.code(for: attempt, of: provider)
        let text = try await idToken(for: code, attempt, client(redirect), provider)
        let token = try IDToken(parsing: text)
        let expected = IDToken.Expectation(
            issuer: provider.issuer,
            audience: settings.clientID,
            nonce: attempt.nonce,
            time: now()
        )
        do {
            return try token.identity(keys: try await keys.current(), expected)
        } catch OpenIDError.token(.unknownKey) {
            // The provider may have a new key since: asking again is worth it, once.
            guard let newer = try await keys.newer() else { throw OpenIDError.token(.unknownKey) }
            return try token.identity(keys: newer, expected)
        }
    }

    private func idToken(
        for code: String,
        _ attempt: SignInAttempt,
        _ client: ProviderClientID,
        _ provider: ProviderMetadata
    ) async throws -> String {
        let exchange = TokenExchange(code: code, attempt: attempt, client: client, proof: provider.proof)
        var request = ProviderRequest(url: provider.token.text)
        request.authorization = exchange.authorization
        request.form = exchange.form
        let reply = try await transport.send(request)
        // A code that is unknown, used up or of another client is answered with 400 (RFC 6749 §5.2).
        guard reply.status != 400 else { throw OpenIDError.exchange }
        guard reply.status == 200 else { throw ProviderOutage("token endpoint: status \(reply.status)") }
        return try TokenExchange.idToken(in: reply.body)
    }

    private func client(_ redirect: String) -> ProviderClientID {
        ProviderClientID(id: settings.clientID, secret: settings.secret, redirect: redirect)
    }

    private static func body(
        of url: String,
        _ what: String,
        through transport: any ProviderTransport
    ) async throws -> [UInt8] {
        let reply = try await transport.send(ProviderRequest(url: url))
        guard reply.status == 200 else { throw ProviderOutage("\(what): status \(reply.status)") }
        return reply.body
    }
}
