import Formats
import HTTPTypes
import TestSupport
import Testing

// What is seen in tiles and inside of clusters.
extension SequenceRun {
    /// The last answer of a tile.
    struct KnownTile {
        let tag: String
        let bytes: [UInt8]
    }

    /// The four tiles of zoom 1 hold what the oracle says, and an unchanged tag means unchanged bytes.
    func compareTiles(_ viewer: String?, _ listed: SequenceOracle.Found, _ why: Comment) async throws {
        let located = listed.filter { oracle.point(viewer, $0.item) != nil }
        let liked = located.filter { found in found.item.likedBy.contains { $0 == viewer } }
        for (query, expected) in [("", located), ("?favourites=true", liked)] {
            var count = 0
            for address in ["1/0/0", "1/1/0", "1/0/1", "1/1/1"] {
                let bytes = try await tile(address + query, viewer, why)
                guard !bytes.isEmpty else { continue }
                for feature in try VectorTileReader(bytes).features {
                    if case .integer(let stories)? = feature.properties["point_count"] {
                        count += stories
                        continue
                    }
                    count += 1
                    let found = expected.first { .text($0.id) == feature.properties["id"] }
                    #expect(found != nil && feature.properties["privacy"] == found.map { .text($0.item.level) }, why)
                }
            }
            #expect(count == expected.count, why)
        }
    }

    private func tile(_ address: String, _ viewer: String?, _ why: Comment) async throws -> [UInt8] {
        let now = try await client.tile(address, as: viewer)
        let tag = try #require(now.headers[.eTag])
        let key = "\(viewer ?? "") \(address)"
        if let known = tiles[key] {
            let again = try await client.tile(address, as: viewer, headers: [.ifNoneMatch: known.tag])
            #expect((again.status == 304) == (tag == known.tag), why)
            #expect(tag != known.tag || now.bytes == known.bytes, why)
        }
        tiles[key] = KnownTile(tag: tag, bytes: now.bytes)
        return now.bytes
    }

    /// What is inside the markers of the world is, all together, what the oracle says, each story once.
    func compareInsides(_ viewer: String?, _ listed: SequenceOracle.Found, _ why: Comment) async throws {
        var inside: [String] = []
        for feature in try await client.clusters(zoom: 3, as: viewer) {
            guard let cluster = feature["properties"]?["cluster_id"]?.integer else {
                inside += [feature["id"]?.string].compactMap(\.self)
                continue
            }
            let list = try await client.get("/v1/clusters/\(cluster)/stories?limit=500", as: viewer).json
            #expect(list["numberMatched"]?.integer == feature["properties"]?["point_count"]?.integer, why)
            inside += ids(list)
        }
        #expect(inside.sorted() == listed.filter { oracle.point(viewer, $0.item) != nil }.map(\.id).sorted(), why)
    }
}
