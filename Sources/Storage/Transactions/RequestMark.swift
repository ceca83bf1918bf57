public import Stories
import Synchronization

/// A request with an `Idempotency-Key` that is being carried out: each of its writes records, in the same transaction, that
/// the request was carried out.
///
/// So a request whose commit is unknown, or whose answer was lost, is not carried out again: either both the change and the
/// record are stored, or neither is.
public final class RequestMark: Sendable {
    /// The request that the current task carries out; ``StoryStore/write(isUrgent:isLong:_:)`` records it.
    @TaskLocal public static var current: RequestMark?

    /// Whose key it is.
    public let owner: String
    /// The digest of route and key.
    public let key: [UInt8]
    /// The user whose data the request concerns, with whose account the record is erased; `nil` for an operator's request.
    public let user: UserID?
    /// The digest of the request.
    public let digest: [UInt8]
    /// When the request arrived.
    public let at: Timestamp
    private let recorded = Mutex(false)

    /// Creates a mark.
    public init(owner: String, key: [UInt8], user: UserID?, digest: [UInt8], at: Timestamp) {
        self.owner = owner
        self.key = key
        self.user = user
        self.digest = digest
        self.at = at
    }

    /// Whether a write that recorded it was committed.
    public var isRecorded: Bool { recorded.withLock(\.self) }

    func noteCommit() { recorded.withLock { $0 = true } }
}
