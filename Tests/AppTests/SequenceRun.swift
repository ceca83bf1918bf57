import App
import Formats
import Foundation
import Geometry
import HTTPTypes
import Stories
import StoryMap
import TestSupport
import Testing

/// One random sequence of changes over HTTP, and everything that can be seen of it compared with the oracle.
final class SequenceRun {
    private static let users = ["ana", "ben", "cora", "dan"]
    private static let viewers: [String?] = [nil] + users
    /// Where stories are: two spots in town that share a published cell, one far away.
    private static let spots = [(33.7554, -84.3736), (33.7521, -84.3711), (41.8781, -87.6298)]

    private let client: Client
    private let fixture: ServiceFixture
    private var generator: SplitMix64
    private var oracle = SequenceOracle()
    private var made = 0
    /// What each viewer's client knows by asking for changes only.
    private var replicas: [String: [String: JSONValue]] = [:]
    private var cursors: [String: String] = [:]
    /// What each user was told of on their walk.
    private var told: [String: Set<String>] = [:]

    init(_ client: Client, _ fixture: ServiceFixture, seed: UInt64) {
        self.client = client
        self.fixture = fixture
        generator = SplitMix64(seed: seed)
    }

    private func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    private func any<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &generator) }

    /// Runs the sequence; compares after every few steps.
    func run(steps: Int, comparingEvery interval: Int) async throws {
        for user in SequenceRun.users { _ = try await client.get("/v1/stories", as: user) }
        try await makeFamily()
        for _ in 0..<8 { try await makeStory() }
        try await walk()
        for step in 1...steps {
            fixture.clock.advance(seconds: 7)
            try await change()
            if step.isMultiple(of: interval) { try await compare() }
        }
        try await compareRestart()
    }

    private func change() async throws {
        switch number(16) {
        case 0: try await makeFamily()
        case 1, 2, 3: try await join()
        case 4, 5: try await leave()
        case 6: try await deleteFamily()
        case 7, 8: try await hide()
        case 9: try await deleteStory()
        case 10: try await makeStory()
        case 11, 12: try await move()
        default: try await setLevel()
        }
    }

    private func send(_ method: HTTPRequest.Method, _ path: String, as user: String, _ body: String? = nil) async throws
    {
        let reply = try await client.send(method, path, as: user, body)
        #expect(
            (200..<300).contains(reply.status),
            "\(method) \(path): \(String(decoding: reply.bytes, as: UTF8.self))"
        )
    }

    // MARK: Changes

    private func makeFamily() async throws {
        guard let user = any(SequenceRun.users), oracle.families.count < 4 else { return }
        let id = try await client.makeFamily(of: user, "Family \(number(1_000))")
        oracle.families[id] = [user]
    }

    private func anyFamily() -> String? { any(oracle.families.keys.sorted()) }

    private func join() async throws {
        guard let family = anyFamily(), let owner = oracle.families[family]?.first else { return }
        let others = SequenceRun.users.filter { oracle.families[family]?.contains($0) == false }
        guard let user = any(others) else { return }
        try await client.join(family, as: user, invitedBy: owner)
        oracle.families[family]?.append(user)
    }

    private func leave() async throws {
        guard let family = anyFamily(), let members = oracle.families[family],
            let user = any(Array(members.dropFirst()))
        else { return }
        let actor = number(2) == 0 ? user : members[0]
        try await send(.delete, "/v1/families/\(family)/members/\(user)", as: actor)
        oracle.leave(family, user)
    }

    private func deleteFamily() async throws {
        guard let family = anyFamily(), let members = oracle.families[family] else { return }
        try await send(.delete, "/v1/families/\(family)", as: members[0])
        for member in members { oracle.leave(family, member) }
        oracle.families[family] = nil
    }

    private func location(of item: inout SequenceOracle.Item) -> String {
        let spot = SequenceRun.spots[number(SequenceRun.spots.count)]
        (item.latitude, item.longitude) = spot
        item.precision = ["exact", "exact", "approximate", "hidden"][number(4)]
        item.trustsFamily = number(2) == 0
        return "{\"lat\":\(spot.0),\"lon\":\(spot.1),\"precision\":\"\(item.precision)\",\"cell\":0.01,"
            + "\"family_sees_exact\":\(item.trustsFamily),\"address\":\"12 Elm Street\"}"
    }

    private func level(of item: inout SequenceOracle.Item) -> String {
        item.level = ["public", "family_only", "family_only", "private"][number(4)]
        let mine = oracle.families.filter { $0.value.contains(item.owner) }.keys.sorted()
        item.family = item.level == "family_only" && number(2) == 0 ? any(mine) : nil
        return "\"privacy\":\"\(item.level)\",\"family\":\(item.family.map { "\"\($0)\"" } ?? "null")"
    }

    private func makeStory() async throws {
        guard let owner = any(SequenceRun.users) else { return }
        made += 1
        var item = SequenceOracle.Item(owner: owner, order: made)
        let extra = "," + level(of: &item) + ",\"location\":" + location(of: &item)
        fixture.clock.advance(seconds: 1)
        let id = try await client.create(as: owner, title: "Common \(made)", latitude: nil, extra: extra)
        oracle.items[id] = item
    }

    private func anyStory() -> (id: String, item: SequenceOracle.Item)? {
        any(oracle.items.keys.sorted()).flatMap { id in oracle.items[id].map { (id, $0) } }
    }

    private func setLevel() async throws {
        guard let (id, found) = anyStory() else { return }
        var item = found
        let body = "{" + level(of: &item) + "}"
        try await send(.put, "/v1/stories/\(id)/privacy", as: item.owner, body)
        oracle.items[id] = item
    }

    private func move() async throws {
        guard let (id, found) = anyStory() else { return }
        var item = found
        let body = location(of: &item)
        try await send(.put, "/v1/stories/\(id)/location", as: item.owner, body)
        oracle.items[id] = item
    }

    private func deleteStory() async throws {
        guard let (id, item) = anyStory() else { return }
        try await send(.delete, "/v1/stories/\(id)", as: item.owner)
        oracle.items[id] = nil
        oracle.deleted.insert(id)
    }

    private func hide() async throws {
        guard let user = any(SequenceRun.users),
            let (id, item) = any(oracle.visible(to: user).filter { $0.item.owner != user })
        else { return }
        let isHidden = item.hiddenBy.contains(user)
        try await send(isHidden ? .delete : .put, "/v1/stories/\(id)/hide", as: user)
        if isHidden { oracle.items[id]?.hiddenBy.remove(user) } else { oracle.items[id]?.hiddenBy.insert(user) }
    }

    /// Everybody opts in and stands at the first spot for half a minute.
    private func walk() async throws {
        let settings = "{\"enabled\":true,\"radius\":150}"
        for user in SequenceRun.users {
            try await send(.put, "/v1/me/notification-settings", as: user, settings)
            for _ in 0..<5 {
                fixture.clock.advance(seconds: 6)
                let spot = SequenceRun.spots[0]
                let time = RFC3339.format(fixture.clock.now)
                let fix = "{\"t\":\"\(time)\",\"lat\":\(spot.0),\"lon\":\(spot.1),\"acc\":8}"
                try await send(.post, "/v1/fixes", as: user, "{\"device\":\"phone\",\"fixes\":[\(fix)]}")
            }
            let seen = Set(oracle.visible(to: user).filter { $0.item.owner != user }.map(\.id))
            let found = try await feed(of: user)
            let exact = oracle.items.filter { seen.contains($0.key) && $0.value.precision == "exact" }
                .filter { $0.value.latitude == SequenceRun.spots[0].0 }
            #expect(found.isSubset(of: seen) && found.isSuperset(of: exact.keys))
            told[user] = found
        }
    }

    private func feed(of user: String) async throws -> Set<String> {
        let items = try await client.get("/v1/notifications?limit=100", as: user).json["notifications"]?.array ?? []
        return Set(
            items.filter { $0["type"]?.string == "story.nearby" }.flatMap { $0["content_ids"]?.array ?? [] }
                .compactMap(\.string)
        )
    }
}

