import Gazetteer
import GazetteerCompiler
import Geometry
import Testing
import TestSupport

@Suite("GEO-06 Compiling added places")
struct AddedPlaceTests {
    /// Some thousand places with names of several words and scripts, in three countries.
    private static let places: [AddedPlace] = {
        var random = SplitMix64(seed: 21)
        let syllables = ["ba", "lo", "mi", "ter", "san", "ka", "ро", "ми", "wick", "ton", "é"]
        func word() -> String {
            let count = 2 + Int(random.next() % 3)
            return (0..<count).map { _ in syllables[Int(random.next() % UInt64(syllables.count))] }.joined()
        }
        let regions = [("US", "GA"), ("US", "NY"), ("MX", "02"), ("", "")]
        return (0..<3_000)
            .map { number in
                let (country, region) = regions[Int(random.next() % 4)]
                let kinds: [PlaceKind] = [.village, .town, .city, .neighbourhood, .landmark, .postcode]
                let kind = kinds[Int(random.next() % 6)]
                return AddedPlace(
                    id: "own:t/\(number)",
                    name: random.next() % 3 == 0 ? "\(word()) \(word())" : word(),
                    kind: kind,
                    latitude: Double(random.next() % 1_400) / 10 - 70,
                    longitude: Double(random.next() % 3_600) / 10 - 180,
                    population: Int(random.next() % 200_000) * Int(random.next() % 2),
                    country: country,
                    region: region,
                    city: kind == .neighbourhood ? "Atlanta" : "",
                    names: (0..<Int(random.next() % 4)).map { _ in AddedName(word(), language: "es") },
                    fromYear: random.next() % 20 == 0 ? 1865 : nil,
                    toYear: random.next() % 20 == 0 ? 1921 : nil
                )
            }
    }()

    private func compiled(_ space: ScratchSpace, _ places: [AddedPlace] = places) throws -> [UInt8] {
        let compiled = try GazetteerBuilder.build(
            added: { add in for place in places { try add(place) } },
            sources: Fixture.sources,
            space: space
        )
        var builder = AddressBuilder()
        return try builder.finish(places: compiled, checksum: [1])
    }

    @Test("A file built from many small pieces equals one built in a single step")
    func piecewise() throws {
        var made = 0
        let piecewise = ScratchSpace(gathered: 4_000) {
            made += 1
            return MemoryScratch()
        }
        #expect(try compiled(piecewise) == compiled(.memory))
        // Otherwise nothing was put together.
        #expect(made > 60)
    }

    @Test("Every added place is found by its names, its region and a name with a missing letter")
    func found() throws {
        let index = try GazetteerIndex(
            bytes: GazetteerBytes(compiled(ScratchSpace(gathered: 9_000) { MemoryScratch() }))
        )
        for place in Self.places.prefix(400) where place.kind != .postcode {
            let options = SearchOptions(limit: 100)
            // Some short names belong to more places than a search returns.
            for name in [place.name] + place.names.map(\.text) where name.utf8.count > 9 {
                #expect(index.search(name, options: options).contains { $0.id == place.id }, "\(name)")
            }
        }
        let long = try #require(Self.places.first { $0.name.utf8.count > 12 && $0.kind == .city })
        let matches = index.search(String(long.name.dropLast(4)) + String(long.name.suffix(3)))
        #expect(matches.first?.id == long.id)
        let part = try #require(Self.places.first { $0.kind == .neighbourhood && $0.region == "GA" })
        #expect(index.search("\(part.name), Atlanta").first?.id == part.id)
    }

    @Test("A postal code is found with its city, by any of its names and with or without a known region")
    func postcodes() throws {
        func postcode(_ number: Int, region: String, city: String) -> AddedPlace {
            AddedPlace(
                id: "postcode:DE.\(number)",
                name: "\(number)",
                kind: .postcode,
                latitude: 51.96,
                longitude: 7.62,
                country: "DE",
                region: region,
                city: city
            )
        }
        let places = [
            postcode(48143, region: "07", city: "Münster"), postcode(48145, region: "NW", city: "Munster"),
            postcode(48147, region: "", city: "Münster"),
        ]
        let index = try GazetteerIndex(bytes: GazetteerBytes(compiled(.memory, places)))
        for place in places {
            for city in ["Münster", "Munster"] {
                let match = try #require(index.search("\(place.name) \(city)").first)
                #expect(match.id == place.id)
                #expect(match.unmatched.isEmpty)
                #expect(match.city == "Münster")
            }
        }
    }

    @Test("An added capital is known beyond its size, as the bundled capitals are")
    func capital() throws {
        func city(_ number: Int, people: Int, isCapital: Bool) -> AddedPlace {
            AddedPlace(
                id: "own:\(number)",
                name: "Zembla",
                kind: .city,
                latitude: Double(number) * 10,
                longitude: 20,
                population: people,
                isCapital: isCapital
            )
        }
        let places = [city(1, people: 500_000, isCapital: false), city(2, people: 100_000, isCapital: true)]
        let index = try GazetteerIndex(bytes: GazetteerBytes(compiled(.memory, places)))
        #expect(index.search("Zembla").map(\.id).prefix(2) == ["own:2", "own:1"])
        // As an import that an older program began left it: without the byte that says so.
        var old = places[1].encoded
        old.remove(at: 2)
        old[0] = 1
        var expected = places[1]
        expected.isCapital = false
        #expect(AddedPlace(encoded: old) == expected)
        #expect(AddedPlace(encoded: places[1].encoded) == places[1])
    }

    @Test("A staged place is read back unchanged, and a truncated one is rejected")
    func encoding() {
        for place in Self.places.prefix(200) {
            #expect(AddedPlace(encoded: place.encoded) == place)
            #expect(AddedPlace(encoded: Array(place.encoded.prefix(20))) == nil)
        }
        #expect(AddedPlace(encoded: Array("{\"id\":1}".utf8)) == nil)
        #expect(AddedPlace(encoded: []) == nil)
    }
}
