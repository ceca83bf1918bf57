import Foundation
import Formats
import Gazetteer
import GazetteerCompiler
import Geometry
import Testing

/// The gazetteer of `geodata/`, compiled once; in debug builds only its larger places, to save time.
enum RealGazetteer {
    static let index = Result { try build() }

    static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "geodata")

    static func table(_ name: String) throws -> [UInt8] {
        let data = try Data(contentsOf: folder.appending(path: name + ".gz"))
        return try Gzip.decompress(Array(data), limit: 200_000_000)
    }

    private static func build() throws -> GazetteerIndex {
        let tables = try GazetteerSources.fileNames.map(table)
        let sources = GazetteerSources(
            countries: tables[0],
            states: tables[1],
            regions: tables[2],
            counties: tables[3],
            places: isDebug ? thinned(tables[4], with: referred(by: tables[7])) : tables[4],
            zipcodes: isDebug ? thinned(tables[5], around: "74106") : tables[5],
            parts: tables[6],
            community: tables[7],
            areas: tables[8],
            former: tables[11]
        )
        return try GazetteerIndex(bytes: GazetteerBytes(GazetteerBuilder.build(sources, checksum: [])))
    }

    /// Keeps the header, places of 50,000 people and more, and the small ones that the tests ask for.
    private static func thinned(_ table: [UInt8], with referred: Set<String>) -> [UInt8] {
        let asked = referred.union(["4436772", "4717560", "4180439"])
        var kept: [Substring] = []
        for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: "\t", maxSplits: 8, omittingEmptySubsequences: false)
            let isLarge = fields.count > 7 && fields[7].count >= 5 && (Int(fields[7]) ?? 0) >= 50_000
            if kept.isEmpty || isLarge || asked.contains(String(fields[0])) { kept.append(line) }
        }
        return Array((kept.joined(separator: "\n") + "\n").utf8)
    }

    /// The cities and twins of the community places.
    private static func referred(by community: [UInt8]) -> Set<String> {
        Set(
            String(decoding: community, as: UTF8.self).split(separator: "\n")
                .flatMap { line in
                    let fields = line.split(separator: "\t", maxSplits: 9, omittingEmptySubsequences: false)
                    return fields.count > 9 ? fields[7...8].map(String.init) : []
                }
        )
    }

    /// Keeps the header, some first rows and the row of one code.
    private static func thinned(_ table: [UInt8], around code: String) -> [UInt8] {
        let lines = String(decoding: table, as: UTF8.self).split(separator: "\n")
        return Array((lines.prefix(100) + lines.filter { $0.hasPrefix(code) }).joined(separator: "\n").utf8) + [0x0A]
    }

    static var isDebug: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }
}

@Suite("The data in geodata/")
struct RealDataTests {
    let index: GazetteerIndex

    init() throws {
        index = try RealGazetteer.index.get()
    }

    @Test(
        "GEO-01 Waters known by their outlines lie where they are",
        arguments: [
            ("Lake Superior", 47.5, -87.5), ("Chesapeake Bay", 38.0, -76.2), ("San Francisco Bay", 37.7, -122.3),
        ]
    )
    func waters(name: String, latitude: Double, longitude: Double) throws {
        let found = try #require(index.search(name).first)
        #expect(found.kind == .water)
        #expect(abs(found.coordinate.latitude - latitude) < 1 && abs(found.coordinate.longitude - longitude) < 2)
    }

    @Test(
        "GEO-05 Former names find what they became, with their years",
        arguments: [
            ("Leningrad", 1930, "Saint Petersburg", "Leningrad"), ("Saint Petersburg, Russia", 1916, nil, "Petrograd"),
            ("Constantinople", 1900, "Istanbul", "Constantinople"), ("Constantinople", 1950, "Istanbul", nil),
            ("Ceylon", 1950, "Sri Lanka", "Ceylon"),
        ] as [(String, Int, String?, String?)]
    )
    func former(text: String, year: Int, name: String?, then: String?) throws {
        var options = SearchOptions()
        options.year = year
        let found = try #require(index.search(text, options: options).first)
        #expect(name == nil || found.name == name)
        #expect(found.nameThen == then)
    }

