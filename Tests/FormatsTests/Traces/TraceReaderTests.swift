import Formats
import Geometry
import Stories
import Testing

@Suite("Trace reader")
struct TraceReaderTests {
    private func time(_ text: String) -> Timestamp? { RFC3339.parse(text) }

    @Test("NTF-10 GPX 1.1: segments, times, accuracy, speed and course of extensions, waypoints and routes")
    func gpx11() throws {
        let trace = try TraceFixtures.read(TraceFixtures.gpx11)
        #expect(trace.sourceFormat == .gpx)
        #expect(trace.name == "Harbour & hill")
        #expect(trace.segments.map(\.count) == [2, 2])
        #expect(trace.untimedCount == 1)
        let first = try #require(trace.timedPoints.first)
        #expect(first.coordinate == Coordinate(latitude: 33.75, longitude: -84.37))
        #expect(first.time == time("2026-11-21T13:00:00Z"))
        #expect(first.accuracy == 6 && first.speed == 1.3 && first.course == 90)
        let second = trace.segments[0][1]
        #expect(second.time == time("2026-11-21T13:00:05.25Z"))
        #expect(second.accuracy == 12 && second.speed == 2 && second.course == nil)
        #expect(trace.segments[1][0].time == time("2026-11-21T13:00:05Z"))
        #expect(trace.waypoints.map(\.name) == ["Quay"])
        #expect(trace.waypoints.first?.description == "stone <b>quay</b>")
        #expect(trace.waypoints.first?.time == time("2026-11-21T12:30:00Z"))
        #expect(trace.routePoints.map(\.name) == ["Start", nil])
        #expect(trace.problems.map(\.place) == [.line(9)])
    }

    @Test("GPX 1.0: speed and course are elements; -1 and a dilution of zero mean unknown")
    func gpx10() throws {
        let trace = try TraceFixtures.read(TraceFixtures.gpx10)
        #expect(trace.name == "Old style")
        let points = trace.timedPoints
        #expect(points.count == 2)
        #expect(points[0].speed == 4.5 && points[0].course == 271.5 && points[0].accuracy == 10)
        #expect(points[1].speed == nil && points[1].course == nil && points[1].accuracy == nil)
    }

    @Test("TCX: laps are segments; a trackpoint without a position is skipped and noted")
    func tcx() throws {
        let trace = try TraceFixtures.read(TraceFixtures.tcx)
        #expect(trace.sourceFormat == .tcx)
        #expect(trace.segments.map(\.count) == [1, 1])
        #expect(trace.segments[0][0].speed == 2.5)
        #expect(trace.segments[1][0].time == time("2026-11-21T13:05:00Z"))
        #expect(trace.waypoints.map(\.description) == ["left"])
        #expect(trace.name == "Loop")
        #expect(trace.problems.map(\.place) == [.line(8)])
    }

    @Test("GeoJSON: the parts of a line are segments, lists accompany the positions, points are waypoints")
    func lines() throws {
        let trace = try TraceFixtures.read(TraceFixtures.lines)
        #expect(trace.sourceFormat == .geoJSON)
        #expect(trace.name == "Two parts")
        #expect(trace.segments.map(\.count) == [2, 1])
        #expect(trace.segments[0].map(\.accuracy) == [5, nil])
        #expect(trace.segments[0].map(\.speed) == [1.5, nil])
        #expect(trace.segments[1][0].time == time("2026-11-21T14:00:00Z"))
        #expect(trace.waypoints.map(\.name) == ["Corner"])
    }

    @Test("GeoJSON: times may be milliseconds, texts or missing")
    func line() throws {
        let trace = try TraceFixtures.read(TraceFixtures.line, "morning.walk.geojson.gz")
        #expect(trace.name == "morning.walk")
        let expected = [time("2026-11-21T13:00:00Z"), time("2026-11-21T13:00:01Z"), nil]
        #expect(trace.segments.map { $0.map(\.time) } == [expected])
        #expect(trace.untimedCount == 1)
    }

