import Basemap
import Formats

/// The metadata of an MBTiles file as an archive has it.
struct MBTilesDescription {
    /// A JSON object.
    let json: [UInt8]
    /// West, south, east and north in degrees.
    let bounds: [Double]

    /// The maximum length of the texts that are kept, in characters.
    private static let length = 2_000

    init(_ metadata: [String: String], name: String, attribution: String?, kind: TileKind) {
        var members: [String: JSONValue] = ["name": .string(name)]
        if let text = attribution ?? metadata["attribution"] {
            members["attribution"] = .string(String(text.prefix(MBTilesDescription.length)))
        }
        if let text = metadata["description"] {
            members["description"] = .string(String(text.prefix(MBTilesDescription.length)))
        }
        if kind == .vector, let json = metadata["json"],
            let layers = try? JSONValue(parsing: Array(json.utf8), limits: .init(bytes: 1 << 20))["vector_layers"]
        {
            members["vector_layers"] = layers
        }
        var json = JSONWriter(capacity: 1_000)
        json.value(.object(members))
        self.json = json.bytes
        let numbers = (metadata["bounds"] ?? "").split(separator: ",").map { Double($0.filter { $0 != " " }) ?? .nan }
        bounds = TileBounds.checked(numbers) ?? BasemapMetadata.world
    }
}

/// Boxes that files state.
package enum TileBounds: Sendable {
    /// The whole map, for files that state no box.
    package static let world = BasemapMetadata.world

    /// Returns west, south, east and north if they are a box in degrees.
    package static func checked(_ numbers: [Double]) -> [Double]? {
        guard numbers.count == 4, numbers.allSatisfy(\.isFinite) else { return nil }
        let (west, south, east, north) = (numbers[0], numbers[1], numbers[2], numbers[3])
        guard abs(west) <= 180, abs(east) <= 180, abs(south) <= 90, abs(north) <= 90, south <= north else { return nil }
        return numbers
    }
}
