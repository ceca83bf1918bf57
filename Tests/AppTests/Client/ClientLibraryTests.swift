import Foundation
import Gazetteer
import HTTPTypes
import Hummingbird
import Library
import Stories
import Synchronization
import TestSupport
import Testing
import WaymarkClient

/// The client in Swift against the service as it runs, on a port of this machine.
@Suite("The client in Swift")
struct ClientLibraryTests {
    /// A service with a gazetteer, and clients of ana and ben.
    private struct Scene: Sendable {
        let fixture: ServiceFixture
        let address: URL
        let ana: Waymark
        let ben: Waymark

        init(_ fixture: ServiceFixture, _ port: Int) async throws {
            self.fixture = fixture
            address = try #require(URL(string: "http://127.0.0.1:\(port)"))
            let (ids, accounts) = (try ["ana", "ben"].map { try #require(UserID($0)) }, fixture.accounts)
            ana = Waymark(at: address, token: try await accounts.issueToken(for: ids[0], seconds: 3_600))
            ben = Waymark(at: address, token: try await accounts.issueToken(for: ids[1], seconds: 3_600))
        }
    }

    private func run(_ body: (Scene) async throws -> Void) async throws {
        let fixture = try await ServiceFixture(gazetteer: TwinGazetteer.index.get())
        try await fixture.makeFamilies()
        try await LiveServer.run(fixture) { port in try await body(try await Scene(fixture, port)) }
    }

    private static let point = GeoPoint(latitude: 33.7554, longitude: -84.3736)
    private static let box = GeoBox(west: -85, south: 33, east: -84, north: 34)

    @Test("A token that is valid signs in; another is refused with its reason")
    func signIn() async throws {
        try await run { scene async throws in
            let everybody = Waymark(at: scene.address)
            let token = try await scene.fixture.accounts.issueToken(for: try #require(UserID("ana")), seconds: 60)
            let (client, account) = try await everybody.signedIn(with: token)
            #expect(account.id == "ana" && account.name == "Ana" && account.scopes.contains("stories:write"))
            #expect(try await client.account() == account)
            await #expect {
                _ = try await everybody.signedIn(with: "wrong")
            } throws: { error in
                let failure = error as? WaymarkFailure
                return failure?.kind == .unauthenticated && failure?.requestID != nil && failure?.isTemporary == false
            }
        }
    }

    @Test("Stories are made, read, listed by page and searched; a private one is not there for others")
    func stories() async throws {
        try await run { scene async throws in
            var new = NewStory(
                kind: "interview",
                title: "Wheat harvest",
                location: .init(Self.point),
                privacy: "public"
            )
            new.date = "1936-07"
            new.tags = ["work"]
            let made = try await scene.ana.create(new, key: "k1")
            #expect(made.title == "Wheat harvest" && made.date == "1936-07" && made.tags == ["work"])
            #expect(made.owner == "ana" && made.location?.point == Self.point)
            #expect(try await scene.ana.create(new, key: "k1").id == made.id)
            #expect(try await scene.ben.story(made.id).title == "Wheat harvest")
            scene.fixture.clock.advance(seconds: 1)
            let secret = try await scene.ana.create(NewStory(kind: "photo", title: "Mine", privacy: "private"))
            await #expect {
                _ = try await scene.ben.story(secret.id)
            } throws: {
                ($0 as? WaymarkFailure)?.kind == .notFound
            }
            let first = try await scene.ana.stories(limit: 1)
            #expect(first.matched == 2 && first.stories.map(\.id) == [secret.id])
            let second = try await scene.ana.stories(limit: 1, cursor: first.next)
            #expect(second.stories.map(\.id) == [made.id] && second.next == nil)
            #expect(try await scene.ben.stories(searching: "wheat", in: Self.box).stories.map(\.id) == [made.id])
            await #expect {
                _ = try await scene.ana.create(NewStory(kind: "opera", title: ""))
            } throws: { error in
                let failure = error as? WaymarkFailure
                return failure?.kind == .invalid && failure?.fields.map(\.field) == ["title"]
            }
        }
    }

