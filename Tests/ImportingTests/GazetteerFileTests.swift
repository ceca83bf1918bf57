import Foundation
import Gazetteer
import GazetteerCompiler
import Importing
import Testing
import TestSupport

@Suite("GEO-06 Files that add to the gazetteer")
struct GazetteerFileTests {
    private func records(
        _ table: GazetteerTable,
        _ text: String,
        pieces: Int = 1 << 20
    ) throws -> (records: [GazetteerRecord], unused: Int) {
        var rest = Array(text.utf8)[...]
        let reader = TableReader(table, name: "mine") {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(pieces) }
            return Array(rest.prefix(pieces))
        }
        var records: [GazetteerRecord] = []
        let unused = try reader.read { records.append($0) }
        return (records, unused.count)
    }

    private func addresses(_ records: [GazetteerRecord]) -> [AddressEntry] {
        records.compactMap { if case .address(let entry) = $0 { entry } else { nil } }
    }

    private func places(_ records: [GazetteerRecord]) -> [AddedPlace] {
        records.compactMap { if case .place(let place) = $0 { place } else { nil } }
    }

    @Test(
        "The first line determines the type of a table",
        arguments: [
            ("LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID", GazetteerTable.openAddresses),
            ("name;latitude;longitude", .places), ("\u{FEFF}\"Name\",\"Lat\",\"Lon\"\r", .places),
            ("4180439\tAtlanta" + String(repeating: "\t", count: 17), .geonames),
            ("1\t4180439\ten\tTerminus\t\t\t\t1\t1837\t1843", .geonamesNames),
            ("US\t30303\tAtlanta\tGeorgia\tGA\tFulton\t121\t\t\t33.75\t-84.39\t4", .geonamesPostcodes),
            ("{\"type\":\"Feature\"}", .addressFeatures),
        ]
    )
    func tables(line: String, table: GazetteerTable) {
        #expect(GazetteerTable(firstLine: line) == table)
    }

    @Test("A table of another type is not recognized", arguments: ["# Readme", "id,title,text", "", "name,when,where"])
    func otherTables(line: String) {
        #expect(GazetteerTable(firstLine: line) == nil)
    }

    private static let openAddresses = """
        LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID
        -122.26,37.77,1216,SANTA CLARA AV,,ALAMEDA,,,94501,1
        -122.25,37.76,12 1/2,"MAIN ST, REAR",,,,CA,,2
        x,37.76,12,MAIN ST,,,,CA,,3
        -122.24,37.75,7,"LINE
        BREAK LN",,ALAMEDA,,,94501,4
        0,0,1,NULL ISLAND RD,,,,,,5

        """

    @Test(
        "OpenAddresses: houses with their city and postal code, in chunks of any size",
        arguments: [1, 7, 64, 1 << 20]
    )
    func openAddresses(pieces: Int) throws {
        let (records, unused) = try records(.openAddresses, Self.openAddresses, pieces: pieces)
        let found = addresses(records)
        #expect(unused == 2)
        #expect(found.map(\.street) == ["Santa Clara Av", "Main St, Rear", "Line\nbreak Ln"])
        #expect(found.map(\.number) == ["1216", "12 1/2", "7"])
        #expect(found.map(\.city) == ["Alameda", "", "Alameda"])
        #expect(found.map(\.postcode) == ["94501", "", "94501"])
        #expect(found.first?.latitude == 37.77)
    }

    @Test("A negative population makes a row invalid; the message gives the line and the fix")
    func negativePopulation() throws {
        let text = "name,lat,lon,population\nOne,1,2,-5\nTwo,1,2,\u{2212}5\nThree,1,2,-\nFour,1,2,5\n"
        var rest = Array(text.utf8)[...]
        let reader = TableReader(.places, name: "mine") {
            defer { rest = [] }
            return rest.isEmpty ? nil : Array(rest)
        }
        var records: [GazetteerRecord] = []
        let unused = try reader.read { records.append($0) }
        #expect(places(records).map(\.name) == ["Three", "Four"])
        #expect(unused.first.map(\.line) == [2, 3])
        #expect(unused.first.first?.reason == "population is negative; leave it empty if it is unknown")
    }

    @Test("A table that names a column twice is rejected with both positions")
    func repeatedColumn() throws {
        for (table, header) in [
            (GazetteerTable.places, "id,name,lat,lon,ID"), (.openAddresses, "ID,LON,LAT,NUMBER,STREET, id"),
        ] {
            let problem = #expect(throws: GazetteerFileProblem.self) { try records(table, header + "\n1,2,3,4,5,6\n") }
            let place = table == .places ? 5 : 6
            #expect(
                problem?.description.hasPrefix("line 1 names the column id twice, as columns 1 and \(place);") == true
            )
        }
        #expect(try records(.places, "name,lat,lon,note,note\nOne,1,2,,\n").records.count == 1)
    }

    @Test("OpenAddresses as GeoJSON, one feature per line")
    func features() throws {
        let text = """
            {"type":"Feature","properties":{"number":"5","street":"ELM ST","city":"Alameda","postcode":"94501"},\
            "geometry":{"type":"Point","coordinates":[-122.2,37.7]}}
            {"type":"Feature","properties":{"number":"6"},"geometry":{"type":"Point","coordinates":[-122.2,37.7]}}

            """
        let (records, unused) = try records(.addressFeatures, text)
        #expect(unused == 1)
        #expect(addresses(records).map(\.street) == ["Elm St"])
        #expect(addresses(records).first?.longitude == -122.2)
    }

    @Test("Useless rows are reported with line and reason, up to five")
    func unusedRows() throws {
        let text = [
            "name,lat,lon", "A,1,1", "\"B\nC\",91,1", ",1,1", "D,\"33,5\",1", "E,,1", "F,0x10,1", "G,1,east", "H,2,2",
            "",
        ]
        .joined(separator: "\n")
        for pieces in [1 << 20, 7] {
            var rest = Array(text.utf8)[...]
            let reader = TableReader(.places, name: "mine") {
                guard !rest.isEmpty else { return nil }
                defer { rest = rest.dropFirst(pieces) }
                return Array(rest.prefix(pieces))
            }
            var names: [String] = []
            let unused = try reader.read { if case .place(let place) = $0 { names.append(place.name) } }
            #expect(names == ["A", "H"])
            #expect(unused.count == 6)
            #expect(
                unused.first.map { "\($0.line): \($0.reason)" } == [
                    "3: lat must be between -90 and 90", "5: it has no name",
                    "6: lat is not a number; write decimals with a point", "7: lat is empty", "8: lat is not a number",
                ]
            )
        }
    }

    @Test("Rows in an encoding other than UTF-8 are skipped instead of misspelt")
    func encoding() throws {
        for (table, line) in [
            (GazetteerTable.places, "name,lat,lon\nCaf\u{E9} Hollow,1,1\n"),
            (.geonames, "1\tCaf\u{E9}\tx\t\t1\t1\tP\tPPL\tUS\t\tNY\t\t\t\t9\t\t1\tx\t2020\n"),
        ] {
            // Latin-1: one byte for each of these letters.
            var bytes: [UInt8]? = line.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            let reader = TableReader(table, name: "mine") {
                defer { bytes = nil }
                return bytes
            }
            let unused = try reader.read { _ in Issue.record("taken") }
            #expect(unused.first.map(\.reason) == ["it is not in UTF-8; save the table as UTF-8"])
        }
    }

    @Test("Custom tables: aliases, kind, city, years; rows without a place are counted")
    func ownPlaces() throws {
        let text = """
            id;name;lat;lon;aliases;kind;population;country;state;city;from_year;to_year
            gw;Greenwood;36.16;-95.98;Black Wall Street|Little Africa;neighbourhood;;US;OK;Tulsa;1906;
            ;Old Ferry;32.5;-91;;;12000;us;Louisiana;;;1927
            ;Nowhere;99;0;;;;;;;;

            """
        let (records, unused) = try records(.places, text)
        let found = places(records)
        #expect(unused == 1)
        #expect(found.map(\.id) == ["own:mine/gw", "own:mine/2"])
        #expect(found.map(\.kind) == [.neighbourhood, .town])
        #expect(found.first?.names.map(\.text) == ["Black Wall Street", "Little Africa"])
        #expect(found.first?.city == "Tulsa")
        #expect(found.map(\.fromYear) == [1906, nil])
        #expect(found.map(\.toYear) == [nil, 1927])
    }

    @Test("GeoNames: settlements, their parts and counties, and mountains; hotels are left out")
    func geonames() throws {
        func row(_ id: Int, _ name: String, _ category: String, _ code: String, _ population: Int) -> String {
            "\(id)\t\(name)\t\(name)\tOther,Andere\t33.7\t-84.4\t\(category)\t\(code)\tUS\t\tGA\t121\t\t\t\(population)\t\t1\tx\t2020"
        }
        let text = [
            row(1, "Atlanta", "P", "PPLA", 498_715), row(2, "Sweet Auburn", "P", "PPLX", 0),
            row(3, "Fulton County", "A", "ADM2", 1_066_710), row(4, "Stone Mountain", "T", "MT", 0),
            row(5, "Terminus", "P", "PPLH", 0), row(6, "Terminal Hotel", "S", "HTL", 0),
            row(7, "Washington", "P", "PPLC", 689_545),
        ]
        .joined(separator: "\n")
        let (records, unused) = try records(.geonames, text)
        let found = places(records)
        #expect(unused == 1)
        #expect(found.map(\.id) == [1, 2, 3, 4, 5, 7].map { "geonames:\($0)" })
        #expect(found.map(\.kind) == [.city, .neighbourhood, .county, .mountain, .village, .city])
        #expect(found.filter(\.isCapital).map(\.name) == ["Washington"])
        #expect(found.first?.names.map(\.text) == ["Other", "Andere"])
        #expect(found.first?.region == "GA")
    }

    @Test("GeoNames: additional names with language and time; links and codes are not names")
    func geonamesNames() throws {
        let text = """
            1\t4180439\ten\tTerminus\t\t\t\t1\t1837\t1843
            2\t4180439\tlink\thttps://example.org\t\t\t\t
            3\t4180439\tru\tАтланта\t1\t\t\t
            """
        let (records, unused) = try records(.geonamesNames, text)
        let names = records.compactMap { record -> AddedName? in
            if case .name(let name, "geonames:4180439") = record { name } else { nil }
        }
        #expect(unused == 1)
        #expect(
            names == [
                AddedName("Terminus", language: "en", isHistoric: true),
                AddedName("Атланта", language: "ru", isPreferred: true),
            ]
        )
    }

    @Test("GeoNames: postal codes with their city and region")
    func postcodes() throws {
        let line = "DE\t10115\tBerlin\tLand Berlin\tBE\t\t00\tBerlin\t11000\t52.53\t13.38\t4"
        let place = try #require(places(records(.geonamesPostcodes, line).records).first)
        #expect((place.name, place.kind, place.country, place.region) == ("10115", .postcode, "DE", "BE"))
        #expect(place.city == "Berlin")
    }

    private static let map = """
        <?xml version="1.0" encoding="UTF-8"?>
        <osm version="0.6">
          <node id="1" lat="40.70" lon="-73.75"><tag k="addr:housenumber" v="94-12"/><tag k="addr:street" v="Hollis Avenue"/></node>
          <node id="2" lat="40.71" lon="-73.74"><tag k="place" v="neighbourhood"/><tag k="name" v="Hollis"/><tag k="old_name" v="East Jamaica"/><tag k="name:es" v="Jolis"/></node>
          <node id="3" lat="40.72" lon="-73.73"/>
          <node id="4" lat="40.72" lon="-73.731"/>
          <node id="5" lat="40.7201" lon="-73.731"/>
          <node id="6" lat="40.7201" lon="-73.73"/>
          <way id="10"><nd ref="3"/><nd ref="4"/><nd ref="5"/><nd ref="6"/><nd ref="3"/><tag k="building" v="yes"/><tag k="addr:housenumber" v="7"/><tag k="addr:street" v="Elm Street"/><tag k="addr:postcode" v="11423"/></way>
          <way id="11"><nd ref="3"/><nd ref="5"/><tag k="highway" v="residential"/><tag k="name" v="Oak Lane"/></way>
          <way id="12"><nd ref="77"/><tag k="addr:housenumber" v="8"/><tag k="addr:street" v="Nowhere Street"/></way>
        </osm>
        """

    private func written(_ text: String, ending: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "map.\(ending)")
        try Data(text.utf8).write(to: file)
        return file.path
    }

    @Test(
        "OpenStreetMap: houses as points and outlines, streets, places; the same in rounds of any size",
        arguments: [1, 2, 9]
    )
    func openStreetMap(round: Int) throws {
        let path = try written(Self.map, ending: "osm")
        defer { try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent) }
        var records: [GazetteerRecord] = []
        try OpenStreetMapReader(path: path, round: round).read { records.append($0) }
        let found = addresses(records)
        #expect(found.map(\.street) == ["Hollis Avenue", "Elm Street", "Oak Lane", "Oak Lane"])
        #expect(found.map(\.number) == ["94-12", "7", nil, nil])
        let house = try #require(found.dropFirst().first)
        #expect(abs(house.latitude - 40.72005) < 1e-6)
        #expect(abs(house.longitude + 73.7305) < 1e-6)
        #expect(house.postcode == "11423")
        let place = try #require(places(records).first)
        #expect(place.id == "osm:node/2")
        #expect(place.names == [AddedName("East Jamaica", isHistoric: true), AddedName("Jolis", language: "es")])
    }

    @Test("A file that is not an extract is rejected with a message", arguments: ["osm", "osm.pbf", "txt"])
    func noExtract(ending: String) throws {
        let path = try written("this is no map", ending: ending)
        defer { try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent) }
        #expect(throws: GazetteerFileProblem.self) { try OpenStreetMapReader(path: path).read { _ in } }
    }

    @Test("An error of the record consumer stops the reading")
    func stopping() throws {
        struct Full: Error {}
        let path = try written(Self.map, ending: "osm")
        defer { try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent) }
        #expect(throws: Full.self) { try OpenStreetMapReader(path: path).read { _ in throw Full() } }
    }
}
