import Library
import Crypto
import Geometry
import Stories
import StoryMap

extension MapViews {
    /// Returns the digest of a query's results in a window: the markers, and the newest stories, which a client lists
    /// beside the map.
    ///
    /// `version` is that of the query: equal versions have equal digests.
    func digest(
        of window: MapWindow,
        _ question: MapQuestion,
        version: [UInt8],
        for holder: LiveOwner.Holder
    ) -> [UInt8] {
        let key = Array(SHA256.hash(data: version))
        if let found = self.digest(under: key) { return found }
        let digest = MapViews.look(at: window, question)
        keep(digest, of: key, for: holder)
        return digest
    }

    private static func look(
        at window: MapWindow,
        _ question: MapQuestion
    ) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: MapJSON.page(question.markers(in: window, writtenBy: MarkerJSON.append)))
        let listed = question.snapshot.stories(in: window.box, question.query, limit: 100).ids
        for (id, digest) in zip(listed, question.snapshot.digests(of: listed)) {
            hash.update(data: Array("\(id) \(digest)\n".utf8))
        }
        return Array(hash.finalize())
    }
}
