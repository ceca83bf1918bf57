import Formats
import Testing

@Suite("Trace errors")
struct TraceErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let place: TracePlace
        let words: String
        var testDescription: String { words }

        init(_ text: String, _ place: TracePlace, _ words: String) {
            self.text = text
            self.place = place
            self.words = words
        }
    }

    static let cases = [
        Case("", .file, "the file is empty"),
        Case("\u{FEFF} \r\n", .file, "the file is empty"),
        Case("hello world", .file, "not a trace: expected GPX, TCX, GeoJSON, CSV, NMEA, OwnTracks or other"),
        Case("PK\u{3}\u{4}", .file, "not a trace: expected"),
        Case("<kml><Document/></kml>", .line(1), "not a trace: expected"),
        Case("<html>\n<p>\n</html>", .line(1), "not a trace: expected"),
        Case("<gpx>\n<trk>\n<trkseg>\n<trkpt lat='1' lon='2'>\n", .line(4), "XML is not well formed (it ends before"),
        Case("<gpx>\n<trkpt lat='1", .line(2), "XML is not well formed (an attribute's value is not closed)"),
        Case("<gpx>\n<trkpt lat='1' lon=2/></gpx>", .line(2), "XML is not well formed (an attribute's value is not in"),
        Case("<gpx>\n<trkpt lat='1'lon='2'/></gpx>", .line(2), "XML is not well formed (a space is missing"),
        Case("<gpx>\n<trkpt lat='<'/></gpx>", .line(2), "XML is not well formed (an attribute contains \"<\")"),
        Case("<gpx>&#0;</gpx>", .line(1), "XML is not well formed (a character is not allowed in XML)"),
        Case("<gpx>&#xD800;</gpx>", .line(1), "XML is not well formed (a character is not allowed in XML)"),
        Case("<gpx>&#99999999999;</gpx>", .line(1), "XML is not well formed (a character is not allowed in XML)"),
        Case("<gpx>a & b</gpx>", .line(1), "XML is not well formed (a \"&\" does not begin an entity)"),
        Case("<gpx/>text", .line(1), "XML is not well formed (there is text outside"),
        Case("<gpx><!-- ", .line(1), "XML is not well formed (a comment, CDATA or instruction is not closed)"),
        Case("<gpx><1/></gpx>", .line(1), "XML is not well formed (a name is missing)"),
        Case(manyAttributes, .line(1), "XML is not well formed (an element has more than 256 attributes)"),
        Case("<gpx>\n<trk>\n</gpx>", .line(3), "XML is not well formed (an end tag does not match"),
        Case("<gpx>\n&place;</gpx>", .line(2), "XML is not well formed (an entity is not declared)"),
        Case("<gpx/>\n<gpx/>", .line(2), "XML is not well formed"),
        Case("<gpx a='1' a='2'/>", .line(1), "XML is not well formed (an attribute is repeated)"),
        Case("<gpx>\n<trk\u{1}/></gpx>", .line(2), "XML is not well formed"),
        Case("<!DOCTYPE gpx><gpx/>", .line(1), "rejected: the file declares a DOCTYPE"),
        Case("<?xml version='1.0'?>\n<!doctype gpx [<!ENTITY a 'b'>]>\n<gpx/>", .line(2), "rejected: the file"),
        Case("<gpx>\n\n<!ENTITY a 'b'></gpx>", .line(3), "rejected: the file declares"),
        Case(
            "<!-- > --><?x ?>\n<!dOcTyPe gpx SYSTEM 'file:///etc/passwd'><gpx/>",
            .line(2),
            "rejected: the file declares"
        ),
        Case("<?xml version='1.0' encoding='EBCDIC'?><gpx/>", .line(1), "the encoding \"ebcdic\" is not supported"),
        Case(String(repeating: "<gpx>\n", count: 70), .line(65), "rejected: elements are nested deeper than 64"),
        Case("<gpx>\n<trkpt lat='undefined' lon='1'/></gpx>", .line(2), "the latitude is not a number"),
        Case("<gpx>\n<trkpt lat='1' lon='181'/></gpx>", .line(2), "the longitude is not a number from -180 to 180"),
        Case("<gpx>\n<trkpt lat='nan' lon='1'/></gpx>", .line(2), "the latitude is not a number from -90 to 90"),
        Case("<gpx>\n<trkpt lat='1'/></gpx>", .line(2), "the longitude is not a number"),
        Case("{\"type\":\"Feature\",\n\"geometry\":", .line(2), "JSON is not well formed"),
        Case("{\"type\":\"Topology\"}", .file, "not a trace: expected"),
        Case("[1]", .file, "not a trace: expected"),
        Case("{\"a\":" + String(repeating: "[", count: 100_000), .line(1), "JSON is not well formed"),
        Case(feature("[[1,2],[3,4]]", times: "[1795266000000]"), .feature(1), "the number of times is 1 for"),
        Case(feature("[[1,2],[3,\"4\"]]", times: "[1,2]"), .position(2, feature: 1), "the position is not [longitude"),
        Case(feature("[[1,95]]", times: "[1]"), .position(1, feature: 1), "the position is not [longitude"),
        Case(feature("7", times: "[1]"), .feature(1), "coordinates is not an array"),
        Case("time,lat,long\n1,2,3\n", .file, "not a trace: expected"),
        Case("time,lat,lon\n1795266000,1,2\n1795266001,1,east\n", .line(3), "the longitude is not a number"),
        Case("time,lat,lon\n1795266000,1,2\n1795266001,1", .line(3), "the longitude is not a number"),
        Case("lat,lon\n1,2" + String(repeating: ",", count: 10_000), .line(2), "rejected: the table has more than"),
        Case("time,lat,lon\n1795266000,\"1,2\n", .line(2), "a quotation mark is opened and never closed"),
        Case("$GPGSV,1,1,00*79\n", .file, "not a trace: no RMC or GGA sentence"),
        Case("$GPRMC,235958,A,3360.0,N,08422.2,W,,,311226\n", .line(1), "the position is not ddmm.mmmm"),
        Case("$GPRMC,235958,A,9900.0,N,08422.2,W,,,311226\n", .line(1), "the position is not ddmm.mmmm"),
    ]

    private static let manyAttributes = "<gpx " + (0..<300).map { "a\($0)='' " }.joined() + "/>"

    private static func feature(_ coordinates: String, times: String) -> String {
        #"{"type":"Feature","properties":{"coordTimes":\#(times)},"geometry":{"type":"LineString","coordinates":\#(coordinates)}}"#
    }

    @Test("Bad input is rejected with the problem, the place and the remedy", arguments: cases)
    func badInput(_ sample: Case) throws {
        let error = try #require(throws: TraceError.self) { try TraceFixtures.read(sample.text, "run") }
        #expect(error.place == sample.place)
        #expect(error.problem.hasPrefix(sample.words))
        #expect(!error.remedy.isEmpty)
        let location = sample.place == .file ? "run: " : "run, \(sample.place): "
        #expect(error.description == "\(location)\(error.problem); \(error.remedy)")
    }

    @Test("The content does not match the format promised by the name")
    func namePromises() throws {
        let table = try #require(throws: TraceError.self) { try TraceFixtures.read("time,lat,long\n1,2,3\n", "x.csv") }
        #expect(table.problem == "not a trace: the header has no column lon")
        #expect(table.place == .line(1))
        for name in ["x.nmea", "x.gpx", "x.geojson", "x.tcx.gz"] {
            #expect(throws: TraceError.self) { try TraceFixtures.read("hello", name) }
        }
    }

    @Test("A document type in UTF-16 is rejected; in CDATA and comments it is text")
    func documentTypes() throws {
        let units = Array("<!DOCTYPE gpx><gpx/>".utf16)
        let error = try #require(throws: TraceError.self) {
            try TraceReader.read(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, fileName: "")
        }
        #expect(error.code == .refused)
        let text = "<gpx><!-- <!DOCTYPE --><trk><name><![CDATA[<!DOCTYPE html>]]></name></trk></gpx>"
        #expect(try TraceFixtures.read(text).name == "<!DOCTYPE html>")
    }

    @Test("Bytes invalid in the encoding are reported with their line")
    func encoding() throws {
        let bytes = Array("<gpx>\n<name>Z".utf8) + [0xFC] + Array("rich</name></gpx>".utf8)
        let error = try #require(throws: TraceError.self) { try TraceReader.read(bytes, fileName: "") }
        #expect(error.code == .malformed && error.place == .line(2))
    }

    @Test("Sizes, points and decompressed sizes are limited")
    func limits() throws {
        let text = "lat,lon\n" + String(repeating: "1,2\n", count: 100)
        let read = { (bytes: [UInt8], limits: TraceLimits) in
            try TraceReader.read(bytes, fileName: "", limits: limits).pointCount
        }
        let bytes = Array(text.utf8)
        #expect(try read(bytes, TraceLimits(bytes: bytes.count, points: 100)) == 100)
        let points = #expect(throws: TraceError.self) { try read(bytes, TraceLimits(points: 99)) }
        #expect(points?.code == .refused && points?.place == .line(101))
        let size = #expect(throws: TraceError.self) { try read(bytes, TraceLimits(bytes: bytes.count - 1)) }
        #expect(size?.code == .refused)
        let packed = try Gzip.compress([UInt8](repeating: 0x20, count: 1 << 20))
        let bomb = #expect(throws: TraceError.self) { try read(packed, TraceLimits(bytes: 1 << 19)) }
        #expect(bomb?.code == .refused)
        let cut = #expect(throws: TraceError.self) { try read(packed.dropLast(20), TraceLimits()) }
        #expect(cut?.code == .malformed)
    }
}
