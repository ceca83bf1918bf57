import Formats
import Geometry
import Stories
import Testing

@Suite("Trace writers")
struct TraceWriterTests {
    /// A trace with everything a trace can hold, from a seed.
    private func trace(seed: UInt64, format: TraceFormat) throws -> Trace {
        var generator = SplitMix64(seed: seed)
        let devices = [nil, "phone", #"a "b", <c> & 'd'; ü"#]
        var segments: [[TracePoint]] = []
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            var segment: [TracePoint] = []
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                segment.append(try point(&generator, device: devices.randomElement(using: &generator) ?? nil))
            }
            segments.append(segment)
        }
        return Trace(name: "Tour <1> & more", segments: segments, sourceFormat: format)
    }

    private func point(_ generator: inout SplitMix64, device: String?) throws -> TracePoint {
        let scales: [Double] = [1, 1e-3, 1e-7, 1e-300]
        let scale = scales.randomElement(using: &generator) ?? 1
        let latitude = Double.random(in: -90...90, using: &generator) * scale
        let longitude = Double.random(in: -180...180, using: &generator) * scale
        let time = Timestamp(milliseconds: Int64.random(in: 0...4_000_000_000_000, using: &generator))
        let maybe = { (range: ClosedRange<Double>, generator: inout SplitMix64) -> Double? in
            Bool.random(using: &generator) ? Double.random(in: range, using: &generator) : nil
        }
        return TracePoint(
            time: Bool.random(using: &generator) ? time : nil,
            received: Bool.random(using: &generator) ? time : nil,
            coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)),
            accuracy: maybe(0.001...5_000, &generator),
            speed: maybe(0...90, &generator),
            course: maybe(0...359.9, &generator),
            device: device
        )
    }

    @Test("Written GPX reads back unchanged", arguments: UInt64(0)..<100)
    func gpx(seed: UInt64) throws {
        var expected = try trace(seed: seed, format: .gpx)
        let corner = try #require(Coordinate(latitude: -1.5, longitude: 179.25))
        expected.waypoints = [TraceWaypoint(coordinate: corner, name: "a\tb", description: "c > d")]
        expected.routePoints = [TraceWaypoint(coordinate: corner, time: Timestamp(milliseconds: 5_000))]
        var actual = try TraceReader.read(GPXWriter.write(expected), fileName: "")
        for index in actual.waypoints.indices { actual.waypoints[index].place = .file }
        for index in actual.routePoints.indices { actual.routePoints[index].place = .file }
        #expect(actual == expected)
    }

    @Test("Written CSV reads back unchanged", arguments: UInt64(0)..<100)
    func csv(seed: UInt64) throws {
        let expected = try trace(seed: seed, format: .csv)
        let actual = try TraceReader.read(CSVTraceWriter.write(expected), fileName: "Tour <1> & more.csv")
        #expect(actual == expected)
    }

    @Test("Characters that XML cannot hold are replaced, not written")
    func controlCharacters() throws {
        var source = try trace(seed: 1, format: .gpx)
        source.name = "a\u{1}b\u{FFFF}c\rd"
        #expect(try TraceReader.read(GPXWriter.write(source), fileName: "").name == "a\u{FFFD}b\u{FFFD}c\rd")
    }

    @Test("GPX numbers have no exponent")
    func decimals() throws {
        let tiny = try #require(Coordinate(latitude: -1.25e-7, longitude: 1e-5))
        let trace = Trace(name: "", segments: [[TracePoint(time: nil, coordinate: tiny)]], sourceFormat: .gpx)
        let text = String(decoding: GPXWriter.write(trace), as: UTF8.self)
        #expect(text.contains(#"<trkpt lat="-0.000000125" lon="0.00001">"#))
    }

    @Test("CSV has only the columns it needs")
    func columns() throws {
        let place = try #require(Coordinate(latitude: 33.75, longitude: -84))
        let point = TracePoint(time: Timestamp(milliseconds: 1_795_266_000_000), coordinate: place, accuracy: 12)
        let trace = Trace(name: "", segments: [[point]], sourceFormat: .csv)
        let text = String(decoding: CSVTraceWriter.write(trace), as: UTF8.self)
        #expect(text == "time,lat,lon,accuracy\r\n2026-11-21T13:00:00Z,33.75,-84,12\r\n")
    }
}
