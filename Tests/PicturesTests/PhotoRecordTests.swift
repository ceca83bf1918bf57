import Foundation
import Geometry
import Pictures
import Testing

@Suite("What photographs say about themselves")
struct PhotoRecordTests {
    private typealias Entry = (tag: Int, type: Int, count: Int, value: [UInt8])

    private static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    private static func text(_ tag: Int, _ text: String) -> Entry {
        (tag, 2, text.utf8.count + 1, Array(text.utf8) + [0])
    }
    private static func fractions(_ tag: Int, _ parts: [(Int, Int)]) -> Entry {
        (tag, 5, parts.count, parts.flatMap { little($0.0, 4) + little($0.1, 4) })
    }

    /// A directory at an offset, with its longer values behind it.
    private static func directory(_ entries: [Entry], at offset: Int) -> [UInt8] {
        var head = little(entries.count, 2)
        var rest: [UInt8] = []
        for entry in entries {
            head += little(entry.tag, 2) + little(entry.type, 2) + little(entry.count, 4)
            if entry.value.count <= 4 {
                head += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                head += little(offset + 2 + 12 * entries.count + 4 + rest.count, 4)
                rest += entry.value
            }
        }
        return head + [0, 0, 0, 0] + rest
    }

    private static func sample(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Samples")
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    private static func jpeg(main: [Entry], details: [Entry] = [], position: [Entry] = []) -> [UInt8] {
        let second = 400
        let third = 800
        var tiff = Array("II".utf8) + [0x2A, 0, 8, 0, 0, 0]
        let links: [Entry] = [(0x8769, 4, 1, little(second, 4)), (0x8825, 4, 1, little(third, 4))]
        tiff += directory(main + links, at: 8)
        tiff += [UInt8](repeating: 0, count: second - tiff.count) + directory(details, at: second)
        tiff += [UInt8](repeating: 0, count: third - tiff.count) + directory(position, at: third)
        let segment = Array("Exif".utf8) + [0, 0] + tiff
        return [0xFF, 0xD8, 0xFF, 0xE1, UInt8((segment.count + 2) >> 8), UInt8((segment.count + 2) & 255)] + segment
            + [0xFF, 0xDA, 0, 2]
    }

    private static let place: [Entry] = [
        text(1, "N"), fractions(2, [(33, 1), (45, 1), (1_800, 100)]), text(3, "W"),
        fractions(4, [(84, 1), (23, 1), (0, 1)]), fractions(0x1F, [(12, 1)]),
    ]

    @Test("LOC-06 Position, accuracy, time and caption are read")
    func whole() throws {
        let picture = Self.jpeg(
            main: [Self.text(0x010E, " Grandma's porch "), Self.text(0x0132, "2020:01:01 00:00:00")],
            details: [Self.text(0x9003, "1998:07:04 14:05:06")],
            position: Self.place
        )
        let record = try #require(PhotoRecord(of: picture))
        #expect(record.position?.latitude == 33.755 && record.position?.longitude == -84.3833333)
        #expect(record.accuracy == 12 && record.time == "1998-07-04T14:05:06" && record.caption == "Grandma's porch")
    }

    @Test("MAP-06 A picture whose orientation is no number is shown as it is")
    func orientation() throws {
        let plain = try Self.sample("progressive.jpg")
        let entries: [(entry: Entry, width: Int)] = [
            ((0x0112, 3, 1, [6, 0]), 300), (Self.fractions(0x0112, [(6, 1)]), 300),
            (Self.fractions(0x0112, [(1, 0)]), 400), (Self.fractions(0x0112, [(0, 0)]), 400),
            (Self.fractions(0x0112, [(13, 2)]), 400), (Self.text(0x0112, "6"), 400),
        ]
        for (entry, width) in entries {
            let segment = Self.jpeg(main: [entry]).dropFirst(2).dropLast(4)
            let thumbnail = try Thumbnail(of: Array(plain.prefix(2)) + segment + plain.dropFirst(2))
            #expect(thumbnail.width == width, "\(entry)")
        }
    }

    @Test("What makes no sense is left out")
    func nonsense() throws {
        for time in ["0000:00:00 00:00:00", "    :  :     :  :  ", "1998:7:4", "yesterday"] {
            #expect(PhotoRecord(of: Self.jpeg(main: [Self.text(0x0132, time)]))?.time == nil, "\(time)")
        }
        #expect(PhotoRecord(of: Self.jpeg(main: [Self.text(0x0132, "1998:07:04 99:00:00")]))?.time == "1998-07-04")
        let zero: [Entry] = [
            Self.text(1, "N"), Self.fractions(2, [(0, 1)]), Self.text(3, "E"), Self.fractions(4, [(0, 1)]),
        ]
        let half: [Entry] = [
            Self.text(1, "N"), Self.fractions(2, [(33, 0)]), Self.text(3, "E"), Self.fractions(4, [(1, 1)]),
        ]
        let far: [Entry] = [
            Self.text(1, "N"), Self.fractions(2, [(91, 1)]), Self.text(3, "E"), Self.fractions(4, [(1, 1)]),
        ]
        for place in [zero, half, far, [Self.place[1], Self.place[3]]] {
            #expect(PhotoRecord(of: Self.jpeg(main: [], position: place))?.position == nil)
        }
        #expect(PhotoRecord(of: Array("no picture".utf8)) == nil)
        #expect(PhotoRecord(of: [0xFF, 0xD8, 0xFF, 0xDB])?.time == nil)
    }

    @Test("Damaged records never crash")
    func fuzz() {
        let whole = Self.jpeg(
            main: [Self.text(0x010E, "A caption")],
            details: [Self.text(0x9003, "1998:07:04 14:05:06")],
            position: Self.place
        )
        var generator = SplitMix64(seed: 9)
        for _ in 0..<5_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: 4..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            bytes.removeLast(Int.random(in: 0..<200, using: &generator))
            _ = PhotoRecord(of: bytes)
        }
    }
}
