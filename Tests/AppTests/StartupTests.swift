import Web
import Library
import App
import Formats
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("Service startup")
struct StartupTests {
    @Test("While stories load, /healthz answers, /readyz names the cause, and other requests get a retry")
    func gate() async throws {
        let fixture = try await ServiceFixture()
        let progress = StartupProgress()
        let gate = StartupGate(progress: progress)
        progress.begin("Reading stories")
        progress.advance(to: 250_000, of: 1_000_000)
        let whole = fixture.service.buildRouter().buildResponder()
        let application = Application(responder: gate, logger: fixture.logger)
        try await application.test(.router) { client async throws in
            func get(_ path: String, _ method: HTTPRequest.Method = .get) async throws -> TestResponse {
                try await client.execute(uri: path, method: method)
            }
            #expect(try await get("/healthz").status == .ok)
            for (path, method) in [("/readyz", HTTPRequest.Method.get), ("/v1/stories", .post), ("/nothing", .get)] {
                let answer = try await get(path, method)
                #expect(answer.status == .serviceUnavailable)
                #expect(answer.headers[.retryAfter] == "5")
                #expect(answer.headers[.contentType] == "application/problem+json")
                let detail = try JSONValue(parsing: Array(answer.body.readableBytesView))["detail"]?.string ?? ""
                #expect(detail.contains("Reading stories: 250,000 of 1,000,000"))
            }
            #expect(try await get("/healthz", .head).body.readableBytes == 0)
            gate.open(whole)
            #expect(try await get("/readyz").status == .ok)
            #expect(try await get("/v1/stories").status == .ok)
            #expect(try await get("/nothing").status == .notFound)
        }
    }

    @Test(
        "A request costs the same after many were answered: the answer is not wrapped again"
    )
    func sameCost() async throws {
        let gate = StartupGate(progress: StartupProgress())
        gate.open(CallbackResponder<ServiceContext> { _, _ in Response(status: .ok) })
        try await Application(responder: gate)
            .test(.router) { client async throws in
                let clock = ContinuousClock()
                var times: [Duration] = []
                for _ in 0..<20 {
                    times.append(
                        try await clock.measure {
                            for _ in 0..<1_000 { _ = try await client.execute(uri: "/", method: .get) }
                        }
                    )
                }
                let (early, late) = (times[0..<5].min() ?? .zero, times[15..<20].min() ?? .zero)
                #expect(late < early * 4, "the first requests took \(early), the last \(late)")
            }
    }

    @Test("Progress is logged at most every two seconds, and not at all for a small database")
    func progress() async throws {
        let said = Mutex<[String]>([])
        let elapsed = Mutex(0)
        let start = ContinuousClock.now
        let progress = StartupProgress {
            start + .milliseconds(elapsed.withLock(\.self))
        } say: { line in
            said.withLock { $0.append(line) }
        }
        progress.begin("Reading stories")
        for step in 1...100 {
            elapsed.withLock { $0 = 50 * step }
            progress.advance(to: 10_000 * step, of: 1_000_000)
        }
        #expect(
            said.withLock(\.self) == ["Reading stories: 400,000 of 1,000,000", "Reading stories: 800,000 of 1,000,000"]
        )
    }

    @Test("Every story read when a library opens is counted")
    func counted() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for number in 0..<3 { _ = try await client.create(as: "ana", title: "Story \(number)") }
        }
        let lines = Mutex<[String]>([])
        let later = Mutex(ContinuousClock.now)
        let progress = StartupProgress {
            later.withLock { now in
                now += .seconds(3)
                return now
            }
        } say: { line in
            lines.withLock { $0.append(line) }
        }
        _ = try await StoryLibrary(
            store: fixture.library.store,
            gazetteer: nil,
            now: { fixture.clock.now },
            progress: progress
        )
        #expect(lines.withLock(\.self) == ["Reading stories", "Reading stories: 3 of 3", "Building the map"])
    }

    @Test("Progress is logged while many stories load, not only at the end")
    func countedMeanwhile() async throws {
        let fixture = try await ServiceFixture()
        let (owner, now) = (try #require(UserID("ana")), fixture.clock.now)
        try await fixture.library.store.write { transaction in
            try transaction.save(User(id: owner, name: "Ana"), at: now)
            for number in 0..<9_000 {
                let id = StoryID(high: 5, low: UInt64(number))
                try transaction.insert(Story(id: id, kind: .photo, title: "Story", owner: owner, createdAt: now))
            }
        }
        let lines = Mutex<[String]>([])
        let later = Mutex(ContinuousClock.now)
        let progress = StartupProgress {
            later.withLock { now in
                now += .seconds(3)
                return now
            }
        } say: { line in
            lines.withLock { $0.append(line) }
        }
        _ = try await StoryLibrary(store: fixture.library.store, gazetteer: nil, now: { now }, progress: progress)
        let counted = lines.withLock(\.self).filter { $0.hasPrefix("Reading stories:") }
        #expect(counted == [2_048, 4_096, 6_144, 8_192, 9_000].map { "Reading stories: \(Self.grouped($0)) of 9,000" })
    }

    private static func grouped(_ number: Int) -> String {
        "\(number / 1_000),\(String(String(number % 1_000 + 1_000).dropFirst()))"
    }
}
