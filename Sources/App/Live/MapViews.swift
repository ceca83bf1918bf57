import Crypto
import Geometry
import Stories
import StoryMap
import Synchronization

/// What parts of the map look like, as digests, so that those who look at the same are counted once.
///
/// Where there are too many, those go first of whoever looked at most: nobody drives out what others look at.
package final class MapViews: Sendable {
    package static let most = 4_096

    private struct State: Sendable {
        var known: [[UInt8]: [UInt8]] = [:]
        /// Who looked at what first, the earliest first.
        var keys: [LiveOwner.Holder: [[UInt8]]] = [:]
    }

    private let state = Mutex(State())

    /// Creates one that knows nothing.
    package init() {}

    func startAnew() { state.withLock { $0 = State() } }

    /// The digest of what a question finds in a window: the markers, and the newest stories of the list beside them.
    ///
    /// `version` is that of the question: with the same one the digest is the same.
    func digest(
        of window: StoryLibrary.MapWindow,
        _ question: StoryLibrary.MapQuestion,
        version: [UInt8],
        for holder: LiveOwner.Holder,
        in library: StoryLibrary
    ) -> [UInt8] {
        let key = Array(SHA256.hash(data: version))
        if let found = state.withLock({ $0.known[key] }) { return found }
        let digest = MapViews.look(at: window, question, in: library)
        keep(digest, of: key, for: holder)
        return digest
    }

    /// Whether a digest is kept under a key.
    package func holds(_ key: [UInt8]) -> Bool { state.withLock { $0.known[key] != nil } }

    /// Keeps a digest under a key that `holder` asked for.
    package func keep(_ digest: [UInt8], of key: [UInt8], for holder: LiveOwner.Holder) {
        state.withLock { state in
            guard state.known.updateValue(digest, forKey: key) == nil else { return }
            state.keys[holder, default: []].append(key)
            guard state.known.count > MapViews.most, let first = state.keys.max(by: { $0.value.count < $1.value.count })
            else { return }
            // A part at a time: whoever overflows it does not make it search for the fullest at every step.
            let dropped = first.value.prefix(max(1, first.value.count / 4))
            for key in dropped { state.known[key] = nil }
            state.keys[first.key]?.removeFirst(dropped.count)
        }
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
