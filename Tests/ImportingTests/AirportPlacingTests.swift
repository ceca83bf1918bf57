import Gazetteer
import GazetteerCompiler
import Importing
import Testing

@Suite("Airports beside their cities")
struct AirportPlacingTests {
    private static func table(_ header: String, _ rows: [String]) -> [UInt8] {
        let lines = rows.map { row in
            row.split(separator: " ").map { $0 == "_" ? "" : $0.replacing("_", with: " ") }.joined(separator: "\t")
        }
        let columns = header.split(separator: " ").joined(separator: "\t")
        return Array(([columns] + lines).map { $0 + "\n" }.joined().utf8)
    }

    private static let locator = Result {
        let sources = GazetteerSources(
            countries: table(
                "id code code3 name lat lon west south east north population capital names abbreviations",
                ["6252001 US USA United_States 39.5 -99.1 172 18 -66 71 330000000 1 _ U.S."]
            ),
            states: table(
                "id code fips name lat lon west south east north population names abbreviations",
                ["18 TX 48 Texas 31.5 -99.4 -106.6 25.8 -93.5 36.5 29000000 _ Tex."]
            ),
            regions: table(
                "country code name lat lon west south east north population bounds names abbreviations",
                []
            ),
            counties: table("geoid name short state lat lon west south east north", []),
            places: table(
                "id name lat lon country admin1 county population names",
                [
                    "1 Springfield 31.15 -97.05 US TX _ 633104 _", "2 Paris 33.66094 -95.55551 US TX _ 24912 _",
                ]
            ),
            zipcodes: table("zip city state lat lon", ["75460 Paris TX 33.66 -95.55"]),
            landforms: table(
                "source id name kind lat lon country admin1 county city prominence names abbreviations",
                [
                    "airportsdata spx Springfield_International_Airport airport 31.04 -97.3 US TX _ 1 30000 "
                        + "Springfield_Airport SPX",
                    "waymark mall Springfield_Hall landmark 31.16 -97.06 US TX _ 1 20000 _ _",
                ]
            )
        )
        let bytes = try GazetteerBuilder.build(sources, checksum: Array(1...32))
        return GazetteerLocator(PlaceSearch(places: try GazetteerIndex(bytes: GazetteerBytes(bytes))))
    }

    @Test(
        "GEO-07 A row that names the airport of its city lies at the airport, any other row in the city",
        arguments: [
            ("Springfield International Airport", "Springfield", "airportsdata:spx"),
            ("Springfield Airport", "Springfield", "airportsdata:spx"),
            ("Springfield Hall", "Springfield", "waymark:mall"), ("Springfield", "Springfield", "geonames:1"),
            ("Sprinfgield Airport", "Springfield", "geonames:1"), ("Springfield Airport", "Paris", "geonames:2"),
            ("Airport Springfield Intl", "Springfield", "airportsdata:spx"),
            ("Springfield Intl. Airport", "Springfield", "airportsdata:spx"),
            ("Airport: Springfield International", "Springfield", "airportsdata:spx"),
            ("Airport", "Springfield", "geonames:1"), ("Airport Road Diner", "Springfield", "geonames:1"),
        ]
    )
    func named(name: String, city: String, id: String) throws {
        var words = PlaceWords()
        (words.name, words.city, words.state) = (name, city, "TX")
        let found = try Self.locator.get().candidates(for: words, limit: 5)
        #expect(found.first?.id == id, "\(found.map { "\($0.id) \($0.confidence)" })")
    }

    @Test("GEO-07 A city is doubted where the row's airport lies far outside of it, or may, as that of a large city")
    func doubted() throws {
        func confidence(_ name: String, in city: String = "Springfield") throws -> Double {
            var words = PlaceWords()
            (words.name, words.city, words.state) = (name, city, "TX")
            let found = try Self.locator.get().candidates(for: words, limit: 5)
            return try #require(found.first { $0.kind == .city || $0.kind == .town }).confidence
        }
        let (sure, unsure) = (try confidence("Springfield"), try confidence("Airport Springfield Intl"))
        #expect(sure > 0.6 && unsure <= 0.6)
        #expect(try confidence("Airport Smith") <= 0.6)
        #expect(try confidence("Smith Diner") == sure)
        #expect(try confidence("Airport Smith", in: "Paris") == confidence("Paris", in: "Paris"))
    }

    @Test("GEO-07 A title counts as the name of an airport only if it is nothing else")
    func titles() throws {
        let titles = [
            "Airport Springfield Intl", "Springfield International Airport", "The day we came to the airport",
            "Airport Smith", "My first Airport",
        ]
        let rows = titles.map { "\($0),Springfield,TX\n" }.joined()
        let locator = try Self.locator.get()
        let result = try Fixture.read(Array(("title,city,state\n" + rows).utf8)) { options in
            options.geocoding = RowGeocoding(locator: locator, rules: PlacingRules(threshold: 0.61))
        }
        let places = result.stories.map { $0.placement?.place?.id }
        #expect(places == ["airportsdata:spx", "airportsdata:spx", "geonames:1", nil, "geonames:1"])
    }
}
