import Gazetteer
import GazetteerCompiler
import Importing
import Stories
import Testing

@Suite("Counties in the column of cities")
struct CountyPlacingTests {
    private static func table(_ header: String, _ rows: [String]) -> [UInt8] {
        let lines = ([header] + rows)
            .map { row in
                row.split(separator: " ").map { $0 == "_" ? "" : $0.replacing("_", with: " ") }.joined(separator: "\t")
            }
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }

    private static let locator = Result {
        let sources = GazetteerSources(
            countries: table(
                "id code code3 name lat lon west south east north population capital names abbreviations",
                ["6252001 US USA United_States 39.5 -99.1 172 18 -66 71 330000000 1 _ U.S."]
            ),
            states: table(
                "id code fips name lat lon west south east north population names abbreviations",
                [
                    "18 TX 48 Texas 31.5 -99.4 -106.6 25.8 -93.5 36.5 29000000 _ Tex.",
                    "19 GA 13 Georgia 32.6 -83.4 -85.6 30.4 -80.8 35 11000000 _ Ga.",
                ]
            ),
            regions: table(
                "country code name lat lon west south east north population bounds names abbreviations",
                []
            ),
            counties: table(
                "geoid name short state lat lon west south east north",
                [
                    "13121 Fulton_County Fulton GA 33.79 -84.47 -84.85 33.5 -84.1 34.19",
                    "48027 Bell_County Bell TX 31.04 -97.48 -97.9 30.75 -97.07 31.32",
                ]
            ),
            places: table(
                "id name lat lon country admin1 county population names",
                [
                    "1 Fulton 28.06 -97.04 US TX _ 1500 _", "2 Bell_County 32.2 -95.1 US TX _ 900 _",
                    "3 Atlanta 33.75 -84.39 US GA 13121 500000 _",
                ]
            ),
            zipcodes: table("zip city state lat lon", [])
        )
        let bytes = try GazetteerBuilder.build(sources, checksum: Array(1...32))
        return GazetteerLocator(PlaceSearch(places: try GazetteerIndex(bytes: GazetteerBytes(bytes))))
    }

    @Test(
        "GEO-07 A county where the city should stand is found as the county, unless a settlement has that name",
        arguments: [
            ("Fulton County", "Georgia", "census:13121"), ("Fulton Co.", "GA", "census:13121"),
            ("Bell County", "Texas", "geonames:2"), ("Atlanta", "Georgia", "geonames:3"),
        ]
    )
    func found(city: String, state: String, id: String) throws {
        var words = PlaceWords()
        (words.city, words.state) = (city, state)
        let place = PlacingRules().choice(among: try Self.locator.get().candidates(for: words, limit: 5))
        #expect(place?.id == id)
        // As large as it is.
        if id.hasPrefix("census") { #expect(place?.kind == .county && place?.precision == .approximate(.degree)) }
    }

    @Test(
        "GEO-07 A county of another state, or one that nobody knows, gives no place",
        arguments: ["Fulton", "Nowhere"]
    )
    func unknown(county: String) throws {
        var words = PlaceWords()
        (words.city, words.state) = ("\(county) County", "Texas")
        let found = try Self.locator.get().candidates(for: words, limit: 5)
        #expect(found.allSatisfy { $0.kind != .county }, "\(found)")
    }
}
