import Library
import App
import Formats
import Foundation
import Gazetteer
import GazetteerCompiler
import Geometry
import Importing
import Testing
import TestSupport

/// A gazetteer of a few places, in the format of `geodata/`, and a folder for what is added to it.
final class ImportFixture {
    let folder: URL
    let database: String
    let sources: GazetteerSources
    let index: GazetteerIndex
    private(set) var reports: [String] = []

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "gazetteer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = folder.appending(path: "test.db").path
        func table(_ rows: [String]) -> [UInt8] {
            Array(rows.map { $0.replacing("|", with: "\t") + "\n" }.joined().utf8)
        }
        sources = GazetteerSources(
            countries: table([
                "id|code|code3|name|lat|lon|west|south|east|north|population|capital|names|abbreviations",
                "6252001|US|USA|United States|39.5|-99.1|172|18|-66|71|330000000|||",
            ]),
            states: table([
                "id|code|fips|name|lat|lon|west|south|east|north|population|names|abbreviations",
                "5332921|CA|06|California|37|-119|-124|32|-114|42|39000000||",
                "5128638|NY|36|New York|42.9|-75.5|-79.8|40.5|-71.8|45|19500000||",
            ]),
            regions: table(["country|code|name|lat|lon|west|south|east|north|population|bounds|names|abbreviations"]),
            counties: table([
                "geoid|name|short|state|lat|lon|west|south|east|north",
                "06001|Alameda County|Alameda|CA|37.65|-121.9|-122.37|37.45|-121.47|37.91",
            ]),
            places: table([
                "id|name|lat|lon|country|admin1|county|population|names",
                "5322737|Alameda|37.77099|-122.26087|US|CA||78630|",
                "5133271|Queens Village|40.72677|-73.74152|US|NY||51919|",
                "5128581|New York City|40.71427|-74.00597|US|NY||8804190|New York",
            ]),
            zipcodes: table(["zip|city|state|lat|lon", "11428|Queens Village|NY|40.7207|-73.7434"])
        )
        index = try GazetteerIndex(bytes: GazetteerBytes(GazetteerBuilder.build(sources, checksum: [])))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func open(batchSize: Int = 20_000) throws -> GazetteerImport {
        try GazetteerImport(database: database, index: index, tables: { [sources] in sources }, batchSize: batchSize) {
            self.reports.append($0)
        }
    }

    func write(_ text: String, as name: String) throws -> String {
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    /// Adds files, compiles and opens what came of it.
    func added(_ files: [String]) throws -> PlaceSearch {
        let addition = try open()
        for file in files { try addition.add(file) }
        _ = try addition.compile()
        try addition.close()
        return PlaceSearch(places: index, additions: try GazetteerAdditions.load(beside: database))
    }
}

private let queens = "data/osm/queens_village_ny.osm.pbf"
private let alameda = "data/addresses/openaddresses-alameda.zip"

@Suite("GEO-06 Adding to the gazetteer")
struct GazetteerImportTests {
    /// A hundred houses of a file, chosen by chance, in the order of the file.
    private func sample(_ all: [AddressEntry]) -> [AddressEntry] {
        var random = SplitMix64(seed: 2026)
        let houses = all.filter { $0.number != nil }
        return (0..<100).map { _ in houses[Int(random.next() % UInt64(houses.count))] }
    }

    private func found(_ houses: [AddressEntry], in place: String, _ search: PlaceSearch) throws -> Int {
        try houses.count { house in
            let match = search.search("\(house.number ?? "") \(house.street), \(place)").first
            let point = try #require(Coordinate(latitude: house.latitude, longitude: house.longitude))
            return match.map { GreatCircle.distance($0.coordinate, point) <= 30 } ?? false
        }
    }

    @Test(
        "A hundred houses of an OpenStreetMap extract are found within 30 m",
        .enabled(if: SharedData.isWanted(queens))
    )
    func openStreetMap() throws {
        let file = try #require(SharedData.url(queens)).path
        let fixture = try ImportFixture()
        let search = try fixture.added([file])
        var all: [AddressEntry] = []
        try OpenStreetMapReader(path: file).read { if case .address(let entry) = $0 { all.append(entry) } }
        #expect(all.count > 30_000)
        #expect(try found(sample(all), in: "Queens Village, NY", search) >= 99)
        let label = try #require(search.search("203-06 109th Ave, Queens Village, NY").first).label
        #expect(label == "203-06 109th Avenue, Queens Village, New York, United States")
    }

