import App
import Library
import Formats
import Geometry
import HTTPTypes
import Stories
import TestSupport
import Testing

/// One random sequence of changes over HTTP, and everything that can be seen of it compared with the oracle.
final class SequenceRun {
    static let users = ["ana", "ben", "cora", "dan"]
    static let viewers: [String?] = [nil] + users
    /// Where stories are: two spots in town that share a published cell, one a cell further, one far away.
    static let spots = [
        (33.7554, -84.3736), (33.7521, -84.3711), (33.7581, -84.3908), (41.8781, -87.6298),
    ]

    let client: Client
    let fixture: ServiceFixture
    /// The fields of the operators' backend.
    let service: HTTPFields
    var generator: SplitMix64
    var oracle = SequenceOracle()
    private var made = 0
    /// What each viewer's client knows by asking for changes only.
    var replicas: [String: [String: JSONValue]] = [:]
    var cursors: [String: String] = [:]
    /// The ids of the places that anybody saw.
    var places: [SequenceOracle.Point: String] = [:]
    /// The tiles that each viewer got last.
    var tiles: [String: KnownTile] = [:]
    /// Who opted in since they are there.
    var watching: Set<String> = []
    /// What the feed of each user tells of, as far as they may see it.
    var told: [String: Set<String>] = [:]
    /// The same with what was deleted since: it is not told again.
    var everTold: [String: Set<String>] = [:]
    private var walks = 0
    private let seed: UInt64
    private var step = 0

    init(_ client: Client, _ fixture: ServiceFixture, seed: UInt64) async throws {
        self.client = client
        self.fixture = fixture
        self.seed = seed
        generator = SplitMix64(seed: seed)
        let scopes = Accounts.serviceScopes.union([.adminOps])
        let request = Accounts.KeyRequest(holder: .service(scopes), name: "backend", days: nil)
        var service: HTTPFields = [.authorization: "Bearer " + (try await fixture.accounts.makeKey(request).text)]
        if let name = HTTPField.Name("Waymark-User") { service[name] = "operator" }
        self.service = service
    }

    /// Where the sequence is and through whose eyes it is looked at.
    func context(_ viewer: String?) -> Comment {
        "sequence \(seed), step \(step), \(viewer ?? "anonymous")"
    }

