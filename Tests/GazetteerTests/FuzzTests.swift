import Foundation
import Gazetteer
import GazetteerCompiler
import Geometry
import Testing
import TestSupport

/// Queries that were changed by chance, by the thousand; `WAYMARK_FUZZ_ROUNDS` and `WAYMARK_FUZZ_SEED` make more of them.
@Suite("Randomly changed queries")
struct FuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let rounds = environment["WAYMARK_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 400
    private static let seed = environment["WAYMARK_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1

    /// What is changed: a query of every kind.
    private static let corpus = [
        "Atlanta, GA", "mound bayou mississippi", "St. Louis, Missouri 63101", "33.7554, -84.3736",
        "33°45′19″N 84°22′25″W",
        "geo:33.7554,-84.3736;u=35", "865QQJX6+C8", "QJX6+C8 Atlanta", "geohash:djgzq",
        "https://www.google.com/maps/@33.75,-84.37,15z", "https://maps.apple.com/?ll=33.75,-84.37&q=x",
        "https://www.openstreetmap.org/#map=15/33.75/-84.37", "Москва", "東京都", "القاهرة", "Αθήνα", "Münster", "N.S.W.",
        "New York City, N. Y.", "100 Main Street, Atlanta", "12 1/2 Hollis Avenue, Harlem, New York", "74106-1234",
        "Hauptstr. 3, Münster", "94-12 Hollis Ave", "5 N Peachtree Rd Apt 4", "S 33 45.3 W 84 22.4",
        "33:45:19N 84:22:25W",
    ]
    private static let pieces = [
        "\u{0}", "\u{1B}[31m", "\u{7F}", "\u{202E}", "\u{FEFF}", "\u{301}", "🏳️‍🌈", "ᄒ\u{1161}\u{11AB}", "か\u{3099}", "٣٣",
        "９", "1e308", "-0", "nan", "infinity", "°", "′", "\"", "+", "--", ",,", "\u{2028}", "\u{10FFFF}", "ß", "ŉ", "ﬁ",
        "İ",
    ]

    private let search: PlaceSearch

    init() throws {
        var builder = AddressBuilder()
        let streets = ["5th Avenue", "Hauptstraße", "Hollis Avenue", "Main Street", "North Peachtree Road"]
        for entry in streets.flatMap(Self.houses).sorted(by: { $0.streetKey < $1.streetKey }) {
            builder.add(entry, key: entry.streetKey)
        }
        let bytes = GazetteerBytes(try builder.finish(checksum: []))
        search = PlaceSearch(places: try Fixture.index(), addresses: try AddressIndex(bytes: bytes))
    }

    private static func houses(of street: String) -> [AddressEntry] {
        (1...9)
            .map { number in
                AddressEntry(
                    street: street,
                    number: "\(number * 12)",
                    city: "Atlanta",
                    region: "Georgia",
                    country: "us",
                    postcode: "30303",
                    latitude: 33.75 + Double(number) / 1000,
                    longitude: -84.39
                )
            }
    }

    /// Changes a text in one of the ways that break readers.
    private static func change(_ text: String, _ random: inout SplitMix64) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<(1 + random.next() % 4) {
            let start = bytes.isEmpty ? 0 : Int(random.next() % UInt64(bytes.count))
            let end = min(bytes.count, start + 1 + Int(random.next() % 12))
            switch random.next() % 9 {
            case 0: if start < bytes.count { bytes[start] = UInt8(truncatingIfNeeded: random.next()) }
            case 1: if start < bytes.count { bytes[start] ^= 1 << UInt8(random.next() % 8) }
            case 2: bytes.removeSubrange(start..<end)
            case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 4: bytes.removeSubrange(start...)
            case 5: bytes.insert(contentsOf: pieces[Int(random.next() % UInt64(pieces.count))].utf8, at: start)
            case 6: bytes += corpus[Int(random.next() % UInt64(corpus.count))].utf8
            case 7:
                let other = Array(corpus[Int(random.next() % UInt64(corpus.count))].utf8)
                bytes = Array(bytes[..<start]) + other.suffix(Int(random.next() % UInt64(other.count + 1)))
            default:
                let times = 1 + Int(random.next() % 200)
                bytes = Array(repeatElement(bytes[start..<end], count: times).joined())
            }
            bytes = Array(bytes.prefix(10_000))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func texts(_ seed: UInt64) -> [String] {
        var random = SplitMix64(seed: seed)
        return (0..<rounds)
            .map { _ in change(corpus[Int(random.next() % UInt64(corpus.count))], &random) }
    }

    private func check(_ matches: [GazetteerMatch], _ text: String) {
        #expect(matches.count <= 5, "\(Array(text.utf8))")
        #expect(matches.allSatisfy { (0...1).contains($0.confidence) }, "\(Array(text.utf8))")
        #expect(Set(matches.map { "\($0.id) \($0.coordinate)" }).count == matches.count, "\(Array(text.utf8))")
        #expect(
            matches.allSatisfy {
                abs($0.coordinate.latitude) <= 90 && abs($0.coordinate.longitude) <= 180 && !$0.name.isEmpty
            },
            "\(Array(text.utf8))"
        )
    }

    @Test("Every text gets an answer with values in range, the same each time", arguments: 0..<6)
    func texts(stream: UInt64) {
        for (number, text) in Self.texts(Self.seed &* 1_000 &+ stream).enumerated() {
            let found = search.search(text)
            check(found, text)
            check(search.suggest(text), text)
            if number.isMultiple(of: 16) { #expect(search.search(text) == found) }
        }
    }

    @Test("Parts of an address are answered like texts", arguments: 6..<8)
    func parts(stream: UInt64) {
        var random = SplitMix64(seed: Self.seed &* 1_000 &+ stream)
        let texts = Self.texts(Self.seed &* 1_000 &+ stream)
        func text() -> String { random.next() % 2 == 0 ? "" : texts[Int(random.next() % UInt64(texts.count))] }
        for _ in 0..<(Self.rounds / 4) {
            let parts = PlaceParts(
                street: text(),
                city: text(),
                county: text(),
                state: text(),
                country: text(),
                postalCode: text()
            )
            check(search.search(PlaceQuery(parts: parts)), parts.city)
        }
    }

    @Test("A parsed position lies on the globe and is parsed again from its own text", arguments: 8..<11)
    func positions(stream: UInt64) {
        for text in Self.texts(Self.seed &* 1_000 &+ stream) {
            guard let match = search.search(text).first, match.matchType == .coordinate else { continue }
            let (latitude, longitude) = (match.coordinate.latitude, match.coordinate.longitude)
            #expect(abs(latitude) <= 90 && abs(longitude) <= 180, "\(Array(text.utf8))")
            let written = "\(latitude), \(longitude)"
            // Numbers with an exponent are no notation of a position.
            guard !written.contains("e") else { continue }
            #expect(search.search(written).first?.coordinate == match.coordinate, "\(written)")
        }
    }

    @Test("Every UTF-8 prefix of a query is answered", arguments: corpus)
    func beginnings(text: String) {
        let bytes = Array(text.utf8)
        for end in bytes.indices {
            let beginning = String(decoding: bytes[..<end], as: UTF8.self)
            check(search.search(beginning), beginning)
            check(search.suggest(beginning), beginning)
        }
    }

    @Test("Queries of ten thousand repeated characters are answered quickly", arguments: corpus)
    func long(text: String) {
        let long = String(String(repeating: text + " ", count: 10_000 / text.count + 1).prefix(10_000))
        let clock = ContinuousClock()
        let time = clock.measure {
            check(search.search(long), text)
            check(search.suggest(long), text)
        }
        // A fiftieth of it in a release build; this is about what grows with the square.
        #expect(time < .seconds(10))
    }
}
