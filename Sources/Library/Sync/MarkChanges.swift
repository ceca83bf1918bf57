import Crypto
import Storage
package import Stories

/// The marks of a user that changed since their last sync: lists that take the place of the client's.
package struct MarkChanges: Hashable, Sendable {
    /// All favourites; `nil` if they are the same as before.
    package let favourites: [StoryID]?
    /// All hidden stories; `nil` if they are the same as before.
    package let hidden: [StoryID]?
    /// The stories viewed last; `nil` if they are the same as before.
    package let viewed: [StoryID]?

    /// Compares the marks with those that a client knows; `nil` if it knows them all.
    init?(_ marks: StoryMarks, since known: MarkDigests?) {
        let now = MarkDigests(marks)
        guard now != known else { return nil }
        favourites = now.favourites == known?.favourites ? nil : marks.favourites
        hidden = now.hidden == known?.hidden ? nil : marks.hidden
        viewed = now.viewed == known?.viewed ? nil : marks.viewed
    }
}

/// Tells whether a user's marks changed, without a record of their changes: what becomes invisible counts as unmarked.
package struct MarkDigests: Hashable, Sendable {
    /// The length in bytes.
    static let length = 3 * part
    private static let part = 8

    fileprivate let favourites: [UInt8]
    fileprivate let hidden: [UInt8]
    fileprivate let viewed: [UInt8]

    /// Digests marks.
    init(_ marks: StoryMarks) {
        favourites = MarkDigests.digest(of: marks.favourites)
        hidden = MarkDigests.digest(of: marks.hidden)
        viewed = MarkDigests.digest(of: marks.viewed)
    }

    /// Reads ``bytes``; `nil` for another length.
    init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == MarkDigests.length else { return nil }
        favourites = Array(bytes[..<MarkDigests.part])
        hidden = Array(bytes[MarkDigests.part..<2 * MarkDigests.part])
        viewed = Array(bytes[(2 * MarkDigests.part)...])
    }

    var bytes: [UInt8] { favourites + hidden + viewed }

    private static func digest(of stories: [StoryID]) -> [UInt8] {
        var hash = SHA256()
        for story in stories {
            for part in [story.high, story.low] {
                withUnsafeBytes(of: part.bigEndian) { hash.update(bufferPointer: $0) }
            }
        }
        return Array(hash.finalize().prefix(part))
    }
}