    @Test(
        "GEO-01 GEO-05 Places are found the way people type them",
        arguments: [
            ("Atlanta, GA", "geonames:4180439"), ("Paris, TX", "geonames:4717560"), ("Paris", "geonames:2988507"),
            ("mound bayou mississippi", "geonames:4436772"), ("74106", "zipcodes:74106"),
            ("74106-1234", "zipcodes:74106"), ("Saint Louis MO", "geonames:4407066"),
            ("Constantinople", "geonames:745044"), ("New York", "geonames:5128581"), ("NYC", "geonames:5128581"),
            ("München", "geonames:2867714"), ("Muenchen", "geonames:2867714"), ("Sao Paulo", "geonames:3448439"),
            ("Fulton County, Georgia", "census:13121"), ("Georgia", "geonames:4197000"),
            ("Washington DC", "geonames:4140963"), ("Harlem, New York", "geonames:5120034"),
            ("東京", "geonames:1850147"), ("Москва", "geonames:524901"), ("Jackson, Miss.", "geonames:4431410"),
            ("Auburn Ave, Atlanta", "waymark:auburn-avenue"), ("Nowhere Ave, Atlanta", "geonames:4180439"),
            ("Texas", "geonames:4736286"),
            ("日本東京", "geonames:1850147"), ("东京，日本", "geonames:1850147"), ("القاهرة، مصر", "geonames:360630"),
            ("USA", "geonames:6252001"), ("Oklahoma", "geonames:4544379"), ("Bayern", "geonames-admin1:DE.02"),
        ]
    )
    func first(query: String, id: String) {
        #expect(index.search(query).first?.id == id)
    }

    @Test("Nonsense finds nothing", arguments: ["qwxzzy blorp", "zzqx", "hello world 12 xyzzy"])
    func nonsense(query: String) {
        #expect(index.search(query).isEmpty)
    }

    @Test("No made-up word gives a certain match")
    func madeUp() {
        var random = SplitMix64(seed: 11)
        var sure: [String] = []
        for _ in 0..<300 {
            let word = (0..<(2 + Int(random.next() % 3)))
                .map { _ in
                    let consonant = Array("bcdfghjklmnpqrstvwxz")[Int(random.next() % 20)]
                    return "\(consonant)\(Array("aeiou")[Int(random.next() % 5)])"
                }
                .joined()
            guard index.places(named: word).isEmpty, let first = index.search(word).first else { continue }
            if first.confidence >= 0.9 { sure.append(word) }
        }
        #expect(sure == [])
    }

    @Test("Springfield is ambiguous, and no match is certain")
    func springfield() throws {
        let matches = index.search("Springfield")
        #expect(Set(matches.prefix(3).compactMap(\.admin1)) == ["Missouri", "Massachusetts", "Illinois"])
        #expect(matches.allSatisfy { $0.confidence < 0.6 })
        #expect(try #require(matches.first).isAmbiguous)
    }

    @Test("GEO-02 Positions get the right city and state")
    func reverse() throws {
        let atlanta = try #require(Coordinate(latitude: 33.749, longitude: -84.388))
        let match = try #require(index.reverse(atlanta))
        #expect(match.label == "Atlanta, Georgia, United States")
        #expect(match.place.admin2 == "Fulton County")
        let harlem = try #require(Coordinate(latitude: 40.8116, longitude: -73.9465))
        #expect(index.reverse(harlem)?.place.admin1 == "New York")
        let atlantic = try #require(Coordinate(latitude: 0, longitude: -30))
        #expect(index.reverse(atlantic)?.label == "Atlantic Ocean")
    }

    @Test("GEO-02 GEO-06 A landmark is named where it stands, and its settlement is the city around it")
    func landmark() throws {
        let match = try #require(index.reverse(Coordinate(wrappingLatitude: 35.0477, longitude: -90.026)))
        #expect(match.neighbourhood == "Graceland" && match.place.name == "Memphis")
        #expect(match.place.admin1 == "Tennessee" && match.isSettlement)
        let found = try #require(index.search("Graceland, Memphis").first)
        #expect(found.id == "waymark:graceland" && found.city == "Memphis")
    }

    @Test(
        "GEO-02 Towns next to cities are named at their own centres, with their state and country",
        arguments: [
            (37.77099, -122.26087, "Alameda, California, United States"),
            (40.74399, -74.03236, "Hoboken, New Jersey, United States"),
            (42.33176, -71.12116, "Brookline, Massachusetts, United States"),
            (42.3876, -71.0995, "Somerville, Massachusetts, United States"),
            (36.19886, -115.1175, "North Las Vegas, Nevada, United States"),
            (40.76732, -74.20487, "East Orange, New Jersey, United States"),
            (38.98067, -77.10026, "Bethesda, Maryland, United States"),
            (40.69149, -73.80569, "Jamaica, New York, United States"),
            (35.54028, 139.45083, "Machida, Tokyo, Japan"),
            (22.20056, 113.54611, "Macau"),
        ]
    )
    func ownCentre(latitude: Double, longitude: Double, label: String) throws {
        let match = try #require(index.reverse(Coordinate(wrappingLatitude: latitude, longitude: longitude)))
        #expect(match.label == label || match.label.hasSuffix("\(label), Macao"))
        #expect(match.place.confidence > 0.9)
    }

