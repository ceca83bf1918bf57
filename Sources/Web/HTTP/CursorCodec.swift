import Crypto
import Formats
import Library
package import Storage
package import Stories
package import StoryMap

/// Encodes positions in a list as opaque texts that are valid only for one viewer and one query.
package struct CursorCodec: Sendable {
    private let keys: StoreKeys
    private let now: @Sendable () -> Timestamp

    /// Creates a codec under the key of cursors; those made with a former key are taken as long as it is accepted.
    package init(keys: StoreKeys, now: @escaping @Sendable () -> Timestamp) {
        self.keys = keys
        self.now = now
    }

    /// Returns the scope of a cursor: the viewer or the link, the path, and the query without the cursor and the page size.
    package func scope(of call: Call) -> String {
        let query = call.query.texts(without: Paging.names)
            .map { "\($0.key)=\($0.value.joined(separator: "\u{1F}"))" }.sorted()
        // No id of a user contains a colon.
        let viewer = call.principal.link.map { "link:" + $0.id } ?? call.viewer.user?.rawValue ?? ""
        return ([viewer, call.path] + query).joined(separator: "\u{1E}")
    }

    /// Returns the text of a cursor: 40 bytes in base64url.
    package func encode(_ cursor: ListCursor, scope: String) -> String {
        var bytes: [UInt8] = []
        for value in [UInt64(bitPattern: cursor.createdAt.milliseconds), cursor.id.high, cursor.id.low] {
            withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
        }
        bytes += CursorCodec.code(of: bytes, scope: scope, key: keys[.cursors])
        return Base64.encodeURL(bytes)
    }

    /// Returns the cursor in a text encoded by ``encode(_:scope:)`` for the same scope; `nil` for any other text.
    package func decode(_ text: String, scope: String) -> ListCursor? {
        guard let bytes = Base64.decodeURL(text.utf8), bytes.count == 40 else { return nil }
        let (said, code) = (Array(bytes[..<24]), Array(bytes[24...]))
        let isOurs = keys.accepted(.cursors, at: now())
            .contains { CursorCodec.code(of: said, scope: scope, key: $0) == code }
        guard isOurs else { return nil }
        func integer(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        return ListCursor(
            createdAt: Timestamp(milliseconds: Int64(bitPattern: integer(0..<8))),
            id: StoryID(high: integer(8..<16), low: integer(16..<24))
        )
    }

    private static func code(of bytes: [UInt8], scope: String, key: [UInt8]) -> [UInt8] {
        let code = HMAC<SHA256>
            .authenticationCode(for: bytes + Array(scope.utf8), using: SymmetricKey(data: key))
        return Array(code.prefix(16))
    }
}
