import Stories
package import StoryMap

/// A question about the map: what is wanted, and of which state of it.
package struct MapQuestion: Sendable {
    package let query: StoryQuery
    package let snapshot: MapSnapshot

    /// Creates a value from its parts.
    package init(query: StoryQuery, snapshot: MapSnapshot) {
        self.query = query
        self.snapshot = snapshot
    }
}

extension MapQuestion {
    /// A text that is another whenever an answer to the question at an address may be another.
    ///
    /// It is made from nothing that the viewer may not see: the version of their layers, who they are and with whom, and
    /// of what they hid, marked or look for only what they see.
    package func version(address: String) -> [UInt8] {
        let digest = snapshot.version(for: query.viewer)
        // Another release may write the same stories otherwise.
        var parts = [Release.version, address, "\(digest.high) \(digest.low)", query.viewer.user?.rawValue ?? ""]
        for (family, members) in query.viewer.families.sorted(by: { $0.key < $1.key }) {
            parts.append(family.rawValue + ":" + members.sorted().map(\.rawValue).joined(separator: ","))
        }
        parts.append("except " + ids(query.except))
        if let among = query.among { parts.append("among \(among.digest.high) \(among.digest.low)") }
        // None of the parts can hold this character: addresses are escaped, names are printable.
        return Array(parts.joined(separator: "\n").utf8)
    }

    private func ids(_ ids: Set<StoryID>) -> String {
        ids.filter { snapshot.contains($0, viewer: query.viewer) }.sorted().map(\.description).joined(separator: ",")
    }
}