    @Test("GeoJSON: points with times are a trace, in file order")
    func points() throws {
        let trace = try TraceFixtures.read(TraceFixtures.points)
        let points = trace.timedPoints
        #expect(points.map(\.time) == [time("2026-11-21T13:00:00Z"), time("2026-11-21T13:00:01Z")])
        #expect(points[0].speed == 4 && points[0].course == 0 && points[0].accuracy == 30)
        #expect(points[0].device == "phone")
        #expect(points[1].speed == nil)
        #expect(trace.problems.map(\.place) == [.feature(3)])
        let overland = TraceFixtures.points.replacing(#""type":"FeatureCollection","features""#, with: #""locations""#)
        #expect(try TraceFixtures.read(overland).timedPoints == points)
    }

    @Test("CSV: aliases, quotation, units, receipt, device and segments")
    func csv() throws {
        let trace = try TraceFixtures.read(TraceFixtures.csv, "walks/table.csv")
        #expect(trace.sourceFormat == .csv && trace.name == "table")
        #expect(trace.segments.map(\.count) == [2, 2])
        let first = trace.segments[0][0]
        #expect(first.accuracy == 12 && first.speed == 10 && first.course == 90)
        #expect(first.received == time("2026-11-21T13:02:00Z"))
        #expect(first.device == #"phone "A", old"#)
        let second = trace.segments[0][1]
        #expect(second.time == time("2026-11-21T13:00:05Z") && second.accuracy == nil)
        #expect(trace.segments[1][0].time == time("2026-11-21T13:00:10Z"))
        #expect(trace.segments[1][1].time == nil && trace.segments[1][1].speed == nil)
        #expect(trace.problems.map(\.place) == [.line(5), .line(6), .line(6)])
    }

    @Test("CSV with semicolons: byte order mark, CRLF and decimal commas")
    func semicolons() throws {
        let trace = try TraceFixtures.read(TraceFixtures.semicolons)
        let point = try #require(trace.timedPoints.first)
        #expect(point.coordinate == Coordinate(latitude: 33.75, longitude: -84.37))
        #expect(point.accuracy == 4.5)
    }

    @Test("NMEA: RMC and GGA of one time are one point, dates pass midnight, damaged sentences are skipped")
    func nmea() throws {
        let trace = try TraceFixtures.read(TraceFixtures.nmea)
        #expect(trace.sourceFormat == .nmea)
        let points = trace.timedPoints
        #expect(points.map(\.time) == [time("2026-12-31T23:59:58.5Z"), time("2027-01-01T00:00:01Z")])
        #expect(points[0].coordinate.latitude == 33.75)
        #expect(abs(points[0].coordinate.longitude + 84.37) < 1e-12)
        #expect(points[0].accuracy == 6 && points[0].course == 90)
        #expect(abs((points[0].speed ?? 0) - 5.1444) < 0.001)
        #expect(abs((points[1].accuracy ?? 0) - 1.515 * 12.5.squareRoot()) < 1e-9)
        #expect(trace.problems.map(\.place) == [.line(4), .line(7)])
        let bare = "$GPRMC,235958,A,3345.0,N,08422.2,W,,,311226\r\n"
        #expect(try TraceFixtures.read(bare).timedPoints.count == 1)
        #expect(try TraceFixtures.read("17:00 " + bare).timedPoints.count == 1)
    }

    @Test("NMEA: positions before the first date are geometry")
    func nmeaWithoutDate() throws {
        let trace = try TraceFixtures.read("$GPGGA,235958,3345.0,S,08422.2,E,1,08,1.2,310.0,M\n")
        #expect(trace.pointCount == 1 && trace.untimedCount == 1)
        #expect(trace.segments.first?.first?.coordinate.latitude == -33.75)
    }

    @Test(
        "The times of a MultiLineString may be nested or in one list, but their number must match",
        arguments: [
            ("[[1795266000,1795266001],[1795266002]]", true), ("[1795266000,1795266001,1795266002]", true),
            ("[[1795266000],[1795266001,1795266002]]", false), ("[1795266000,1795266001]", false),
            ("[1795266000,1795266001,1795266002,1795266003]", false), ("[]", false),
        ]
    )
    func multipleTimes(times: String, fits: Bool) throws {
        let text = """
            {"type":"Feature","properties":{"coordTimes":\(times)},"geometry":{"type":"MultiLineString",
            "coordinates":[[[1,2],[1,2]],[[1,2]]]}}
            """
        let counts = try? TraceFixtures.read(text).segments.map { $0.count { $0.time != nil } }
        #expect(counts == (fits ? [2, 1] : nil))
    }

    @Test(
        "Times in every form used by exporters",
        arguments: [
            "2026-11-21T13:00:00Z", "2026-11-21T13:00:00.0000000Z", "2026-11-21 13:00:00", "2026-11-21T13:00:00",
            "2026-11-21T08:00:00-0500", "2026-11-21 08:00:00 -05:00", "1795266000", "1795266000000", "1795266000.0",
        ]
    )
    func times(text: String) throws {
        let trace = try TraceFixtures.read("lat,lon,tst\n1,2,\(text)\n")
        #expect(trace.timedPoints.first?.time?.milliseconds == 1_795_266_000_000)
    }

    @Test(
        "An invalid time leaves the point without one, and is noted",
        arguments: [
            "noon", "2026-13-01T00:00:00Z", "2026-11-21", "-5", "1e300", "nan", "2026-11-21T25:00:00Z",
        ]
    )
    func noTimes(text: String) throws {
        let trace = try TraceFixtures.read("lat,lon,time\n1,2,\(text)\n")
        #expect(trace.pointCount == 1 && trace.untimedCount == 1)
        #expect(trace.problems.map(\.place) == [.line(2)])
    }

    @Test("The content decides, regardless of the name", arguments: TraceFixtures.all.map(\.name))
    func contentDecides(name: String) throws {
        let text = try #require(TraceFixtures.all.first { $0.name == name }).text
        let expected = try TraceFixtures.read(text, name)
        for other in ["x.gpx", "x.csv", "x.nmea", "x", ""] {
            #expect(try TraceFixtures.read(text, other).segments == expected.segments)
        }
    }

    @Test("Gzip of every format is read", arguments: TraceFixtures.all.map(\.name))
    func gzip(name: String) throws {
        let text = try #require(TraceFixtures.all.first { $0.name == name }).text
        let packed = try Gzip.compress(Array(text.utf8))
        #expect(try TraceReader.read(packed, fileName: name + ".gz") == TraceFixtures.read(text, name))
    }

    @Test("Windows line ends and a byte order mark do not change any point", arguments: TraceFixtures.all.map(\.name))
    func lineEnds(name: String) throws {
        let text = try #require(TraceFixtures.all.first { $0.name == name }).text
        let windows =
            "\u{FEFF}"
            + text.replacing("\u{FEFF}", with: "").replacing("\r\n", with: "\n").replacing("\n", with: "\r\n")
        #expect(try TraceFixtures.read(windows).segments == TraceFixtures.read(text).segments)
    }

    @Test("XML in UTF-16, ISO-8859-1 and Windows-1252 keeps its letters")
    func encodings() throws {
        let document = { (encoding: String) in
            """
            <?xml version="1.0" encoding="\(encoding)"?>
            <gpx><trk><name>Zürich</name><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>
            """
        }
        for encoding in ["ISO-8859-1", "windows-1252"] {
            let bytes = document(encoding).unicodeScalars.map { UInt8($0.value) }
            #expect(try TraceReader.read(bytes, fileName: "").name == "Zürich")
        }
        let units = Array(document("UTF-16").utf16)
        let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for bytes in [little, big, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big] {
            #expect(try TraceReader.read(bytes, fileName: "").name == "Zürich")
        }
        #expect(try TraceFixtures.read("\n " + document("utf-8")).name == "Zürich")
    }

    @Test("Repeated and backward times are kept")
    func timesAreKept() throws {
        let trace = try TraceFixtures.read("time,lat,lon\n1795266010,1,2\n1795266010,1,2\n1795266000,1,2\n")
        #expect(
            trace.timedPoints.compactMap { $0.time?.milliseconds } == [
                1_795_266_010_000, 1_795_266_010_000, 1_795_266_000_000,
            ]
        )
    }

