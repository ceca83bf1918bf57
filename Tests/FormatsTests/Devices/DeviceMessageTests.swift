import Formats
import Geometry
import Stories
import Testing

@Suite("Position messages from apps")
struct DeviceMessageTests {
    private static let ownTracks = """
        {"_type":"location","tid":"JJ","lat":33.7554,"lon":-84.3736,"acc":12,"alt":310,"vel":36,"cog":270,"tst":1732170000,
        "created_at":1732170003,"t":"p","batt":80,"topic":"owntracks/jane/phone","inregions":["Home"]}
        """
    private static let overland = """
        {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[-84.3736,33.7554]},"properties":
        {"timestamp":"2026-11-21T08:00:00-0500","speed":4,"course":90,"horizontal_accuracy":30,"device_id":"pad"}},
        {"type":"Feature","geometry":{"type":"Point","coordinates":[-84.3736,33.7554]},"properties":
        {"timestamp":"2026-11-21T13:00:05Z","speed":-1,"course":-1,"horizontal_accuracy":-1}},
        {"type":"Feature","geometry":{"type":"Point","coordinates":[200,95]},"properties":{"timestamp":"never"}}],
        "trip":{}}
        """
    private static let traccar = """
        {"device_id":"123","location":{"timestamp":"2026-11-21T13:00:00.000Z","coords":{"latitude":33.7,"longitude":-84.3,
        "accuracy":12,"speed":-1,"heading":90,"altitude":300},"event":"motionchange","mock":true,"battery":{"level":0.8}}}
        """
    private static let here = Coordinate(latitude: 33.7554, longitude: -84.3736)

    @Test("NTF-10 OwnTracks: kilometres per hour, seconds, the device in the topic; other types are ignored")
    func ownTracks() throws {
        let report = try #require(try OwnTracksMessage.read(Array(DeviceMessageTests.ownTracks.utf8)).reports.first)
        #expect(report.time.milliseconds == 1_732_170_000_000 && report.device == "phone")
        #expect(report.accuracy == 12 && report.speed == 10 && report.course == 270)
        #expect(report.coordinate == DeviceMessageTests.here)
        let leave = #"{"_type":"transition","event":"leave","lat":1,"lon":2,"tst":1732170000,"acc":0}"#
        let left = try OwnTracksMessage.read(Array(leave.utf8)).reports
        #expect(left.count == 1 && left.first?.accuracy == nil)
        for text in ["", " ", "[]", #"{"_type":"lwt","tst":1}"#, #"{"_type":"encrypted","data":"x"}"#, "7", "null"] {
            #expect(try OwnTracksMessage.read(Array(text.utf8)).reports.isEmpty)
        }
        #expect(throws: JSONError.self) { try OwnTracksMessage.read(Array("{".utf8)) }
    }

