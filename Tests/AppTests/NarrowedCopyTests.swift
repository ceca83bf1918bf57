import Formats
import Foundation
import GRDB
import Geometry
import HTTPTypes
import Library
import Notifications
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("An older copy of the database narrows")
struct NarrowedCopyTests {
    /// What became narrower after the copy was made, and how it is made wide again.
    enum Kind: String, CaseIterable {
        case level, familyLevel, precision, familyExact, location, withheld, held, accountHeld, member, role, hide
        case removedChannel, pausedChannel, quietHours, types, everything, invitation
        case placePrecision, placeFamily, removedPlace
    }

    /// A service with everything that can become narrower, as wide as can be.
    private struct Scene {
        let fixture: ServiceFixture
        let story: String
        let channel: String
        let invitation: String
        /// A place of the story besides its location.
        let place: String

        init(_ fixture: ServiceFixture) async throws {
            self.fixture = fixture
            try await fixture.makeFamilies()
            let ids = Mutex(["", "", "", ""])
            try await fixture.run { client async throws in
                let wide = #","privacy":"public""#
                let story = try await client.create(as: "ana", title: "Told", extra: wide)
                let further = try await client.send(
                    .post,
                    "/v1/stories/\(story)/places",
                    as: "ana",
                    #"{"lat":35,"lon":-90}"#
                )
                let place = further.json["places"]?[0]?["id"]?.string
                let body = #"{"kind":"ntfy","target":{"url":"https://ntfy.example","topic":"bens"}}"#
                let channel = try await client.send(.post, "/v1/me/channels", as: "ben", body)
                #expect(channel.status == 201)
                let role = try await client.send(
                    .patch,
                    "/v1/families/whitfield/members/ben",
                    as: "ana",
                    #"{"role":"admin"}"#
                )
                #expect(role.status == 200)
                let invited = try await client.send(
                    .post,
                    "/v1/families/whitfield/invitations",
                    as: "ana",
                    #"{"invitations":[{"user":"cora","role":"member"}]}"#
                )
                #expect(invited.status == 200, "\(String(decoding: invited.bytes, as: UTF8.self))")
                let invitation = invited.json["invitations"]?.array?.first?["invitation"]
                let found = [story, channel.json["id"]?.string, invitation?["id"]?.string, place].map { $0 ?? "" }
                ids.withLock { $0 = found }
            }
            (story, channel, invitation, place) = ids.withLock { ($0[0], $0[1], $0[2], $0[3]) }
        }

        func narrow(_ kind: Kind, in service: ServiceFixture, back: Bool = false) async throws {
            let id = try #require(StoryID(story))
            let (reports, holds) = (service.library.moderation.reports, service.library.moderation.autoPrivate)
            let ana = try #require(UserID("ana"))
            switch kind {
            case .held: _ = try await holds.set(!back, stories: [id])
            case .accountHeld: _ = try await holds.set(!back, account: ana)
            case .withheld where back:
                let actioned = try await service.library.store.read {
                    try $0.reportEntries(statuses: [.actioned], after: nil, limit: 10)
                }
                for entry in actioned { _ = try await reports.setStatus(.dismissed, note: nil, of: entry.report.id) }
            case .withheld:
                let cora = try #require(UserID("cora"))
                let report = try await reports.report(id, by: cora, reason: .other, text: nil).report
                _ = try await reports.setStatus(.actioned, note: nil, of: report.id)
            case .member where back:
                let (ben, family, now) = (
                    try #require(UserID("ben")), try #require(FamilyID("whitfield")), service.clock.now
                )
                try await service.library.store.write { try $0.saveMember(ben, of: family, role: .admin, at: now) }
            default:
                try await service.run { [self] client async throws in
                    let (method, path, user, body) = request(kind, back: back)
                    let reply = try await client.send(method, path, as: user, body)
                    #expect(
                        (200...204).contains(reply.status),
                        "\(kind): \(String(decoding: reply.bytes, as: UTF8.self))"
                    )
                }
            }
        }

