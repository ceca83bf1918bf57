import Formats
import Geometry
import Stories
import Testing

@Suite("The ground truth of a trace")
struct TraceTruthTests {
    private let truth = TraceTruth(
        start: Timestamp(milliseconds: 1_772_438_400_000),
        labels: ["walk", "urban", "5s"],
        fences: [
            TraceTruth.Circle(center: Coordinate(wrappingLatitude: 33.755, longitude: -84.38), radius: 150)
        ],
        path: (0..<50).map { Coordinate(wrappingLatitude: 33.755 + Double($0) / 1e5, longitude: -84.38) }
    )

    @Test("NTF-10 A written truth reads back unchanged")
    func roundTrip() throws {
        let read = try TraceTruth(parsing: truth.bytes, fileName: "walk.truth.json")
        #expect(read.start == truth.start && read.labels == truth.labels && read.fences == truth.fences)
        #expect(read.path.count == truth.path.count)
        #expect(zip(read.path, truth.path).allSatisfy { GreatCircle.distance($0, $1) < 0.02 })
        #expect(try TraceTruth(parsing: read.bytes, fileName: "") == read)
    }

    @Test("A path with uneven times is interpolated evenly, even across the antimeridian")
    func uneven() throws {
        let text = """
            {"start":"2026-03-02T08:00:00Z","fences":[],"path":[[2,0,179.9999],[6,0,-179.9999],[8.5,0.001,-179.9999]]}
            """
        let read = try TraceTruth(parsing: Array(text.utf8), fileName: "")
        #expect(read.path.count == 9 && read.labels.isEmpty)
        #expect(read.path[0] == read.path[2])
        #expect(abs(abs(read.path[4].longitude) - 180) < 1e-9)
        #expect(read.path[6].longitude == -179.9999)
    }

    @Test(
        "An invalid truth is rejected with a sentence",
        arguments: [
            "", "[]", "{}", "{\"start\":\"yesterday\",\"fences\":[],\"path\":[[0,1,2]]}",
            "{\"start\":\"2026-03-02T08:00:00Z\",\"path\":[[0,1,2]]}",
            "{\"start\":\"2026-03-02T08:00:00Z\",\"fences\":[],\"path\":[]}",
            "{\"start\":\"2026-03-02T08:00:00Z\",\"fences\":[],\"path\":[[0,91,2]]}",
            "{\"start\":\"2026-03-02T08:00:00Z\",\"fences\":[],\"path\":[[1,1,2],[1,1,2]]}",
            "{\"start\":\"2026-03-02T08:00:00Z\",\"fences\":[],\"path\":[[1e300,1,2]]}",
            "{\"start\":\"2026-03-02T08:00:00Z\",\"fences\":[{\"lat\":1,\"lon\":2}],\"path\":[[0,1,2]]}",
            "{\"start\":\"2026-03-02T08:00:00Z\",\"fences\":[{\"lat\":1,\"lon\":2,\"radius\":0}],\"path\":[[0,1,2]]}",
        ]
    )
    func refused(text: String) {
        #expect(throws: TraceError.self) { try TraceTruth(parsing: Array(text.utf8), fileName: "x.truth.json") }
    }

    @Test("Damaged bytes are read or rejected without a trap", arguments: UInt64(0)..<8)
    func damaged(seed: UInt64) {
        var mutator = Mutator(seed: seed)
        for _ in 0..<150 { _ = try? TraceTruth(parsing: mutator.mutate(truth.bytes), fileName: "x") }
    }

    @Test("NTF-10 A trace written as GeoJSON reads back unchanged")
    func geoJSON() throws {
        let points = (0..<20)
            .map { number in
                let time = 1_772_438_400_000 + Int64(number) * 5_123
                return TracePoint(
                    time: Timestamp(milliseconds: time),
                    received: number.isMultiple(of: 2) ? Timestamp(milliseconds: time + 1_700) : nil,
                    coordinate: Coordinate(wrappingLatitude: 33.7554321, longitude: -84.3736 + Double(number) / 1e4),
                    accuracy: number.isMultiple(of: 3) ? nil : 12.5,
                    speed: number.isMultiple(of: 4) ? nil : 1.4,
                    course: number.isMultiple(of: 5) ? nil : 90,
                    device: number.isMultiple(of: 7) ? nil : "phone \"1\""
                )
            }
        let trace = Trace(name: "walk", segments: [points], sourceFormat: .geoJSON)
        let read = try TraceReader.read(GeoJSONTraceWriter.write(trace), fileName: "walk.geojson")
        #expect(read == trace)
    }
}
