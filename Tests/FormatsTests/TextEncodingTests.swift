import Formats
import Geometry
import Testing

@Suite("Encodings of text")
struct TextEncodingTests {
    private static let text = "Café – “Zürich” €"

    private static func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { bigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
    }

    @Test("UTF-8 and UTF-16 with a mark are recognised for certain, without one as a guess")
    func marks() throws {
        let text = Self.text
        let utf8 = try DecodedText(Array(text.utf8))
        #expect(utf8.bytes == Array(text.utf8) && utf8.encoding == .utf8 && !utf8.isGuess)
        let cases: [([UInt8], TextEncoding, Bool)] = [
            ([0xEF, 0xBB, 0xBF] + Array(text.utf8), .utf8, false),
            ([0xFF, 0xFE] + Self.utf16(text, bigEndian: false), .utf16LittleEndian, false),
            ([0xFE, 0xFF] + Self.utf16(text, bigEndian: true), .utf16BigEndian, false),
            (Self.utf16(text, bigEndian: false), .utf16LittleEndian, true),
            (Self.utf16(text, bigEndian: true), .utf16BigEndian, true),
        ]
        for (bytes, encoding, isGuess) in cases {
            let decoded = try DecodedText(bytes)
            #expect(String(decoding: decoded.bytes, as: UTF8.self) == text)
            #expect(decoded.encoding == encoding && decoded.isGuess == isGuess)
        }
        let clef = try DecodedText([0xFE, 0xFF] + Self.utf16("a𝄞", bigEndian: true))
        #expect(clef.bytes == Array("a𝄞".utf8))
    }

    @Test("Windows-1252 is a guess with an example; Latin-1 is read where it is asked for")
    func singleBytes() throws {
        let bytes: [UInt8] = Array("a;Caf".utf8) + [0xE9, 0x20, 0x96, 0x20, 0x80]
        let decoded = try DecodedText(bytes)
        #expect(String(decoding: decoded.bytes, as: UTF8.self) == "a;Café – €")
        #expect(decoded.encoding == .windows1252 && decoded.isGuess && decoded.example == "Café")
        let latin = try DecodedText([0xE9, 0x96], as: .latin1)
        #expect(latin.bytes == Array("é\u{96}".utf8) && !latin.isGuess)
    }

    @Test(
        "Mac Roman is recognised by letters within words, and Windows-1252 is not taken for it",
        arguments: [
            ("title,Caf\u{8E} Z\u{9F}rich", "title,Café Zürich", TextEncoding.macRoman),
            ("it\u{D5}s \u{D2}fine\u{D3}, se\u{96}or", "it’s “fine”, señor", .macRoman),
            ("\u{9A}ffentlich;Gr\u{9A}\u{A7}e", "öffentlich;Größe", .macRoman),
            ("Caf\u{E9}, it\u{92}s \u{93}fine\u{94}", "Café, it’s “fine”", .windows1252),
            ("c\u{9C}ur \u{8A}umava 1\u{96}2", "cœur Šumava 1–2", .windows1252),
            ("Ko\u{9A}ice, Caf\u{E9} n\u{E9}e", "Košice, Café née", .windows1252),
        ]
    )
    func macRoman(file: String, text: String, encoding: TextEncoding) throws {
        let bytes = file.unicodeScalars.map { UInt8($0.value) }
        let decoded = try DecodedText(bytes)
        #expect(decoded.encoding == encoding && decoded.isGuess)
        #expect(String(decoding: decoded.bytes, as: UTF8.self) == text)
        #expect(try DecodedText(bytes, as: encoding).bytes == decoded.bytes)
    }

    @Test("A mark before a mark is no letter")
    func repeatedMarks() throws {
        let marks: [UInt8] = [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF]
        #expect(try DecodedText(marks + Array("title".utf8)).bytes == Array("title".utf8))
        let wide: [UInt8] = [0xFF, 0xFE, 0xFF, 0xFE, 0x61, 0x00]
        #expect(try DecodedText(wide).bytes == Array("a".utf8))
    }

