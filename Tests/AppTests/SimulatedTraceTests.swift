import App
import Library
import Formats
import Foundation
import Geofencing
import Geometry
import Stories
import TestSupport
import Testing

@Suite("Simulated and recorded traces in the evaluator")
struct SimulatedTraceTests {
    private func trace(_ world: TraceWorld) -> Trace {
        let points = world.fixes.map { fix in
            TracePoint(
                time: Timestamp(milliseconds: fix.time),
                received: fix.received == fix.time ? nil : Timestamp(milliseconds: fix.received),
                coordinate: fix.coordinate,
                accuracy: fix.accuracy
            )
        }
        return Trace(name: "simulated", segments: [points], sourceFormat: .gpx)
    }

    @Test("NTF-10 A simulated trace gives the same alerts in every format", arguments: TravelMode.allCases)
    func formats(mode: TravelMode) throws {
        var cell = TraceScenario(mode, .urban, .every(15))
        cell.duration = 3_600
        let world = TraceWorld(cell, around: Coordinate(wrappingLatitude: 33.755, longitude: 179.999), seed: 5)
        let fences = FenceList(world.fences)
        let expected = FenceEvaluator().evaluate(trace: [world.fixes], fences: fences)
        let written = trace(world)
        let files = [
            (GPXWriter.write(written), "a.gpx"), (CSVTraceWriter.write(written), "a.csv"),
            (GeoJSONTraceWriter.write(written), "a.geojson"),
        ]
        for (bytes, name) in files {
            let fixes = try TraceReader.read(bytes, fileName: name).fixes
            #expect(FenceEvaluator().evaluate(trace: fixes, fences: fences) == expected, "\(name)")
        }
    }

    @Test(
        "NTF-10 Every recorded trace is evaluated, twice with the same result, and found at its location",
        .enabled(if: SharedData.isWanted("data/traces/manifest.csv"))
    )
    func recorded() throws {
        let folder = try #require(SharedData.url("data/traces"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { !$0.hasSuffix("manifest.csv") }
        #expect(names.count >= 48)
        var entered = 0
        for name in names.sorted() {
            let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
            // Some are damaged on purpose.
            guard let fixes = (try? TraceReader.read(bytes, fileName: name))?.fixes else { continue }
            let all = fixes.joined().map(\.coordinate)
            let fences = FenceList(
                stride(from: 0, to: all.count, by: max(1, all.count / 20)).map { Fence(all[$0], radius: 150) }
            )
            let effects = FenceEvaluator().evaluate(trace: fixes, fences: fences)
            #expect(FenceEvaluator().evaluate(trace: fixes, fences: fences) == effects)
            let outcomes = effects.count { if case .outcome(_, let outcome) = $0 { outcome != .held } else { false } }
            #expect(outcomes == all.count, "\(name)")
            if effects.contains(where: { if case .entered = $0 { true } else { false } }) { entered += 1 }
        }
        #expect(entered > 10)
    }
}
