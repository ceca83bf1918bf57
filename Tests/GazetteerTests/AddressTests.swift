import Gazetteer
import GazetteerCompiler
import Geometry
import Testing

@Suite("GEO-06 Addresses")
struct AddressTests {
    private static func entry(
        _ number: String?,
        _ street: String,
        _ city: String,
        _ region: String,
        _ postcode: String,
        _ latitude: Double,
        _ longitude: Double
    ) -> AddressEntry {
        AddressEntry(
            street: street,
            number: number,
            city: city,
            region: region,
            country: "us",
            postcode: postcode,
            latitude: latitude,
            longitude: longitude
        )
    }

    /// Streets in Atlanta and Harlem of the small world of ``Fixture``.
    private static let entries: [AddressEntry] = [
        entry("100", "Main Street", "Atlanta", "Georgia", "30303", 33.7500, -84.3900),
        entry("110", "Main Street", "Atlanta", "Georgia", "30303", 33.7510, -84.3900),
        entry("111", "Main Street", "Atlanta", "Georgia", "30303", 33.7511, -84.3902),
        entry("120", "Main Street", "Atlanta", "Georgia", "30303", 33.7520, -84.3900),
        entry("120A", "Main Street", "Atlanta", "Georgia", "30303", 33.7522, -84.3900),
        entry(nil, "Main Street", "Atlanta", "Georgia", "30303", 33.7512, -84.3900),
        entry("100", "Main Street", "Tulsa", "Oklahoma", "74106", 36.1600, -95.9900),
        entry("501", "Auburn Avenue NE", "Atlanta", "Georgia", "30312", 33.7552, -84.3714),
        entry("94-12", "Hollis Avenue", "Harlem", "New York", "10027", 40.8100, -73.9500),
        entry("94-16", "Hollis Avenue", "Harlem", "New York", "10027", 40.8104, -73.9500),
        entry("12 1/2", "Hollis Avenue", "Harlem", "New York", "10027", 40.8110, -73.9500),
        entry("100", "Hollow Road", "Harlem", "New York", "10027", 40.8000, -73.9500),
        entry("7", "5th Avenue", "Harlem", "New York", "10027", 40.8120, -73.9450),
        entry("1", "Saint Nicholas Terrace", "Harlem", "New York", "10027", 40.8150, -73.9520),
        entry("3", "Hauptstraße", "Münster", "North Rhine-Westphalia", "48143", 51.9600, 7.6200),
        entry("5", "North Peachtree Road", "Atlanta", "Georgia", "30303", 33.7600, -84.3850),
    ]

    private static func compiled(_ entries: [AddressEntry]) throws -> [UInt8] {
        var builder = AddressBuilder()
        let keyed = entries.map { (key: $0.streetKey, entry: $0) }
            .sorted { first, second in
                let (a, b) = (first.entry, second.entry)
                if first.key != second.key { return first.key.utf8.lexicographicallyPrecedes(second.key.utf8) }
                return (a.city, a.region, a.postcode, a.orderValue) < (b.city, b.region, b.postcode, b.orderValue)
            }
        for (key, entry) in keyed { builder.add(entry, key: key) }
        return try builder.finish(checksum: [1])
    }

    private let search: PlaceSearch

    init() throws {
        let addresses = try AddressIndex(bytes: GazetteerBytes(Self.compiled(Self.entries)))
        search = PlaceSearch(places: try Fixture.index(), addresses: addresses)
    }