    @Test("A hundred houses of OpenAddresses are found within 30 m", .enabled(if: SharedData.isWanted(alameda)))
    func openAddresses() throws {
        let file = try #require(SharedData.url(alameda))
        let fixture = try ImportFixture()
        let search = try fixture.added([file.path])
        let packed = [UInt8](try Data(contentsOf: file))
        let archive = try ZipReader(length: packed.count) { Array(packed[min($0, packed.count)...].prefix($1)) }
        let entry = try #require(archive.entries.first { $0.name.hasSuffix(".csv") })
        var all: [AddressEntry] = []
        let reader = try TableReader(.openAddresses, name: "a", source: archive.content(of: entry))
        _ = try reader.read { if case .address(let entry) = $0 { all.append(entry) } }
        #expect(try found(sample(all), in: "Alameda, CA", search) >= 97)
    }

    @Test("Custom places are found by name and alias, in their city")
    func ownPlaces() throws {
        let fixture = try ImportFixture()
        let file = try fixture.write(
            """
            id,name,lat,lon,aliases,kind,country,state,city
            1,Grandmother's House,40.727,-73.742,The Porch;Old Home,landmark,US,NY,Queens Village
            2,Little Harbor,37.75,-122.3,,village,US,CA,
            3,Corner Store,37.771,-122.261,,landmark,,,

            """,
            as: "ours.csv"
        )
        let search = try fixture.added([file])
        let house = try #require(search.search("The Porch, Queens Village").first)
        #expect(house.label == "Grandmother's House, Queens Village, New York, United States")
        #expect((house.kind, house.id) == (.landmark, "own:ours/1"))
        #expect(search.search("Little Harbor, CA").first?.id == "own:ours/2")
        // Neither country nor city was given: they are those of its position.
        #expect(
            search.search("Corner Store, Alameda").first?.label == "Corner Store, Alameda, California, United States"
        )
        #expect(search.search("Alameda, CA").first?.id == "geonames:5322737")
        #expect(search.suggest("little h").first?.name == "Little Harbor")
    }

    @Test("Countries are recognized by name and either code, so reverse geocoding names added landmarks")
    func countriesByName() throws {
        let fixture = try ImportFixture()
        let file = try fixture.write(
            """
            name,lat,lon,kind,country,state
            Bethel Hall,40.7269,-73.7417,church,United States,New York
            Porter House,37.7712,-122.2612,landmark,USA,CA
            Unknown Hall,37.7752,-122.2662,landmark,Ruritania,

            """,
            as: "ours.csv"
        )
        let search = try fixture.added([file])
        for (latitude, longitude, name) in [
            (40.7269, -73.7417, "Bethel Hall"), (37.7712, -122.2612, "Porter House"),
            (37.7752, -122.2662, "Unknown Hall"),
        ] {
            let position = try #require(Coordinate(latitude: latitude, longitude: longitude))
            #expect(search.reverse(position)?.neighbourhood == name)
            #expect(search.search(name).first?.countryCode == "us")
            #expect(search.search(name).first?.kind == .landmark)
        }
    }

    @Test("An added town ranks among its namesakes by population, written with separators or without")
    func addedTownsAreRanked() throws {
        let fixture = try ImportFixture()
        let file = try fixture.write(
            """
            id,name,lat,lon,population,country,state
            1,Alameda,34.5,-118.1,120,US,CA
            2,Queens Village,42.1,-76.2,"1,200,000",US,NY

            """,
            as: "towns.csv"
        )
        let search = try fixture.added([file])
        #expect(search.search("Alameda").map(\.id).prefix(2) == ["geonames:5322737", "own:towns/1"])
        #expect(search.search("Queens Village").map(\.id).prefix(2) == ["own:towns/2", "geonames:5133271"])
        #expect(search.search("Queens Village").first?.kind == .city)
        let sum = search.search("Alameda").map(\.confidence).reduce(0, +)
        #expect(sum <= 1.000_1)
    }

