import Stories
package import StoryMap

/// A query of the map, with the state of the map that it refers to.
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
    /// Returns a string that changes whenever the answer to the query at an address may change.
    ///
    /// It depends only on data the viewer may see: the version of their layers, their id, the members of their
    /// families, and, of the stories they hid, marked or searched for, those that they can still see.
    package func version(address: String) -> [UInt8] {
        let digest = snapshot.version(for: query.viewer)
        // Another release may encode the same stories differently.
        var parts = [Release.version, address, "\(digest.high) \(digest.low)", query.viewer.user?.rawValue ?? ""]
        for (family, members) in query.viewer.families.sorted(by: { $0.key < $1.key }) {
            parts.append(family.rawValue + ":" + members.sorted().map(\.rawValue).joined(separator: ","))
        }
        parts.append("except " + ids(query.except))
        if let among = query.among { parts.append("among \(among.digest.high) \(among.digest.low)") }
        // No part can contain this character: addresses are escaped and names are printable.
        return Array(parts.joined(separator: "\n").utf8)
    }

    private func ids(_ ids: Set<StoryID>) -> String {
        ids.filter { snapshot.contains($0, viewer: query.viewer) }.sorted().map(\.description).joined(separator: ",")
    }
}