    @Test(
        "A house is found by its address in every usual form",
        arguments: [
            ("100 Main Street, Atlanta, Georgia", "100 Main Street", 33.7500),
            ("100 Main St, Atlanta, GA", "100 Main Street", 33.7500),
            ("100 main st atlanta ga", "100 Main Street", 33.7500),
            ("100 Main St., Atlanta 30303", "100 Main Street", 33.7500),
            ("100 Main St, 30303", "100 Main Street", 33.7500),
            ("100 Main St Apt 4, Atlanta, GA", "100 Main Street", 33.7500),
            ("100 Main St #4, Atlanta, GA", "100 Main Street", 33.7500),
            ("100 Main, Atlanta, GA", "100 Main Street", 33.7500),
            ("120a Main Street, Atlanta", "120A Main Street", 33.7522),
            ("100 Main St, Tulsa, OK", "100 Main Street", 36.1600),
            ("501 Auburn Ave NE, Atlanta, GA", "501 Auburn Avenue NE", 33.7552),
            ("501 Auburn Ave, Atlanta, GA", "501 Auburn Avenue NE", 33.7552),
            ("94-12 Hollis Ave, Harlem, NY", "94-12 Hollis Avenue", 40.8100),
            ("9412 Hollis Ave, Harlem, NY", "94-12 Hollis Avenue", 40.8100),
            ("12 1/2 Hollis Avenue, Harlem, New York", "12 1 2 Hollis Avenue", 40.8110),
            ("7 Fifth Ave, Harlem, NY", "7 5th Avenue", 40.8120),
            ("7 5 Ave, Harlem, New York", "7 5th Avenue", 40.8120),
            ("1 St. Nicholas Ter, Harlem, NY", "1 Saint Nicholas Terrace", 40.8150),
            ("Hauptstr. 3, Münster", "3 Hauptstraße", 51.9600),
            ("5 N Peachtree Rd, Atlanta", "5 North Peachtree Road", 33.7600),
            ("5 Peachtree Road, Atlanta, GA", "5 North Peachtree Road", 33.7600),
        ]
    )
    func houses(query: String, name: String, latitude: Double) throws {
        let match = try #require(search.search(query).first)
        #expect(match.name == name)
        #expect(match.kind == .address)
        #expect(match.coordinate.latitude == latitude)
        #expect(match.unmatched.isEmpty)
        #expect(match.confidence > 0.7)
    }

    @Test(
        "A wrong letter in a street name or street type still finds the house",
        arguments: [
            ("100 Main Stret, Atlanta, GA", "100 Main Street"),
            ("501 Aubrun Avenue NE, Atlanta, GA", "501 Auburn Avenue NE"),
            ("501 Aubrn Ave, Atlanta", "501 Auburn Avenue NE"),
            ("501 Auburn Avenu NE, Atlanta", "501 Auburn Avenue NE"),
            ("94-12 Holis Ave, Harlem, NY", "94-12 Hollis Avenue"),
            ("7 5th Avenu, Harlem, NY", "7 5th Avenue"),
            ("94-12 Holllis, Harlem, NY", "94-12 Hollis Avenue"),
            ("1 St. Nicolas Ter, Harlem, NY", "1 Saint Nicholas Terrace"),
            ("5 N Peach Tree Rd, Atlanta", "5 North Peachtree Road"),
            ("5 N Peachtre Rd, Atlanta", "5 North Peachtree Road"),
            ("Hauptstrase 3, Münster", "3 Hauptstraße"),
            ("Aubrn Avenue NE, Atlanta", "Auburn Avenue NE"),
            ("Hollys Ave, Harlem", "Hollis Avenue"),
        ]
    )
    func misspelt(query: String, name: String) throws {
        let match = try #require(search.search(query).first)
        #expect(match.name == name)
        #expect(match.unmatched.isEmpty)
        #expect(match.matchType == (query.contains("Stret") ? .fuzzy : match.matchType))
        #expect(match.confidence < 0.9)
    }

    @Test(
        "Different numbers, directions and street types do not count as misspellings",
        arguments: ["7 6th Avenue, Harlem, NY", "94-12 Hollis Road, Harlem", "5 South Peachtree Road, Atlanta"]
    )
    func otherStreets(query: String) {
        #expect(search.search(query).allSatisfy { $0.kind != .address || !$0.unmatched.isEmpty })
    }

    @Test("A house in a neighbouring city is not an exact match, but the state alone is")
    func nextDoor() throws {
        let other = try #require(search.search("100 Hollow Road, New York City, NY").first)
        #expect(other.name == "100 Hollow Road")
        #expect(other.unmatched == ["new", "york", "city"])
        #expect(other.matchType == .fallback)
        #expect(other.confidence < 0.6)
        let own = try #require(search.search("100 Hollow Road, Harlem, NY").first)
        #expect(own.confidence > 0.9)
        let state = try #require(search.search("100 Hollow Road, New York").first)
        #expect(state.unmatched.isEmpty)
    }

