import Formats

/// The request that exchanges a code for an ID token, and its answer.
public struct TokenExchange: Hashable, Sendable {
    /// The maximum size of the answer in bytes.
    public static let mostBytes = 131_072
    /// The maximum size of an ID token in bytes.
    public static let mostTokenBytes = 65_536

    /// The value of the `Authorization` header; `nil` for none.
    public let authorization: String?
    /// The body, as a form.
    public let form: String

    /// Creates the request for a code.
    public init(
        code: String,
        attempt: SignInAttempt,
        client: ProviderClientID,
        proof: ProviderMetadata.ClientProof
    ) {
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", client.redirect),
            ("code_verifier", attempt.verifier),
        ]
        if let secret = client.secret, proof == .basic {
            // RFC 6749 §2.3.1: both are encoded as in a form first.
            let pair = FormText.escaped(client.id) + ":" + FormText.escaped(secret)
            authorization = "Basic " + Base64.encode(Array(pair.utf8))
        } else {
            authorization = nil
            fields.append(("client_id", client.id))
            if let secret = client.secret { fields.append(("client_secret", secret)) }
        }
        form = FormText.encode(fields)
    }

    /// Returns the ID token of an answer; the access token is not looked at, because nothing is asked with it.
    ///
    /// - Throws: ``OpenIDError/exchange`` if there is none.
    public static func idToken(in bytes: [UInt8]) throws(OpenIDError) -> String {
        guard
            let json = try? JSONValue(
                parsing: bytes,
                limits: .init(bytes: mostBytes, depth: 16, allowsRepeatedNames: false)
            ), let token = json["id_token"]?.string, (1...mostTokenBytes).contains(token.utf8.count)
        else { throw .exchange }
        return token
    }
}
