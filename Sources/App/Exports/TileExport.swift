import Basemap
import Formats
import Foundation
import Geometry
package import Library
import Storage
import StoryMap
package import Stories

/// Writes one viewer's map as an archive of vector tiles, for a site without a service.
///
/// Every tile has the bytes that the service gives that viewer for these filters.
package struct TileExport: Sendable {
    /// The deepest zoom that can be asked for.
    package static let deepestZoom = MapSnapshot.maximumZoom
    /// The deepest zoom by default: enough to tell streets apart.
    package static let usualZoom = 10

    private let maps: MapService

    /// Creates an export of the map of a service.
    package init(maps: MapService) { self.maps = maps }

    /// Writes the tiles of zoom 0 to `deepest` into a file that must not exist.
    ///
    /// The tiles of a zoom beyond which every story stands alone are the last that show something new; a viewer's map
    /// enlarges them. `progress` receives the zoom and the number of tiles written. Returns the number of tiles.
    /// - Throws: an error of the database or of the file.
    /// - Complexity: O(tiles with stories in or beside them); memory for 48 bytes a tile.
    package func write(
        _ format: ExportFormat,
        deepest: Int,
        search: StorySearch,
        viewer: Viewer,
        toFile path: String,
        progress: (_ zoom: Int, _ tiles: Int) async throws -> Void = { _, _ in }
    ) async throws -> Int {
        let question = try await maps.mapQuestion(search, viewer: viewer)
        let box = question.snapshot.bounds(question.query)
        let bounds = TileJSON.tiledEdges(of: box)
        var count = 0
        if format == .mbtiles {
            let writer = try MBTilesWriter(path: path)
            try await visit(question, deepest: deepest) { tile, _, bytes in
                let packed = try Gzip.compress(bytes, level: 9)
                try writer.add(zoom: tile.zoom, column: tile.column, row: tile.row, content: packed)
                count += 1
                if count.isMultiple(of: 100) { try await progress(tile.zoom, count) }
            }
            try writer.finish(metadata: TileExport.metadata(bounds, deepest: deepest))
        } else {
            var writer = TileArchiveWriter(output: try TileFile(path), kind: .vector)
            try await visit(question, deepest: deepest) { tile, address, bytes in
                try writer.add(address, stored: try Gzip.compress(bytes, level: 9))
                count += 1
                if count.isMultiple(of: 100) { try await progress(tile.zoom, count) }
            }
            _ = try writer.finish(metadata: TileJSON.layers(deepest: deepest), bounds: bounds)
        }
        return count
    }

    /// Passes every tile that is not empty to `body`, in the order of their numbers in an archive: zoom after zoom, within
    /// a zoom along the Hilbert curve.
    private func visit(
        _ question: MapQuestion,
        deepest: Int,
        _ body: (_ tile: MapTile, _ address: TileAddress, _ bytes: [UInt8]) async throws -> Void
    ) async throws {
        var tiles = [TileAddress(zoom: 0, column: 0, row: 0)].compactMap(\.self)
        while let zoom = tiles.first?.z {
            var children: [TileAddress] = []
            for address in tiles {
                // A cluster can stand in a tile without stories, but never farther from them than in the next one.
                guard let tile = MapTile(zoom: zoom, column: address.x, row: address.y),
                    question.snapshot.count(in: tile.surroundings, question.query) > 0
                else { continue }
                let bytes = MarkerLayer.bytes(try await maps.markers(in: tile, question), of: tile)
                if !bytes.isEmpty { try await body(tile, address, bytes) }
                // The curve visits all children of a tile before those of the next one.
                if zoom < deepest { children += address.children }
            }
            tiles = children
        }
    }

    private static func metadata(_ bounds: [Double], deepest: Int) -> [(name: String, value: String)] {
        let edges = bounds.map { "\($0)" }.joined(separator: ",")
        return [
            ("name", "stories"), ("format", "pbf"), ("type", "overlay"), ("version", "1"), ("bounds", edges),
            ("minzoom", "0"), ("maxzoom", "\(deepest)"),
            ("json", String(decoding: TileJSON.layers(deepest: deepest), as: UTF8.self)),
        ]
    }
}

extension TileAddress {
    /// The four tiles that it becomes at the next zoom, in the order of their numbers.
    fileprivate var children: [TileAddress] {
        [(0, 0), (0, 1), (1, 0), (1, 1)]
            .compactMap { east, south in
                TileAddress(zoom: z + 1, column: 2 * x + east, row: 2 * y + south)
            }
            .sorted { $0.number < $1.number }
    }
}

extension MapTile {
    /// The box of the tile and its eight neighbours; the outermost rows reach to the poles.
    fileprivate var surroundings: BoundingBox {
        let side = 1 << zoom
        guard side > 3 else { return .world }
        let unit = WebMercator.size / Double(side)
        // Columns go on around the globe.
        let west = (column + side - 1) % side
        let east = (column + 2) % side
        let northWest = WebMercator.coordinate(x: Double(west) * unit, y: Double(max(0, row - 1)) * unit)
        let southEast = WebMercator.coordinate(x: Double(east) * unit, y: Double(min(side, row + 2)) * unit)
        let box = BoundingBox(
            west: northWest.longitude,
            south: row + 2 >= side ? -90 : southEast.latitude,
            east: southEast.longitude,
            north: row <= 1 ? 90 : northWest.latitude
        )
        return box ?? .world
    }
}

/// A file into which an archive of tiles is written.
private struct TileFile: TileOutput, Sendable {
    private let file: FileHandle

    init(_ path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            guard FileManager.default.createFile(atPath: path, contents: nil) else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
        guard let file = FileHandle(forWritingAtPath: path) else { throw CocoaError(.fileWriteUnknown) }
        self.file = file
    }

    func write(_ bytes: [UInt8], at offset: UInt64) throws {
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(bytes))
    }
}
