import Crypto
import Geometry
import Stories
import StoryMap
import Synchronization

/// What parts of the map look like, as digests, so that those who look at the same are counted once.
final class MapViews: Sendable {
    private static let most = 4_096
    private let known = Mutex<[[UInt8]: [UInt8]]>([:])

    func startAnew() { known.withLock { $0.removeAll(keepingCapacity: true) } }

    /// The digest of what a question finds in a window: the markers, and the newest stories of the list beside them.
    ///
    /// `version` is that of the question: with the same one the digest is the same.
    func digest(
        of window: StoryLibrary.MapWindow,
        _ question: StoryLibrary.MapQuestion,
        version: [UInt8],
        in library: StoryLibrary
    ) -> [UInt8] {
        let key = Array(SHA256.hash(data: version))
        if let found = known.withLock({ $0[key] }) { return found }
        let digest = MapViews.look(at: window, question, in: library)
        known.withLock { known in
            if known.count >= MapViews.most { known.removeAll(keepingCapacity: true) }
            known[key] = digest
        }
        return digest
    }

    private static func look(
        at window: StoryLibrary.MapWindow,
        _ question: StoryLibrary.MapQuestion,
        in library: StoryLibrary
    ) -> [UInt8] {
        var hash = SHA256()
        let (body, _) = library.clusters(in: window, question)
        hash.update(data: body)
        let listed = question.snapshot.stories(in: window.box, question.query, limit: 100).ids
        for (id, digest) in zip(listed, question.snapshot.digests(of: listed)) {
            hash.update(data: Array("\(id) \(digest)\n".utf8))
        }
        return Array(hash.finalize())
    }
}
