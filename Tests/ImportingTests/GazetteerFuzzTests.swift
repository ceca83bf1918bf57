import Foundation
import GazetteerCompiler
import Geometry
import Importing
import Testing
import TestSupport

/// Files that were damaged by chance; `WAYMARK_FUZZ_ROUNDS` and `WAYMARK_FUZZ_SEED` make more of them.
@Suite("Fuzzing gazetteer input files")
struct GazetteerFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let rounds = environment["WAYMARK_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 600
    private static let seed = environment["WAYMARK_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1

    private static let tables: [(table: GazetteerTable, text: String)] = [
        (
            .openAddresses,
            #"""
            LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID
            -122.26,37.77,1216,"SANTA CLARA AVE",,ALAMEDA,,CA,94501,1
            -122.25,37.76,12 1/2,OAK ST,"2 ""b""",ALAMEDA,,CA,94501,2

            """#
        ),
        (
            .places,
            """
            id;name;lat;lon;aliases;kind;population;country;state;city;from_year;to_year
            1;Grandmother's House;40.727;-73.742;The Porch|Old Home;landmark;0;US;NY;Queens Village;1890;1951
            2;Little Harbor;37.75;-122.3;;village;120;US;CA;;;

            """
        ),
        (
            .geonames,
            """
            1\tSelma\tSelma\tSelma AL,Селма\t32.40736\t-87.0211\tP\tPPLA2\tUS\t\tAL\t047\t\t\t19912\t\t38\tAmerica/Chicago\t2020-01-01
            2\tQueen\tQueen\t\t40.1\t-73\tP\tPPLX\tUS\t\tNY\t\t\t\t0\t\t\t\t

            """
        ),
        (.geonamesNames, "1\t4180439\ten\tTerminus\t\t\t\t1\t1837\t1843\n2\t1\tes\tSélma\t1\n"),
        (.geonamesPostcodes, "US\t30303\tAtlanta\tGeorgia\tGA\tFulton\t121\t\t\t33.75\t-84.39\t4\n"),
        (
            .addressFeatures,
            """
            {"type":"Feature","properties":{"number":"7","street":"Oak St","city":"A"},"geometry":{"type":"Point","coordinates":[-1,2]}}
            {"type":"Feature","properties":{},"geometry":null}

            """
        ),
    ]

    /// Changes some bytes, cuts or repeats a piece.
    private static func damage(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        for _ in 0..<(1 + random.next() % 4) where !bytes.isEmpty {
            let start = Int(random.next() % UInt64(bytes.count))
            let end = min(bytes.count, start + 1 + Int(random.next() % 40))
            switch random.next() % 7 {
            case 0: bytes[start] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes[start] ^= 1 << UInt8(random.next() % 8)
            case 2: bytes.removeSubrange(start..<end)
            case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 4: bytes.removeSubrange(start...)
            case 5:
                let times = 1 + Int(random.next() % 300)
                bytes.insert(contentsOf: repeatElement(bytes[start..<end], count: times).joined(), at: end)
            default:
                let marks = Array("\",;\t\n\r|{}[]\\-.9eN\u{0}\u{FF}".utf8)
                bytes[start] = marks[Int(random.next() % UInt64(marks.count))]
            }
        }
    }

    private static func check(_ record: GazetteerRecord, _ bytes: [UInt8]) {
        switch record {
        case .address(let entry):
            #expect(abs(entry.latitude) <= 90 && abs(entry.longitude) <= 180 && !entry.street.isEmpty, "\(bytes)")
            _ = (entry.streetKey, entry.orderValue)
        case .place(let place):
            #expect(abs(place.latitude) <= 90 && abs(place.longitude) <= 180 && !place.name.isEmpty, "\(bytes)")
            #expect(place.population >= 0, "\(bytes)")
            #expect(AddedPlace(encoded: place.encoded)?.name == place.name, "\(bytes)")
        case .name(let name, let place):
            #expect(!name.text.isEmpty && !place.isEmpty, "\(bytes)")
        }
    }

    @Test("A damaged table gives places on the globe or an error, in chunks of any size", arguments: 0..<6)
    func tables(kind: Int) throws {
        let (table, text) = Self.tables[kind]
        var random = SplitMix64(seed: Self.seed &* 100 &+ UInt64(kind))
        for _ in 0..<Self.rounds {
            var bytes = Array(text.utf8)
            Self.damage(&bytes, &random)
            let size = 1 + Int(random.next() % 200)
            var counts: [Int] = []
            for size in [size, 1 << 20] {
                var rest = bytes[...]
                let reader = TableReader(table, name: "f") {
                    guard !rest.isEmpty else { return nil }
                    defer { rest = rest.dropFirst(size) }
                    return Array(rest.prefix(size))
                }
                var count = 0
                do {
                    _ = try reader.read {
                        Self.check($0, bytes)
                        count += 1
                    }
                    counts.append(count)
                } catch {
                    counts.append(-1)
                }
            }
            #expect(counts[0] == counts[1], "\(bytes)")
        }
    }

    @Test("Any first line is recognized as a table or not")
    func firstLines() {
        var random = SplitMix64(seed: Self.seed &* 100 &+ 50)
        for round in 0..<Self.rounds {
            var bytes = Array(Self.tables[round % Self.tables.count].text.utf8.prefix { $0 != 0x0A })
            Self.damage(&bytes, &random)
            _ = GazetteerTable(firstLine: String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test(
        "An element without its required parts is rejected with a message",
        arguments: [
            ("<osm><node id=\"1\" lat=\"1\" lon=\"1\"><tag k=\"name\"/></node></osm>", "an element <tag> has no v"),
            ("<osm><way id=\"1\"><nd rf='1'/></way></osm>", "an element <nd> has no ref"),
            ("<osm><tag v='k=' />", "an element <tag> has no k"),
            ("<osm><relation><member ref='1' type='way'/>", "an element <member> has no role"),
            ("<osm><!-- <tag/> --><![CDATA[<tag>]]><tag k='a>b' v=\"'\"/><nd ref = '2'/></osm>", ""),
        ]
    )
    func missing(text: String, problem: String) {
        for size in [1, 7, 1_000] {
            var check = OpenStreetMapCheck()
            var found = ""
            do {
                for start in stride(from: 0, to: text.utf8.count, by: size) {
                    try check.take(Array(text.utf8.dropFirst(start).prefix(size)))
                }
            } catch { found = "\(error)" }
            #expect(found == problem)
        }
    }

    @Test("A damaged extract gives places on the globe or an error")
    func extracts() throws {
        let map = """
            <?xml version="1.0"?><osm version="0.6">
            <node id="1" lat="40.72" lon="-73.73"><tag k="addr:housenumber" v="7"/><tag k="addr:street" v="Oak"/></node>
            <node id="2" lat="40.73" lon="-73.74"><tag k="place" v="hamlet"/><tag k="name" v="Holliswood"/></node>
            <way id="3"><nd ref="1"/><nd ref="2"/><tag k="highway" v="residential"/><tag k="name" v="Main"/></way></osm>
            """
        let folder = FileManager.default.temporaryDirectory.appending(path: "fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "map.osm")
        var random = SplitMix64(seed: Self.seed &* 100 &+ 60)
        var read = 0
        defer { #expect(read > 20) }
        for _ in 0..<(Self.rounds / 4) {
            var bytes = Array(map.utf8)
            Self.damage(&bytes, &random)
            var check = OpenStreetMapCheck()
            guard (try? check.take(bytes)) != nil else { continue }
            read += 1
            try Data(bytes).write(to: file)
            try? OpenStreetMapReader(path: file.path).read { Self.check($0, bytes) }
        }
    }
}
