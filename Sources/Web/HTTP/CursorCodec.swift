import Crypto
import Formats
import Library
import Stories
package import StoryMap

/// Encodes positions in a list as opaque texts that are valid only for one viewer and one query.
package struct CursorCodec: Sendable {
    private let key: SymmetricKey

    package init(secret: [UInt8]) {
        key = SymmetricKey(data: secret)
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
        bytes += code(of: bytes, scope: scope)
        return Base64.encodeURL(bytes)
    }

    /// Returns the cursor in a text encoded by ``encode(_:scope:)`` for the same scope; `nil` for any other text.
    package func decode(_ text: String, scope: String) -> ListCursor? {
        guard let bytes = Base64.decodeURL(text.utf8), bytes.count == 40 else { return nil }
        guard code(of: Array(bytes[..<24]), scope: scope) == Array(bytes[24...]) else { return nil }
        func integer(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        return ListCursor(
            createdAt: Timestamp(milliseconds: Int64(bitPattern: integer(0..<8))),
            id: StoryID(high: integer(8..<16), low: integer(16..<24))
        )
    }

    private func code(of bytes: [UInt8], scope: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes + Array(scope.utf8), using: key).prefix(16))
    }
}
