import Crypto
import Formats
package import Storage
import Stories

/// A secret of an invitation: long, for its link, or short, to be read out and typed.
///
/// Only its digest is stored, and no comparison reveals how much of a guess was right.
package struct InvitationToken: Hashable, Sendable {
    /// The form of a secret.
    package enum Form: Sendable {
        /// 32 random bytes in base64url, 43 characters.
        case linked
        /// 12 digits, 60 bits: a guess among the invitations of seven days is hopeless, also without the limits of
        /// attempts. No code that signs in has this length.
        case typed
    }

    private static let typedLength = 12

    /// The text of the secret.
    package let text: String
    /// The form.
    package let form: Form

    /// Creates a random secret.
    package init(_ form: Form = .linked, from random: RandomSource) {
        self.form = form
        text =
            switch form {
            case .linked: Base64.encodeURL(random.bytes(32))
            case .typed: TypedDigits.random(InvitationToken.typedLength, from: random)
            }
    }

    /// Parses a token, or a code as people type it; returns `nil` unless it has the form of one.
    package init?(_ text: String) {
        let marks: [UInt8] = [UInt8(ascii: "-"), UInt8(ascii: "_")]
        if text.utf8.count == 43,
            text.utf8.allSatisfy({ byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || marks.contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            })
        {
            (self.text, form) = (text, .linked)
        } else if let digits = TypedDigits.read(text), digits.utf8.count == InvitationToken.typedLength {
            (self.text, form) = (digits, .typed)
        } else {
            return nil
        }
    }

    /// The text for people: a code in groups of four digits.
    package var shown: String {
        guard form == .typed else { return text }
        return "\(text.prefix(4))-\(text.dropFirst(4).prefix(4))-\(text.suffix(4))"
    }

    /// Returns the digest by which it is stored: 32 random bytes need no key, a short code has one outside the database.
    package func digest(keys: StoreKeys) -> [UInt8] { digest(key: keys[.tokens]) }

    /// Returns the digests by which it may be stored: under the present key and former ones that are still accepted.
    func digests(keys: StoreKeys, at now: Timestamp) -> [[UInt8]] {
        form == .linked ? [digest(keys: keys)] : keys.accepted(.tokens, at: now).map(digest(key:))
    }

    private func digest(key: [UInt8]) -> [UInt8] {
        switch form {
        case .linked:
            return Array(SHA256.hash(data: Array(text.utf8)))
        case .typed:
            let message = Array("waymark invitation code 1|\(text)".utf8)
            return Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
        }
    }
}

/// What the holders of an invitation by link need: the link's token, and the code that stands for it.
package struct InvitationSecrets: Sendable {
    /// The token of the link.
    package let token: InvitationToken
    /// The short code.
    package let code: InvitationToken

    /// Creates random secrets.
    package init(from random: RandomSource) {
        token = InvitationToken(.linked, from: random)
        code = InvitationToken(.typed, from: random)
    }

    /// The digests by which they are stored.
    func digests(keys: StoreKeys) -> [[UInt8]] { [token.digest(keys: keys), code.digest(keys: keys)] }
}
