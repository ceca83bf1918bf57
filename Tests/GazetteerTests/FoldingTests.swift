import Gazetteer
import Testing

@Suite("Folding of names")
struct FoldingTests {
    @Test(
        "Case, accents and punctuation do not matter",
        arguments: [
            ("São Paulo", ["sao", "paulo"]), ("Łódź", ["lodz"]), ("Straße", ["strasse"]), ("Ærø", ["aero"]),
            ("İstanbul", ["istanbul"]), ("Đà Nẵng", ["da", "nang"]), ("O’Fallon", ["ofallon"]),
            ("Saint-Louis", ["saint", "louis"]), ("U.S.A.", ["usa"]), ("St.Louis", ["st", "louis"]),
            ("W.Va.", ["wva"]), ("N. C.", ["n", "c"]), ("Trinidad & Tobago", ["trinidad", "and", "tobago"]),
            ("Москва́", ["москва"]), ("Ελλάδα", ["ελλαδα"]), ("أَبُو ظَبْي", ["ابو", "ظبي"]), ("東京", ["東京"]),
            ("ＡＢ１", ["ab1"]), ("ﬁ", ["fi"]), ("भारत", ["भारत"]), ("🍑 Peach", ["peach"]), ("", []),
        ]
    )
    func words(text: String, expected: [String]) {
        #expect(NameFolding.words(of: text) == expected)
    }

    @Test("Letters with combining marks fold like precomposed ones")
    func decomposed() {
        #expect(NameFolding.words(of: "Mu\u{308}nchen") == NameFolding.words(of: "M\u{FC}nchen"))
        #expect(NameFolding.words(of: "\u{1109}\u{1165}\u{110B}\u{116E}\u{11AF}") == ["서울"])
        #expect(NameFolding.words(of: "か\u{3099}は\u{309A}") == ["がぱ"])
    }

    @Test("Long and short forms of common words are equal")
    func abbreviations() {
        #expect(NameFolding.key(of: "Saint Louis") == NameFolding.key(of: "St. Louis"))
        #expect(NameFolding.key(of: "Fort Worth") == NameFolding.key(of: "Ft Worth"))
        #expect(NameFolding.key(of: "Mount Vernon") == NameFolding.key(of: "Mt. Vernon"))
        #expect(NameFolding.key(of: "North Carolina") == NameFolding.key(of: "N Carolina"))
        #expect(NameFolding.key(of: "Northern Ireland") == NameFolding.key(of: "N. Ireland"))
        #expect(NameFolding.key(of: "Beale Street") == NameFolding.key(of: "Beale St."))
        #expect(NameFolding.key(of: "Rockville Centre") == NameFolding.key(of: "Rockville Center"))
        #expect(NameFolding.key(of: "North") == "north")
    }
}
