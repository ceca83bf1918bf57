import Formats
import Geometry
import Testing

@Suite("Shapes of vector tiles")
struct VectorTileShapesTests {
    /// A tile of two layers with points, lines and areas at random, and their paths.
    private static func sample(seed: UInt64) -> (bytes: [UInt8], layers: [[[VectorTile.Position]]]) {
        var generator = SplitMix64(seed: seed)
        func path() -> [VectorTile.Position] {
            (0..<Int.random(in: 3...30, using: &generator))
                .map { _ in
                    VectorTile.Position(
                        x: .random(in: -100...4_200, using: &generator),
                        y: .random(in: -100...4_200, using: &generator)
                    )
                }
        }
        var (bytes, layers) = ([UInt8](), [[[VectorTile.Position]]]())
        for name in ["land", "läyer"] {
            var layer = VectorTile(name: name, extent: 4_096)
            var paths: [[VectorTile.Position]] = []
            for _ in 0..<5 {
                let rings = [path(), path()]
                layer.addPolygon(rings, properties: [("name", .text("a"))])
                let lines = [path(), path(), path()]
                layer.addLines(lines, properties: [])
                layer.addPoint(x: 7, y: -9, id: 3, properties: [("size", .number(0.5)), ("is", .flag(true))])
                paths += rings + lines + [[VectorTile.Position(x: 7, y: -9)]]
            }
            bytes += layer.bytes
            layers.append(paths)
        }
        return (bytes, layers)
    }

    @Test("Written shapes read back unchanged, in their layers", arguments: UInt64(0)..<20)
    func readsBack(seed: UInt64) throws {
        let sample = VectorTileShapesTests.sample(seed: seed)
        let layers = try VectorTileShapes.layers(of: sample.bytes)
        #expect(layers.map(\.name) == ["land", "läyer"])
        #expect(layers.map(\.extent) == [4_096, 4_096])
        #expect(layers.map(\.paths) == sample.layers)
    }

    @Test("Features keep their form and their properties, each of its type")
    func properties() throws {
        var layer = VectorTile(name: "roads", extent: 512)
        let line = [VectorTile.Position(x: 1, y: 2), VectorTile.Position(x: 30, y: -4)]
        let area = line + [VectorTile.Position(x: 9, y: 90)]
        let values: [(key: String, value: VectorTile.Value)] = [
            ("name", .text("Rue d’Évêque")), ("lanes", .integer(-3)), ("width", .number(7.5)), ("is_toll", .flag(true)),
        ]
        layer.addLines([line], properties: values)
        layer.addPolygon([area], properties: [("lanes", .integer(40_000_000_000))])
        layer.addPoint(x: 5, y: 6, properties: [])
        let read = try #require(try VectorTileShapes.layers(of: layer.bytes).first)
        #expect(read.features.map(\.form) == [.lines, .areas, .points] && read.extent == 512)
        #expect(read.features[0].properties == Dictionary(uniqueKeysWithValues: values.map { ($0.key, $0.value) }))
        #expect(read.features[0].text("name") == "Rue d’Évêque" && read.features[0].text("lanes") == nil)
        #expect(read.features[0].number("width") == 7.5 && read.features[0].number("lanes") == -3)
        #expect(read.features[1].number("lanes") == 40_000_000_000 && read.features[2].properties.isEmpty)
    }

    @Test("A property that the layer does not have is damage")
    func strayProperty() {
        // A layer with a feature whose tags are 0 and 0, and neither keys nor values.
        let feature: [UInt8] = [0x12, 2, 0, 0, 0x18, 1, 0x22, 3, 9, 2, 2]
        let layer: [UInt8] = [0x0A, 1, 0x61, 0x12, UInt8(feature.count)] + feature
        let tile: [UInt8] = [0x1A, UInt8(layer.count)] + layer
        #expect(throws: VectorTileShapes.Damage.self) { try VectorTileShapes.layers(of: tile) }
    }

    @Test("Damaged tiles are refused or read, without a crash", arguments: UInt64(0)..<20)
    func damage(seed: UInt64) {
        let (whole, _) = VectorTileShapesTests.sample(seed: seed)
        var mutator = Mutator(seed: seed)
        var refused = 0
        for _ in 0..<500 {
            do {
                _ = try VectorTileShapes.layers(of: mutator.mutate(whole))
            } catch {
                refused += 1
            }
        }
        #expect(refused > 0)
    }

    @Test("An empty tile has no layers; numbers too long and lengths beyond the end are damage")
    func edges() throws {
        #expect(try VectorTileShapes.layers(of: []).isEmpty)
        for bytes: [UInt8] in [
            [0x80], [UInt8](repeating: 0xFF, count: 11), [0x1A, 0x7F], [0x1A, 2, 0x28, 0], [0x1B], [0x19, 1, 2],
            // A line that has not begun; a move of 2^29 positions of which there is none.
            [0x1A, 7, 0x12, 5, 0x22, 3, 0x0A, 2, 2], [0x1A, 8, 0x12, 6, 0x22, 4, 0xF9, 0xFF, 0xFF, 0x7F],
        ] {
            #expect(throws: VectorTileShapes.Damage.self) { _ = try VectorTileShapes.layers(of: bytes) }
        }
    }
}
