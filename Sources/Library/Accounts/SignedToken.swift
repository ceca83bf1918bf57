import Formats

/// A parsed JSON Web Token (RFC 7519); nothing in it has been verified yet.
struct SignedToken: Sendable {
    /// The maximum size of a token that is parsed, in bytes.
    static let maximumBytes = 8_192

    /// The value of `alg`.
    let algorithm: String
    /// The value of `kid`.
    let keyID: String
    /// The claims, not yet verified.
    let claims: [String: JSONValue]
    /// The signed bytes: header and claims as they were sent.
    let signedBytes: [UInt8]
    /// The signature.
    let signature: [UInt8]

    /// Parses a token; returns `nil` unless it is a signed access token in the strict form described here.
    ///
    /// Rejects a token of more than 8 KiB, without exactly three parts, or with base64url that is not strict; a header
    /// or claims that are not JSON objects or repeat a name; a missing `alg` or `kid`; a `typ` other than `at+jwt` (RFC
    /// 9068); and `crit`, because no extension is supported. `jku`, `jwk`, `x5u` and `x5c` are ignored: keys come only
    /// from the operator.
    init?(parsing text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count <= SignedToken.maximumBytes else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = SignedToken.object(parts[0]), let claims = SignedToken.object(parts[1]),
            let signature = Base64.decodeURL(parts[2]), header["crit"] == nil
        else { return nil }
        guard let algorithm = header["alg"]?.string, let keyID = header["kid"]?.string,
            let type = header["typ"]?.string?.lowercased(), type == "at+jwt" || type == "application/at+jwt"
        else { return nil }
        // Swift treats canonically equivalent strings as equal; with ASCII ids only, just the same bytes find a key.
        guard keyID.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        self.algorithm = algorithm
        self.keyID = keyID
        self.claims = claims
        self.signature = signature
        signedBytes = Array(bytes.prefix(parts[0].count + 1 + parts[1].count))
    }

    private static func object(_ part: some Sequence<UInt8>) -> [String: JSONValue]? {
        guard let bytes = Base64.decodeURL(part), bytes.first == UInt8(ascii: "{") else { return nil }
        let limits = JSONValue.Limits(bytes: maximumBytes, depth: 8, allowsRepeatedNames: false)
        return (try? JSONValue(parsing: bytes, limits: limits))?.object
    }
}
