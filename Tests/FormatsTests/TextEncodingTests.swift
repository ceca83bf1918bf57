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

    @Test(
        "Words of no Western language are not guessed, and read in the encoding that is given",
        arguments: [
            ("windows-1251", "title\nМосква, улица Ленина", "CCEEF1EAE2E0"), ("koi8-r", "Москва", "EDCFD3CBD7C1"),
            ("cp866", "Москва", "8CAEE1AAA2A0"), ("windows-1250", "Lech Wałęsa, Łódź", "57 61 B3 EA 73 61"),
            ("iso-8859-2", "pączki", "70 B1 63 7A"), ("Shift_JIS", "東京", "938C8B9E"),
            ("sjis", "アパート", "8341837081 5B8367"), ("euc-jp", "東京", "C5ECB5FE"), ("gbk", "北京", "B1B1BEA9"),
            ("big5", "臺北", "BB4FA55F"), ("euc-kr", "서울", "BCADBFEF"), ("windows-1253", "Αθήνα", "C1E8DEEDE1"),
        ]
    )
    func foreign(name: String, text: String, part: String) throws {
        let encoding = try #require(TextEncoding(name: name))
        let digits = part.filter { $0 != " " }
        let word = stride(from: 0, to: digits.count, by: 2)
            .compactMap { offset in
                UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
            }
        if encoding != .traditionalChinese {
            #expect(throws: TextEncodingError.self) { try DecodedText(Array("a,caf\u{65}\n1,".utf8) + word) }
        }
        let decoded = String(decoding: try DecodedText(word, as: encoding).bytes, as: UTF8.self)
        #expect(text.contains(decoded) && !decoded.isEmpty)
    }

    @Test(
        "The example of a guess is a word that another encoding would read differently, if there is one",
        arguments: [
            ("\u{8E}ivot, n\u{E1}m\u{EC}st\u{ED}; Dvo\u{F8}\u{E1}k", "námìstí"),
            ("caf\u{E9} \u{96} na\u{EF}ve", "naïve"),
            ("caf\u{E9} M\u{FC}ller", "café"), ("caf\u{E9} b\u{9C}uf", "bœuf"),
        ]
    )
    func examples(file: String, example: String) throws {
        let decoded = try DecodedText(file.unicodeScalars.map { UInt8($0.value) })
        #expect(decoded.encoding == .windows1252 && decoded.example == example)
    }

    @Test("Japanese in seven bits is recognised by what switches to it, and an escape alone is none")
    func mailedJapanese() throws {
        let bytes = Array("title\n\u{1B}$BEl5~\u{1B}(B, x\n".utf8)
        for given in [nil, TextEncoding(name: "ISO-2022-JP")] {
            let decoded = try DecodedText(bytes, as: given)
            #expect(String(decoding: decoded.bytes, as: UTF8.self) == "title\n東京, x\n")
            #expect(decoded.encoding == .mailedJapanese && !decoded.isGuess)
        }
        #expect { try DecodedText(Array("a\n\u{1B}$BE".utf8)) } throws: {
            ($0 as? TextEncodingError)?.line == 2
        }
        for text in ["\u{1B}[31mred\u{1B}[0m", "\u{1B}", "\u{1B}$", "東 \u{1B}$B"] {
            #expect(try DecodedText(Array(text.utf8)).encoding == .utf8)
        }
    }

    @Test("What means nothing in an encoding of the C library is an error with its line")
    func foreignErrors() {
        let cases: [([UInt8], TextEncoding, Int)] = [
            (Array("a\nb\n".utf8) + [0x98], .windows1251, 3), (Array("a\n".utf8) + [0x93], .shiftJIS, 2),
            (Array("a\n".utf8) + [0], .windows1251, 2),
        ]
        for (bytes, encoding, line) in cases {
            #expect { try DecodedText(bytes, as: encoding) } throws: { ($0 as? TextEncodingError)?.line == line }
        }
        // The converter of Big5 waits for an accent that may follow.
        #expect((try? DecodedText([0x61, 0x88, 0x66], as: .traditionalChinese))?.bytes == Array("aÊ".utf8))
        let long = [UInt8](repeating: 0xCC, count: 200_000)
        #expect((try? DecodedText(long, as: .windows1251))?.bytes.count == 400_000)
    }

    @Test("Signs beside numbers, rows of quotation marks and one strange letter are Western")
    func western() throws {
        for text in [
            "12 m\u{B3} \u{B1}5, \u{A3}20, 1\u{BD} \u{BF}Qu\u{E9}?",
            "\u{AB}\u{85}\u{BB} d\u{E9}j\u{E0} \u{93}\u{C9}t\u{E9}\u{94}",
        ] {
            #expect(try DecodedText(text.unicodeScalars.map { UInt8($0.value) }).encoding == .windows1252)
        }
    }

    @Test(
        "An encoding has one name in any writing",
        arguments: [
            ("CP1251", "windows-1251"), ("1250", "windows-1250"), ("ansi 1252", "windows-1252"), ("850", "ibm850"),
            ("MS932", "shift_jis"), ("EUC_JP", "euc-jp"), ("ISO8859-2", "iso-8859-2"), ("latin-9", "iso-8859-15"),
        ]
    )
    func names(name: String, own: String) {
        #expect(TextEncoding(name: name)?.rawValue == own)
    }

    @Test("No encoding of another name", arguments: ["x1252", "1", "", "windows", "ebcdic"])
    func noNames(name: String) { #expect(TextEncoding(name: name) == nil) }

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
