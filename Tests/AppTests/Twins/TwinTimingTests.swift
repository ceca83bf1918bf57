import Foundation
import Geometry
import HTTPTypes
import HummingbirdTesting
import Stories
import Testing

@Suite("Twin timing", .serialized)
struct TwinTimingTests {
    /// Samples of either sort; a long check of the optimised program, asked for by `WAYMARK_TWIN_TIMING`.
    static let samples = ProcessInfo.processInfo.environment["WAYMARK_TWIN_TIMING"].flatMap { Int($0) }

    /// A look-up that must not tell by its duration whether what was asked for exists.
    struct Probe: Sendable {
        let operation: String
        var body: String?
        /// The pool of the ids that exist and are not for the viewer.
        var pool = "id"
    }

    static let probes = [
        Probe(operation: "GET /v1/stories/{id}"),
        Probe(operation: "DELETE /v1/stories/{id}"),
        Probe(operation: "PATCH /v1/stories/{id}", body: #"{"title":"mine now"}"#),
        Probe(operation: "DELETE /v1/stories/{id}/location"), Probe(operation: "PUT /v1/stories/{id}/hide"),
        Probe(operation: "POST /v1/stories/{id}/report", body: #"{"reason":"spam"}"#),
        Probe(operation: "GET /v1/families/{family}", pool: "family"),
        Probe(operation: "DELETE /v1/families/{family}", pool: "family"),
        Probe(operation: "GET /v1/reports/{report}", pool: "report"),
        Probe(operation: "POST /v1/invitations/{invitation}/accept", pool: "invitation"),
        Probe(operation: "DELETE /v1/me/keys/{key}", pool: "key"),
    ]

    @Test(
        "PRV-02 Looking up invisible content takes as long as missing content (Welch, |t| < 4.5)",
        .enabled(if: samples != nil),
        arguments: probes
    )
    func looksAlike(probe: Probe) async throws {
        let count = TwinTimingTests.samples ?? 20_000
        let eyes = TwinCast.viewer("sue")
        let whole = try TwinPopulation(.whole, viewer: eyes, seed: 1, count: 1_200, now: TwinWorld.start)
        let world = try await TwinWorld(whole, seed: 1)
        let token = try await world.token(of: "sue")
        let difference = try await world.run { client async throws in
            let unseen = try await TwinTimingTests.unseen(probe.pool, in: world, client)
            var draw = TwinDraw(seed: 7)
            let absent = unseen.map { TwinTimingTests.twin(of: $0, using: &draw) }
            let measure = TwinTimer(client: client, probe: probe, token: token)
            return try await measure.difference(unseen, absent, samples: count)
        }
        print("\(probe.operation): \(difference)")
        #expect(abs(difference.welch) < 4.5, "\(probe.operation): \(difference)")
    }

    /// The ids of a pool that exist but not for sue.
    private static func unseen(
        _ pool: String,
        in world: TwinWorld,
        _ client: any TestClientProtocol
    ) async throws -> [String] {
        let stage = try await RoleStage(world: world, client: client)
        var ids = TwinPools(whole: world.population).pools[pool]?.unseen ?? []
        // Of those that no world starts with, a few dozen of others.
        for _ in 0..<40 {
            switch pool {
            case "report": ids.append(try await stage.report(by: "mia"))
            case "key": ids.append(try await stage.key(of: "mia"))
            case "invitation": ids.append(try await stage.invitation(into: stage.family(nil, .none), of: "mia"))
            default: break
            }
        }
        guard ids.count >= 1 else { throw TwinFault("There is nothing unseen in the pool \(pool).") }
        return ids
    }

    /// An id of the same length that stands for nothing.
    private static func twin(of id: String, using draw: inout TwinDraw) -> String {
        id.allSatisfy(\.isHexDigit)
            ? draw.digits(id.utf8.count) : String(id.map { _ in draw.pick(Array("bcdfghjk")) })
    }
}

/// Measures how long requests for two sorts of ids take, in an order that favours neither.
struct TwinTimer: Sendable {
    let client: any TestClientProtocol
    let probe: TwinTimingTests.Probe
    let token: String

    /// What came of it.
    struct Difference: Sendable, CustomStringConvertible {
        let mean: (existing: Double, absent: Double)
        let welch: Double
        let samples: Int

        var description: String {
            func micro(_ nanoseconds: Double) -> String { String(format: "%.2f µs", nanoseconds / 1_000) }
            let t = String(format: "%.2f", welch)
            return
                "existing \(micro(mean.existing)), absent \(micro(mean.absent)), t = \(t), \(samples) samples of each"
        }
    }

    func difference(_ existing: [String], _ absent: [String], samples: Int) async throws -> Difference {
        var draw = TwinDraw(seed: 11)
        var times: [[Double]] = [[], []]
        for _ in 0..<(samples / 10) {
            _ = try await nanoseconds(draw.pick(existing))
            _ = try await nanoseconds(draw.pick(absent))
        }
        for _ in 0..<samples {
            let isFirst = draw.chance(50)
            for sort in isFirst ? [0, 1] : [1, 0] {
                times[sort].append(try await nanoseconds(draw.pick(sort == 0 ? existing : absent)))
            }
        }
        return TwinTimer.compare(times[0], times[1])
    }

    private func nanoseconds(_ id: String) async throws -> Double {
        let parts = probe.operation.split(separator: " ").map(String.init)
        let path = parts[1].split(separator: "/").map { $0.hasPrefix("{") ? id : String($0) }.joined(separator: "/")
        var request = TwinRequest(
            method: HTTPRequest.Method(parts[0]) ?? .get,
            path: "/" + path,
            body: probe.body,
            operation: probe.operation
        )
        request.headers[.authorization] = "Bearer " + token
        request.headers[.twinRequestID] = "timing"
        let clock = ContinuousClock()
        let start = clock.now
        let reply = try await TwinReply(request, by: client)
        let duration = clock.now - start
        guard reply.status == 404 else { throw TwinFault("\(probe.operation) answered \(reply.status) for \(id)") }
        return Double(duration.components.attoseconds) / 1e9 + Double(duration.components.seconds) * 1e9
    }

    /// Welch's t of two samples without their slowest tenth: what interrupts a request tells nothing of it.
    static func compare(_ existing: [Double], _ absent: [Double]) -> Difference {
        let sorted = (existing + absent).sorted()
        let limit = sorted[sorted.count * 9 / 10]
        let (a, b) = (existing.filter { $0 <= limit }, absent.filter { $0 <= limit })
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
        func variance(_ values: [Double], _ mean: Double) -> Double {
            values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
        }
        let (meanA, meanB) = (mean(a), mean(b))
        let error = (variance(a, meanA) / Double(a.count) + variance(b, meanB) / Double(b.count)).squareRoot()
        return Difference(mean: (meanA, meanB), welch: (meanA - meanB) / error, samples: existing.count)
    }
}