        private func request(_ kind: Kind, back: Bool) -> (HTTPRequest.Method, String, String, String?) {
            let story = "/v1/stories/\(story)"
            let further = "\(story)/places/\(self.place)"
            let place = #""lat":33.7554,"lon":-84.3736"#
            let exactly = "{\(place),\"precision\":\"exact\"}"
            switch kind {
            case .level: return (.patch, story, "ana", back ? #"{"privacy":"public"}"# : #"{"privacy":"private"}"#)
            case .familyLevel:
                return (.patch, story, "ana", back ? #"{"privacy":"public"}"# : #"{"privacy":"family_only"}"#)
            case .precision:
                return (.put, story + "/location", "ana", "{\(place),\"precision\":\"\(back ? "exact" : "hidden")\"}")
            case .familyExact:
                return (
                    .put, story + "/location", "ana",
                    "{\(place),\"precision\":\"\(back ? "exact" : "approximate")\",\"family_sees_exact\":\(back)}"
                )
            case .location:
                return back
                    ? (.put, story + "/location", "ana", exactly) : (.delete, story + "/location", "ana", nil)
            case .placePrecision:
                return (.patch, further, "ana", "{\"precision\":\"\(back ? "exact" : "hidden")\"}")
            case .placeFamily:
                let precision = back ? "exact" : "approximate"
                return (.patch, further, "ana", "{\"precision\":\"\(precision)\",\"family_sees_exact\":\(back)}")
            case .removedPlace: return (.delete, further, "ana", nil)
            case .member: return (.delete, "/v1/families/whitfield/members/ben", "ana", nil)
            case .role:
                return (
                    .patch, "/v1/families/whitfield/members/ben", "ana", "{\"role\":\"\(back ? "admin" : "member")\"}"
                )
            case .hide: return (back ? .delete : .put, story + "/hide", "cora", nil)
            case .removedChannel: return (.delete, "/v1/me/channels/\(channel)", "ben", nil)
            case .pausedChannel: return (.patch, "/v1/me/channels/\(channel)", "ben", "{\"enabled\":\(back)}")
            case .quietHours:
                let windows = back ? "[]" : #"[{"from":"22:00","to":"07:00"}]"#
                return (.put, "/v1/me/notification-settings", "ben", "{\"quiet_hours\":\(windows)}")
            case .types:
                let types = back ? "[]" : #"[{"type":"family.new_story","enabled":false}]"#
                return (.put, "/v1/me/notification-settings", "ben", "{\"types\":\(types)}")
            case .everything: return (.put, "/v1/me/notification-settings", "ben", "{\"everything\":\(back)}")
            case .invitation: return (.delete, "/v1/families/whitfield/invitations/\(invitation)", "ana", nil)
            case .withheld, .held, .accountHeld: return (.get, "/healthz", "ana", nil)
            }
        }

        private static func text(_ json: JSONValue?) -> String {
            var writer = JSONWriter()
            writer.value(json ?? .null)
            return writer.text
        }

        /// Everything that the others get, in words.
        func surfaces(of service: ServiceFixture) async throws -> [String: String] {
            let found = Mutex([String: String]())
            try await service.run { [story, channel, invitation] client async throws in
                var seen: [String: String] = [:]
                for user in ["ben", "cora", nil] {
                    let name = user ?? "anyone"
                    let list = try await client.get("/v1/stories", as: user).json["features"]?.array ?? []
                    seen["list of \(name)"] = "\(list.map { Scene.text($0["geometry"]) })"
                    let one = try await client.get("/v1/stories/\(story)", as: user)
                    let point = Scene.text(one.json["location"]?["lat"])
                    seen["story for \(name)"] = "\(one.status) \(point) \(Scene.text(one.json["privacy"]))"
                    let further = (one.json["places"]?.array ?? []).map { Scene.text($0["geometry"]) }
                    seen["places for \(name)"] = "\(further)"
                    let map = try await client.get("/v1/clusters?bbox=-85,33,-84,34&zoom=10", as: user)
                    seen["map of \(name)"] = Scene.text(map.json["numberMatched"])
                }
                let families = try await client.get("/v1/families", as: "ben").json["families"]?.array ?? []
                seen["families"] = "\(families.map { Scene.text($0["id"]) + Scene.text($0["role"]) })"
                let channels = try await client.get("/v1/me/channels", as: "ben").json["channels"]?.array ?? []
                let ours = channels.first { $0["id"]?.string == channel }
                seen["channel"] = Scene.text(ours?["state"]) + Scene.text(ours?["enabled"])
                let settings = try await client.get("/v1/me/notification-settings", as: "ben").json
                for name in ["quiet_hours", "types", "everything"] { seen[name] = Scene.text(settings[name]) }
                let invited = try await client.get("/v1/me/invitations", as: "cora").json["invitations"]?.array ?? []
                seen["invitation"] = "\(invited.contains { $0["id"]?.string == invitation })"
                let all = seen
                found.withLock { $0 = all }
            }
            return found.withLock { $0 }
        }
    }

    @Test(
        "NTF-09 PRV-02 It shows what was narrower, on every surface, and a present one stays as it is",
        arguments: Kind.allCases
    )
    func narrower(kind: Kind) async throws {
        let scene = try await Scene(ServiceFixture())
        let first = scene.fixture
        let wide = try await scene.surfaces(of: first)
        let copy = try TemporaryFolder()
        try first.closeAndCopy(to: copy)
        first.clock.advance(seconds: 60)
        let second = try await ServiceFixture(of: first)
        try await scene.narrow(kind, in: second)
        let narrow = try await scene.surfaces(of: second)
        #expect(narrow != wide, "\(kind) changes nothing")
        // The names of nobody are on the list.
        let list = try String(contentsOfFile: first.folder.path("waymark.db.keys/erasures.log"), encoding: .utf8)
        for name in ["ana", "ben", "cora", "whitfield", scene.story, scene.channel] { #expect(!list.contains(name)) }
        try second.closeAndPutBack(copy)
        let path = first.folder.path("waymark.db")
        #expect(throws: StoreError.self) { try StoryStore(path: path, mode: .readOnly, logger: first.logger) }
        let restored = try await ServiceFixture(of: first)
        #expect(try await scene.surfaces(of: restored) == narrow)
        try restored.library.store.close()
        // The restored one is the present one: nothing happens to it at the next start.
        let again = try await ServiceFixture(of: first)
        #expect(try await scene.surfaces(of: again) == narrow)
        guard ![.removedChannel, .invitation, .removedPlace].contains(kind) else { return }
        // Wide again, the present database is not changed by the list, and the old copy keeps its own width.
        try await scene.narrow(kind, in: again, back: true)
        let widened = try await scene.surfaces(of: again)
        #expect(widened != narrow)
        try again.library.store.close()
        let present = try await ServiceFixture(of: first)
        #expect(try await scene.surfaces(of: present) == widened)
        try present.closeAndPutBack(copy)
        let last = try await ServiceFixture(of: first)
        let seen = try await scene.surfaces(of: last)
        #expect(seen == wide || seen == widened)
        try last.library.store.close()
    }

    @Test("NTF-09 A copy from before the list began is refused, or served with everything withheld")
    func beyond() async throws {
        let scene = try await Scene(ServiceFixture())
        let first = scene.fixture
        try first.library.store.inspect { try $0.execute(sql: "UPDATE erasure_commits SET narrowed = 0") }
        try first.library.store.close()
        let refused = await #expect(throws: StoreError.self) { try await ServiceFixture(of: first) }
        #expect(refused?.description.contains("put the list back") == true)
        #expect(refused?.description.contains("--after-old-copy private") == true)
        let held = try await ServiceFixture(of: first, acceptsOldCopy: true)
        let seen = try await scene.surfaces(of: held)
        #expect(seen["list of anyone"] == "[]" && seen["list of ben"] == "[]")
        #expect(seen["channel"]?.contains("disabled") == true)
        // The operator releases the account: its stories are as their owner chose.
        _ = try await held.library.moderation.autoPrivate.set(false, account: try #require(UserID("ana")))
        #expect(try await scene.surfaces(of: held)["list of anyone"] != "[]")
        try held.library.store.close()
        // The decision is made: the next start needs no option.
        let next = try await ServiceFixture(of: first)
        #expect(try await scene.surfaces(of: next)["list of anyone"] != "[]")
        try next.library.store.close()
    }

    /// A notification of a place, which announces a story.
    static func notice(_ id: String, to user: UserID, of story: StoryID) -> FeedItem {
        FeedItem(
            id: id,
            user: user,
            at: Timestamp(milliseconds: 5),
            createdAt: Timestamp(milliseconds: 6),
            subject: .nearby(
                FeedItem.Visit(
                    kind: .entered,
                    placeName: "Here",
                    place: Coordinate(wrappingLatitude: 33, longitude: -84),
                    content: [.init(id: story, sourceID: nil)],
                    confidence: 0.5
                )
            ),
            title: "t",
            body: "b"
        )
    }

    @Test("NTF-05 It announces nothing again, whatever the copy's age, until the whereabouts are erased")
    func announced() async throws {
        let first = try await ServiceFixture()
        try await first.makeFamilies()
        let (ben, cora) = (try #require(UserID("ben")), try #require(UserID("cora")))
        let secret = first.library.store.keys[.ledger]
        func key(_ number: UInt64, _ user: UserID) -> LedgerKey {
            LedgerKey(secret: secret, user: user, story: StoryID(high: 1, low: number), locationEpoch: 0)
        }
        func announce(_ number: UInt64, to user: UserID, in service: ServiceFixture) async throws {
            let item = NarrowedCopyTests.notice("n\(number)", to: user, of: StoryID(high: 1, low: number))
            let keys = [key(number, user)]
            try await service.library.store.write { try $0.insert(item, ledger: keys) }
        }
        func told(_ user: UserID, in service: ServiceFixture) async throws -> [UInt64] {
            let known = try await service.library.store.read { try $0.ledger(of: user) }
            return (UInt64(1)...9).filter { known.contains(key($0, user)) }
        }
        try await announce(1, to: ben, in: first)
        let copies = [try TemporaryFolder(), try TemporaryFolder()]
        try first.closeAndCopy(to: copies[0])
        let second = try await ServiceFixture(of: first)
        for number in UInt64(2)...4 { try await announce(number, to: ben, in: second) }
        try await announce(5, to: cora, in: second)
        try second.closeAndCopy(to: copies[1])
        let third = try await ServiceFixture(of: first)
        try await announce(6, to: cora, in: third)
        try third.closeAndPutBack(copies[0])
        let oldest = try await ServiceFixture(of: first)
        #expect(try await told(ben, in: oldest) == [1, 2, 3, 4])
        #expect(try await told(cora, in: oldest) == [5, 6])
        // It goes on from there, and a later copy gets what this one announced.
        try await announce(7, to: ben, in: oldest)
        try oldest.closeAndPutBack(copies[1])
        let later = try await ServiceFixture(of: first)
        #expect(try await told(ben, in: later) == [1, 2, 3, 4, 7])
        // Nothing about erased whereabouts stays in the file.
        let log = first.folder.path("waymark.db.keys/announced.log")
        let bytes = try Data(contentsOf: URL(filePath: log))
        #expect(bytes.count == 16 + 7 * 40)
        _ = try await later.library.rights.erasures.eraseLocationData(of: ben)
        #expect(try Data(contentsOf: URL(filePath: log)).count == 16 + 2 * 40)
        try later.closeAndPutBack(copies[0])
        let last = try await ServiceFixture(of: first)
        #expect(try await told(ben, in: last) == [])
        #expect(try await told(cora, in: last) == [5, 6])
        try last.library.store.close()
        // A present database gets nothing from the file, and an open one needs none.
        let again = try await ServiceFixture(of: first)
        #expect(try await told(cora, in: again) == [5, 6])
        try again.library.store.close()
    }
}
