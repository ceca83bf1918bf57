import Folding
import Foundation
import Geometry
import Testing

@Suite("Folded words")
struct WordFolderTests {
    @Test(
        "MAP-09 Case, accents, apostrophes and punctuation do not count",
        arguments: [
            ("St. John's", ["st", "johns"]), ("St Johns", ["st", "johns"]), ("st-johns", ["st", "johns"]),
            ("ST. JOHN’S", ["st", "johns"]), ("O'Neal", ["oneal"]), ("ONeal", ["oneal"]), ("O’NEAL", ["oneal"]),
            ("O`Neal", ["oneal"]), ("Hawaiʻi", ["hawaii"]), ("U.S.", ["us"]), ("U.S.A., 1936", ["usa", "1936"]),
            ("St.Louis", ["st", "louis"]), ("harvest...The end.", ["harvest", "the", "end"]), ("I..am", ["i", "am"]),
            ("Zoë", ["zoe"]), ("Zoe\u{308}", ["zoe"]), ("ÉGLISE", ["eglise"]), ("Straße", ["strasse"]),
            ("STRASSE", ["strasse"]), ("STRAẞE", ["strasse"]), ("Łódź", ["lodz"]), ("Œuvre", ["oeuvre"]),
            ("Þórr", ["thorr"]), ("İstanbul", ["istanbul"]), ("ısı", ["isi"]), ("ΟΔΟΣ", ["οδοσ"]), ("οδός", ["οδοσ"]),
            ("Ёлка", ["елка"]), ("١٩٣٦", ["1936"]), ("ﬁeld", ["field"]), ("Ｗａｙ", ["way"]),
            ("Smith & Sons", ["smith", "and", "sons"]), ("“quoted” (words), yes!", ["quoted", "words", "yes"]),
            ("a\u{a0}b\u{2003}c\td\r\ne", ["a", "b", "c", "d", "e"]), ("北京市", ["北京市"]),
            ("\u{1112}\u{1161}\u{11ab}", ["한"]), ("か\u{3099}", ["が"]), ("🎺Jazz🎺", ["🎺", "jazz", "🎺"]),
            ("", []), (" -–—…?! ", []), ("'", []), ("...", []),
        ] as [(String, [String])]
    )
    func words(text: String, expected: [String]) {
        #expect(WordFolder.words(of: text) == expected)
    }

    /// Letters with their marks, signs and spaces of many scripts.
    private static let letters = [
        "a", "Z", "é", "e\u{301}", "ß", "Ő", "'", "’", ".", ",", "-", " ", "\n", "&", "9", "٤", "ж", "Ё", "ي", "ש", "ह",
        "हि", "ก", "กำ", "か", "か\u{3099}", "ハ", "ハ\u{309a}", "한", "\u{1112}\u{1161}\u{11ab}", "北", "ﬀ", "½",
        "\u{200d}", "👩‍🚀", "🇺🇸", "\u{0}", "𝔸", "İ",
    ]
    /// Marks and parts of letters where none belong.
    private static let strays = [
        "\u{3099}", "\u{309a}", "\u{1112}", "\u{1161}", "\u{11ab}", "\u{301}", "ि", "\u{fe0f}",
        "\u{e0061}", "\u{10ffff}", "\u{fffd}",
    ]

    private static func sample(_ parts: [String], _ generator: inout SplitMix64) -> String {
        (0..<Int.random(in: 0...24, using: &generator))
            .map { _ in parts[Int.random(in: 0..<parts.count, using: &generator)] }.joined()
    }

    @Test("Both encodings of accents give the same words, and a text and itself folded do", arguments: UInt64(0)..<4)
    func encodings(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let text = WordFolderTests.sample(WordFolderTests.letters, &generator)
            let words = WordFolder.words(of: text)
            #expect(
                WordFolder.words(of: text.decomposedStringWithCanonicalMapping) == words,
                "\(text.debugDescription)"
            )
            #expect(
                WordFolder.words(of: text.precomposedStringWithCanonicalMapping) == words,
                "\(text.debugDescription)"
            )
            #expect(WordFolder.words(of: words.joined(separator: " ")) == words, "\(text.debugDescription)")
            #expect(words.allSatisfy { !$0.isEmpty && !$0.contains(" ") })
        }
    }

    @Test("Latin letters fold as Foundation folds them")
    func latin() {
        for code in UInt32(0xC0)...0x17F {
            guard let scalar = Unicode.Scalar(code), scalar.properties.isAlphabetic else { continue }
            let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]
            let theirs = String(scalar).folding(options: options, locale: nil)
            // Letters that Foundation leaves as they are, because they are no letter with an accent.
            guard theirs.unicodeScalars.allSatisfy(\.isASCII) else { continue }
            #expect(WordFolder.words(of: String(scalar)).joined() == theirs, "\(scalar)")
        }
    }

    @Test("Each byte of a word comes from where its character begins in the text", arguments: UInt64(0)..<4)
    func origins(seed: UInt64) {
        var generator = SplitMix64(seed: seed + 9)
        for _ in 0..<2_000 {
            let text = WordFolderTests.sample(WordFolderTests.letters + WordFolderTests.strays, &generator)
            var folder = WordFolder(notesOrigins: true)
            folder.add(text)
            #expect(folder.origins.count == folder.bytes.count)
            #expect(folder.origins == folder.origins.sorted())
            let utf8 = Array(text.utf8)
            #expect(folder.origins.allSatisfy { Int($0) < utf8.count && utf8[Int($0)] & 0xC0 != 0x80 })
            var plain = WordFolder()
            plain.add(text)
            #expect(plain.bytes == folder.bytes && plain.origins.isEmpty)
        }
    }

    @Test(
        "MAP-09 Tags and persons are the same in any case, with any accents and apostrophes, and with no other difference",
        arguments: [
            ("Blues", "blues", true), ("BLUES", "blues", true), ("Café", "cafe", true), ("Cafe\u{301}", "CAFÉ", true),
            ("O'Neal", "O’Neal", true), ("O'Neal", "oneal", true), ("Straße", "STRASSE", true),
            ("Delta  blues", " delta blues ", true), ("Delta\u{a0}blues", "delta blues", true),
            ("C", "C++", false), ("C#", "C++", false), ("rock-roll", "rock roll", false), ("a", "b", false),
            ("🎺", "🎷", false), ("'", "’", false), ("が", "か", false), ("か\u{3099}", "が", true), ("", "", true),
            ("St. Ann", "St Ann", false),
        ] as [(String, String, Bool)]
    )
    func terms(a: String, b: String, areSame: Bool) {
        #expect((TermFolding.key(a) == TermFolding.key(b)) == areSame)
        #expect(TermFolding.key(TermFolding.key(a)) == TermFolding.key(a))
    }
}