    @Test("All problems are counted, and some are kept")
    func manyProblems() throws {
        let text = "lat,lon\n" + String(repeating: ",\n", count: 50)
        let limits = TraceLimits(problems: 3)
        let trace = try TraceReader.read(Array(text.utf8), fileName: "", limits: limits)
        #expect(trace.problems.count == 3 && trace.problemCount == 50)
    }

    @Test("NTF-10 Google location history exports, in their three forms")
    func google() throws {
        let records = try TraceFixtures.read(TraceFixtures.googleRecords)
        #expect(records.sourceFormat == .google && records.pointCount == 2 && records.problemCount == 1)
        let (first, second) = (records.segments[0][0], records.segments[0][1])
        #expect(first.coordinate == Coordinate(latitude: 33.7554, longitude: -84.3736))
        #expect(first.accuracy == 20 && first.speed == 3 && first.course == 90 && first.device == "12")
        #expect(first.time == RFC3339.parse("2020-05-01T12:00:00.500Z"))
        // The second one's longitude ran over 32 bits, and its time is in milliseconds.
        #expect(second.coordinate == Coordinate(latitude: 33.7555, longitude: -84.3736) && second.accuracy == nil)
        #expect(second.time == RFC3339.parse("2020-05-01T12:00:05.500Z"))
        let signals = try TraceFixtures.read(TraceFixtures.googleTimeline)
        #expect(signals.pointCount == 1 && signals.segments[0][0].accuracy == 13 && signals.segments[0][0].speed == 1.5)
        let paths = try TraceFixtures.read(TraceFixtures.googlePhone)
        #expect(paths.segments.map(\.count) == [1, 1] && paths.untimedCount == 1)
        for trace in [signals, paths] {
            #expect(trace.segments[0][0].time == RFC3339.parse("2024-11-21T11:20:00Z"))
            #expect(trace.segments[0][0].coordinate == Coordinate(latitude: 33.7554, longitude: -84.3736))
        }
    }
}
