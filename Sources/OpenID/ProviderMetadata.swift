import Formats

/// What a provider's discovery document says (OpenID Connect Discovery 1.0).
public struct ProviderMetadata: Hashable, Sendable {
    /// The way in which this service proves to the token endpoint who it is.
    public enum ClientProof: Hashable, Sendable {
        /// The secret in the `Authorization` header.
        case basic
        /// The secret in the body.
        case body
    }

    /// The maximum size of the document in bytes.
    public static let mostBytes = 65_536

    /// The issuer, exactly as configured.
    public let issuer: String
    /// The page to which browsers are sent.
    public let authorization: ProviderURL
    /// The address that exchanges codes.
    public let token: ProviderURL
    /// The address of the provider's keys.
    public let keys: ProviderURL
    /// How the client's secret is sent.
    public let proof: ClientProof
    /// Whether every answer names its issuer (RFC 9207).
    public let namesIssuer: Bool

    /// Returns the address of the discovery document of an issuer.
    public static func address(of issuer: ProviderURL) -> String {
        (issuer.text.hasSuffix("/") ? String(issuer.text.dropLast()) : issuer.text)
            + "/.well-known/openid-configuration"
    }

    /// Reads the document of an issuer.
    ///
    /// An unencrypted address is accepted of an issuer on this machine alone.
    ///
    /// - Throws: ``OpenIDError/metadata(_:)`` naming the member that is missing or wrong.
    public init(parsing bytes: [UInt8], issuer: ProviderURL) throws(OpenIDError) {
        guard
            let json = try? JSONValue(
                parsing: bytes,
                limits: .init(bytes: ProviderMetadata.mostBytes, depth: 16, allowsRepeatedNames: false)
            ), json.object != nil
        else { throw .metadata("JSON object") }
        // The comparison that keeps one provider from speaking for another.
        guard json["issuer"]?.string == issuer.text else { throw .metadata("issuer equal to the configured one") }
        func address(_ name: String) throws(OpenIDError) -> ProviderURL {
            guard let url = json[name]?.string.flatMap({ ProviderURL($0) }), url.isEncrypted || !issuer.isEncrypted
            else { throw .metadata(name) }
            return url
        }
        self.issuer = issuer.text
        authorization = try address("authorization_endpoint")
        token = try address("token_endpoint")
        keys = try address("jwks_uri")
        // Absent, only the header is sure to work.
        let proofs = ProviderMetadata.texts(json["token_endpoint_auth_methods_supported"]) ?? ["client_secret_basic"]
        if proofs.contains("client_secret_basic") || proofs.contains("none") && !proofs.contains("client_secret_post") {
            proof = .basic
        } else if proofs.contains("client_secret_post") {
            proof = .body
        } else {
            throw .metadata("token_endpoint_auth_methods_supported (client_secret_basic or client_secret_post)")
        }
        if let methods = ProviderMetadata.texts(json["code_challenge_methods_supported"]), !methods.contains("S256") {
            throw .metadata("code_challenge_methods_supported (S256)")
        }
        namesIssuer = json["authorization_response_iss_parameter_supported"]?.bool ?? false
    }

    private static func texts(_ value: JSONValue?) -> [String]? { value?.array?.compactMap(\.string) }
}