    @Test("NTF-10 Overland: offsets without a colon, longitude first, negative values for unknown")
    func overland() throws {
        let message = try OverlandMessage.read(Array(DeviceMessageTests.overland.utf8))
        #expect(message.reports.count == 2 && message.ignored == 1)
        let (first, second) = (try #require(message.reports.first), try #require(message.reports.last))
        #expect(first.time == RFC3339.parse("2026-11-21T13:00:00Z") && first.device == "pad")
        #expect(first.coordinate == DeviceMessageTests.here && first.accuracy == 30 && first.speed == 4)
        #expect(second.speed == nil && second.course == nil && second.accuracy == -1)
    }

    @Test(
        "NTF-10 OsmAnd and Traccar: knots by default, seconds or milliseconds, both spellings of each name",
        arguments: [
            (
                "id=7&lat=33.7554&lon=-84.3736&timestamp=1732170000&speed=3.6&bearing=270&accuracy=12", 1_852.0 / 1_000,
                12.0
            ),
            (
                "deviceid=7&location=33.7554,-84.3736&timestamp=1732170000000&speed=2&speed_unit=ms&heading=270&hdop=2",
                2, 10
            ),
            (
                "id=7&lat=33.7554&lon=-84.3736&timestamp=2024-11-21 06:20:00&speed=36&speed_unit=kmh&bearing=270", 10,
                nil
            ),
            ("id=7&lat=33.7554&lon=-84.3736&timestamp=2024-11-21T06:20:00Z&bearing=270&accuracy=0", nil, nil),
        ] as [(String, Double?, Double?)]
    )
    func osmAnd(query: String, speed: Double?, accuracy: Double?) throws {
        let report = try #require(try OsmAndMessage.read(values(query), now: Timestamp(milliseconds: 0)))
        #expect(report.time.milliseconds == 1_732_170_000_000 && report.device == "7" && report.course == 270)
        #expect(report.coordinate == DeviceMessageTests.here && report.accuracy == accuracy)
        #expect(report.speed.map { ($0 * 1e9).rounded() } == speed.map { ($0 * 1e9).rounded() })
    }

    @Test("NTF-10 OsmAnd: missing and wrong values are named, invalid positions ignored, no time means now")
    func osmAndEdges() throws {
        let now = Timestamp(milliseconds: 5_000)
        #expect(try OsmAndMessage.read(values("lat=1&lon=2"), now: now)?.time == now)
        #expect(try OsmAndMessage.read(values("lat=1&lon=2&valid=false"), now: now) == nil)
        for (query, name) in [
            ("lon=2", "lat"), ("lat=91&lon=2", "lat"), ("lat=0x10&lon=2", "lat"), ("lat=nan&lon=2", "lat"),
            ("location=1", "location"), ("lat=1", "lon"), ("lat=1&lon=200", "lon"),
            ("lat=1&lon=2&timestamp=soon", "timestamp"),
            ("lat=1&lon=2&timestamp=-1", "timestamp"),
            ("lat=1&lon=2&timestamp=1e300", "timestamp"), ("lat=1&lon=2&speed_unit=mph", "speed_unit"),
        ] {
            #expect(throws: OsmAndMessage.Problem.parameter(name)) { try OsmAndMessage.read(values(query), now: now) }
        }
        #expect(OsmAndMessage.Problem.parameter("lat").message == "must be a latitude from -90 to 90 in degrees")
        #expect(OsmAndMessage.Problem.parameter("lng").message.contains("-180 to 180"))
        #expect(OsmAndMessage.Problem.parameter("speed_unit").message == "must be one of kn, ms, kmh")
        let json = try OsmAndMessage.read(json: Array(DeviceMessageTests.traccar.utf8), now: now).reports
        #expect(json.count == 1 && json.first?.device == "123" && json.first?.isSimulated == true)
        #expect(json.first?.speed == nil && json.first?.course == 90)
    }

    private func values(_ query: String) -> [String: String] {
        Dictionary(
            query.split(separator: "&")
                .map { pair in
                    let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
                    return (sides[0], sides.count > 1 ? sides[1] : "")
                },
            uniquingKeysWith: { first, _ in first }
        )
    }

    @Test("SEC-03 Randomly changed messages never crash the parser", arguments: 1...4 as ClosedRange<UInt64>)
    func fuzz(seed: UInt64) {
        var mutator = Mutator(seed: seed)
        let sources = [DeviceMessageTests.ownTracks, DeviceMessageTests.overland, DeviceMessageTests.traccar]
        for turn in 0..<1_500 {
            let bytes = mutator.mutate(Array(sources[turn % 3].utf8))
            for message in [
                try? OwnTracksMessage.read(bytes), try? OverlandMessage.read(bytes),
                try? OsmAndMessage.read(json: bytes, now: Timestamp(milliseconds: 0)),
            ] {
                for report in message?.reports ?? [] {
                    #expect(abs(report.coordinate.latitude) <= 90 && report.time.day != nil)
                    #expect(report.speed.map { $0 >= 0 && $0.isFinite } ?? true)
                }
            }
            _ = OsmAndMessage.device(json: bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            let words = ["lat": text, "lon": "2", "timestamp": String(text.prefix(20)), "speed": text]
            _ = try? OsmAndMessage.read(words, now: Timestamp(milliseconds: 0))
        }
    }
}