    @Test("Among houses and places, confidences decrease and add up to at most one")
    func sharing() {
        for query in [
            "105 Main Stret, Atlanta, GA", "100 Main Street", "9999 Main Street, Tulsa", "94-12 Holis, New York",
            "5 Peachtree, Atlanta, GA",
        ] {
            let matches = search.search(query)
            #expect(matches.contains { $0.source == "addresses" }, "\(query)")
            let confidences = matches.map(\.confidence)
            #expect(confidences == confidences.sorted(by: >), "\(query)")
            #expect(confidences.reduce(0, +) <= 1.000001, "\(query)")
        }
    }

    @Test(
        "A partly typed address is completed to a street or a house",
        arguments: [
            ("hollis a", "Hollis Avenue"), ("holl", "Hollis Avenue"), ("auburn av", "Auburn Avenue NE"),
            ("auburn avenu", "Auburn Avenue NE"), ("saint nich", "Saint Nicholas Terrace"),
            ("st. nich", "Saint Nicholas Terrace"), ("main street, tul", "Main Street"),
            ("94-12 holl", "94-12 Hollis Avenue"), ("120a main", "120A Main Street"), ("7 fif", "7 5th Avenue"),
            ("hauptst", "Hauptstraße"), ("north pea", "North Peachtree Road"),
        ]
    )
    func completing(typed: String, name: String) throws {
        let options = SearchOptions(limit: 5)
        let match = try #require(search.suggest(typed, options: options).first { $0.source == "addresses" })
        #expect(match.name == name)
        if typed.hasSuffix("tul") { #expect(match.label.contains("Tulsa")) }
        let elsewhere = SearchOptions(limit: 5, countries: ["fr"])
        #expect(search.suggest(typed, options: elsewhere).allSatisfy { $0.source != "addresses" })
    }

    @Test("Streets leave room for places with the name, and no street is listed twice")
    func completingPlaces() throws {
        let matches = search.suggest("ma", options: SearchOptions(limit: 6))
        #expect(Set(matches.map(\.id)).count == matches.count)
        let near = SearchOptions(limit: 6, near: Coordinate(latitude: 36.1, longitude: -95.9))
        let first = try #require(search.suggest("main st", options: near).first)
        #expect(first.label == "Main Street, Tulsa, Oklahoma, United States")
        #expect(search.suggest("tuls", options: near).first?.kind == .city)
    }

    @Test("A missing number lies between its neighbours, on its own side first")
    func interpolation() throws {
        let even = try #require(search.search("115 Main Street, Atlanta, GA").first)
        #expect(even.matchType == .interpolated)
        #expect((33.7511...33.7520).contains(even.coordinate.latitude))
        let between = try #require(search.search("104 Main Street, Atlanta, GA").first)
        #expect(abs(between.coordinate.latitude - 33.7504) < 1e-5)
        #expect(between.confidence < 0.9)
        let queens = try #require(search.search("94-14 Hollis Avenue, Harlem, NY").first)
        #expect(abs(queens.coordinate.latitude - 40.8102) < 1e-5)
    }

    @Test("Without a number the street is found; a number far from all others is reported as unmatched")
    func streets() throws {
        let street = try #require(search.search("Main Street, Atlanta").first)
        #expect(street.kind == .street)
        #expect(street.label == "Main Street, Atlanta, Georgia, United States")
        #expect(street.matchType == .exact)
        let far = try #require(search.search("9999 Main Street, Atlanta, GA").first)
        #expect(far.kind == .street)
        #expect(far.unmatched == ["9999"])
        #expect(far.matchType == .fallback)
        #expect(far.confidence < 0.7)
    }

    @Test("Two houses with the same address are ambiguous until the city is named")
    func ambiguous() throws {
        let matches = search.search("100 Main Street")
        #expect(matches.prefix(2).map { $0.coordinate.latitude }.sorted() == [33.75, 36.16])
        #expect(matches.prefix(2).allSatisfy { $0.isAmbiguous && $0.confidence < 0.6 })
        var options = SearchOptions()
        options.near = Coordinate(latitude: 36.2, longitude: -96)
        #expect(search.search("100 Main Street", options: options).first?.coordinate.latitude == 36.16)
    }

    @Test("An unknown address gives the postal code or city and reports the unmatched parts")
    func fallback() throws {
        let code = try #require(search.search("1 Nowhere Street, Atlanta, GA 30303").first)
        #expect(code.kind == .postcode)
        #expect(code.unmatched == ["1", "nowhere", "street"])
        let city = try #require(search.search("100 Main Street, Mound Bayou, MS").first)
        #expect(city.name == "Mound Bayou")
        // No house of another city of the state is meant, known or unknown as the city may be.
        for query in ["100 Main Street, Nowhereville, GA", "501 Auburn Ave, Harlem, GA"] {
            #expect(search.search(query).allSatisfy { $0.kind != .address }, "\(query)")
        }
        let alone = try #require(PlaceSearch(places: search.places).search("100 Main St, Atlanta, GA").first)
        #expect(alone.name == "Atlanta")
        #expect(alone.unmatched.contains("main"))
    }

    @Test(
        "Place names are not mistaken for addresses",
        arguments: ["Atlanta, GA", "30303", "Harlem, New York", "Georgia", "Paris"]
    )
    func places(query: String) {
        #expect(search.search(query) == PlaceSearch(places: search.places).search(query))
    }

    @Test("A structured address finds the same as free text")
    func parts() throws {
        let parts = PlaceParts(street: "100 Main St", city: "Atlanta", state: "GA", postalCode: "30303")
        let match = try #require(search.search(PlaceQuery(parts: parts)).first)
        #expect(match.name == "100 Main Street")
        #expect(match.postcode == "30303")
    }

    @Test("Box and country filters restrict addresses")
    func filters() throws {
        var options = SearchOptions()
        options.countries = ["DE"]
        #expect(search.search("100 Main Street, Atlanta", options: options).allSatisfy { $0.kind != .address })
        options = SearchOptions()
        options.boundingBox = BoundingBox(west: -97, south: 35, east: -95, north: 37)
        let found = search.search("100 Main Street", options: options)
        #expect(found.filter { $0.kind == .address }.map(\.coordinate.latitude) == [36.16])
    }

    @Test("Equal addresses give equal bytes; several records of one house give one address")
    func deterministic() throws {
        let twice = Self.entries + Self.entries
        #expect(try Self.compiled(Self.entries) == Self.compiled(Self.entries))
        let index = try #require(try AddressIndex(bytes: GazetteerBytes(Self.compiled(twice))))
        let once = try #require(try AddressIndex(bytes: GazetteerBytes(Self.compiled(Self.entries))))
        #expect(index.addressCount == once.addressCount)
        #expect(once.addressCount == 15)
    }

    @Test("Hostile text and damaged bytes give an answer or an error, never a crash")
    func hostile() throws {
        for text in [
            "", " ", "1", "1 1 1 1 1", String(repeating: "9", count: 5000),
            String(repeating: "1 Main St, ", count: 900),
            "-1 Main St", "99999999999999999999 Main Street, Atlanta", "1/ / /2 Main", "#", "Apt",
            "1\u{0}Main St\u{202E}",
        ] {
            _ = search.search(text)
        }
        let bytes = try Self.compiled(Self.entries)
        var random = SplitMix64(seed: 5)
        for _ in 0..<300 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int(random.next() % UInt64(changed.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            guard let index = try? AddressIndex(bytes: GazetteerBytes(changed)) else { continue }
            let damaged = PlaceSearch(places: search.places, addresses: index)
            _ = damaged.search("100 Main Street, Atlanta, GA")
            _ = damaged.search("94-14 Hollis Avenue, Harlem, NY")
        }
        for length in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: GazetteerError.self) { try AddressIndex(bytes: GazetteerBytes(Array(bytes[..<length]))) }
        }
    }

    @Test("House numbers are parsed and ordered; words starting with digits are not numbers")
    func houseNumbers() {
        #expect(HouseNumber("94-12")?.value == 94_012)
        #expect(HouseNumber("94-12")?.text == "94-12")
        #expect(HouseNumber("12A")?.value == 12)
        #expect(HouseNumber("214-41 REAR")?.text == "214-41 rear")
        #expect(HouseNumber("Rear") == nil)
        #expect(HouseNumber("1234567") == nil)
        #expect(HouseNumber("") == nil)
    }
}
