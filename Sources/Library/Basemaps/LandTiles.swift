import Basemap
import Crypto
import Formats
import Foundation

/// Cuts the outlines in `tiles` into the tiles of the basemap `land`.
struct LandTiles {
    /// The deepest zoom of the tiles; at three zooms beyond, a line is still drawn to half a pixel.
    static let maximumZoom = 9
    /// The maximum length of a file of outlines in bytes, uncompressed.
    private static let lengthLimit = 100 << 20

    /// The folder `tiles`.
    let folder: URL

    /// The layers from the bottom up, each with the lowest zoom that draws a shape of a rank.
    private static let layers: [(name: String, minimumZoom: @Sendable (_ rank: Int) -> Int)] = [
        ("land", { _ in 0 }),
        ("lakes", { _ in 2 }),
        ("rivers", { rank in min(maximumZoom, 3 + rank) }),
        ("counties", { _ in 7 }),
        ("states", { _ in 3 }),
    ]

    /// Returns the archive as bytes.
    ///
    /// - Throws: ``BasemapFiles/Failure`` if a file is missing or does not match the manifest;
    ///   `CancellationError` if the task was cancelled.
    func archive() throws -> [UInt8] {
        let checksums = try checksums()
        var layers = try LandTiles.layers.map { layer in
            let file = try outlines(layer.name, checksums)
            return OutlineLayer(name: layer.name, file: file, minimumZoom: layer.minimumZoom)
        }
        let world = try WorldDrawing(folder: folder)
        layers.append(OutlineLayer(name: "regions", lines: world.regions, minimumZoom: 3))
        layers.append(OutlineLayer(name: "borders", lines: world.borders, minimumZoom: 0))
        var builder = TileArchiveBuilder()
        try OutlineTiles(layers: layers, maximumZoom: LandTiles.maximumZoom)
            .forEach { tile, bytes in
                try Task.checkCancellation()
                try builder.add(tile, bytes: bytes)
            }
        let metadata = BasemapMetadata.json(
            name: "land",
            layers: layers.map { ($0.name, ["name": "String"]) },
            zooms: 0...LandTiles.maximumZoom
        )
        return try builder.finish(metadata: metadata, bounds: BasemapMetadata.world)
    }

    private func outlines(_ name: String, _ checksums: [String: String]) throws -> OutlineFile {
        let file = "\(name).bin.gz"
        guard let data = try? Data(contentsOf: folder.appendingPathComponent(file)) else {
            throw BasemapFiles.Failure(
                description: "The file tiles/\(file) was not found. Restore it from the release."
            )
        }
        let packed = [UInt8](data)
        guard checksums[file] == SHA256.hash(data: packed).hexDigits else {
            throw BasemapFiles.Failure(
                description: "tiles/\(file) does not match tiles/manifest.json; run scripts/build-outlines."
            )
        }
        do {
            return try OutlineFile(bytes: Gzip.decompress(packed, limit: LandTiles.lengthLimit))
        } catch {
            throw BasemapFiles.Failure(description: "tiles/\(file) cannot be read: \(error).")
        }
    }

    private func checksums() throws -> [String: String] {
        let manifest = [UInt8](try Data(contentsOf: folder.appendingPathComponent("manifest.json")))
        let json = try JSONValue(parsing: manifest, limits: .init(bytes: 1 << 20))
        return (json["outlines"]?["files"]?.object ?? [:]).compactMapValues { $0["sha256"]?.string }
    }
}
