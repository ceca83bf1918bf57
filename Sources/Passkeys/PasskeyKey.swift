import CFido2

/// The public key of a passkey.
package struct PasskeyKey: Hashable, Sendable {
    /// The kinds of signatures, by their numbers in the COSE registry; the first is asked for first.
    package enum Algorithm: Int, CaseIterable, Sendable {
        /// ECDSA on P-256 with SHA-256; every authenticator knows it.
        case es256 = -7
        /// Ed25519.
        case edDSA = -8
        /// RSASSA-PKCS1-v1_5 with SHA-256 and 2,048 bits, for TPMs.
        case rs256 = -257
    }

    /// The kind of signatures.
    package let algorithm: Algorithm
    /// The key in the form that libfido2 takes and gives: both coordinates (ES256), the 32 bytes of RFC 8032 (EdDSA), or
    /// modulus and exponent (RS256).
    package let bytes: [UInt8]

    /// Creates a key from its parts, unchecked.
    package init(_ algorithm: Algorithm, _ bytes: [UInt8]) {
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Whether it is a valid key.
    var isValid: Bool { withPointer { _ in true } ?? false }

    /// Runs `body` with the key as libfido2 holds it; returns `nil` if it is not a valid key.
    func withPointer<Value>(_ body: (UnsafeRawPointer) -> Value) -> Value? {
        switch algorithm {
        case .es256:
            guard var key = es256_pk_new() as OpaquePointer? else { return nil }
            defer { free(&key, es256_pk_free) }
            guard es256_pk_from_ptr(key, bytes, bytes.count) == FIDO_OK else { return nil }
            return body(UnsafeRawPointer(key))
        case .edDSA:
            guard var key = eddsa_pk_new() as OpaquePointer? else { return nil }
            defer { free(&key, eddsa_pk_free) }
            guard eddsa_pk_from_ptr(key, bytes, bytes.count) == FIDO_OK else { return nil }
            return body(UnsafeRawPointer(key))
        case .rs256:
            guard var key = rs256_pk_new() as OpaquePointer? else { return nil }
            defer { free(&key, rs256_pk_free) }
            guard rs256_pk_from_ptr(key, bytes, bytes.count) == FIDO_OK else { return nil }
            return body(UnsafeRawPointer(key))
        }
    }

    private func free(_ key: inout OpaquePointer, _ release: (UnsafeMutablePointer<OpaquePointer?>?) -> Void) {
        var pointer: OpaquePointer? = key
        release(&pointer)
    }
}