    @Test("A file is removed by its name, and the last one removes everything compiled")
    func removeFile() throws {
        let fixture = try ImportFixture()
        let files = try [("a.csv", "Old Mill"), ("b.csv", "New Mill")]
            .map { try fixture.write("id,name,lat,lon\n1,\($0.1),37.77,-122.26\n", as: $0.0) }
        #expect(try fixture.added(files).search("Old Mill").first?.id == "own:a/1")
        let addition = try fixture.open()
        try addition.remove("a.csv")
        _ = try addition.compile()
        #expect(throws: GazetteerImport.Refusal.self) { try addition.remove("a.csv") }
        try addition.close()
        let left = PlaceSearch(places: fixture.index, additions: try GazetteerAdditions.load(beside: fixture.database))
        #expect(left.search("New Mill").first?.id == "own:b/1")
        #expect(left.search("Old Mill").allSatisfy { !$0.id.hasPrefix("own:a") })
        let last = try fixture.open()
        try last.remove("b.csv")
        #expect(try last.compile() == "nothing")
        try last.close()
        #expect(try GazetteerAdditions.load(beside: fixture.database) == nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).sorted() == ["a.csv", "b.csv"]
        )
    }

    @Test("A damaged file leaves nothing, and keeps the content of an older file with its name")
    func damagedFile() throws {
        let fixture = try ImportFixture()
        func rows(_ name: String) -> String {
            "id,name,lat,lon\n" + (1...300).map { "\($0),\(name) \($0),37.77,-122.26\n" }.joined()
        }
        let file = try fixture.write(rows("Old Mill"), as: "a.csv")
        _ = try fixture.added([file])
        // Whole batches of the new file are read before its end turns out to be broken.
        _ = try fixture.write(rows("New Mill") + "301,\"never closed,37.77,-122.26\n", as: "a.csv")
        let addition = try fixture.open(batchSize: 50)
        #expect(throws: GazetteerImport.Refusal.self) { try addition.add(file) }
        _ = try addition.compile()
        try addition.close()
        let search = PlaceSearch(
            places: fixture.index,
            additions: try GazetteerAdditions.load(beside: fixture.database)
        )
        #expect(search.search("Old Mill 7").first?.id == "own:a/7")
        #expect(search.search("New Mill 7").allSatisfy { !$0.name.hasPrefix("New Mill") })

        let fresh = try ImportFixture()
        let damaged = try fresh.write(rows("New Mill") + "301,\"never closed,37.77,-122.26\n", as: "b.csv")
        let other = try fresh.open(batchSize: 50)
        #expect(throws: GazetteerImport.Refusal.self) { try other.add(damaged) }
        try other.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: fresh.folder.path) == ["b.csv"])
    }

    @Test("GeoNames dumps: places with their additional names, with files in any order")
    func geonames() throws {
        let fixture = try ImportFixture()
        let places = try fixture.write(
            "77\tBellerose\tBellerose\t\t40.73\t-73.71\tP\tPPL\tUS\t\tNY\t081\t\t\t1193\t\t1\tx\t2020\n",
            as: "NY.txt"
        )
        let names = try fixture.write(
            """
            1\t77\tes\tBellerosa\t\t\t\t\t\t
            2\t77\tes\tBella Rosa\t1\t\t\t\t\t
            3\t77\t\tOld Rose\t\t\t\t1\t\t
            4\t5133271\tes\tVilla Reinas\t\t\t\t\t\t
            5\t5133271\tfr\tBrushville\t\t\t\t1\t\t

            """,
            as: "names.txt"
        )
        let search = try fixture.added([names, places])
        #expect(search.search("Bella Rosa, NY").first?.id == "geonames:77")
        #expect(search.search("Old Rose, New York").first?.name == "Bellerose")
        // Names are shown in a language that is asked for, those of the program's own places as well.
        var options = SearchOptions()
        options.language = "es"
        #expect(search.search("Bellerose, NY", options: options).first?.label.hasPrefix("Bella Rosa, New York") == true)
        #expect(search.search("Queens Village, NY", options: options).first?.name == "Villa Reinas")
        options.language = "fr"
        #expect(search.search("Queens Village, NY", options: options).first?.name == "Queens Village")
    }

    @Test("An interrupted import resumes after the stored part, with the same result")
    func resuming() throws {
        let rows = (1...95).map { "-73.74\($0 % 10),40.72\($0 % 10),\($0),Hollis Ave,,Queens Village,,,11428,\($0)" }
        let text = "LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID\n" + rows.joined(separator: "\n") + "\n"
        let whole = try ImportFixture()
        _ = try whole.added([whole.write(text, as: "a.csv")])
        let broken = try ImportFixture()
        let file = try broken.write(text, as: "a.csv")
        struct Stop: Error {}
        do {
            let addition = try broken.open(batchSize: 10)
            #expect(throws: Stop.self) {
                try addition.add(file) { if $0 > 34 { throw Stop() } }
            }
            try addition.close()
        }
        let sources = try GazetteerImport.sources(beside: broken.database)
        #expect(sources.map(\.records) == [30])
        #expect(sources.first?.description.hasSuffix(": 30 records, read only in part") == true)
        #expect(sources.first?.description.hasPrefix("a.csv of 20") == true)
        _ = try broken.added([file])
        #expect(broken.reports.contains("a.csv: resuming after 30 records"))
        let first = try Data(contentsOf: URL(filePath: GazetteerAdditions.file(beside: whole.database)))
        let second = try Data(contentsOf: URL(filePath: GazetteerAdditions.file(beside: broken.database)))
        #expect(first == second)
        // Again: nothing to do, nothing twice.
        _ = try broken.added([file])
        #expect(broken.reports.contains("a.csv has already been added."))
        #expect(try Data(contentsOf: URL(filePath: GazetteerAdditions.file(beside: broken.database))) == first)
    }

    @Test("An unusable file is rejected with a message and leaves earlier additions alone")
    func refusals() throws {
        let fixture = try ImportFixture()
        let good = try fixture.write("name,lat,lon\nBay Farm,37.74,-122.25\n", as: "good.csv")
        _ = try fixture.added([good])
        for (name, text) in [
            ("story.csv", "title,text\na,b\n"), ("empty.csv", ""), ("broken.zip", "PK no archive"),
            ("broken.gz", "no gzip"), ("broken.osm.pbf", "no map"), ("header.csv", "name,lat,lon\n"),
            ("quote.csv", "name,lat,lon\n\"a,1,2\n"),
        ] {
            let file = try fixture.write(text, as: name)
            #expect(throws: GazetteerImport.Refusal.self, "\(name)") { try fixture.added([file]) }
        }
        #expect(throws: GazetteerImport.Refusal.self) { try fixture.added([fixture.folder.path]) }
        let search = PlaceSearch(
            places: fixture.index,
            additions: try GazetteerAdditions.load(beside: fixture.database)
        )
        #expect(search.search("Bay Farm, CA").first?.name == "Bay Farm")
    }

    @Test("A gzip file is never in memory as a whole, and useless rows are reported")
    func packedBomb() throws {
        let fixture = try ImportFixture()
        let rows = String(repeating: "x", count: 200).appending(",x,1\n")
        let text = "name,lat,lon\nBay Farm,37.74,-122.25\n" + String(repeating: rows, count: 40_000)
        let packed = try Gzip.compress(Array(text.utf8))
        #expect(packed.count * 100 < text.utf8.count)
        var largest = 0
        var given: [UInt8]? = packed
        let next = try GazetteerFiles.unpacked {
            defer { given = nil }
            return given
        }
        while let piece = try next() { largest = max(largest, piece.count) }
        #expect(largest < 5 << 20)
        let file = fixture.folder.appending(path: "bomb.csv.gz")
        try Data(packed).write(to: file)
        _ = try fixture.added([file.path])
        #expect(fixture.reports.contains("bomb.csv.gz: 1 record, 40000 rows could not be used:"))
        #expect(fixture.reports.contains("bomb.csv.gz:3: lat is not a number"))
        #expect(fixture.reports.contains("… and 39995 more"))
    }

    @Test("Any damage to the compiled additions file is reported in one sentence")
    func damage() throws {
        let fixture = try ImportFixture()
        _ = try fixture.added([fixture.write("name,lat,lon\nBay Farm,37.74,-122.25\n", as: "good.csv")])
        let path = GazetteerAdditions.file(beside: fixture.database)
        let whole = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var random = SplitMix64(seed: 7)
        for round in 0..<100 {
            var bytes = whole
            let position = Int(random.next() % UInt64(bytes.count))
            switch round % 4 {
            case 0: bytes[position] ^= 1 << UInt8(random.next() % 8)
            case 1: bytes.removeSubrange(position...)
            case 2: for index in position..<min(bytes.count, position + 4_096) { bytes[index] = ~bytes[index] }
            default: bytes.swapAt(position / 32 * 32, min(bytes.count - 1, position / 32 * 32 + 32))
            }
            guard bytes != whole else { continue }
            try Data(bytes).write(to: URL(filePath: path))
            do {
                _ = try GazetteerAdditions.load(beside: fixture.database)
                Issue.record("round \(round): the damage was not noticed")
            } catch let failure as GazetteerLoader.Failure {
                #expect(failure.description.contains("Compile it again with 'waymark gazetteer build'"))
            }
        }
        try Data(whole).write(to: URL(filePath: path))
        #expect(try GazetteerAdditions.load(beside: fixture.database) != nil)
    }

    @Test("A damaged additions file is reported; a missing one is ignored")
    func loading() throws {
        let fixture = try ImportFixture()
        let none = try GazetteerAdditions.load(beside: fixture.database)
        #expect(none == nil)
        try Data("nonsense".utf8).write(to: URL(filePath: GazetteerAdditions.file(beside: fixture.database)))
        #expect(throws: GazetteerLoader.Failure.self) { try GazetteerAdditions.load(beside: fixture.database) }
    }
}
