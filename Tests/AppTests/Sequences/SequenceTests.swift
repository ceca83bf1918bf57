import Foundation
import Testing

/// Random sequences of changes against the oracle.
///
/// Changes: families made, joined, left, deleted; stories made, moved, taken off the map, deleted, given another level or
/// family; hidden and shown again; made favourites; reported, with operators who withhold them or not; private for the time
/// being, by account or by list; restored; the retention ended; accounts erased, and somebody of that name come anew; the
/// operator's list of sensitive areas replaced; everybody's walks, at the beginning and twice more.
///
/// Surfaces, for everybody and nobody in particular: the single story; lists whole, in a box, searched by text and by
/// address, by view, by family, of favourites, of what is hidden; what is nearest, what is at each place that anybody
/// knows of, and how many there are over time; the map at two zooms with its counts, by view and family too, its clusters with
/// what is inside them, and its tiles with their tags; the bounds;
/// what changed since; the offline package with its stories, maps and fences; the feed; reports for their reporters and for
/// operators; the access log; the export with its stories twice, feed, accesses and account, searched for what is not its
/// owner's; and the index built anew.
@Suite("Random sequences of changes against a brute-force oracle")
struct SequenceTests {
    /// How many sequences; `scripts/check-privacy` asks for a thousand.
    private static let count = ProcessInfo.processInfo.environment["WAYMARK_SEQUENCES"].flatMap(UInt64.init) ?? 4
    /// The first of them, to look at one again.
    private static let first = ProcessInfo.processInfo.environment["WAYMARK_SEQUENCE"].flatMap(UInt64.init) ?? 0

    @Test(
        """
        PRV-01 PRV-02 PRV-04 PRV-05 PRV-06 PRV-07 LOC-08 SYN-03 SYN-04 Everybody gets what the rules say on every surface, \
        after every change
        """
    )
    func sequences() async throws {
        for seed in SequenceTests.first..<SequenceTests.first + SequenceTests.count {
            let before = ContinuousClock.now
            let fixture = try await ServiceFixture(random: SeededRandom.source(seed))
            try await fixture.run { client async throws in
                try await SequenceRun(client, fixture, seed: seed).run(steps: 24, comparingEvery: 4)
            }
            if SequenceTests.count > 10, seed.isMultiple(of: 50) {
                print("sequence \(seed): \(ContinuousClock.now - before)")
            }
        }
    }
}
