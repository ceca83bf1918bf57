import Crypto
package import Storage
package import Stories

/// A code that signs one person in once: short, to be read out and typed, or long, to be followed in a link.
///
/// It is written in ``TypedDigits``. Only a digest under a key outside the database is stored.
package struct SignInCode: Sendable {
    /// The number of characters of a code.
    package enum Length: Int, CaseIterable, Sendable {
        /// 50 bits; attempts are limited for all callers together.
        case typed = 10
        /// 130 bits; nobody guesses it.
        case linked = 26
    }

    /// The characters, in upper case and without hyphens.
    package let text: String
    /// The length.
    package let length: Length

    /// Creates a random code.
    package init(_ length: Length, random: RandomSource) {
        text = TypedDigits.random(length.rawValue, from: random)
        self.length = length
    }

    /// Parses a code as people type it, see ``TypedDigits``; returns `nil` if it cannot be a code.
    package init?(typed: String) {
        guard let digits = TypedDigits.read(typed), let length = Length(rawValue: digits.utf8.count) else { return nil }
        (text, self.length) = (digits, length)
    }

    /// The code in two halves joined by a hyphen, for people.
    package var shown: String {
        guard length == .typed else { return text }
        return "\(text.prefix(5))-\(text.suffix(5))"
    }

    /// Returns the digest by which it is stored.
    package func digest(keys: StoreKeys) -> [UInt8] { digest(key: keys[.tokens]) }

    /// Returns the code as it is stored, also under a former key that is still accepted; `nil` if it is not known.
    ///
    /// - Throws: `StoreError` if the database fails.
    package func stored(in reader: StoreReader, keys: StoreKeys, at now: Timestamp) throws -> StoredSignInCode? {
        for key in keys.accepted(.tokens, at: now) {
            if let found = try reader.signInCode(digest(key: key)) { return found }
        }
        return nil
    }

    private func digest(key: [UInt8]) -> [UInt8] {
        let message = Array("waymark sign-in code 1|\(text)".utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}
