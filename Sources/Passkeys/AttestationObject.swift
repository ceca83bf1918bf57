/// Finds the authenticator's data in the CBOR map that a browser returns for a new passkey (WebAuthn §6.5.4).
///
/// Written here because libfido2 reads this map only from version 1.13 on, and Debian 12 has 1.12. It reads no more than
/// the map itself: texts, byte strings, and what has to be skipped.
struct AttestationObject: Sendable {
    /// The maximum size of an attestation object in bytes.
    static let maxBytes = 16_384

    /// The authenticator's data.
    let authenticatorData: [UInt8]

    /// Reads the whole object.
    ///
    /// The statement of the authenticator's maker is skipped: the service asks for none (`attestation: "none"`), and
    /// would trust none.
    ///
    /// - Throws: ``PasskeyError/unreadable`` if anything is missing, repeated, or left over.
    init(_ bytes: [UInt8]) throws(PasskeyError) {
        guard bytes.count <= AttestationObject.maxBytes else { throw .unreadable }
        var reader = CBORReader(bytes)
        var (data, hasFormat, hasStatement): ([UInt8]?, Bool, Bool) = (nil, false, false)
        let head = try reader.head()
        guard head.major == .map, head.argument == 3 else { throw .unreadable }
        for _ in 0..<3 {
            switch try reader.text() {
            case "fmt" where !hasFormat:
                _ = try reader.text()
                hasFormat = true
            case "attStmt" where !hasStatement:
                guard reader.next == .map else { throw .unreadable }
                try reader.skip()
                hasStatement = true
            case "authData" where data == nil: data = try reader.data()
            default: throw .unreadable
            }
        }
        guard let data, reader.isAtEnd else { throw .unreadable }
        authenticatorData = data
    }
}
