import Crypto
public import Stories

/// What the ledger remembers of one telling: a keyed digest, so that the database alone does not say who was where.
///
/// Neither device, time, radius nor the story's text is in it: the same content at the same place is told once.
public struct LedgerKey: Hashable, Sendable {
    /// 32 bytes of HMAC-SHA256.
    public let bytes: [UInt8]

    /// Creates the key of telling `user` about `story`.
    ///
    /// `locationEpoch` counts the moves of the story by more than 50 m: after such a move it may be told again.
    public init(secret: [UInt8], user: UserID, story: StoryID, locationEpoch: Int) {
        let message = "v1|\(user.rawValue)|\(story)|\(locationEpoch)"
        let code = HMAC<SHA256>.authenticationCode(for: Array(message.utf8), using: SymmetricKey(data: secret))
        bytes = Array(code)
    }

    /// The key that a ledger holds as these bytes; `nil` unless there are 32.
    public init?(stored bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }
}

/// Ids made from content by a keyed digest, so that a repetition agrees and nobody can guess one.
public enum KeyedID: Sendable {
    /// 128 bits of HMAC-SHA256 over `message`.
    public static func make(secret: [UInt8], message: [UInt8]) -> StoryID {
        let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: secret))
        let bytes = Array(code)
        func integer(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        return StoryID(high: integer(0..<8), low: integer(8..<16))
    }

    /// The id of an imported story, so that a repeated import agrees.
    public static func imported(secret: [UInt8], owner: UserID, source: String, sourceID: String) -> StoryID {
        // Lengths first: no two triples give the same bytes.
        let message = "story|\(owner.rawValue)|\(source.utf8.count)|\(source)|\(sourceID)"
        return make(secret: secret, message: Array(message.utf8))
    }
}