    func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    func any<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &generator) }

    /// Runs the sequence; compares after every few steps.
    func run(steps: Int, comparingEvery interval: Int) async throws {
        // The first change makes an account.
        for user in SequenceRun.users {
            _ = try await client.send(.patch, "/v1/me", as: user, "{\"name\":\"\(user)\"}")
        }
        try await makeFamily()
        for _ in 0..<8 { try await makeStory() }
        try await walk()
        for step in 1...steps {
            self.step = step
            fixture.clock.advance(seconds: 7)
            try await change()
            if step.isMultiple(of: 8), step < steps { try await walk() }
            if step.isMultiple(of: interval) { try await compare() }
        }
        try await compareRestart()
    }

    private func change() async throws {
        switch number(32) {
        case 0: try await makeFamily()
        case 1, 2, 3, 4: try await join()
        case 5, 6: try await leave()
        case 7: try await deleteFamily()
        case 8, 9: try await hide()
        case 10, 11: try await deleteStory()
        case 12, 13: try await makeStory()
        case 14, 15, 16: try await move()
        case 17: try await removeLocation()
        case 18, 19: try await report()
        case 20, 21: try await decide()
        case 22, 23: try await restore()
        case 24: try await number(3) == 0 ? purge() : setAutoPrivate()
        case 25: try await number(2) == 0 ? erase() : setAutoPrivate()
        case 26, 27: try await changeAreas()
        case 28, 29: try await like()
        default: try await setLevel()
        }
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        as user: String?,
        _ body: String? = nil,
        headers: HTTPFields = [:]
    ) async throws -> JSONValue {
        let reply = try await client.send(method, path, as: user, body, headers: headers)
        #expect(
            (200..<300).contains(reply.status),
            "\(context(user)): \(method) \(path): \(String(decoding: reply.bytes, as: UTF8.self))"
        )
        return reply.json
    }

    // MARK: Families

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
        _ = try await send(.delete, "/v1/families/\(family)/members/\(user)", as: actor)
        oracle.leave(family, user)
    }

    private func deleteFamily() async throws {
        guard let family = anyFamily(), let members = oracle.families[family] else { return }
        _ = try await send(.delete, "/v1/families/\(family)", as: members[0])
        for member in members { oracle.leave(family, member) }
        oracle.families[family] = nil
    }

    // MARK: Stories

    private func location(of item: inout SequenceOracle.Item) -> String {
        // Half of them where everybody walks.
        let spot = SequenceRun.spots[number(2) * number(SequenceRun.spots.count)]
        let choice = any(SequenceOracle.Coarseness.all + [SequenceOracle.Coarseness.exact]) ?? 0
        let place = SequenceOracle.Place(
            latitude: spot.0,
            longitude: spot.1,
            choice: choice,
            trustsFamily: number(2) == 0
        )
        item.place = place
        let precision =
            switch choice {
            case SequenceOracle.Coarseness.exact: "\"exact\""
            case SequenceOracle.Coarseness.hidden: "\"hidden\""
            default: "\"approximate\",\"cell\":\(Double(choice) / 100)"
            }
        return "{\"lat\":\(spot.0),\"lon\":\(spot.1),\"precision\":\(precision),"
            + "\"family_sees_exact\":\(place.trustsFamily),\"address\":\"12 Elm Street\"}"
    }

    private func level(of item: inout SequenceOracle.Item) -> String {
        item.level = ["public", "family_only", "family_only", "private"][number(4)]
        let mine = oracle.families.filter { $0.value.contains(item.owner) }.keys.sorted()
        // A public story can name a family too: it is then trusted with the exact point.
        item.family = item.level != "private" && number(2) == 0 ? any(mine) : nil
        return "\"privacy\":\"\(item.level)\",\"family\":\(item.family.map { "\"\($0)\"" } ?? "null")"
    }

    private func makeStory() async throws {
        guard let owner = any(SequenceRun.users) else { return }
        made += 1
        fixture.clock.advance(seconds: 1)
        var item = SequenceOracle.Item(owner: owner, created: fixture.clock.now.milliseconds)
        item.isAutoPrivate = oracle.flagged.contains(owner)
        item.year = made.isMultiple(of: 3) ? nil : 1900 + number(100)
        let date = item.year.map { ",\"date\":\"\($0)\"" } ?? ""
        let extra = date + "," + level(of: &item) + ",\"location\":" + location(of: &item)
        let id = try await client.create(as: owner, title: "Common \(made)", latitude: nil, extra: extra)
        oracle.items[id] = item
    }

    func anyStory() -> (id: String, item: SequenceOracle.Item)? {
        any(oracle.items.keys.sorted()).flatMap { id in oracle.items[id].map { (id, $0) } }
    }

    private func setLevel() async throws {
        guard let (id, found) = anyStory() else { return }
        var item = found
        let body = "{" + level(of: &item) + "}"
        _ = try await send(.put, "/v1/stories/\(id)/privacy", as: item.owner, body)
        oracle.items[id] = item
    }

    private func move() async throws {
        guard let (id, found) = anyStory() else { return }
        var item = found
        let body = location(of: &item)
        item.hasMoved = true
        _ = try await send(.put, "/v1/stories/\(id)/location", as: item.owner, body)
        oracle.items[id] = item
    }

    private func removeLocation() async throws {
        guard let (id, item) = anyStory() else { return }
        _ = try await send(.delete, "/v1/stories/\(id)/location", as: item.owner)
        oracle.items[id]?.place = nil
        oracle.items[id]?.hasMoved = true
    }

    private func deleteStory() async throws {
        guard let (id, item) = anyStory() else { return }
        _ = try await send(.delete, "/v1/stories/\(id)", as: item.owner)
        oracle.delete(id)
        for user in SequenceRun.users { told[user]?.remove(id) }
    }

    private func hide() async throws {
        guard let user = any(SequenceRun.users),
            let (id, item) = any(oracle.visible(to: user).filter { $0.item.owner != user })
        else { return }
        let isHidden = item.hiddenBy.contains(user)
        _ = try await send(isHidden ? .delete : .put, "/v1/stories/\(id)/hide", as: user)
        if isHidden { oracle.items[id]?.hiddenBy.remove(user) } else { oracle.items[id]?.hiddenBy.insert(user) }
    }

    private func like() async throws {
        guard let user = any(SequenceRun.users), let (id, item) = any(oracle.visible(to: user)) else { return }
        let isLiked = item.likedBy.contains(user)
        _ = try await send(isLiked ? .delete : .put, "/v1/stories/\(id)/favourite", as: user)
        if isLiked { oracle.items[id]?.likedBy.remove(user) } else { oracle.items[id]?.likedBy.insert(user) }
    }

    // MARK: Walks

    /// Everybody opts in and stands at the first spot for half a minute, with another device each time, two days later.
    private func walk() async throws {
        walks += 1
        if walks > 1 { fixture.clock.advance(seconds: 2 * 86_400) }
        for user in SequenceRun.users {
            let before = feedExpected(of: user)
            let settings = "{\"enabled\":true,\"radius\":150}"
            _ = try await send(.put, "/v1/me/notification-settings", as: user, settings)
            watching.insert(user)
            let spot = SequenceRun.spots[0]
            for _ in 0..<5 {
                fixture.clock.advance(seconds: 6)
                let time = RFC3339.format(fixture.clock.now)
                let fix = "{\"t\":\"\(time)\",\"lat\":\(spot.0),\"lon\":\(spot.1),\"acc\":8}"
                _ = try await send(.post, "/v1/fixes", as: user, "{\"device\":\"phone\(walks)\",\"fixes\":[\(fix)]}")
            }
            let may = oracle.tellable(to: user, oracle.listed(for: user))
            let here = SequenceOracle.Point(latitude: spot.0, longitude: spot.1)
            let must = may.filter { oracle.publishedPoint($0.item) == here && everTold[user]?.contains($0.id) != true }
            let found = try await feed(of: user)
            #expect(
                found.isSubset(of: may.map(\.id)) && found.isSuperset(of: before.union(must.map(\.id))),
                context(user)
            )
            told[user, default: []].formUnion(found)
            everTold[user, default: []].formUnion(found)
        }
    }

    /// What somebody's feed tells of: what they were told and may see and know a place of now, without what they hid.
    func feedExpected(of user: String) -> Set<String> {
        Set(oracle.tellable(to: user, oracle.listed(for: user)).map(\.id)).intersection(told[user] ?? [])
    }

    func feed(of user: String) async throws -> Set<String> {
        let items = try await client.get("/v1/notifications?limit=100", as: user).json["notifications"]
        let ids = SequenceRun.told(in: items)
        let once = ids.filter { oracle.items[$0]?.hasMoved == false }
        #expect(Set(once).count == once.count, "\(context(user)): told twice")
        return Set(ids)
    }

    /// The stories that a list of notifications tells of.
    static func told(in items: JSONValue?) -> [String] {
        (items?.array ?? []).filter { $0["type"]?.string == "story.nearby" }
            .flatMap { $0["content_ids"]?.array ?? [] }.compactMap(\.string)
    }
}
