import Crypto
import Formats
import Storage
package import Stories

/// A collection as a client keeps it: with the order of its stories.
package struct SyncedCollection: Hashable, Sendable {
    /// The maximum number of collections that a sync carries, the newest ones.
    package static let limit = 500

    /// The collection.
    package let collection: StoryCollection
    /// The stories that have a place in its order, as far as the viewer may see them and has not hidden them.
    package let order: [StoryID]

    /// Returns the collections that a viewer may see, newest first, at most ``limit``.
    static func all(for viewer: Viewer, in transaction: StoreReader) throws -> [SyncedCollection] {
        let found = try transaction.collections(visibleTo: viewer, limit: limit)
        let orders = try transaction.storyOrders(of: found, viewer: viewer)
        return found.map { SyncedCollection(collection: $0, order: orders[$0.id] ?? []) }
    }
}

/// Tells whether the collections that a viewer may see changed, without a record of their changes: what becomes
/// invisible counts as deleted.
package struct CollectionDigest: Hashable, Sendable {
    /// The length in bytes.
    static let length = 8

    let bytes: [UInt8]

    /// Digests collections, with the order of their stories.
    init(_ collections: [SyncedCollection]) {
        var hash = SHA256()
        // Each part goes with its length, so that no two lists of parts look alike.
        func add(_ part: String?) {
            let bytes = Array((part ?? "").utf8)
            withUnsafeBytes(of: Int64(part == nil ? -1 : bytes.count).bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: bytes)
        }
        for entry in collections {
            let collection = entry.collection
            for part in [
                collection.id.rawValue, collection.owner.rawValue, collection.title, collection.text,
                collection.privacy.rawValue, collection.family?.rawValue, "\(entry.order.count)",
            ] {
                add(part)
            }
            for story in entry.order { add(story.description) }
        }
        bytes = Array(hash.finalize().prefix(CollectionDigest.length))
    }

    /// Reads ``bytes``; `nil` for another length.
    init?(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
        guard self.bytes.count == CollectionDigest.length else { return nil }
    }
}
