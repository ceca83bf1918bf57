import Gazetteer
import Geometry
import Testing

@Suite("Structured addresses, filters and suggestions")
struct PlaceQueryTests {
    let index: GazetteerIndex

    init() throws {
        index = try Fixture.index()
    }

    @Test("GEO-01 Each part only matches its own kind")
    func parts() throws {
        func first(_ parts: PlaceParts) -> String? { index.search(PlaceQuery(parts: parts)).first?.id }
        #expect(first(PlaceParts(city: "Paris", state: "Texas")) == "geonames:2")
        #expect(first(PlaceParts(city: "Paris", country: "France")) == "geonames:1")
        #expect(first(PlaceParts(city: "Altanta", state: "GA", country: "us")) == "geonames:3")
        #expect(first(PlaceParts(state: "Georgia")) == "geonames:12")
        #expect(first(PlaceParts(country: "Georgia")) == "geonames:614540")
        #expect(first(PlaceParts(state: "New York")) == "geonames:16")
        #expect(first(PlaceParts(city: "New York")) == "geonames:10")
        #expect(first(PlaceParts(county: "Fulton", state: "NY")) == "census:36035")
        #expect(first(PlaceParts(city: "Tulsa", state: "OK", postalCode: "74106")) == "zipcodes:74106")
        #expect(first(PlaceParts(city: "Oklahoma")) == nil)
        #expect(first(PlaceParts()) == nil)
        #expect(first(PlaceParts(city: " ,; ")) == nil)
    }

    @Test("GEO-01 An unknown part is reported, and the rest found")
    func unknownPart() throws {
        let match = try #require(
            index.search(PlaceQuery(parts: PlaceParts(street: "12 Atlanta, Ave", city: "Tulsa", state: "OK"))).first
        )
        #expect(match.id == "geonames:22")
        #expect(match.matchType == .fallback)
        #expect(match.unmatched == ["12", "atlanta", "ave"])
    }

    @Test("GEO-01 A ZIP code that contradicts the city does not win")
    func contradiction() throws {
        let match = try #require(index.search("Atlanta, GA 74106").first)
        #expect(match.id == "geonames:3")
        #expect(match.unmatched == ["74106"])
        #expect(match.matchType == .fallback)
    }

    @Test(
        "GEO-03 Suggestions complete names and the names of containing places",
        arguments: [
            ("atl", "geonames:3"), ("atlanta, g", "geonames:3"), ("paris t", "geonames:2"), ("paris, te", "geonames:2"),
            ("paris, fra", "geonames:1"), ("saint l", "geonames:8"), ("mound b", "geonames:6"),
            ("harlem, ge", "geonames:21"),
            ("constanti", "geonames:7"), ("стам", "geonames:7"), ("altan", "geonames:3"),
            ("atlnta", "geonames:3"), ("741", "zipcodes:74106"),
        ]
    )
    func suggest(prefix: String, id: String) {
        #expect(index.suggest(prefix).first?.id == id)
    }

    @Test("GEO-03 Suggestions obey filters and prefer places near the user")
    func suggestOptions() throws {
        let france = SearchOptions(countries: ["fr"])
        #expect(index.suggest("par", options: france).map(\.id) == ["geonames:1"])
        #expect(index.suggest("atl", options: france).isEmpty)
        let texas = try #require(BoundingBox(west: -106, south: 25, east: -93, north: 37))
        #expect(index.suggest("par", options: SearchOptions(boundingBox: texas)).map(\.id) == ["geonames:2"])
        #expect(index.suggest("harl").first?.id == "geonames:20")
        let grovetown = Coordinate(latitude: 33.45, longitude: -82.2)
        let near = index.suggest("harl", options: SearchOptions(near: grovetown))
        #expect(Set(near.map(\.id)) == ["geonames:20", "geonames:21"])
        #expect(index.suggest("p", options: SearchOptions(limit: 1)).count == 1)
    }
}
