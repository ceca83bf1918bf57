import Gazetteer
import Geometry
import Testing

@Suite("Search by name")
struct SearchTests {
    let index: GazetteerIndex

    init() throws {
        index = try Fixture.index()
    }

    @Test(
        "GEO-01 The first match is the intended place",
        arguments: [
            ("Atlanta, GA", "geonames:3"),
            ("atlanta georgia usa", "geonames:3"),
            ("Georgia Atlanta", "geonames:3"),
            ("Atlanta, Ga.", "geonames:3"),
            ("City of Atlanta", "geonames:3"),
            ("Paris", "geonames:1"),
            ("Paris, TX", "geonames:2"),
            ("paris texas", "geonames:2"),
            ("Paris, France", "geonames:1"),
            ("パリ", "geonames:1"),
            ("mound bayou mississippi", "geonames:6"),
            ("Mound Bayou, Bolivar County, Miss.", "geonames:6"),
            ("Saint Louis MO", "geonames:8"),
            ("St.Louis", "geonames:8"),
            ("Constantinople", "geonames:7"),
            ("ISTANBUL", "geonames:7"),
            ("стамбул", "geonames:7"),
            ("New York", "geonames:10"),
            ("New York, NY", "geonames:10"),
            ("NYC", "geonames:10"),
            ("New York State", "geonames:16"),
            ("Harlem, New York City", "geonames:20"),
            ("Harlem Ga", "geonames:21"),
            ("Washington", "geonames:4"),
            ("Washington, D.C.", "geonames:4"),
            ("Washington D. C.", "geonames:4"),
            ("Muenster", "geonames:23"),
            ("Münster, DE", "geonames:23"),
            ("Winston Salem N.C.", "geonames:24"),
            ("OFallon", "geonames:25"),
            ("O’Fallon", "geonames:25"),
            ("N Carolina", "geonames:15"),
            ("N. C.", "geonames:15"),
            ("GA", "geonames:12"),
            ("U.S.A.", "geonames:6252001"),
            ("Deutschland", "geonames:2921044"),
            ("Fulton County, Georgia", "census:13121"),
            ("Fulton Co., NY", "census:36035"),
            ("74106", "zipcodes:74106"),
            ("74106-1234", "zipcodes:74106"),
            ("Tulsa, OK 74106", "zipcodes:74106"),
            ("74106 Tulsa", "zipcodes:74106"),
            ("NRW", "geonames-admin1:DE.07"),
        ]
    )
    func first(query: String, id: String) throws {
        let match = try #require(index.search(query).first)
        #expect(match.id == id)
        #expect(match.unmatched.isEmpty)
        #expect(match.confidence > 0)
    }

    @Test("A match contains everything known about the place")
    func fields() throws {
        let match = try #require(index.search("Atlanta, GA").first)
        #expect(match.name == "Atlanta")
        #expect(match.kind == .city)
        #expect(match.coordinate == Coordinate(latitude: 33.749, longitude: -84.38798))
        #expect(match.matchType == .exact)
        #expect(match.label == "Atlanta, Georgia, United States")
        #expect(match.admin1 == "Georgia")
        #expect(match.admin2 == "Fulton County")
        #expect(match.country == "United States")
        #expect(match.countryCode == "us")
        #expect(match.postcode == nil)
        #expect(match.source == "geonames")
        #expect(match.confidence > 0.9)
        #expect(!match.isAmbiguous)
        let zip = try #require(index.search("74106").first)
        #expect(zip.kind == .postcode)
        #expect(zip.matchType == .postcode)
        #expect(zip.postcode == "74106")
        #expect(zip.label == "74106, Tulsa, Oklahoma, United States")
        let country = try #require(index.search("United States").first)
        let box = try #require(country.boundingBox)
        #expect(box.crossesAntimeridian)
    }

    @Test("The kind of match is reported")
    func matchTypes() throws {
        #expect(try #require(index.search("Istanbul").first).matchType == .exact)
        #expect(try #require(index.search("Constantinople").first).matchType == .alias)
        #expect(try #require(index.search("Auburn Ave, Atlanta").first).matchType == .fallback)
        #expect(try #require(index.search("33.7, -84.4").first).matchType == .coordinate)
    }

    @Test("GEO-01 Unmatched words are reported and lower the confidence")
    func fallback() throws {
        let match = try #require(index.search("Auburn Ave, Atlanta").first)
        #expect(match.id == "geonames:3")
        #expect(match.unmatched == ["auburn", "ave"])
        #expect(match.confidence < 0.8)
        let address = try #require(index.search("12 Greenwood Avenue, Tulsa, OK 74106").first)
        #expect(address.id == "zipcodes:74106")
        #expect(address.unmatched == ["12", "greenwood", "avenue"])
    }

    @Test("Nonsense finds nothing", arguments: ["qwxzzy blorp", "", "   ", ",,,", "🍑🍑", "-", "0", "\u{0}\u{1}"])
    func nonsense(query: String) {
        #expect(index.search(query).isEmpty)
    }

