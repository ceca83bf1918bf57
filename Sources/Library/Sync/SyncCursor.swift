import Crypto
import Formats
package import Storage
package import Stories

/// The sync state of a client: the instant up to which it knows everything, and its position within a sync.
package struct SyncCursor: Hashable, Sendable {
    /// The instant up to which the client knew everything when the sync began; `nil` if it knew nothing.
    package var since: Timestamp?
    /// The instant up to which the client will know everything when the sync ends; `nil` between syncs.
    package var target: Timestamp?
    /// The last story that the client received in this sync.
    package var position: StoryID?
    /// What marks of its own the client knew when the sync began; `nil` if it knew none.
    package var marks: MarkDigests?
    /// Which collections the client knew when the sync began; `nil` if it knew none.
    package var collections: CollectionDigest?

    /// The earliest instant that the answer depends on.
    package var earliest: Timestamp? { [since, target].compactMap { $0 }.min() }
}

/// Converts sync cursors to opaque texts and back, valid for one viewer only.
///
/// A text contains the times of answers and an id that the viewer was given: nothing that depends on other users, not
/// even on whether someone is writing.
package struct SyncCursorCodec: Sendable {
    private let keys: StoreKeys
    private let now: @Sendable () -> Timestamp

    /// Creates a codec under the key of cursors; those made with a former key are taken as long as it is accepted.
    package init(keys: StoreKeys, now: @escaping @Sendable () -> Timestamp) {
        self.keys = keys
        self.now = now
    }

    /// The length of what is always encoded.
    private static let length = 33

    /// Returns the text of a cursor: 49 bytes in base64url, up to 81 with marks and collections.
    package func encode(_ cursor: SyncCursor, viewer: Viewer) -> String {
        let flags: [UInt8] = [
            cursor.since == nil ? 0 : 1, cursor.target == nil ? 0 : 2, cursor.position == nil ? 0 : 4,
            cursor.marks == nil ? 0 : 8, cursor.collections == nil ? 0 : 16,
        ]
        var bytes = [flags.reduce(0, |)]
        for instant in [cursor.since, cursor.target] {
            append(UInt64(bitPattern: instant?.milliseconds ?? 0), to: &bytes)
        }
        append(cursor.position?.high ?? 0, to: &bytes)
        append(cursor.position?.low ?? 0, to: &bytes)
        bytes += cursor.marks?.bytes ?? []
        bytes += cursor.collections?.bytes ?? []
        bytes += SyncCursorCodec.code(of: bytes, viewer: viewer, key: keys[.cursors])
        return Base64.encodeURL(bytes)
    }

    /// Returns the cursor of a text made by ``encode(_:viewer:)`` for this viewer; `nil` for any other text.
    package func decode(_ text: String, viewer: Viewer) -> SyncCursor? {
        guard let bytes = Base64.decodeURL(text.utf8), let flags = bytes.first else { return nil }
        let marksEnd = SyncCursorCodec.length + (flags & 8 == 0 ? 0 : MarkDigests.length)
        let length = marksEnd + (flags & 16 == 0 ? 0 : CollectionDigest.length)
        guard bytes.count == length + 16 else { return nil }
        let payload = Array(bytes[..<length])
        let code = Array(bytes[length...])
        let isOurs = keys.accepted(.cursors, at: now())
            .contains { SyncCursorCodec.code(of: payload, viewer: viewer, key: $0) == code }
        guard isOurs else { return nil }
        func integer(_ start: Int) -> UInt64 { payload[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        func instant(_ start: Int) -> Timestamp { Timestamp(milliseconds: Int64(bitPattern: integer(start))) }
        return SyncCursor(
            since: payload[0] & 1 == 0 ? nil : instant(1),
            target: payload[0] & 2 == 0 ? nil : instant(9),
            position: payload[0] & 4 == 0 ? nil : StoryID(high: integer(17), low: integer(25)),
            marks: MarkDigests(payload[SyncCursorCodec.length..<marksEnd]),
            collections: CollectionDigest(payload[marksEnd...])
        )
    }

    private func append(_ value: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private static func code(of bytes: [UInt8], viewer: Viewer, key: [UInt8]) -> [UInt8] {
        // No user id is empty, so the anonymous viewer has a scope of its own.
        let scope = "changes\u{1E}" + (viewer.user?.rawValue ?? "")
        let code = HMAC<SHA256>
            .authenticationCode(for: bytes + Array(scope.utf8), using: SymmetricKey(data: key))
        return Array(code.prefix(16))
    }
}
