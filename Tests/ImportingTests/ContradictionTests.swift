import Gazetteer
import Geometry
import Importing
import Stories
import Testing

/// Knows some countries, states and towns, and that Georgia is a state and a country.
private struct AtlasLocator: PlaceLocator {
    func candidates(for words: PlaceWords, limit: Int) -> [PlaceCandidate] {
        if !words.city.isEmpty { return settlement(words) }
        if !words.state.isEmpty { return states(words) }
        return country(words.country).map { [$0] } ?? []
    }

    private func settlement(_ words: PlaceWords) -> [PlaceCandidate] {
        // A village in Texas shares its name with the largest city of Georgia.
        let isVillage = words.city == "Atlanta" && ["Texas", "TX"].contains(words.state)
        let towns = TownLocator.towns.merging(["Brooklyn": (40.65, -73.95)]) { first, _ in first }
        guard let town = isVillage ? (33.11, -94.16) : towns[words.city],
            let coordinate = Coordinate(latitude: town.0, longitude: town.1),
            words.state.isEmpty || isVillage || words.state == state(of: words.city),
            words.country.isEmpty || ["United States", "us"].contains(words.country)
        else { return [] }
        return [
            PlaceCandidate(
                label: words.city,
                kind: isVillage ? .village : .city,
                coordinate: coordinate,
                confidence: 0.97,
                radius: 6_000,
                names: [.state: isVillage ? "Texas" : state(of: words.city)],
                countryCode: words.city == "Munich" ? "de" : "us"
            )
        ]
    }

    private func state(of city: String) -> String {
        switch city {
        case "Dallas", "Waco": "Texas"
        case "Albany", "Buffalo", "Brooklyn": "New York"
        case "Munich": "Bavaria"
        default: "Georgia"
        }
    }

    private func states(_ words: PlaceWords) -> [PlaceCandidate] {
        let known: [String: (code: String, confidence: Double, box: (Double, Double, Double, Double))] = [
            "Georgia": ("us", 0.7, (-86, 30, -81, 35)), "Texas": ("us", 0.99, (-106, 26, -94, 36.5)),
            "CA": ("us", 0.95, (-124, 32, -114, 42)),
        ]
        guard let (code, confidence, box) = known[words.state],
            words.country.isEmpty || words.country == "United States",
            let box = BoundingBox(west: box.0, south: box.1, east: box.2, north: box.3)
        else { return [] }
        let state = PlaceCandidate(
            label: "\(words.state), United States",
            kind: .admin1,
            coordinate: box.center,
            confidence: confidence,
            radius: 300_000,
            box: box,
            names: [.state: words.state],
            countryCode: code
        )
        return [state] + (words.state == "Georgia" ? [country("Georgia")].compactMap(\.self) : [])
    }

    private func country(_ name: String) -> PlaceCandidate? {
        let known: [String: (code: String, west: Double, east: Double)] = [
            "France": ("fr", -62, 56), "United States": ("us", 172, -66), "Georgia": ("ge", 40, 46),
            "Germany": ("de", 5, 15),
        ]
        guard let (code, west, east) = known[name],
            let box = BoundingBox(west: west, south: 18, east: east, north: 71)
        else { return nil }
        return PlaceCandidate(
            label: name,
            kind: .country,
            coordinate: box.center,
            confidence: name == "Georgia" ? 0.29 : 0.99,
            radius: 1_000_000,
            box: box,
            countryCode: code
        )
    }
}

@Suite("Positions and the row's own words")
struct ContradictionTests {
    private func doubts(_ header: String, _ lines: [String], isStrict: Bool = false) throws -> ImportResult {
        let text = (["title,lat,lon,\(header)"] + lines.map { "S,\($0)" }).joined(separator: "\n") + "\n"
        return try Fixture.read(Array(text.utf8)) { options in
            options.plausibility = PlausibilityCheck(
                outlines: BoxWorld(),
                locator: AtlasLocator(),
                isStrict: isStrict
            )
        }
    }

    private func messages(_ result: ImportResult) -> [String] {
        result.problems.filter { $0.field == "lat" }.map(\.message)
    }

    private static let georgia = (0..<10).map { "\(33.5 + Double($0) / 20),\(-84.5 + Double($0) / 20)" }