    @Test("The map has exact counts and single stories; a text finds its place")
    func map() async throws {
        try await run { scene async throws in
            for number in 0..<3 {
                let place = GeoPoint(latitude: 33.7554, longitude: -84.3736 + Double(number / 2) * 0.3)
                _ = try await scene.ana.create(NewStory(kind: "photo", title: "\(number)", location: .init(place)))
            }
            let markers = try await scene.ana.markers(in: Self.box, zoom: 12)
            #expect(markers.map(\.count).sorted() == [1, 2])
            let places = try await scene.ana.geocode("Atlanta, GA")
            #expect(places.first?.label == "Atlanta, Georgia, United States")
        }
    }

    @Test("Fixes are counted, and those that cannot be used are named")
    func fixes() async throws {
        try await run { scene async throws in
            let now = Date(timeIntervalSince1970: Double(scene.fixture.clock.now.milliseconds) / 1_000)
            let fix = PositionFix(at: Self.point, time: now, accuracy: 8)
            #expect(try await scene.ben.report([fix], of: "phone").isMonitoring == false)
            try await Self.optIn(scene, "ben")
            var bad = fix
            bad.latitude = 91
            let outcomes = try await scene.ben.report([fix, bad], of: "phone")
            #expect(outcomes.isMonitoring && outcomes.accepted == 1)
            #expect(outcomes.rejected.map(\.index) == [1] && outcomes.rejected.first?.field == "lat")
        }
    }

    @Test(
        "DLV-02 Notifications come as they are made, and a later stream goes on where the first stopped",
        .timeLimit(.minutes(1))
    )
    func notifications() async throws {
        try await run { scene async throws in
            let ben = try #require(UserID("ben"))
            let first = try await FeedWorld.tell(ben, in: scene.fixture.library)
            // After the beginning of the log, so that nothing depends on when the stream opens.
            var (seen, last) = ([String](), String?.none)
            for try await event in scene.ben.notifications(after: "0") {
                guard case .notification(let item) = event.content else { continue }
                (seen, last) = (seen + [item.id], event.id)
                break
            }
            let rest = [
                try await FeedWorld.tell(ben, in: scene.fixture.library),
                try await FeedWorld.tell(ben, in: scene.fixture.library),
            ]
            for try await event in scene.ben.notifications(after: last) {
                guard case .notification(let item) = event.content else { continue }
                seen.append(item.id)
                if seen.count == 3 { break }
            }
            #expect(seen == [first] + rest)
        }
    }

    @Test("A redirect is not followed: the token would go along")
    func redirects() async throws {
        let asked = Mutex<[String]>([])
        let router = Router()
        router.get("/v1/me") { _, _ in Response(status: .found, headers: [.location: "/elsewhere"]) }
        router.get("/elsewhere") { request, _ in
            asked.withLock { $0.append(request.headers[.authorization] ?? "") }
            return Response(status: .ok)
        }
        try await TestListener.run(router, label: "redirecting") { port in
            let client = Waymark(at: try #require(URL(string: "http://127.0.0.1:\(port)")), token: "t")
            await #expect {
                _ = try await client.account()
            } throws: {
                ($0 as? WaymarkFailure)?.status == 302
            }
        }
        #expect(asked.withLock { $0 } == [])
    }

    private static func optIn(_ scene: Scene, _ user: String) async throws {
        let id = try #require(UserID(user))
        let token = try await scene.fixture.accounts.issueToken(for: id, seconds: 60)
        let text = """
            PUT /v1/me/notification-settings HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n\
            Content-Type: application/json\r\nContent-Length: 16\r\nConnection: close\r\n\r\n{"enabled":true}
            """
        let answer = try await RawConnection.exchange(scene.address.port ?? 0, text)
        #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
    }
}
