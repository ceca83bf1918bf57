import Formats
import Stories
import Testing

@Suite("Recordings of messages")
struct JSONRecordingTests {
    private static let location =
        #"{"_type":"location","tid":"JJ","lat":33.7554,"lon":-84.3736,"acc":12,"vel":36,"cog":270,"tst":1795262400,"#
        + #""topic":"owntracks/jane/phone"}"#

    private func read(_ text: String, _ name: String = "") throws -> Trace {
        try TraceReader.read(Array(text.utf8), fileName: name)
    }

    @Test(
        "NTF-10 An OwnTracks .rec file gives receipt, time, accuracy, speed and device; other messages are noted"
    )
    func recorded() throws {
        let file = """
            2026-11-21T12:00:03Z\t*                 \t\(JSONRecordingTests.location)
            2026-11-21T12:00:05Z\tlwt               \t{"_type":"lwt","tst":1795262405}
            2026-11-21T12:00:06Z\t*                 \t\(JSONRecordingTests.location.replacing("1795262400", with: "1795262405"))

            """
        for name in ["2026-11.rec", "trace"] {
            let trace = try read(file, name)
            #expect(trace.sourceFormat == .ownTracks)
            #expect(trace.pointCount == 2 && trace.untimedCount == 0)
            let point = try #require(trace.segments.first?.first)
            #expect(point.time == Timestamp(milliseconds: 1_795_262_400_000))
            #expect(point.received == Timestamp(milliseconds: 1_795_262_403_000))
            #expect(point.accuracy == 12 && point.speed == 10 && point.course == 270 && point.device == "phone")
            #expect(trace.problems.map(\.description) == ["line 2: the message is not a location and is left out"])
        }
    }

    @Test(
        "NTF-10 Lists, lines and exports of messages are traces",
        arguments: [
            ("[%,%]", TraceFormat.ownTracks, 2), ("%\n%\n%", .ownTracks, 3),
            ("{\"count\":2,\"data\":[%,%]}", .ownTracks, 2),
            ("%", .ownTracks, 1),
            (#"{"device":"p","fixes":[{"t":"2026-11-21T12:00:00Z","lat":1,"lon":2,"acc":5}]}"#, .json, 1),
            (
                #"[{"timestamp":1795262400,"latitude":"1.5","longitude":2},{"time":"2026-11-21T12:00:09Z","lat":1,"lng":2}]"#,
                .json, 2
            ),
        ]
    )
    func lists(text: String, format: TraceFormat, count: Int) throws {
        let trace = try read(text.replacing("%", with: JSONRecordingTests.location))
        #expect(trace.sourceFormat == format)
        #expect(trace.pointCount == count && trace.untimedCount == 0)
    }

    @Test(
        "An invalid recording reports the position",
        arguments: [
            (#"[{"_type":"location","tst":1,"lat":95,"lon":2}]"#, "feature 1"),
            ("{\"_type\":\"location\",\"tst\":1,\"lat\":5,\"lon\":2}\n{\"_type\":\"location\",\"lat\":}", "line 2"),
            ("{\"t\":1,\"lat\":5,\"lon\":2}\n{\"t\":1,\"lat\":\"x\",\"lon\":2}", "line 2"),
        ]
    )
    func wrong(text: String, place: String) throws {
        let error = try #require(throws: TraceError.self) { try read(text) }
        #expect(error.description.contains(place), "\(error)")
    }
}
