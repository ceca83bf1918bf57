import Gazetteer
import GazetteerCompiler
import Geometry
import Testing

@Suite("GEO-05 Positions near added places")
struct AddedReverseTests {
    private static let added = [
        AddedPlace(
            id: "own:ours/1",
            name: "Grandmother's House",
            kind: .landmark,
            latitude: 33.7601,
            longitude: -84.3702,
            country: "US",
            region: "GA",
            city: "Atlanta"
        ),
        AddedPlace(
            id: "osm:node/77",
            name: "Old Fourth Ward",
            kind: .neighbourhood,
            latitude: 33.7650,
            longitude: -84.3700,
            country: "US",
            region: "GA",
            city: "Atlanta"
        ),
        AddedPlace(
            id: "own:ours/2",
            name: "Ross Landing",
            kind: .village,
            latitude: 34.6,
            longitude: -90.7,
            country: "US",
            region: "MS"
        ),
        AddedPlace(
            id: "geonames:4180439",
            name: "Atlanta",
            kind: .city,
            latitude: 33.7491,
            longitude: -84.3881,
            population: 498_715,
            country: "US",
            region: "GA"
        ),
        AddedPlace(
            id: "postcode:MX.22000",
            name: "22000",
            kind: .postcode,
            latitude: 0,
            longitude: -30,
            country: "MX"
        ),
    ]

    private let search: PlaceSearch
    private let alone: GazetteerIndex

    init() throws {
        let compiled = try GazetteerBuilder.build(
            added: { add in for place in Self.added { try add(place) } },
            sources: Fixture.sources,
            space: .memory
        )
        var builder = AddressBuilder()
        let bytes = GazetteerBytes(try builder.finish(places: compiled, checksum: []))
        alone = try Fixture.index()
        search = PlaceSearch(places: alone, addedPlaces: try GazetteerIndex(bytes: bytes))
    }

    private func label(_ latitude: Double, _ longitude: Double) throws -> String? {
        search.reverse(try #require(Coordinate(latitude: latitude, longitude: longitude)))?.label
    }

    @Test("An added village names positions where no bundled place is nearer")
    func village() throws {
        #expect(try label(34.61, -90.71) == "Ross Landing, Mississippi, United States")
        #expect(try label(34.8, -90.7) == "near Ross Landing, Mississippi, United States, 22 km north")
        // Half-way, but nearer to the other.
        #expect(try label(34.1, -90.73)?.contains("Mound Bayou") == true)
    }

    @Test("An added landmark names its door, an added district its surroundings, and the city the rest")
    func parts() throws {
        #expect(try label(33.7602, -84.3702) == "Grandmother's House, Atlanta, Georgia")
        #expect(try label(33.7660, -84.3702) == "Old Fourth Ward, Atlanta, Georgia")
        #expect(try label(33.7491, -84.3880) == "Atlanta, Georgia, United States")
        let inside = try #require(Coordinate(latitude: 33.766, longitude: -84.37))
        let match = try #require(search.reverse(inside))
        #expect(match.neighbourhood == "Old Fourth Ward")
        // The city is the program's own, which knows its county.
        #expect(match.place.admin2 == "Fulton County")
    }

    @Test("Naming many positions gives the same as one by one, with the places around each")
    func together() throws {
        var random = SplitMix64(seed: 3)
        let positions = (0..<300)
            .map { _ in
                Coordinate(wrappingLatitude: 33 + random.unit() * 2, longitude: -91 + random.unit() * 8)
            }
        #expect(search.reverse(positions) == positions.map { search.reverse($0) })
        let house = try #require(Coordinate(latitude: 33.7601, longitude: -84.3702))
        let around = try #require(search.surroundings(of: house))
        #expect(around.places.part?.id == "own:ours/1")
        #expect(around.places.settlement?.name == "Atlanta")
        #expect(around.match == search.reverse(house))
    }

    @Test("Adding distant places does not change any answer")
    func elsewhere() throws {
        var random = SplitMix64(seed: 4)
        for _ in 0..<300 {
            let position = Coordinate(wrappingLatitude: 40 + random.unit() * 20, longitude: random.unit() * 40 - 10)
            #expect(search.reverse(position) == alone.reverse(position))
        }
    }

    @Test("Every place is found by its number, and other numbers find none")
    func numbers() throws {
        for (text, id) in [
            ("Mound Bayou", "geonames:2"), ("74106", "zipcode:74106"), ("Georgia, US", "geonames:4197000"),
            ("Ross Landing", "own:ours/2"), ("Fulton County", "census:13121"),
        ] {
            let match = try #require(search.search(text).first)
            #expect(search.matches(number: PlaceNumber.of(match.id)).contains { $0.id == match.id }, "\(id)")
        }
        #expect(search.match(id: "osm:node/77")?.name == "Old Fourth Ward")
        #expect(search.match(id: "osm:node/78") == nil)
        for number in [0, 1, -1, .max, .min] { #expect(search.matches(number: number).isEmpty) }
    }
}