    @Test("Two plausible places are ambiguous, with the preferred country first")
    func ambiguous() throws {
        let matches = index.search("Georgia")
        #expect(matches.map(\.id).prefix(2) == ["geonames:12", "geonames:614540"])
        #expect(matches.prefix(2).map(\.isAmbiguous) == [true, true])
        let first = try #require(matches.first)
        #expect(first.confidence < 0.85)
        let neutral = index.search("Georgia", options: SearchOptions(preferredCountry: "GE"))
        #expect(neutral.first?.id == "geonames:614540")
        #expect(index.search("Tbilisi, Georgia").first?.id == "geonames:9")
    }

    @Test("Filters and preferences are obeyed")
    func options() throws {
        #expect(index.search("Paris", options: SearchOptions(countries: ["us"])).map(\.id) == ["geonames:2"])
        #expect(index.search("Paris", options: SearchOptions(countries: ["xx"])).isEmpty)
        #expect(index.search("Paris", options: SearchOptions(limit: 1)).count == 1)
        let texas = try #require(BoundingBox(west: -106, south: 25, east: -93, north: 37))
        #expect(index.search("Paris", options: SearchOptions(boundingBox: texas)).map(\.id) == ["geonames:2"])
        let augusta = Coordinate(latitude: 33.47, longitude: -82)
        #expect(index.search("Harlem", options: SearchOptions(near: augusta)).first?.id == "geonames:20")
        #expect(index.search("Fulton County", options: SearchOptions(near: augusta)).first?.id == "census:13121")
        #expect(index.search("Auburn Ave, Atlanta", options: SearchOptions(minimumConfidence: 0.9)).isEmpty)
    }

    @Test(
        "Typed positions are parsed",
        arguments: [
            ("33.7,-84.39", 33.7, -84.39), ("33.7 -84.39", 33.7, -84.39), ("33.7N 84.39W", 33.7, -84.39),
            ("33.7° N, 84.39° W", 33.7, -84.39), ("84.39W, 33.7N", 33.7, -84.39), ("−33.7, 18", -33.7, 18),
            ("10, 20", 10, 20), ("-122.4, 37.8", 37.8, -122.4),
        ]
    )
    func coordinates(query: String, latitude: Double, longitude: Double) throws {
        let match = try #require(index.search(query).first)
        #expect(match.kind == .coordinate)
        #expect(match.coordinate == Coordinate(latitude: latitude, longitude: longitude))
    }

    @Test(
        "Other numbers are not positions",
        arguments: ["74106 1234", "200.5, 300.5", "1.2.3, 4", "12", "1e5,2", "nan,nan"]
    )
    func noCoordinates(query: String) {
        #expect(!index.search(query).contains { $0.kind == .coordinate })
    }

    @Test("Hostile text is answered quickly and safely")
    func hostile() {
        let long = String(repeating: "New York Georgia, ", count: 600)
        for text in [long, String(repeating: "a", count: 10_000), String(repeating: "ü,", count: 5000)] {
            _ = index.search(text)
        }
        let bytes = Array("Münster 東京 \u{202E}Ga\u{301} 🏳️‍🌈 ᄒ\u{1161}\u{11AB}".utf8)
        for end in bytes.indices { _ = index.search(String(decoding: bytes[..<end], as: UTF8.self)) }
        var random = SplitMix64(seed: 5)
        for _ in 0..<300 {
            let noise = (0..<40).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            _ = index.search(String(decoding: noise, as: UTF8.self))
            _ = index.suggest(String(decoding: noise.prefix(3), as: UTF8.self))
        }
    }

    @Test("GEO-03 A prefix suggests the best-known places")
    func suggest() {
        #expect(index.suggest("atl").map(\.id) == ["geonames:3"])
        #expect(index.suggest("new y", options: SearchOptions(limit: 2)).map(\.id) == ["geonames:16", "geonames:10"])
        #expect(index.suggest("saint lo").first?.id == "geonames:8")
        #expect(index.suggest("st lo").first?.id == "geonames:8")
        #expect(index.suggest("MÜN").first?.id == "geonames:23")
        #expect(index.suggest("").isEmpty)
    }

    @Test(
        "GEO-01 An unknown street is not mistaken for the town it is named after",
        arguments: [
            ("12 Paris Ave, Atlanta, GA", "geonames:3"), ("12 Paris Ave Atlanta GA", "geonames:3"),
            ("Paris Street, Atlanta", "geonames:3"), ("12 Harlem Rd, New York, NY", "geonames:10"),
            ("12 Harlem Rd New York NY", "geonames:10"),
        ]
    )
    func unknownStreet(query: String, id: String) throws {
        let match = try #require(index.search(query).first)
        #expect(match.id == id)
        #expect(match.matchType == .fallback)
        #expect(match.confidence <= 0.6)
        #expect(match.unmatched.contains { ["ave", "street", "rd"].contains($0) })
    }

    @Test("GEO-01 Digits of other scripts also work in postal codes")
    func postalDigits() {
        let plain = index.search("74106").first?.id
        #expect(plain != nil)
        #expect(index.search("٧٤١٠٦").first?.id == plain)
    }
}
