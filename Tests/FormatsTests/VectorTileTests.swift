import Formats
import Geometry
import TestSupport
import Testing

@Suite("Vector tiles")
struct VectorTileTests {
    @Test("MAP-08 One point gives these bytes, derived by hand from the specification")
    func golden() {
        var tile = VectorTile(name: "s")
        tile.addPoint(x: 25, y: 17, id: 300, properties: [("a", .integer(1)), ("b", .text("é")), ("c", .integer(1))])
        let feature: [UInt8] = [
            0x08, 0xAC, 0x02,  // id 300
            0x12, 6, 0, 0, 1, 1, 2, 0,  // tags: a=0, b=1, c=0
            0x18, 1,  // a point
            0x22, 3, 9, 50, 34,  // MoveTo once, +25 +17
        ]
        let layer: [UInt8] =
            [0x0A, 1, 0x73, 0x12, UInt8(feature.count)] + feature + [
                0x1A, 1, 0x61, 0x1A, 1, 0x62, 0x1A, 1, 0x63,  // keys a, b, c
                0x22, 2, 0x28, 1,  // the value 1
                0x22, 4, 0x0A, 2, 0xC3, 0xA9,  // the value é
                0x28, 0x80, 0x20,  // extent 4096
                0x78, 2,  // version 2
            ]
        #expect(tile.bytes == [0x1A, UInt8(layer.count)] + layer)
    }

    @Test("MAP-08 Every type of value has its wire type")
    func values() {
        let samples: [(VectorTile.Value, [UInt8])] = [
            (.text(""), [0x0A, 0]), (.text("a"), [0x0A, 1, 0x61]), (.number(1), [0x19, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F]),
            (.integer(0), [0x28, 0]), (.integer(127), [0x28, 0x7F]), (.integer(128), [0x28, 0x80, 1]),
            (.integer(-1), [0x30, 1]), (.integer(-65), [0x30, 0x81, 1]),
            (.integer(1 << 53), [0x28, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]),
            (.integer(.min), [0x30] + [UInt8](repeating: 0xFF, count: 9) + [1]),
            (.flag(true), [0x38, 1]), (.flag(false), [0x38, 0]),
        ]
        for (value, message) in samples {
            var tile = VectorTile(name: "s")
            tile.addPoint(x: 0, y: 0, properties: [("k", value)])
            let expected = [0x1A, 1, 0x6B, 0x22, UInt8(message.count)] + message + [0x28]
            #expect(tile.bytes.firstRange(of: expected) != nil, "\(value)")
        }
    }

    @Test("MAP-08 Without points there are no bytes")
    func empty() {
        #expect(VectorTile(name: "stories").bytes.isEmpty)
    }

    @Test("MAP-08 Written tiles read back unchanged, with each key and value once", arguments: UInt64(0)..<20)
    func readsBack(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        let texts = ["", "a", "é", "📍 日本", String(repeating: "x", count: 300)]
        var tile = VectorTile(name: "läyer")
        var expected: [VectorTileReader.Feature] = []
        for _ in 0..<number(1...200) {
            var feature = VectorTileReader.Feature()
            feature.id = number(0...2) == 0 ? nil : generator.next() >> UInt64(number(0...63))
            (feature.x, feature.y) = (number(-1...4_096), number(-100_000...100_000))
            var properties: [(key: String, value: VectorTile.Value)] = []
            for name in 0..<number(0...6) {
                let value: VectorTile.Value =
                    switch number(0...3) {
                    case 0: .text(texts[number(0...texts.count - 1)])
                    case 1: .integer(number(-3...3) * (1 << number(0...50)))
                    case 2: .number(Double(number(-9...9)) / 4)
                    default: .flag(number(0...1) == 0)
                    }
                properties.append(("p\(name)", value))
                feature.properties["p\(name)"] = VectorTileReader.Value(value)
            }
            tile.addPoint(x: feature.x, y: feature.y, id: feature.id, properties: properties)
            expected.append(feature)
        }
        let read = try VectorTileReader(tile.bytes)
        #expect(read.name == "läyer" && read.version == 2 && read.extent == 4_096)
        #expect(read.features == expected)
        #expect(Set(read.keys).count == read.keys.count && Set(read.values).count == read.values.count)
        #expect(tile.count == expected.count)
    }
}

extension VectorTileReader.Value {
    fileprivate init(_ value: VectorTile.Value) {
        self =
            switch value {
            case .text(let text): .text(text)
            case .integer(let number): .integer(number)
            case .number(let number): .number(number)
            case .flag(let flag): .flag(flag)
            }
    }
}
