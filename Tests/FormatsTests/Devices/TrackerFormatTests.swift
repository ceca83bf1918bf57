import Formats
import Geometry
import Stories
import Testing

/// NTF-10: how the apps write positions that were found wanting, each with the same position in it.
@Suite("Positions as trackers write them")
struct TrackerFormatTests {
    private static let now = Timestamp(milliseconds: 1_795_300_000_000)
    private static let here = Coordinate(latitude: 33.7554, longitude: -84.3736)
    private static let time = Timestamp(milliseconds: 1_795_262_400_000)

    private static func values(_ query: String) -> [String: String] {
        let pairs = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }, uniquingKeysWith: { first, _ in first })
    }

    private func check(
        _ report: DeviceReport?,
        _ comment: Comment,
        speed: Double? = 10,
        time: Timestamp = TrackerFormatTests.time
    ) {
        #expect(report?.coordinate == TrackerFormatTests.here, comment)
        #expect(report?.time == time && report?.accuracy == 12 && report?.course == 270, comment)
        #expect(report?.speed.map { ($0 * 1e6).rounded() / 1e6 } == speed, comment)
    }

    @Test(
        "NTF-10 GPSLogger, PhoneTrack and others: every usual name of a parameter, metres per second for the short names",
        arguments: [
            // GPSLogger's %ALL, with what it also sends.
            "lat=33.7554&lon=-84.3736&sat=7&desc=&alt=310.0&acc=12.0&dir=270.0&prov=gps&spd=10.0&timestamp=1795262400"
                + "&time=2026-11-21T12:00:00.000Z&batt=80&ischarging=false&hdop=1.1",
            // GPSLogger as Home Assistant's page sets it up.
            "latitude=33.7554&longitude=-84.3736&device=abc&accuracy=12&battery=80&spd=10&direction=270&time=1795262400",
            // PhoneTrack, whose address is a template.
            "lat=33.7554&lon=-84.3736&timestamp=1795262400&acc=12&spd=10&bearing=270&alt=310&bat=80&useragent=PhoneTrack",
            // Colota by GET with its own names.
            "lat=33.7554&lon=-84.3736&acc=12&alt=519&vel=10.0&batt=85&bs=2&tst=1795262400&bear=270.0",
            "id=7&location=33.7554,-84.3736&tst=1795262400000&accuracy=12&speed=36&speed_unit=kmh&course=270",
            "lat=33.7554&lng=-84.3736&timestamp=1795262400&acc=12&spd=36&speed_unit=kmh&heading=270",
        ]
    )
    func parameters(query: String) throws {
        let report = try OsmAndMessage.read(TrackerFormatTests.values(query), now: TrackerFormatTests.now)
        check(report, "\(query)")
    }

    @Test("NTF-10 Traccar's names keep their meaning beside the others: knots, and the first name counts")
    func traccarFirst() throws {
        let query =
            "lat=33.7554&latitude=1&lon=-84.3736&timestamp=1795262400&speed=1&spd=99&accuracy=12&acc=9&bearing=270"
        let report = try OsmAndMessage.read(TrackerFormatTests.values(query + "&dir=1"), now: TrackerFormatTests.now)
        check(report, "both names", speed: 0.514444)
        for (query, name) in [
            ("latitude=91&longitude=2", "latitude"), ("lat=1&lng=181", "lng"), ("lat=1&lon=2&tst=soon", "tst"),
        ] {
            #expect(throws: OsmAndMessage.Problem.parameter(name), "\(query)") {
                try OsmAndMessage.read(TrackerFormatTests.values(query), now: TrackerFormatTests.now)
            }
        }
    }

    @Test(
        "NTF-10 JSON to the route of OsmAnd: flat, in a list, beside its time, from Home Assistant, or of OwnTracks",
        arguments: [
            // Colota, and GPSLogger with a body of texts.
            #"{"lat":33.7554,"lon":-84.3736,"acc":12,"alt":519,"vel":10,"batt":85,"bs":2,"tst":1795262400,"bear":270}"#,
            #"{"lat":"33.7554","lon":"-84.3736","acc":"12.0","spd":"10.0","dir":"270.0","time":"2026-11-21T12:00:00Z"}"#,
            #"[{"latitude":33.7554,"longitude":-84.3736,"accuracy":12,"speed":10,"course":270,"timestamp":1795262400000}]"#,
            #"{"lat":33.7554,"lon":-84.3736,"accuracy":12,"speed":36,"speed_unit":"kmh","heading":270,"tst":1795262400}"#,
            // An automation of Home Assistant.
            """
            {"device_id":"phone","timestamp":"2026-11-21T07:00:00-05:00","location":{"latitude":33.7554,
            "longitude":-84.3736,"accuracy":12,"speed":10,"course":270},"battery":{"level":80}}
            """,
            // The webhook of Home Assistant's companion apps.
            """
            {"type":"update_location","data":{"gps":[33.7554,-84.3736],"gps_accuracy":12,"battery":80,"speed":10,
            "altitude":310,"course":270,"vertical_accuracy":3,"timestamp":1795262400}}
            """,
            #"{"_type":"location","lat":33.7554,"lon":-84.3736,"acc":12,"vel":36,"cog":270,"tst":1795262400,"tid":"AA"}"#,
        ]
    )
    func json(text: String) throws {
        let message = try OsmAndMessage.read(json: Array(text.utf8), now: TrackerFormatTests.now)
        #expect(message.reports.count == 1 && message.ignored == 0, "\(text)")
        check(message.reports.first, "\(text)")
    }

    @Test("NTF-10 Without a time, JSON is of now; the device is named in it")
    func untimed() throws {
        let webhook = """
            {"type":"update_location","device_id":"pixel","data":{"gps":[33.7554,-84.3736],"gps_accuracy":12,
            "speed":10,"course":270}}
            """
        let flat = #"{"id":"pixel","lat":33.7554,"lon":-84.3736,"acc":12,"vel":10,"bear":270}"#
        for text in [webhook, flat] {
            let message = try OsmAndMessage.read(json: Array(text.utf8), now: TrackerFormatTests.now)
            check(message.reports.first, "\(text)", time: TrackerFormatTests.now)
            #expect(message.reports.first?.device == "pixel")
        }
    }

    @Test("NTF-10 GPSLogger fills in OwnTracks messages with texts")
    func ownTracksTexts() throws {
        let text = """
            {"_type":"location","t":"u","acc":"12.0","alt":"310","batt":"80","lat":"33.7554","lon":"-84.3736",
            "tst":"1795262400","vel":"36","cog":"270"}
            """
        check(try OwnTracksMessage.read(Array(text.utf8)).reports.first, "\(text)")
    }

    @Test("NTF-10 Overland's envelope also holds messages of OwnTracks, and names the device of all")
    func overland() throws {
        let own = #"{"_type":"location","lat":33.7554,"lon":-84.3736,"acc":12,"vel":36,"cog":270,"tst":1795262400}"#
        let feature = """
            {"type":"Feature","geometry":{"type":"Point","coordinates":[-84.3736,33.7554]},"properties":{"timestamp":
            "2026-11-21T12:00:00Z","horizontal_accuracy":12,"speed":10,"course":270}}
            """
        let mixed = #"{"locations":[\#(own),\#(feature)],"device_id":"colota"}"#
        for (text, count) in [(mixed, 2), (own, 1), ("[\(own)]", 1)] {
            let message = try OverlandMessage.read(Array(text.utf8))
            #expect(message.reports.count == count && message.ignored == 0, "\(text)")
            for report in message.reports { check(report, "\(text)") }
        }
        let named = try OverlandMessage.read(Array(mixed.utf8))
        #expect(named.reports.map(\.device) == ["colota", "colota"])
    }

    @Test(
        "NTF-10 What cannot be read is ignored with its reason, and nothing of it is kept",
        arguments: [
            ("{}", .position), (#"{"lat":91,"lon":2}"#, .position), (#"{"lat":"x","lon":2}"#, .position),
            (#"{"lat":[1],"lon":{"a":2}}"#, .position), (#"{"lat":1,"lon":2,"tst":"soon"}"#, .time),
            (#"{"lat":1,"lon":2,"timestamp":-5}"#, .time), (#"{"lat":1,"lon":2,"tst":1e300}"#, .time),
            (#"{"lat":1,"lon":2,"valid":false}"#, .invalid), (#"{"type":"register","data":{}}"#, .otherType),
            (#"{"type":"update_location","data":{"gps":[91,2]}}"#, .position),
            (#"{"type":"update_location","data":{"gps":[1]}}"#, .position),
            (#"{"type":"update_location","data":{"location_name":"home"}}"#, .position),
            (#"{"type":"update_location","data":{"gps":[1,2],"timestamp":"x"}}"#, .time),
            (#"{"_type":"lwt","tst":1}"#, .otherType), (#"{"_type":"location","lat":1,"lon":2}"#, .time),
            (#"{"location":7}"#, .position), (#"{"location":{"coords":{"latitude":1,"longitude":2}}}"#, .time),
            ("[7]", .position), ("[null]", .position),
        ] as [(String, IgnoredPart)]
    )
    func ignored(text: String, reason: IgnoredPart) throws {
        let message = try OsmAndMessage.read(json: Array(text.utf8), now: TrackerFormatTests.now)
        #expect(message.reports.isEmpty && message.ignored == 1 && message.reason == reason, "\(text)")
    }

    @Test("NTF-10 A speed in an unknown unit is left out, and implausible values are dropped")
    func strict() throws {
        let text = #"{"lat":1,"lon":2,"speed":3,"speed_unit":"mph","acc":0,"bear":900}"#
        let report = try #require(
            try OsmAndMessage.read(json: Array(text.utf8), now: TrackerFormatTests.now).reports.first
        )
        #expect(report.speed == nil && report.accuracy == nil && report.course == nil)
    }

    @Test("SEC-03 Randomly changed messages never crash a parser", arguments: 1...4 as ClosedRange<UInt64>)
    func fuzz(seed: UInt64) {
        var mutator = Mutator(seed: seed)
        let sources = [
            #"[{"lat":33.7,"lon":-84.3,"acc":12,"vel":10,"tst":1795262400,"bear":270,"speed_unit":"kmh"}]"#,
            #"{"type":"update_location","data":{"gps":[33.7,-84.3],"gps_accuracy":12,"timestamp":1795262400}}"#,
            #"{"locations":[{"_type":"location","lat":33.7,"lon":-84.3,"tst":1795262400}],"device_id":"a"}"#,
        ]
        for turn in 0..<1_500 {
            let bytes = mutator.mutate(Array(sources[turn % 3].utf8))
            let messages = [
                try? OsmAndMessage.read(json: bytes, now: TrackerFormatTests.now), try? OverlandMessage.read(bytes),
            ]
            for report in messages.flatMap({ $0?.reports ?? [] }) {
                #expect(abs(report.coordinate.latitude) <= 90 && report.time.day != nil)
                #expect(report.speed.map { $0 >= 0 && $0.isFinite } ?? true)
            }
        }
    }
}
