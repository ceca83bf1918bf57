import Basemap
import Geometry
import TestSupport
import Testing

@Suite("Names on the map")
struct LabelTests {
    /// Towns crowded around a few centres, the largest first.
    private static func labels(seed: UInt64, count: Int) -> [MapLabel] {
        var generator = SplitMix64(seed: seed)
        let centres = (0..<6)
            .map { _ in
                (Double.random(in: -170...170, using: &generator), Double.random(in: -60...60, using: &generator))
            }
        return (0..<count)
            .map { number in
                let centre = centres[number % centres.count]
                let spread = Double.random(in: 0...1, using: &generator)
                return MapLabel(
                    text: String(repeating: "n", count: Int.random(in: 3...30, using: &generator)) + "\(number)",
                    kind: number.isMultiple(of: 9) ? .county : number < 40 ? .city : .village,
                    population: max(0, 5_000_000 >> (number / 12)),
                    longitude: centre.0 + Double.random(in: -9...9, using: &generator) * spread,
                    latitude: centre.1 + Double.random(in: -9...9, using: &generator) * spread
                )
            }
    }

    /// The names of every tile with the zoom at which each appears.
    private static func tiles(_ labels: [MapLabel]) throws -> [TileAddress: VectorTileReader] {
        var tiles: [TileAddress: VectorTileReader] = [:]
        try LabelTiles(labels: labels, maximumZoom: 8, labelZoom: 12)
            .forEach { tile, bytes in tiles[tile] = try VectorTileReader(bytes) }
        return tiles
    }

    private static func text(_ feature: VectorTileReader.Feature) -> String? {
        guard case .text(let text) = feature.properties["name"] else { return nil }
        return text
    }

    private static func zoom(_ feature: VectorTileReader.Feature) -> Int? {
        guard case .integer(let zoom) = feature.properties["min_zoom"] else { return nil }
        return zoom
    }

    @Test("MAP-13 Names shown together keep apart, and a name that is shown stays while the map is enlarged")
    func room() throws {
        let labels = LabelTests.labels(seed: 4, count: 1_500)
        let tiles = try LabelTests.tiles(labels)
        var before: Set<String> = []
        for zoom in 0...8 {
            var shown: [(text: String, x: Double, y: Double, width: Double, height: Double)] = []
            for (tile, layer) in tiles where tile.z == zoom {
                for feature in layer.features {
                    let text = try #require(LabelTests.text(feature))
                    guard try #require(LabelTests.zoom(feature)) <= zoom else { continue }
                    let label = try #require(labels.first { $0.text == text })
                    guard label.ceiling >= zoom else { continue }
                    let x = (Double(tile.x) + Double(feature.x) / Double(layer.extent)) * 512
                    let y = (Double(tile.y) + Double(feature.y) / Double(layer.extent)) * 512
                    shown.append((text, x, y, label.width, label.height))
                }
            }
            for (number, one) in shown.enumerated() {
                for other in shown[..<number] {
                    let isApart =
                        abs(one.x - other.x) > (one.width + other.width) / 2 - 2
                        || abs(one.y - other.y) > (one.height + other.height) / 2 - 2
                    #expect(isApart, "\(one.text) and \(other.text) at zoom \(zoom)")
                }
            }
            let names = Set(shown.map(\.text))
            #expect(names.count == shown.count && before.isSubset(of: names))
            before = names
        }
        #expect(before.count > 200)
    }

    @Test("MAP-13 Of two names in one place the more important is shown first; the deepest tiles have both")
    func importance() throws {
        func label(_ text: String, _ population: Int, _ longitude: Double) -> MapLabel {
            MapLabel(text: text, kind: .city, population: population, longitude: longitude, latitude: 10)
        }
        let tiles = try LabelTests.tiles([label("Large", 5_000_000, 10), label("Near", 4_000_000, 10.01)])
        func names(_ zoom: Int) -> [String?] {
            tiles.filter { $0.key.z == zoom }.flatMap { $0.value.features.map(LabelTests.text) }
        }
        #expect(names(1) == [] && names(2) == ["Large"] && names(7) == ["Large"] && names(8) == ["Large", "Near"])
    }

    @Test("MAP-13 Names of counties give way to those of towns, and are not shown where the map is enlarged further")
    func counties() throws {
        let county = MapLabel(text: "Bronx County", kind: .county, population: 9_000_000, longitude: 10, latitude: 10)
        let town = MapLabel(text: "Town", kind: .town, population: 3_000, longitude: 10, latitude: 10)
        let alone = MapLabel(text: "Kings County", kind: .county, population: 0, longitude: 60, latitude: 10)
        let features = try LabelTests.tiles([county, alone, town]).values.flatMap(\.features)
        #expect(Set(features.compactMap(LabelTests.text)) == ["Town", "Kings County"])
    }
}
