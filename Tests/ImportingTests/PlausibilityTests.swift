import Gazetteer
import Geometry
import Importing
import Stories
import Testing

/// A world of a few boxes: enough land and sea to lie in the wrong place.
struct BoxWorld: MapOutlines {
    private static let lands:
        [(code: String, name: String, box: (south: Double, north: Double, west: Double, east: Double))] = [
            ("us", "Georgia, United States", (30, 35, -86, -81)), ("us", "Texas, United States", (26, 36.5, -106, -94)),
            ("us", "New York, United States", (40, 45, -80, -72)), ("cn", "Tibet, China", (27, 36, 78, 110)),
            ("ca", "Quebec, Canada", (45.5, 60, -79, -60)), ("fr", "Occitania, France", (42, 49, -2, 6)),
            ("de", "Bavaria, Germany", (47, 50.5, 9, 14)), ("aq", "Antarctica", (-90, -66, -180, 180)),
        ]

    func regions(of coordinates: [Coordinate]) -> [MapRegion] {
        coordinates.map { coordinate in
            let land = Self.lands.first { _, _, box in
                (box.south...box.north).contains(coordinate.latitude)
                    && (box.west...box.east).contains(coordinate.longitude)
            }
            guard let land else { return MapRegion(name: "the Southern Ocean", isLand: false) }
            let state = land.name.split(separator: ",").first.map(String.init)
            return MapRegion(country: land.code, state: state, name: land.name, isLand: true)
        }
    }
}

/// Knows the towns of the tests.
struct TownLocator: PlaceLocator {
    static let towns: [String: (latitude: Double, longitude: Double)] = [
        "Atlanta": (33.75, -84.39), "Macon": (32.84, -83.63), "Savannah": (32.08, -81.1), "Albany": (42.65, -73.76),
        "Buffalo": (42.89, -78.88), "Munich": (48.14, 11.58), "Dallas": (32.78, -96.8), "Waco": (31.55, -97.15),
    ]
    var confidence = 0.97

    func candidates(for words: PlaceWords, limit: Int) -> [PlaceCandidate] {
        if words.city.isEmpty, !words.state.isEmpty {
            let box = BoundingBox(west: -86, south: 30, east: -81, north: 35)
            guard words.state == "Georgia", let box else { return [] }
            return [
                PlaceCandidate(
                    label: "Georgia, United States",
                    kind: words.county.isEmpty ? .admin1 : .county,
                    coordinate: box.center,
                    confidence: 0.99,
                    radius: words.county.isEmpty ? 300_000 : 30_000,
                    box: box,
                    id: "test:georgia"
                )
            ]
        }
        let name = words.text.isEmpty ? words.city : words.text
        guard let town = Self.towns[name],
            let coordinate = Coordinate(latitude: town.latitude, longitude: town.longitude)
        else { return [] }
        return [
            PlaceCandidate(
                label: name,
                kind: .city,
                coordinate: coordinate,
                confidence: confidence,
                radius: 6_000,
                id: "test:\(name)",
                names: [.city: name, .country: "United States"]
            )
        ]
    }
}

@Suite("Positions compared with the map and with words")
struct PlausibilityTests {
    /// The rows of a file: latitude and longitude, and a city or nothing.
    private typealias Rows = [(latitude: Double, longitude: Double, city: String)]

    private func read(
        _ rows: Rows,
        isStrict: Bool = false,
        change: (inout StoryImporter.Options) -> Void = { _ in }
    ) throws -> ImportResult {
        let lines = rows.enumerated()
            .map { number, row in
                "Story \(number),\(row.latitude),\(row.longitude),\(row.city),\(row.city.isEmpty ? "" : "USA")"
            }
        let text = (["title,lat,lon,city,country"] + lines).joined(separator: "\n") + "\n"
        return try Fixture.read(Array(text.utf8)) { options in
            options.plausibility = PlausibilityCheck(
                outlines: BoxWorld(),
                locator: TownLocator(),
                isStrict: isStrict
            )
            change(&options)
        }
    }

    private func doubts(_ result: ImportResult) -> [String] {
        result.problems.filter { $0.field == "lat" }.map(\.message)
    }

