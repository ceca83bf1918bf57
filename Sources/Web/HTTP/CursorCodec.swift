import Crypto
import Formats
package import Library
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
        seal(CursorCodec.numbers(of: cursor), scope: scope)
    }

    /// Returns the cursor in a text encoded by ``encode(_:scope:)`` for the same scope; `nil` for any other text.
    package func decode(_ text: String, scope: String) -> ListCursor? {
        open(text, count: 3, scope: scope).map { CursorCodec.cursor(of: $0[...]) }
    }

    /// Returns the text of a position in a list of further places: 72 bytes in base64url.
    package func encode(_ cursor: PlaceCursor, scope: String) -> String {
        let stories = cursor.stories ?? CursorCodec.beginning
        let (story, place) = (cursor.story ?? CursorCodec.none, cursor.place ?? CursorCodec.none)
        return seal(CursorCodec.numbers(of: stories) + [story.high, story.low, place.high, place.low], scope: scope)
    }

    /// Returns the position in a text encoded by ``encode(_:scope:)`` for the same scope; `nil` for any other text.
    package func decodePlace(_ text: String, scope: String) -> PlaceCursor? {
        guard let numbers = open(text, count: 7, scope: scope) else { return nil }
        let stories = CursorCodec.cursor(of: numbers[..<3])
        let ids = [StoryID(high: numbers[3], low: numbers[4]), StoryID(high: numbers[5], low: numbers[6])]
            .map { (id: StoryID) -> StoryID? in id == CursorCodec.none ? nil : id }
        return PlaceCursor(
            stories: stories == CursorCodec.beginning ? nil : stories,
            story: ids[0],
            place: ids[1]
        )
    }

    /// What stands for no id; nothing has this one.
    private static let none = StoryID(high: 0, low: 0)
    /// What stands for the beginning of the list of stories; none is that new.
    private static let beginning = ListCursor(createdAt: Timestamp(milliseconds: .max), id: none)

    private static func numbers(of cursor: ListCursor) -> [UInt64] {
        [UInt64(bitPattern: cursor.createdAt.milliseconds), cursor.id.high, cursor.id.low]
    }

    /// Returns the cursor of three numbers.
    private static func cursor(of numbers: ArraySlice<UInt64>) -> ListCursor {
        let first = numbers.startIndex
        return ListCursor(
            createdAt: Timestamp(milliseconds: Int64(bitPattern: numbers[first])),
            id: StoryID(high: numbers[first + 1], low: numbers[first + 2])
        )
    }

    /// Returns numbers with a code that only this service can make.
    private func seal(_ numbers: [UInt64], scope: String) -> String {
        var bytes: [UInt8] = []
        for value in numbers { withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) } }
        bytes += CursorCodec.code(of: bytes, scope: scope, key: keys[.cursors])
        return Base64.encodeURL(bytes)
    }

    /// Returns the `count` numbers that this service sealed for the same scope.
    private func open(_ text: String, count: Int, scope: String) -> [UInt64]? {
        guard let bytes = Base64.decodeURL(text.utf8), bytes.count == count * 8 + 16 else { return nil }
        let (said, code) = (Array(bytes[..<(count * 8)]), Array(bytes[(count * 8)...]))
        let isOurs = keys.accepted(.cursors, at: now())
            .contains { CursorCodec.code(of: said, scope: scope, key: $0) == code }
        guard isOurs else { return nil }
        return (0..<count)
            .map { index in said[(index * 8)..<(index * 8 + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    }

    private static func code(of bytes: [UInt8], scope: String, key: [UInt8]) -> [UInt8] {
        let code = HMAC<SHA256>
            .authenticationCode(for: bytes + Array(scope.utf8), using: SymmetricKey(data: key))
        return Array(code.prefix(16))
    }
}
