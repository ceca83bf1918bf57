import App
import Library
import Storage
import Testing

@Suite("Services that are let go")
struct LettingGoTests {
    /// Holds a store without keeping it.
    private final class Trace {
        weak var store: StoryStore?
    }

    @Test("A service that nobody holds lets go of its database")
    func nothingHoldsTheDatabase() async throws {
        let trace = Trace()
        try await leave(trace)
        // A task that is about to end may hold it a moment longer.
        let end = ContinuousClock.now + .seconds(60)
        while trace.store != nil, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
        #expect(trace.store == nil)
    }

    /// Answers requests of a service, and lets go of it.
    private func leave(_ trace: Trace) async throws {
        let fixture = try await ServiceFixture()
        trace.store = fixture.library.store
        try await fixture.run { client in
            let answer = try await client.get("/readyz")
            #expect(answer.status == 200)
        }
        #expect(trace.store != nil)
    }
}
