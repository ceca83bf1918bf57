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
    private static func wide(_ tag: Int, _ text: String) -> Entry {
        let bytes: [UInt8] = text.utf16.flatMap { little(Int($0), 2) } + [0, 0]
        return (tag, 1, bytes.count, bytes)
    }
    private static func link(_ tag: Int, to offset: Int) -> Entry { (tag, 4, 1, little(offset, 4)) }
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
        let links = [link(0x8769, to: second), link(0x8825, to: third)]
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

    @Test("LOC-06 Titles and comments are read as Windows and cameras write them")
    func comments() throws {
        let comment: Entry = (0x9286, 7, 12, Array("ASCII".utf8) + [0, 0, 0] + Array("yes!".utf8))
        let both = Self.jpeg(main: [Self.wide(0x9C9B, "Señor"), Self.wide(0x9C9C, "A remark")], details: [comment])
        let record = try #require(PhotoRecord(of: both))
        #expect(record.title == "Señor" && record.caption == "yes!")
        #expect(PhotoRecord(of: Self.jpeg(main: [Self.wide(0x9C9C, "A remark")]))?.caption == "A remark")
    }

    @Test(
        "LOC-06 Records of the other byte order are read in every format",
        arguments: ["turned-1.jpg", "plain.png", "plain.webp"]
    )
    func formats(name: String) throws {
        let record = try #require(PhotoRecord(of: Self.sample(name)))
        #expect(record.position?.latitude == 33.7552778 && record.position?.longitude == -84.3736111)
    }

    /// A JPEG with data sets of IPTC, each with its record and number.
    private static func jpeg(iptc sets: [(UInt8, UInt8, String)], caption: String? = nil) -> [UInt8] {
        let data: [UInt8] = sets.flatMap { (record: UInt8, number: UInt8, value: String) -> [UInt8] in
            [0x1C, record, number, 0, UInt8(value.utf8.count)] + Array(value.utf8)
        }
        let mark = Array("8BIM".utf8)
        // Another resource stands before, with a name.
        let before: [UInt8] = [0x04, 0x25, 3, 0x61, 0x62, 0x63, 0, 0, 0, 3, 1, 2, 3, 0]
        let start: [UInt8] = [0x04, 0x04, 0, 0, 0, 0, UInt8(data.count >> 8), UInt8(data.count & 255)]
        let segment: [UInt8] = Array("Photoshop 3.0\0".utf8) + mark + before + mark + start + data
        let marker: [UInt8] = [0xFF, 0xED, UInt8((segment.count + 2) >> 8), UInt8((segment.count + 2) & 255)]
        let head = jpeg(main: caption.map { [text(0x010E, $0)] } ?? []).dropLast(4)
        return Array(head) + marker + segment + ([0xFF, 0xDA, 0, 2] as [UInt8])
    }

    @Test("PRV-01 What agencies write with IPTC-IIM is read: keywords, captions, instructions and rights")
    func agencies() throws {
        let sets: [(UInt8, UInt8, String)] = [
            (1, 90, "\u{1B}%G"), (2, 5, "Choir"), (2, 25, "music"), (2, 25, "private"), (2, 40, "Do not publish"),
            (2, 116, "Ana"), (3, 25, "other"), (2, 120, "The chœur"),
        ]
        let record = try #require(PhotoRecord(of: Self.jpeg(iptc: sets)))
        #expect(record.caption == "The chœur" && record.texts == ["Choir"])
        #expect(record.keywords == ["music", "private"] && record.terms == ["Ana", "Do not publish"])
        let both = try #require(PhotoRecord(of: Self.jpeg(iptc: sets, caption: "EXIF")))
        #expect(both.caption == "EXIF" && both.texts == ["The chœur", "Choir"])
    }

    @Test("PRV-01 All comments, keywords and rights in EXIF are read, and not only what becomes the caption")
    func rights() throws {
        let copyright: Entry = (0x8298, 2, 14, Array("Ana\0Private.\0\0".utf8))
        let record = try #require(
            PhotoRecord(
                of: Self.jpeg(
                    main: [
                        Self.text(0x010E, "OLYMPUS"), copyright, Self.wide(0x9C9C, "private"),
                        Self.wide(0x9C9E, "choir; privé"), Self.wide(0x9C9F, "A subject"),
                    ],
                    details: [(0x9286, 7, 20, Array("UNICODE\0".utf8) + "secret".utf16.flatMap { [0, UInt8($0)] })]
                )
            )
        )
        #expect(record.caption == "OLYMPUS" && record.texts == ["secret", "private", "A subject"])
        #expect(record.keywords == ["choir", "privé"] && record.terms == ["Ana", "Private."])
    }

    @Test(
        "LOC-06 Comments are read in the encodings that programs write",
        arguments: [
            [UInt8]("UNICODE\0".utf8) + [0x68, 0, 0xE9, 0], Array("UNICODE\0".utf8) + [0xFE, 0xFF, 0, 0x68, 0, 0xE9],
            Array("UNICODE\0".utf8) + [0xFF, 0xFE, 0x68, 0, 0xE9, 0],
            [UInt8](repeating: 0, count: 8) + Array("hé".utf8),
            Array("ASCII\0\0\0hé".utf8),
        ]
    )
    func encodings(comment: [UInt8]) {
        #expect(PhotoRecord(of: Self.jpeg(main: [], details: [(0x9286, 7, comment.count, comment)]))?.caption == "hé")
        #expect(
            PhotoRecord(of: Self.jpeg(main: [], details: [(0x9286, 7, 8, Array(comment.prefix(8)))]))?.caption == nil
        )
    }

    @Test("Notes that a maker left change nothing, nor do letters that look like their tag")
    func makerNotes() throws {
        let note: Entry = (0x927C, 7, 12, Array("FUJIFILM".utf8) + Self.little(12, 4))
        let picture = Self.jpeg(
            main: [Self.wide(0x9C9B, "\u{927C}x")],
            details: [note, Self.text(0x9003, "1998:07:04 14:05:06")],
            position: Self.place
        )
        let record = try #require(PhotoRecord(of: picture))
        #expect(record.title == "\u{927C}x" && record.time == "1998-07-04T14:05:06" && record.accuracy == 12)
    }

    @Test("Directories that lead to themselves and to each other are read once")
    func circles() throws {
        let picture = Self.jpeg(
            main: [Self.text(0x010E, "A caption")],
            details: [
                Self.text(0x9003, "1998:07:04 14:05:06"), Self.link(0x8769, to: 400), Self.link(0xA005, to: 400),
            ],
            position: Self.place + [Self.link(0x8825, to: 800), Self.link(0x8769, to: 800), Self.link(0xA005, to: 8)]
        )
        let record = try #require(PhotoRecord(of: picture))
        #expect(record.caption == "A caption" && record.time == "1998-07-04T14:05:06" && record.accuracy == 12)
        #expect(record.position?.latitude == 33.755 && record.position?.longitude == -84.3833333)
    }

    @Test("Values longer than the record are left out, and a position stands in its own directory alone")
    func lengths() throws {
        let long: [Entry] = [
            (0x010E, 2, 0xFFFF_FFFF, Array("A caption".utf8)), (0x9C9B, 1, 70_000, Self.wide(0x9C9B, "Title").value),
            Self.text(0x0132, "1998:07:04 14:05:06"),
        ]
        let record = try #require(PhotoRecord(of: Self.jpeg(main: long)))
        #expect(record.caption == nil && record.title == nil && record.time == "1998-07-04T14:05:06")
        #expect(PhotoRecord(of: Self.jpeg(main: Self.place))?.position == nil)
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
        let agency = Self.jpeg(iptc: [(2, 25, "private"), (2, 120, "A caption")], caption: "A caption")
        var generator = SplitMix64(seed: 9)
        for index in 0..<5_000 {
            var bytes = index % 2 == 0 ? whole : agency
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: 4..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            bytes.removeLast(Int.random(in: 0..<200, using: &generator))
            _ = PhotoRecord(of: bytes)
        }
    }
}
