import Crypto
import Formats

/// The secret in the link of an invitation: 32 random bytes in base64url.
///
/// It is looked up by its SHA-256. Nothing else of it is stored, and no comparison reveals how much of a guess was
/// right.
package struct InvitationToken: Sendable {
    /// The text of the token, 43 characters.
    package let text: String

    /// Creates a random token.
    package init(from random: RandomSource) {
        text = Base64.encodeURL(random.bytes(32))
    }

    /// Parses a token; returns `nil` unless it has the form of one.
    package init?(_ text: String) {
        let marks: [UInt8] = [UInt8(ascii: "-"), UInt8(ascii: "_")]
        guard text.utf8.count == 43,
            text.utf8.allSatisfy({ byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || marks.contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            })
        else { return nil }
        self.text = text
    }

    /// SHA-256 of the text.
    package var hash: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}