    @Test(
        "LOC-07 One row of eleven whose words say elsewhere is named, and refused if the import is strict",
        arguments: [
            ("country", "United States", "France", "France"), ("state", "Georgia", "Texas", "Texas, United States"),
            ("city,state,country", "Atlanta,Georgia,United States", "Dallas,Texas,United States", "Dallas"),
            ("city,state,country", "Atlanta,Georgia,United States", "Atlanta,Georgia,France", "France"),
            ("city,state,country", "Atlanta,Georgia,United States", ",Texas,United States", "Texas, United States"),
            ("city,country", "Atlanta,United States", "Buffalo,United States", "Buffalo"),
            ("city", "Atlanta", "Dallas", "Dallas"),
        ]
    )
    func single(columns: String, right: String, wrong: String, named: String) throws {
        let lines = Self.georgia.map { "\($0),\(right)" }
        #expect(messages(try doubts(columns, lines)).isEmpty)
        let result = try doubts(columns, lines + ["33.7,-84.4,\(wrong)"])
        let expected =
            "1 of 11 positions lies far from where its words say: in Georgia, United States, and not in \(named); compare positions "
            + "and names"
        #expect(messages(result) == [expected])
        #expect(result.warnings.first { $0.field == "lat" }?.row == 12)
        #expect(!result.isRefused)
        #expect(try doubts(columns, lines + ["33.7,-84.4,\(wrong)"], isStrict: true).isRefused)
    }

    @Test("LOC-07 Of several rows that contradict their words, the first five are named")
    func several() throws {
        let few = messages(try doubts("country", ["33,-84,United States", "33,-84,France", "33,-84,Germany"]))
        #expect(few.count == 1)
        #expect(few.first?.contains("2 of 3 positions lie far from where their words say (rows 3, 4): ") == true)
        let many = messages(try doubts("country", Self.georgia.map { "\($0),France" }))
        #expect(many.first?.contains("(rows 2, 3, 4, 5, 6 and 5 more): the first in Georgia") == true, "\(many)")
    }

    @Test(
        "LOC-07 What may be another meaning of the words is no doubt",
        arguments: [
            // At sea there are ships; what was German once; a border that is close; Canada by its code; the country Georgia has no land
            // here, but the state of that name has.
            ("country", "10,-40,France"), ("country", "48,-1,Germany"), ("country", "45.6,-75,United States"),
            ("state", "50,-70,CA"), ("state", "33,-84,Georgia"), ("country", "33,-84,Georgia"),
            // A village in Texas that shares its name with a city, and one that nobody knows.
            ("city,country", "33.1,-94.2,Atlanta,United States"), ("city,state", "33.1,-94.2,Nowhere,Texas"),
        ]
    )
    func meanings(columns: String, line: String) throws {
        let others = columns == "city,country" ? Self.georgia.map { "\($0),Atlanta,United States" } : []
        #expect(messages(try doubts(columns, others + [line])).isEmpty)
    }

    /// Five places in New York, in the metres of EPSG:32118.
    private static let island = [
        (301_600.0, 63_570.0), (303_540.0, 54_910.0), (299_500.0, 62_100.0), (302_000.0, 57_400.0),
        (305_100.0, 60_200.0),
    ]

    @Test(
        "LOC-07 Feet taken for metres are recognized with any words, and exchanged numbers not advised against them",
        arguments: [
            ("", ""), ("city", "Brooklyn"), ("country", "United States"), ("city,country", "Brooklyn,United States"),
        ]
    )
    func feet(columns: String, words: String) throws {
        let foot = 1_200.0 / 3_937
        let lines = Self.island.map { x, y in
            "S,\(x / foot),\(y / foot)" + (words.isEmpty ? "" : ",\(words)")
        }
        let header = "title,easting,northing" + (columns.isEmpty ? "" : ",\(columns)")
        let text = ([header] + lines).joined(separator: "\n") + "\n"
        let result = try Fixture.read(Array(text.utf8)) { options in
            options.referenceSystem = "EPSG:32118"
            options.plausibility = PlausibilityCheck(outlines: BoxWorld(), locator: AtlasLocator())
        }
        let found = messages(result)
        #expect(found.count == 1)
        #expect(
            found.first?.contains("read as feet and not as metres they would lie in New York") == true,
            "\(found)"
        )
    }

    @Test("LOC-07 Exchanged numbers are not advised where every city that the rows name lies elsewhere")
    func denied() throws {
        let lines = Self.georgia.map { line in line.split(separator: ",").reversed().joined(separator: ",") }
        #expect(messages(try doubts("city", lines.map { "\($0),Atlanta" })).count == 1)
        #expect(messages(try doubts("city", lines.map { "\($0),Munich" })).isEmpty)
    }
}
