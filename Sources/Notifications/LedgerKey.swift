import Crypto
public import Stories

/// The ledger's record of one announcement: a keyed digest, so that the database alone does not reveal who was where.
///
/// It excludes device, time, radius and the story's text: the same content at the same place is announced once.
///
/// It excludes the place too: what is announced is the story. A story with ten places is announced at the one that is
/// reached first, and at the other nine no more; see ``LocationEpoch/silencing(_:isFurther:)``.
public struct LedgerKey: Hashable, Sendable {
    /// 32 bytes of HMAC-SHA256.
    public let bytes: [UInt8]

    /// Creates the key for announcing `story` to `user`.
    ///
    /// `locationEpoch` counts the story's moves of more than 50 m: after such a move it may be announced again.
    public init(secret: [UInt8], user: UserID, story: StoryID, locationEpoch: Int) {
        let message = "v1|\(user.rawValue)|\(story)|\(locationEpoch)"
        let code = HMAC<SHA256>.authenticationCode(for: Array(message.utf8), using: SymmetricKey(data: secret))
        bytes = Array(code)
    }

    /// Creates a key from stored bytes; `nil` unless there are 32.
    public init?(stored bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }
}

/// Ids derived from content by a keyed digest: repeatable, but not guessable.
public enum KeyedID: Sendable {
    /// Returns 128 bits of HMAC-SHA256 over `message`.
    public static func make(secret: [UInt8], message: [UInt8]) -> StoryID {
        let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: secret))
        let bytes = Array(code)
        func integer(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        return StoryID(high: integer(0..<8), low: integer(8..<16))
    }

    /// Returns the id of an imported story, the same for a repeated import.
    public static func imported(secret: [UInt8], owner: UserID, source: String, sourceID: String) -> StoryID {
        // The length of `source` precedes it, so no two combinations of owner, source and id give the same bytes.
        let message = "story|\(owner.rawValue)|\(source.utf8.count)|\(source)|\(sourceID)"
        return make(secret: secret, message: Array(message.utf8))
    }
}
