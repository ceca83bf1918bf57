import App
import Formats
import Foundation
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories
import Synchronization
import Testing
import TestSupport

/// DLV-06, DLV-01: whatever the endpoints do and whichever worker dies, nothing is lost and nothing is told twice.
@Suite("Deliveries against an oracle")
struct DeliveryModelTests {
    /// How many worlds; `WAYMARK_SEEDS` says otherwise.
    static var seeds: Int { ProcessInfo.processInfo.environment["WAYMARK_SEEDS"].flatMap { Int($0) } ?? 12 }

    /// An endpoint that behaves badly, and remembers what it has taken.
    private final class Endpoint: Sendable {
        private let state: Mutex<(generator: SplitMix64, taken: [String: Int], isGood: Bool)>

        init(seed: UInt64) { state = Mutex((SplitMix64(seed: seed), [:], false)) }

        var taken: [String: Int] { state.withLock { $0.taken } }

        func recover() { state.withLock { $0.isGood = true } }

        func answer(_ message: OutgoingMessage) throws -> ChannelAnswer {
            guard case .http(let http) = message, let id = http[header: "webhook-id"] else {
                return ChannelAnswer(status: 400)
            }
            return try state.withLock { state in
                let throwOf = state.isGood ? 0 : Int.random(in: 0..<10, using: &state.generator)
                // Taken, and the answer came too late or was lost: the sender cannot know.
                if throwOf < 5 || throwOf == 8 { state.taken[id, default: 0] += 1 }
                switch throwOf {
                case 0..<5: return ChannelAnswer(status: 204)
                case 5: return ChannelAnswer(status: 500)
                case 6: return ChannelAnswer(status: 301)
                case 7: return ChannelAnswer(status: 503, retryAfter: "30")
                case 8: throw SendingError(.timedOut, "there was no answer in time")
                default: throw SendingError(.unreachable, "nobody answers at the address")
                }
            }
        }
    }

    @Test("DLV-06 Random endpoints, repeats, dying workers: lost 0, doubled 0", arguments: 0..<DeliveryModelTests.seeds)
    func world(_ seed: Int) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let scene = try await DeliveryTests.Scene(fixture, client)
            var generator = SplitMix64(seed: UInt64(seed))
            for number in 0..<2 { _ = try await scene.webhook("end\(number)") }
            let ends = (0..<2).map { Endpoint(seed: UInt64(1_000 * seed + $0)) }
            scene.sender.behave { message in
                guard case .http(let http) = message else { return ChannelAnswer(status: 400) }
                await Task.yield()
                return try ends[http.url.hasSuffix("0") ? 0 : 1].answer(message)
            }
            let service = KeyTests.bearer(try await scene.service())
            // The oracle: what was told, by its key; a repeat tells nothing new.
            var told: [String: String] = [:]
            for _ in 0..<60 {
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<5:
                    let key = String(Int.random(in: 0..<25, using: &generator))
                    let body = #"{"users":["ben"],"type":"comment.new","title":"T","key":"\#(key)"}"#
                    let reply = try await client.send(.post, "/v1/notifications", as: nil, body, headers: service)
                    let id = reply.json["told"]?[0]?["notification_id"]?.string
                    #expect((id == nil) == (told[key] != nil))
                    if let id { told[key] = id }
                case 5: try await scene.takeAndForget()
                case 6..<8:
                    async let one = fixture.library.deliverDue()
                    async let other = fixture.library.deliverDue()
                    _ = try await (one, other)
                default:
                    fixture.clock.advance(seconds: Double.random(in: 1...400, using: &generator))
                    try await fixture.library.deliverDue()
                }
            }
            for end in ends { end.recover() }
            for _ in 0..<40 { try await scene.later(seconds: 8_000) }
            let feed = try await client.get("/v1/notifications?limit=100", as: "ben").json["notifications"]?.array ?? []
            #expect(feed.compactMap { $0["id"]?.string }.sorted() == told.values.sorted())
            for end in ends {
                #expect(Set(end.taken.keys) == Set(told.values), "seed \(seed)")
            }
            #expect(try await scene.entries(.done).count == 2 * told.count)
            #expect(try await scene.entries(.pending).isEmpty)
            #expect(try await scene.entries(.dead).isEmpty)
        }
    }
}