// What is seen.
extension SequenceRun {
    private func compare() async throws {
        for viewer in SequenceRun.viewers {
            let why = Comment(rawValue: viewer ?? "anonymous")
            let listed = oracle.listed(for: viewer)
            try await compareLists(viewer, listed, why)
            try await compareMap(viewer, listed, why)
            for id in oracle.items.keys.sorted() + oracle.deleted.sorted() {
                let sees = oracle.items[id].map { oracle.sees(viewer, $0) } ?? false
                #expect(try await client.get("/v1/stories/\(id)", as: viewer).status == (sees ? 200 : 404), why)
            }
            try await compareChanges(viewer, why)
            guard let viewer else { continue }
            let expected = listed.filter { $0.item.precision != "hidden" && told[viewer]?.contains($0.id) == true }
            #expect(try await feed(of: viewer) == Set(expected.map(\.id)), why)
        }
    }

    private func ids(_ reply: JSONValue) -> [String] {
        (reply["features"]?.array ?? []).compactMap { $0["id"]?.string }
    }

    private func point(_ geometry: JSONValue?) -> SequenceOracle.Point? {
        guard let longitude = geometry?["coordinates"]?[0]?.number, let latitude = geometry?["coordinates"]?[1]?.number
        else { return nil }
        return SequenceOracle.Point(latitude: latitude, longitude: longitude)
    }