    @Test("GEO-02 Every larger place is named at its own centre", .enabled(if: !RealGazetteer.isDebug))
    func ownCentres() throws {
        let table = String(decoding: try RealGazetteer.table("places.tsv"), as: UTF8.self)
        var count = 0
        var lost: [Substring] = []
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: "\t", maxSplits: 8, omittingEmptySubsequences: false)
            guard let population = Int(fields[7]), population >= 30_000, let latitude = Double(fields[2]),
                let longitude = Double(fields[3])
            else { continue }
            count += 1
            let match = index.reverse(Coordinate(wrappingLatitude: latitude, longitude: longitude))
            let isNamed =
                match?.place.id == "geonames:\(fields[0])" || match?.neighbourhood.map { $0 == fields[1] } ?? false
            if !isNamed && match?.place.name != String(fields[1]) { lost.append(fields[1]) }
        }
        #expect(count > 19_000)
        #expect(lost.count < 60, "\(lost)")
    }

    @Test("The manifest gives the size and checksum of every table")
    func manifest() throws {
        struct Manifest: Decodable {
            struct File: Decodable {
                let bytes: Int
                let rows: Int
                let sha256: String
            }
            let files: [String: File]
        }
        let data = try Data(contentsOf: RealGazetteer.folder.appending(path: "manifest.json"))
        let files = try JSONDecoder().decode(Manifest.self, from: data).files
        #expect(Set(files.keys) == Set(GazetteerSources.fileNames.map { $0 + ".gz" }))
        for (name, file) in files {
            let content = try Data(contentsOf: RealGazetteer.folder.appending(path: name))
            #expect(content.count == file.bytes)
            #expect(file.sha256.count == 64)
        }
        #expect(files.values.reduce(0) { $0 + $1.bytes } < 15_000_000)
    }

    @Test("Every larger city is found by its name and state", .enabled(if: !RealGazetteer.isDebug))
    func citiesByState() throws {
        let table = String(decoding: try RealGazetteer.table("places.tsv"), as: UTF8.self)
        var count = 0
        var found = 0
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: "\t", maxSplits: 8, omittingEmptySubsequences: false)
            guard fields[4] == "US", let population = Int(fields[7]), population >= 20_000 else { continue }
            count += 1
            if index.search("\(fields[1]) \(fields[5])").first?.id == "geonames:\(fields[0])" { found += 1 }
        }
        #expect(count > 1000)
        #expect(Double(found) >= 0.995 * Double(count))
    }

    @Test("GEO-01 Major world cities are found with a wrong letter", .enabled(if: !RealGazetteer.isDebug))
    func greatCities() {
        var known: Set<String> = []
        let cities = (0..<20_000).compactMap { index.surveyedPlace($0) }
            .filter { $0.match.kind.isLocal && $0.population >= 200_000 }
            .filter { known.insert(NameFolding.key(of: $0.match.name)).inserted }
        var random = SplitMix64(seed: 77)
        var found = 0
        for _ in 0..<3 {
            for city in cities {
                let text = Self.edited(city.match.name, &random)
                guard let first = index.search(text).first else { continue }
                if GreatCircle.distance(first.coordinate, city.match.coordinate) <= 25_000 { found += 1 }
            }
        }
        #expect(cities.count > 2_000)
        #expect(Double(found) >= 0.96 * Double(3 * cities.count), "\(found) of \(3 * cities.count)")
    }

    /// Leaves out, adds, replaces or swaps one letter, each as often.
    private static func edited(_ text: String, _ random: inout SplitMix64) -> String {
        let letters = Array(text)
        while true {
            var changed = letters
            let position = Int(random.next() % UInt64(letters.count))
            let letter = Character(Unicode.Scalar(UInt8(97 + random.next() % 26)))
            switch random.next() % 4 {
            case 0: changed.remove(at: position)
            case 1: changed.insert(letter, at: position)
            case 2: changed[position] = letter
            default: changed.swapAt(position, min(position + 1, letters.count - 1))
            }
            if !changed.isEmpty, String(changed).lowercased() != text.lowercased() { return String(changed) }
        }
    }
}