    private static func georgia(_ count: Int, seed: UInt64 = 1) -> Rows {
        var generator = SplitMix64(seed: seed)
        return (0..<count)
            .map { _ in
                (
                    Double.random(in: 30.5...34.5, using: &generator),
                    Double.random(in: -85...(-82), using: &generator), ""
                )
            }
    }

    @Test(
        "LOC-07 The advice on exchanged numbers is one that the file can follow",
        arguments: [
            ("WKT", "WKT and GeoJSON must have longitude before latitude"),
            ("geometry", "WKT and GeoJSON must have longitude before latitude"),
            ("file", "its geometries must have longitude before latitude"), ("lat,lon", "--map lat=… and --map lon=…"),
        ]
    )
    func advice(column: String, words: String) throws {
        func geometry(_ row: (latitude: Double, longitude: Double, city: String)) -> String {
            #"{"type":"Point","coordinates":[\#(row.latitude),\#(row.longitude)]}"#
        }
        let lines = Self.georgia(50)
            .enumerated()
            .map { number, row in
                switch column {
                case "WKT": return "A\(number),POINT(\(row.latitude) \(row.longitude))"
                case "geometry": return "A\(number),\"\(geometry(row).replacing("\"", with: "\"\""))\""
                case "file":
                    return #"{"type":"Feature","geometry":\#(geometry(row)),"properties":{"title":"A\#(number)"}}"#
                default: return "A\(number),\(row.longitude),\(row.latitude)"
                }
            }
        let isFile = column == "file"
        let text = (isFile ? lines : ["title,\(column)"] + lines).joined(separator: "\n") + "\n"
        let result = try Fixture.read(Array(text.utf8), name: isFile ? "a.ndjson" : "a.csv") { options in
            options.plausibility = PlausibilityCheck(outlines: BoxWorld(), locator: TownLocator())
        }
        let doubts = doubts(result)
        #expect(doubts.count == 1 && doubts[0].contains("exchanged they would lie in Georgia"), "\(doubts)")
        #expect(doubts.first?.contains(words) == true, "\(doubts)")
        #expect(doubts.first?.contains("--map") == (column == "lat,lon"), "\(doubts)")
    }

    @Test(
        "A mistake that moves all positions is named, with where they would lie without it",
        arguments: [
            ("exchanged", "with latitude and longitude exchanged they would lie in Georgia"),
            ("south", "with the other sign of the latitude they would lie in Georgia"),
        ]
    )
    func whole(mistake: String, expected: String) throws {
        let rows: Rows = Self.georgia(200)
            .map { row in
                mistake == "exchanged" ? (row.longitude, row.latitude, "") : (-row.latitude, row.longitude, "")
            }
        let found = doubts(try read(rows))
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("200 of 200 positions lie in ") == true, "\(found)")
        #expect(found.first?.contains(expected) == true, "\(found)")
    }

    @Test("Which of two signs is wrong only words can say")
    func signs() throws {
        let rows: Rows = TownLocator.towns.sorted { $0.key < $1.key }
            .map { (-$0.value.latitude, -$0.value.longitude, $0.key) }
        let found = doubts(try read(rows))
        #expect(found.count == 1)
        #expect(found.first?.contains("with the other signs of latitude and longitude") == true, "\(found)")
    }

    @Test("A lost minus sign that leads to other land is found by the words of the rows, row by row")
    func words() throws {
        let towns = TownLocator.towns.sorted { $0.key < $1.key }
        var rows: Rows = towns.map { ($0.value.latitude, $0.value.longitude, $0.key) }
        #expect(doubts(try read(rows)).isEmpty)
        rows[2].longitude = -rows[2].longitude
        let result = try read(rows)
        #expect(doubts(result).count == 1)
        #expect(doubts(result).first?.hasPrefix("1 of 8 positions lies in") == true, "\(doubts(result))")
        #expect(doubts(result).first?.contains("other sign of the longitude") == true)
        #expect(result.warnings.contains { $0.row == 4 })
        #expect(!result.isRefused)
    }

    @Test("A few rows without the minus sign are found among many that lie close together")
    func flipped() throws {
        var rows = Self.georgia(300)
        for index in [7, 70, 170] { rows[index].longitude = -rows[index].longitude }
        let found = doubts(try read(rows))
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("3 of 300 positions lie in Tibet, China") == true, "\(found)")
    }

    @Test("A single row without the minus sign is found if all others are at home, and several close to it")
    func flippedAlone() throws {
        var rows = Self.georgia(900)
        rows[7].longitude = -rows[7].longitude
        #expect(doubts(try read(rows)).map { $0.hasPrefix("1 of 900 positions lies in Tibet, China") } == [true])
        rows[9] = (35.9, 109, "")
        #expect(doubts(try read(rows)).isEmpty)
        var few = Self.georgia(12)
        few[7].longitude = -few[7].longitude
        #expect(doubts(try read(few)).isEmpty)
    }

    @Test("One exchanged or negated row of a few that lie close together is found", arguments: 4...9)
    func flippedAmongFew(count: Int) throws {
        var close: Rows = []
        for number in 0..<count {
            let offset = Double(number) / 100
            close.append((33.7 + offset, -84.3 - offset, ""))
        }
        #expect(doubts(try read(close)).isEmpty)
        for (mistake, place) in [
            ("exchanged", "Antarctica"), ("negated", "Tibet, China"), ("south", "the Southern Ocean"),
        ] {
            var rows = close
            let (latitude, longitude, _) = rows[1]
            switch mistake {
            case "exchanged": rows[1] = (longitude, latitude, "")
            case "negated": rows[1].longitude = -longitude
            default: rows[1].latitude = -latitude
            }
            let found = doubts(try read(rows))
            #expect(
                found.count == 1 && found[0].hasPrefix("1 of \(count) positions lies in \(place)"),
                "\(mistake): \(found)"
            )
            #expect(found.first?.contains("would lie in Georgia") == true, "\(mistake): \(found)")
            let advice = mistake == "exchanged" ? "exchange the two values" : "correct the signs"
            #expect(found.first?.contains(advice) == true, "\(mistake): \(found)")
        }
        // A journey to the other end of the world is none.
        #expect(doubts(try read(close + [(30, 100, "")])).isEmpty)
    }

    @Test("Of a file of one or two rows, a mistake is named if it explains all", arguments: 1...2)
    func small(count: Int) throws {
        let rows: Rows = Self.georgia(count).map { ($0.longitude, $0.latitude, "") }
        let found = doubts(try read(rows))
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("\(count) of \(count) position") == true, "\(found)")
        #expect(found.first?.contains("would lie in Georgia") == true, "\(found)")
        #expect(doubts(try read(Self.georgia(count))).isEmpty)
        #expect(doubts(try read([(10, -140, "")])).isEmpty)
        // One of two at sea is a ship.
        #expect(doubts(try read(Self.georgia(1) + [(-31, -84, "")])).isEmpty)
    }

    @Test("Rows near 0, 0 and rows at a constant distance from their words are found")
    func zeroAndOffset() throws {
        var rows = Self.georgia(40)
        rows[3] = (0.0001, 0, "")
        let zero = doubts(try read(rows))
        #expect(zero.count == 1 && zero.first?.hasPrefix("1 of 40 positions lies at 0, 0") == true, "\(zero)")
        let towns = TownLocator.towns.sorted { $0.key < $1.key }
        let moved: Rows = towns.map { ($0.value.latitude - 2, $0.value.longitude + 5, $0.key) }
        let offset = doubts(try read(moved))
        #expect(offset.count == 1)
        #expect(offset.first?.contains("2.0 degrees further north and 5.0 degrees further west") == true, "\(offset)")
    }

    @Test("Feet that are read as metres are named, whether or not the reference system has such numbers")
    func feet() throws {
        // Atlanta in UTM zone 16 north, in feet.
        let rows = (0..<20)
            .map { "S\($0),\((741_700 + Double($0) * 500) / 0.3048),\((3_737_500 + Double($0) * 300) / 0.3048)" }
        let text = (["title,easting,northing"] + rows).joined(separator: "\n") + "\n"
        let result = try Fixture.read(Array(text.utf8)) { options in
            options.referenceSystem = "EPSG:26916"
            options.plausibility = PlausibilityCheck(outlines: BoxWorld(), locator: nil)
        }
        #expect(
            result.warnings.contains { $0.message.contains("read as feet and not as metres they would lie in Georgia") }
        )
    }

    @Test("A strict import rejects the file, even if bad rows are skipped, and keeps nothing of it")
    func strict() throws {
        let rows: Rows = Self.georgia(20).map { (-$0.latitude, $0.longitude, "") }
        #expect(try !read(rows).isRefused)
        let result = try read(rows, isStrict: true) { $0.skipsBadRows = true }
        #expect(result.isRefused)
        #expect(result.stories.isEmpty)
        #expect(result.errorSummary().first?.contains("other sign of the latitude") == true)
        #expect(try !read(Self.georgia(20), isStrict: true).isRefused)
    }

    @Test(
        "Files without mistakes raise no doubt: towns, ships among them, one place, and foreign lands",
        arguments: 0..<12
    )
    func correct(seed: Int) throws {
        var generator = SplitMix64(seed: UInt64(seed))
        let towns = TownLocator.towns.sorted { $0.key < $1.key }
        var rows: Rows = []
        for index in 0..<Int.random(in: 1...300, using: &generator) {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: rows.append((Double.random(in: -60...60, using: &generator), -140, ""))
            case 1: rows.append((Double.random(in: 48...50, using: &generator), 11, ""))
            case 2...4: rows += Self.georgia(1, seed: generator.next())
            default:
                let town = towns[(index + seed) % towns.count]
                let shift = Double.random(in: -0.2...0.2, using: &generator)
                rows.append((town.value.latitude + shift, town.value.longitude - shift, town.key))
            }
        }
        #expect(doubts(try read(rows)).isEmpty)
    }

    @Test("Exchanged or negated columns of a made-up file with words are always recognized", arguments: 0..<12)
    func recognized(seed: Int) throws {
        var generator = SplitMix64(seed: 100 + UInt64(seed))
        let towns = TownLocator.towns.sorted { $0.key < $1.key }
        let mistake = ["exchanged", "latitude", "longitude"][seed % 3]
        let rows: Rows = (0..<Int.random(in: 3...200, using: &generator))
            .map { _ in
                let town = towns[Int.random(in: 0..<towns.count, using: &generator)]
                let (y, x) = (
                    town.value.latitude + Double.random(in: -0.1...0.1, using: &generator), town.value.longitude
                )
                switch mistake {
                case "latitude": return (-y, x, town.key)
                case "longitude": return (y, -x, town.key)
                default: return (x, y, town.key)
                }
            }
        let found = doubts(try read(rows) { $0.skipsBadRows = true })
        let words = mistake == "exchanged" ? "exchanged they would" : "other sign of the \(mistake) they would"
        #expect(found.contains { $0.contains(words) }, "\(mistake) \(found)")
    }

    @Test("Of more towns than are looked up, the states still show a lost sign")
    func states() throws {
        var rows = (0..<1_400)
            .map { number in
                "S\(number),\(31 + Double(number % 30) / 10),\(-85 + Double(number % 29) / 10),Town \(number),Georgia"
            }
        rows[1_300] = "S,32,84,Town,Georgia"
        let text = (["title,lat,lon,city,state"] + rows).joined(separator: "\n") + "\n"
        let result = try Fixture.read(Array(text.utf8)) { options in
            options.plausibility = PlausibilityCheck(outlines: BoxWorld(), locator: TownLocator())
        }
        #expect(result.warnings.filter { $0.field == "lat" }.map(\.row) == [1_302])
    }

    @Test("The sample stays small, and still finds a mistake in later rows")
    func sampled() throws {
        var rows = Self.georgia(14_000)
        for index in 11_000..<14_000 { rows[index].latitude = -rows[index].latitude }
        let found = doubts(try read(rows))
        #expect(found.count == 1)
        #expect(found.first?.contains("other sign of the latitude") == true, "\(found)")
    }
}
