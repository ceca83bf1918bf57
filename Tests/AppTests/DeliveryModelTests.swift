import Foundation
import Testing

/// DLV-01, DLV-02, DLV-06: whatever devices, people, endpoints and workers do, nothing is lost and nothing is told twice.
@Suite("Deliveries against an oracle")
struct DeliveryModelTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// How many worlds; `WAYMARK_SEEDS` says otherwise.
    static let seeds = environment["WAYMARK_SEEDS"].flatMap { Int($0) } ?? 4
    /// Which comes first; `WAYMARK_FIRST_SEED` says otherwise.
    static let first = environment["WAYMARK_FIRST_SEED"].flatMap { Int($0) } ?? 0
    /// How many are lived through at a time.
    static let lanes = min(2, max(1, seeds))

    @Test("DLV-06 In random walks with changes and crashes, feed, streams and webhooks lose and repeat nothing")
    func worlds() async throws {
        let start = ContinuousClock.now
        let tally = try await withThrowingTaskGroup(of: ModelWorld.Tally.self) { group in
            for lane in 0..<DeliveryModelTests.lanes {
                group.addTask {
                    var tally = ModelWorld.Tally()
                    for seed in stride(from: lane, to: DeliveryModelTests.seeds, by: DeliveryModelTests.lanes) {
                        tally += try await ModelWorld(seed: DeliveryModelTests.first + seed).run()
                    }
                    return tally
                }
            }
            return try await group.reduce(into: ModelWorld.Tally()) { $0 += $1 }
        }
        #expect(tally.worlds == DeliveryModelTests.seeds && tally.lost == 0 && tally.doubled == 0)
        // A world in which nothing had to be told proves nothing.
        #expect(tally.named > 0, "nobody read the name of a circle")
        #expect(tally.tellings > 5 * tally.worlds && tally.attempts > 50 * tally.worlds)
        guard DeliveryModelTests.environment["WAYMARK_SEEDS"] != nil else { return }
        print(
            """
            worlds \(tally.worlds), events \(tally.events) (fixes \(tally.fixes), others \(tally.others)), \
            notifications \(tally.notifications), tellings that had to be \(tally.tellings), attempts \(tally.attempts), \
            names of circles read \(tally.named), crashes \(tally.crashes); lost \(tally.lost), doubled \(tally.doubled), after a withdrawal \
            \(tally.breaches); took \(ContinuousClock.now - start)
            """
        )
    }
}
