import Foundation
import Geofencing
import Geometry
import Testing

/// Carries out the tutorial "Fences on the phone", whose code stands here as it does there.
@Suite("NTF-11 Fences on the phone, from the pack to the arrival")
struct TutorialTests {
    /// An entry of the answer of `GET /v1/fences`.
    private struct Entry {
        let id: String
        let lat: Double
        let lon: Double
        let radius: Double

        init(_ fence: Fence) {
            (id, radius) = (fence.id.description, fence.radius)
            (lat, lon) = (fence.coordinate.latitude, fence.coordinate.longitude)
        }
    }

    private let scene = Scene()

    @Test("A walk past a shop into a churchyard gives one arrival, across a restart of the app")
    func walk() throws {
        let church = scene.fence(400, 0, radius: 100)
        let answer = [church, scene.fence(0, 3_000), scene.fence(-9_000, 0)].map(Entry.init)
        let fences = FenceList(
            answer.compactMap { entry in
                guard let id = PlaceID(entry.id), let centre = Coordinate(latitude: entry.lat, longitude: entry.lon)
                else { return nil }
                return Fence(id: id, coordinate: centre, radius: entry.radius)
            }
        )
        let position = scene.anchor
        let pack = FencePack(around: position, limit: 20, in: fences)
        #expect(pack.fences.count == 3 && pack.fences.first == church && pack.refreshRadius > 50_000)

        var stored: [UInt8] = []
        let evaluator = FenceEvaluator()
        // Five seconds between two positions, seven metres further each time; the app ends after each ten of them.
        let trace = (0..<80).map { scene.fix(Double($0) * 5, Double($0) * 7) }
        var found: [FenceEntry] = []
        for start in stride(from: 0, to: trace.count, by: 10) {
            let fixes = trace[start..<start + 10]
            let now = try #require(fixes.last).received + 2_000
            var state = (try? DeviceState(bytes: stored)) ?? DeviceState()
            var arrivals: [FenceEntry] = []
            for fix in fixes {
                for case .entered(let entry) in evaluator.advance(&state, .fix(fix), fences: fences) {
                    arrivals.append(entry)
                }
            }
            for case .entered(let entry) in evaluator.advance(&state, .tick(now), fences: fences) {
                arrivals.append(entry)
            }
            stored = state.bytes
            found += arrivals
        }
        #expect(found.map(\.place) == [church.id])
        for entry in found {
            let path = "/v1/fences/\(entry.place)/entered"
            #expect(path == "/v1/fences/\(church.id)/entered")
        }
    }

    @Test("The code of the tutorial is the code of this test")
    func code() throws {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let article = root.appending(path: "Sources/Geofencing/Geofencing.docc/FencesOnThePhone.md")
        func lines(_ url: URL) throws -> [String] {
            try String(contentsOf: url, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: true)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let own = try lines(here)
        var blocks: [[String]] = []
        var block: [String]?
        for line in try lines(article) {
            switch (line, block) {
            case ("```swift", nil): block = []
            case ("```", let done?): (blocks, block) = (blocks + [done], nil)
            case (_, let open?): block = open + [line]
            default: break
            }
        }
        #expect(blocks.count == 4)
        for block in blocks {
            let isHere = own.indices.contains { own[$0...].starts(with: block) }
            #expect(isHere, "\(block.joined(separator: "\n"))")
        }
    }
}