    private func compareLists(
        _ viewer: String?,
        _ listed: [(id: String, item: SequenceOracle.Item)],
        _ why: Comment
    ) async throws {
        let list = try await client.get("/v1/stories?limit=500", as: viewer).json
        #expect(ids(list) == listed.map(\.id), why)
        #expect(list["numberMatched"]?.integer == listed.count, why)
        for (feature, expected) in zip(list["features"]?.array ?? [], listed) {
            #expect(point(feature["geometry"]) == oracle.point(viewer, expected.item), why)
        }
        let box = "-84.3745,33.75,-84.37,33.76"
        let inside = listed.filter { found in
            guard let point = oracle.point(viewer, found.item) else { return false }
            return (-84.3745...(-84.37)).contains(point.longitude) && (33.75...33.76).contains(point.latitude)
        }
        let boxed = try await client.get("/v1/stories?limit=500&bbox=\(box)", as: viewer).json
        #expect(ids(boxed) == inside.map(\.id) && boxed["numberMatched"]?.integer == inside.count, why)
        let common = try await client.get("/v1/stories?limit=500&q=common", as: viewer).json
        #expect(ids(common) == listed.map(\.id), why)
        let placed = listed.filter { oracle.knowsPlace(viewer, $0.item) }
        let elm = try await client.get("/v1/stories?limit=500&q=common%20elm", as: viewer).json
        #expect(ids(elm) == placed.map(\.id) && elm["numberMatched"]?.integer == placed.count, why)
        let mine = try await client.get("/v1/stories?limit=500&view=family", as: viewer).json
        #expect(ids(mine) == listed.filter { $0.item.level == "family_only" }.map(\.id), why)
    }

    private func compareMap(
        _ viewer: String?,
        _ listed: [(id: String, item: SequenceOracle.Item)],
        _ why: Comment
    ) async throws {
        let points = listed.compactMap { oracle.point(viewer, $0.item) }
        for (box, zoom) in [("-180,-85,180,85", 3), ("-84.41,33.73,-84.34,33.78", 16)] {
            let near = zoom == 3 ? points : points.filter { $0.longitude > -85 }
            let map = try await client.get("/v1/clusters?bbox=\(box)&zoom=\(zoom)", as: viewer).json
            let features = map["features"]?.array ?? []
            let count = features.reduce(0) { $0 + ($1["properties"]?["point_count"]?.integer ?? 1) }
            #expect(map["numberMatched"]?.integer == near.count && count == near.count, why)
            let singles = Set(features.compactMap { $0["id"]?.string })
            #expect(singles.isSubset(of: listed.map(\.id)), why)
        }
        let bounds = try await client.get("/v1/bounds", as: viewer).json["bbox"]
        #expect(bounds?[1]?.number == points.map(\.latitude).min(), why)
        #expect(bounds?[3]?.number == points.map(\.latitude).max(), why)
    }

    /// A client that only ever asks what changed knows what there is to know.
    private func compareChanges(_ viewer: String?, _ why: Comment) async throws {
        let name = viewer ?? ""
        var isMore = true
        while isMore {
            let since = cursors[name].map { "&since=" + $0 } ?? ""
            let page = try await client.get("/v1/changes?limit=7" + since, as: viewer).json
            for story in page["changed"]?.array ?? [] {
                if let id = story["id"]?.string { replicas[name, default: [:]][id] = story }
            }
            for id in (page["gone"]?.array ?? []).compactMap(\.string) { replicas[name]?[id] = nil }
            cursors[name] = page["next"]?.string
            isMore = page["more"]?.bool == true
        }
        let visible = oracle.listed(for: viewer)
        let replica = replicas[name] ?? [:]
        #expect(Set(replica.keys) == Set(visible.map(\.id)), why)
        for (id, item) in visible {
            let location = replica[id]?["location"]
            #expect(location?["lat"]?.number == oracle.point(viewer, item)?.latitude, why)
            #expect(location?["lon"]?.number == oracle.point(viewer, item)?.longitude, why)
            #expect(replica[id]?["privacy"]?.string == item.level, why)
        }
    }

    /// The map built anew from the database is the map that followed the changes.
    private func compareRestart() async throws {
        let library = fixture.library
        let clock = fixture.clock
        let again = try await StoryLibrary(store: library.store, gazetteer: nil, now: { clock.now })
        for name in SequenceRun.users {
            let user = try #require(UserID(name))
            let viewer = try #require(try await library.viewer(of: user))
            #expect(again.map.snapshot().version(for: viewer) == library.map.snapshot().version(for: viewer))
        }
        #expect(again.map.snapshot().version(for: .anonymous) == library.map.snapshot().version(for: .anonymous))
    }
}

/// Random sequences of changes against the oracle.
@Suite("Random sequences of changes against a brute-force oracle")
struct SequenceTests {
    /// How many sequences; `scripts/check-privacy` asks for a thousand.
    private static let count = ProcessInfo.processInfo.environment["WAYMARK_SEQUENCES"].flatMap(UInt64.init) ?? 2

    @Test(
        "PRV-01 PRV-02 PRV-04 PRV-06 PRV-07 SYN-03 Everybody gets what the rules say on every surface, after every change"
    )
    func sequences() async throws {
        for seed in 0..<SequenceTests.count {
            let before = ContinuousClock.now
            let fixture = try await ServiceFixture()
            try await fixture.run { client async throws in
                try await SequenceRun(client, fixture, seed: seed).run(steps: 24, comparingEvery: 4)
            }
            if SequenceTests.count > 10, seed.isMultiple(of: 50) {
                print("sequence \(seed): \(ContinuousClock.now - before)")
            }
        }
    }
}
