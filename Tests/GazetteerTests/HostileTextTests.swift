import Gazetteer
import Geometry
import Testing

/// Whatever the text, an answer comes, with numbers in their ranges, and soon.
@Suite("Hostile text")
struct HostileTextTests {
    let index: GazetteerIndex

    init() throws {
        index = try Fixture.index()
    }

    private static let pieces = [
        "Atlanta", "Altanta", "GA", "Georgia", "New York", "saint", "st", "ü", "東京", "Стамбул", "74106-1234", "33.7",
        "-84.4",
        "°", "'", "\"", "N", "W", ",", ";", "\n", "\t", " ", "  ", "+", "geo:", "https://a?q=", "%2C", "!3d", "@",
        "#map=",
        "\u{0}", "\u{1B}", "\u{7F}", "\u{202E}", "\u{FEFF}", "e\u{301}", "🏳️‍🌈", "ᄒ\u{1161}\u{11AB}", "か\u{3099}", "٠١٢",
        "9999999999999999999999", "1e400", "nan", "--", "8FVC", "865QQJX6+C8", "QJX6+", "county", "of", "the",
        "\u{10FFFF}",
    ]

    @Test("Random mixtures are answered", arguments: 0..<8)
    func mixtures(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<150 {
            let count = Int(random.next() % 12)
            let text = (0..<count).map { _ in Self.pieces[Int(random.next() % UInt64(Self.pieces.count))] }.joined()
            check(text)
        }
    }

    @Test("Bytes that are not text are answered", arguments: 0..<4)
    func noise(seed: UInt64) {
        var random = SplitMix64(seed: 100 + seed)
        for _ in 0..<150 {
            let bytes = (0..<(random.next() % 60)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            check(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test("Every UTF-8 prefix of a text is answered")
    func beginnings() {
        let bytes = Array("Münster 東京 \u{202E}Ga\u{301} 🏳️‍🌈 ᄒ\u{1161}\u{11AB} か\u{3099} 33°44′N 84°23′W 865QQJX6+C8".utf8)
        for end in bytes.indices { check(String(decoding: bytes[..<end], as: UTF8.self)) }
    }

    @Test(
        "Ten thousand characters are answered",
        arguments: [
            "New York Georgia, ", "a", "ü,", "st ", "ga ", "Altanta ", "1 ", "9", "+", "東京", "\u{0}", "\u{301}",
            "33.7,", "!3d",
            "geo:", "%2C", "-", "(", "°", "N",
        ]
    )
    func long(piece: String) {
        check(String(repeating: piece, count: 10_000 / piece.count))
        check("https://" + String(repeating: piece, count: 10_000 / piece.count))
    }

    @Test("Structured addresses may contain anything")
    func parts() {
        var random = SplitMix64(seed: 7)
        func piece() -> String { Self.pieces[Int(random.next() % UInt64(Self.pieces.count))] }
        for _ in 0..<150 {
            let parts = PlaceParts(
                street: piece(),
                city: piece() + piece(),
                county: piece(),
                state: piece(),
                country: piece(),
                postalCode: piece()
            )
            check(index.search(PlaceQuery(parts: parts)))
        }
    }

    private func check(_ text: String) {
        check(index.search(text))
        check(
            index.search(
                text,
                options: SearchOptions(near: Coordinate(latitude: 33, longitude: -84), countries: ["us"])
            )
        )
        check(index.suggest(text))
    }

    private func check(_ matches: [GazetteerMatch]) {
        #expect(matches.count <= 5)
        #expect(matches.allSatisfy { (0...1).contains($0.confidence) })
        #expect(Set(matches.map(\.id)).count == matches.count)
    }
}