    @Test("What fits no encoding, or not the given one, is an error with its line")
    func errors() {
        let mac: [UInt8] = Array("x\n ".utf8) + [0x8E, 0x81]
        #expect(throws: TextEncodingError.self) { try DecodedText(mac) }
        let cases: [([UInt8], TextEncoding, Int?)] = [
            (Array("x\n".utf8) + [0xE9], .utf8, 2), (mac, .windows1252, 2), ([0x61], .utf16LittleEndian, 1),
            ([0x00, 0xD8, 0x61, 0x00], .utf16LittleEndian, 1), ([0xFF, 0xFE, 0x61, 0x00], .utf8, nil),
        ]
        for (bytes, encoding, line) in cases {
            #expect { try DecodedText(bytes, as: encoding) } throws: { ($0 as? TextEncodingError)?.line == line }
        }
    }

    @Test("A text that is UTF-8 but for a few bytes is taken for damaged UTF-8, not for another encoding")
    func damaged() throws {
        let bytes = Array("Zürich, München, Genève".utf8) + [0xE9]
        let decoded = try DecodedText(bytes)
        #expect(decoded.encoding == .utf8 && decoded.bytes == bytes)
    }

    @Test("Bytes at random decode to valid UTF-8 or fail; what is taken for UTF-8 stays as it is")
    func fuzz() {
        var generator = SplitMix64(seed: 22)
        for _ in 0..<3_000 {
            let count = Int.random(in: 0...40, using: &generator)
            let alphabet: [UInt8] = [
                0, 0x41, 0x0A, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0xED, 0xA0, 0xFF, 0xFE, 0x81,
            ]
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            guard let decoded = try? DecodedText(bytes) else { continue }
            let isValid = String(validating: decoded.bytes, as: UTF8.self) != nil
            #expect(
                isValid || (decoded.encoding == .utf8 && decoded.bytes.elementsEqual(bytes.suffix(decoded.bytes.count)))
            )
        }
    }
}

@Suite("Well-known text")
struct WellKnownTextTests {
    @Test(
        "Every type becomes a point on it",
        arguments: [
            ("POINT (-84.39 33.75)", "Point", -84.39, 33.75), ("point z(1 2 3)", "Point", 1, 2),
            ("POINTZM(1 2 3 4)", "Point", 1, 2), ("LINESTRING(0 0, 4 0)", "LineString", 2, 0),
            ("MULTIPOINT((5 6),(7 8))", "MultiPoint", 5, 6), ("MULTIPOINT(5 6, 7 8)", "MultiPoint", 5, 6),
            ("POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))", "Polygon", 1, 1),
            ("MULTIPOLYGON(((0 0,2 0,2 2,0 2,0 0)),((9 9,10 9,10 10,9 9)))", "MultiPolygon", 1, 1),
            ("MULTILINESTRING((0 0,1 0),(0 0,4 0))", "MultiLineString", 2, 0),
        ]
    )
    func points(text: String, type: String, x: Double, y: Double) throws {
        let read = try #require(WellKnownText(text))
        #expect(read.type == type && read.position == .init(x: x, y: y) && read.srid == nil)
    }

    @Test("The number of a reference system is read; an empty geometry has no point; anything else is none")
    func others() {
        #expect(WellKnownText("SRID=26918;POINT(5 6)")?.srid == 26_918)
        #expect(WellKnownText("POINT EMPTY").map { $0.position == nil && $0.geometry == nil } == true)
        let areas = WellKnownText("MULTIPOLYGON(((0 0,2 0,2 2,0 0)),((9 9,10 9,10 10,9 9)))")?.geometry
        #expect(areas?["type"]?.string == "MultiPolygon" && areas?["coordinates"]?[1]?[0]?[2]?[0]?.number == 10)
        let wrong = [
            "", "POINT", "POINT(1)", "POINT(1 2", "POINT(1 2) x", "POINT(a b)", "Point Reyes", "SRID=;POINT(1 2)",
        ]
        for text in wrong + ["POINT((1 2))", "GEOMETRYCOLLECTION(POINT(1 2)", "POLYGON(0 0, 1 1)"] {
            #expect(WellKnownText(text) == nil, "\(text)")
        }
    }

    @Test("Damaged text never crashes")
    func fuzz() {
        var generator = SplitMix64(seed: 3)
        let original = Array("SRID=4326;MULTIPOLYGON(((0 0,2 0,2 2,0 2,0 0)),((9 9,10 9,10 1e9,9 9)))".utf8)
        for _ in 0..<3_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &generator)
                if Bool.random(using: &generator) {
                    bytes.remove(at: index)
                } else {
                    bytes[index] = UInt8.random(in: 32...126, using: &generator)
                }
            }
            _ = WellKnownText(String(decoding: bytes, as: UTF8.self))
        }
    }
}
