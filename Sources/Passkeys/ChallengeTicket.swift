import Crypto
import Formats
package import Stories

/// A challenge with what has to be known about it, as the browser keeps it and returns it with the answer.
///
/// It is sealed by a code under a key of the service. So nothing is stored for a ceremony that is only begun, and
/// nobody can fill the memory by beginning many.
package struct ChallengeTicket: Hashable, Sendable {
    /// What a challenge may be answered for.
    package enum Purpose: UInt8, Sendable {
        /// To add a passkey to an account.
        case adding = 1
        /// To sign in.
        case signingIn = 2
    }

    /// The validity in seconds.
    package static let seconds = 300
    /// The size of a challenge and of a user handle in bytes.
    package static let challengeBytes = 32
    /// The size of a sealed ticket in bytes, before it is written as text.
    private static let size = 2 + 8 + 2 * challengeBytes + SHA256.byteCount

    /// What it may be answered for.
    package let purpose: Purpose
    /// The random bytes that the authenticator signs.
    package let challenge: [UInt8]
    /// The user handle for a new passkey: random bytes that are not the user's id; zeros for signing in.
    package let handle: [UInt8]
    /// When it expires.
    package let expiresAt: Timestamp

    /// Creates a ticket of 32 random bytes, for adding with a user handle of 32 bytes.
    package init(_ purpose: Purpose, challenge: [UInt8], handle: [UInt8]? = nil, at now: Timestamp) {
        self.purpose = purpose
        self.challenge = challenge
        self.handle = handle ?? [UInt8](repeating: 0, count: ChallengeTicket.challengeBytes)
        expiresAt = now.advanced(byMilliseconds: Int64(ChallengeTicket.seconds) * 1_000)
    }

    /// Returns the ticket as text, of base64url; only the holder of `binding`, such as a session, can use it.
    package func sealed(key: [UInt8], binding: String) -> String {
        let contents = contents
        let code = HMAC<SHA256>
            .authenticationCode(for: ChallengeTicket.message(contents, binding), using: SymmetricKey(data: key))
        return Base64.encodeURL(contents + Array(code))
    }

    /// Opens a ticket.
    ///
    /// - Throws: ``PasskeyError``: an unknown challenge if it was not sealed with this key, for this purpose and for this
    ///   binding; an expired one.
    package init(
        opening text: String,
        for purpose: Purpose,
        key: [UInt8],
        binding: String,
        at now: Timestamp
    ) throws(PasskeyError) {
        guard text.utf8.count <= 2 * ChallengeTicket.size, let bytes = Base64.decodeURL(text.utf8),
            bytes.count == ChallengeTicket.size
        else { throw .unknownChallenge }
        let contents = Array(bytes[..<(ChallengeTicket.size - SHA256.byteCount)])
        let isOurs = HMAC<SHA256>
            .isValidAuthenticationCode(
                bytes[contents.count...],
                authenticating: ChallengeTicket.message(contents, binding),
                using: SymmetricKey(data: key)
            )
        guard isOurs, contents[0] == ChallengeTicket.version, contents[1] == purpose.rawValue else {
            throw .unknownChallenge
        }
        self.purpose = purpose
        expiresAt = Timestamp(
            milliseconds: Int64(bitPattern: contents[2..<10].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        )
        challenge = Array(contents[10..<42])
        handle = Array(contents[42..<74])
        guard now < expiresAt else { throw .expiredChallenge }
    }

    private static let version: UInt8 = 1

    private var contents: [UInt8] {
        let end = UInt64(bitPattern: expiresAt.milliseconds)
        return [ChallengeTicket.version, purpose.rawValue]
            + (0..<8).map { UInt8(truncatingIfNeeded: end >> UInt64(56 - 8 * $0)) } + challenge + handle
    }

    private static func message(_ contents: [UInt8], _ binding: String) -> [UInt8] {
        Array("waymark passkey challenge 1|".utf8) + contents + Array(binding.utf8)
    }
}
