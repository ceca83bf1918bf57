import Gazetteer
import GazetteerCompiler
import Geometry
import Testing

@Suite("Reverse geocoding")
struct ReverseTests {
    /// A settlement somewhere, as row and as values.
    private struct Town {
        let name: String
        let coordinate: Coordinate
        let population: Int

        /// The distance to its edge in kilometres, inside as a share of the way to its centre, which counts 12;
        /// written down independently of the product.
        func outside(_ position: Coordinate) -> Double {
            let radius = min(12, (Double(population) / 1000 / Double.pi).squareRoot())
            let distance = GreatCircle.distance(coordinate, position) / 1000
            return distance < radius ? 12 * (distance / radius - 1) : distance - radius
        }
    }

    private static func towns(seed: UInt64, count: Int) -> [Town] {
        var random = SplitMix64(seed: seed)
        return (0..<count)
            .map { number in
                // Many towns near the poles and the antimeridian, where flat arithmetic goes wrong.
                let latitude = number % 3 == 0 ? 89 + random.unit() : Math.degrees(Math.arcSine(random.unit() * 2 - 1))
                let longitude = number % 3 == 1 ? 179.5 + random.unit() : random.unit() * 360 - 180
                let rounded = Coordinate(
                    wrappingLatitude: (latitude * 1e5).rounded() / 1e5,
                    longitude: (longitude * 1e5).rounded() / 1e5
                )
                let population = Int(Math.power(10, random.unit() * 7))
                return Town(name: "t\(number)", coordinate: rounded, population: population)
            }
    }

    private static func index(_ towns: [Town]) throws -> GazetteerIndex {
        let rows = towns.enumerated()
            .map { number, town in
                "\(number + 100) \(town.name) \(town.coordinate.latitude) \(town.coordinate.longitude) FR _ _ "
                    + "\(town.population) _"
            }
        var sources = Fixture.sources
        sources.places = Fixture.table(
            "id name lat lon country admin1 county population names",
            rows.joined(separator: "\n")
        )
        return try GazetteerIndex(bytes: GazetteerBytes(GazetteerBuilder.build(sources, checksum: [])))
    }

    @Test("GEO-02 The settlement with the nearest edge is found anywhere on the globe", arguments: UInt64(0)..<4)
    func bruteForce(seed: UInt64) throws {
        let towns = Self.towns(seed: seed, count: 400)
        let index = try Self.index(towns)
        var random = SplitMix64(seed: seed + 100)
        for round in 0..<200 {
            let base = towns[Int(random.next() % UInt64(towns.count))].coordinate
            // Now about a town, now in the midst of it.
            let spread = round % 4 == 0 ? 0.05 : 1
            let position =
                round % 2 == 0
                ? Coordinate(
                    wrappingLatitude: base.latitude + (random.unit() - 0.5) * spread,
                    longitude: base.longitude + (random.unit() * 4 - 2) * spread
                )
                : Coordinate(
                    wrappingLatitude: Math.degrees(Math.arcSine(random.unit() * 2 - 1)),
                    longitude: random.unit() * 360 - 180
                )
            let best = try #require(towns.map { $0.outside(position) }.min())
            let options = ReverseOptions(farthestKilometres: 25_000)
            let found = try #require(index.reverse(position, options: options))
            let town = try #require(towns.first { $0.name == found.place.name })
            // Stored positions are single precision: a metre or so.
            #expect(abs(town.outside(position) - best) < 0.02)
            #expect(abs(found.distanceKilometres - GreatCircle.distance(town.coordinate, position) / 1000) < 0.01)
        }
    }

    @Test("GEO-02 The centre of a town next to a city belongs to the town, and confidence falls from there")
    func townBesideCity() throws {
        let index = try Self.index([
            Town(name: "City", coordinate: Coordinate(wrappingLatitude: 45, longitude: 3), population: 900_000),
            Town(name: "Town", coordinate: Coordinate(wrappingLatitude: 45.03, longitude: 3), population: 50_000),
        ])
        func match(_ latitude: Double) throws -> ReverseMatch {
            try #require(index.reverse(Coordinate(wrappingLatitude: latitude, longitude: 3)))
        }
        #expect(try match(45.03).place.name == "Town")
        #expect(try match(45.035).place.name == "Town")
        #expect(try match(45.01).place.name == "City")
        #expect(try match(44.95).place.name == "City")
        // Its centre, inside, just outside, farther outside, only near.
        let confidences = try [45, 44.95, 44.88, 44.84, 44.6].map { try match($0).place.confidence }
        #expect(confidences == confidences.sorted(by: >))
        #expect(confidences[0] > 0.95)
        #expect(confidences[1] > 0.85)
        #expect(confidences[4] < 0.1)
        #expect(try match(44.6).isNear)
    }

    @Test("GEO-02 A position is named by settlement, county, region and country")
    func names() throws {
        let index = try Fixture.index()
        let atlanta = try #require(Coordinate(latitude: 33.75, longitude: -84.39))
        let match = try #require(index.reverse(atlanta))
        #expect(match.label == "Atlanta, Georgia, United States")
        #expect(match.place.admin2 == "Fulton County")
        #expect(!match.isNear)
    }

    @Test("Outside a settlement the label gives distance and direction; at sea there is none")
    func far() throws {
        let index = try Fixture.index()
        let north = try #require(Coordinate(latitude: 34.2, longitude: -90.73))
        let match = try #require(index.reverse(north))
        #expect(match.isNear)
        #expect(match.label == "near Mound Bayou, Mississippi, United States, 36 km north")
        let ocean = try #require(Coordinate(latitude: 0, longitude: -30))
        #expect(index.reverse(ocean) == nil)
        let pole = try #require(Coordinate(latitude: -90, longitude: 0))
        #expect(index.reverse(pole) == nil)
    }
}
