import App
import Library
import Formats
import Geometry
import HTTPTypes
import Stories
import Testing

// What people do besides walking.
extension ModelWorld {
    /// A change: what the oracle is told of it, and how the service is asked for it.
    struct Change: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let user: String
        var body: String?
        let apply: @Sendable (inout TellingOracle) -> Void
    }

    /// Asks the service, which must do it.
    @discardableResult
    func ask(
        _ client: Client,
        _ method: HTTPRequest.Method,
        _ path: String,
        as user: String?,
        _ body: String? = nil,
        headers: HTTPFields = [:]
    ) async throws -> JSONValue {
        let reply = try await client.send(method, path, as: user, body, headers: headers)
        let isRight = (200..<300).contains(reply.status)
        #expect(isRight, "\(context): \(method) \(path): \(String(decoding: reply.bytes, as: UTF8.self))")
        return reply.json
    }

    /// Somebody changes something, perhaps while fixes are evaluated and messages are on their way.
    func change(_ client: Client, beside batches: [Batch], startingWorkers: Bool = false) async throws {
        // What was told by now is known by now.
        try await poll(client)
        guard let change = try await draw(client) else { return note(await post(batches, client)) }
        tally.others += 1
        var next = oracle
        change.apply(&next)
        let (before, after) = (bans(oracle), bans(next))
        receivers.ban(before.intersection(after))
        async let answers = post(batches, client)
        if startingWorkers {
            startWorker()
            startWorker()
            for _ in 0..<number(30) { await Task.yield() }
        }
        try await ask(client, change.method, change.path, as: change.user, change.body)
        receivers.ban(after)
        note(await answers, isExcused: true)
        oracle = next
        oracle.note()
        excuse()
    }

    /// What may not go out to anybody.
    private func bans(_ oracle: TellingOracle) -> Set<ModelReceivers.Ban> {
        var bans: Set<ModelReceivers.Ban> = []
        for (name, person) in oracle.people {
            if !person.isOn || !person.wantsNearby { bans.insert(.init(person: name, story: nil)) }
            for story in everStories where oracle.forbids(story, to: name) {
                bans.insert(.init(person: name, story: story))
            }
        }
        return bans
    }

    /// Notes what need not arrive any more because it is withdrawn.
    private func excuse() {
        for (name, person) in oracle.people {
            let streamed = person.isOn ? [] : Set(followers[name]?.log.told ?? [])
            for (id, item) in known.items[name] ?? [:] {
                let isOff = item.isNearby && !(person.isOn && person.wantsNearby)
                let isLess = item.contents.contains { story in
                    item.isNearby ? oracle.forbids(story, to: name) : !oracle.shows(story, to: name)
                }
                if isOff || isLess {
                    let untaken = (ends[name] ?? []).filter { receivers.end($0)?.taken[id] == nil }
                    known.items[name]?[id]?.excusedEnds.formUnion(untaken)
                }
                // Of where somebody was nothing is told live after they opted out.
                if item.isNearby, !person.isOn, !streamed.contains(id) {
                    known.items[name]?[id]?.isExcusedInStream = true
                }
            }
        }
    }

    // MARK: Drawing changes

    private func draw(_ client: Client) async throws -> Change? {
        let name = any(ModelWorld.people) ?? "ben"
        // Whoever turned something off mostly turns it on again soon.
        if let person = oracle.people[name], number(2) == 0 {
            if !person.isOn { return optInOrOut(name) }
            if !person.wantsNearby { return switchType(name) }
        }
        switch number(17) {
        case 0, 1:
            try await makeStory(client)
            return nil
        case 2: return deleteStory()
        case 3, 4: return changeLevel()
        case 5, 6: return move()
        case 7: return hide(name)
        case 8: return number(3) == 0 ? view(name) : read(name)
        case 9, 10: return optInOrOut(name)
        case 11: return switchType(name)
        case 12: return mute(name)
        case 13, 14:
            try await changeCircle(client)
            return nil
        default: return read(name)
        }
    }

    private var anyStory: (id: String, story: TellingOracle.Story)? {
        any(oracle.stories.keys.sorted()).flatMap { id in oracle.stories[id].map { (id, $0) } }
    }

    private func location(of place: TellingOracle.Place) -> String {
        let (latitude, longitude) = ModelWorld.degrees(oracle.point(of: place))
        return "{\"lat\":\(latitude),\"lon\":\(longitude)}"
    }

    static func privacy(_ level: TellingOracle.Level) -> String {
        "\"privacy\":\"\(level.rawValue)\"" + (level == .family ? ",\"family\":\"whitfield\"" : "")
    }

    /// Ana adds a story.
    func makeStory(_ client: Client) async throws {
        tally.others += 1
        storiesMade += 1
        let place = TellingOracle.Place(site: number(oracle.sites.count), isNudged: false)
        let level = any(TellingOracle.Level.allCases + [.everyone, .everyone]) ?? .everyone
        let body =
            "{\"kind\":\"interview\",\"title\":\"Story \(storiesMade)\",\"location\":" + location(of: place) + ","
            + ModelWorld.privacy(level) + "}"
        let made = try await ask(client, .post, "/v1/stories", as: "ana", body)
        guard let id = made["id"]?.string else { return }
        oracle.stories[id] = .init(place: place, level: level, isNews: level != .nobody)
        everStories.insert(id)
        oracle.note()
        receivers.ban(bans(oracle))
    }

    private func deleteStory() -> Change? {
        guard oracle.stories.count > 6, let (id, _) = anyStory else { return nil }
        return Change(method: .delete, path: "/v1/stories/\(id)", user: "ana") { $0.stories[id] = nil }
    }

    private func changeLevel() -> Change? {
        guard let (id, _) = anyStory, let level = any(TellingOracle.Level.allCases + [.everyone, .everyone]) else {
            return nil
        }
        let body = "{" + ModelWorld.privacy(level) + "}"
        return Change(method: .put, path: "/v1/stories/\(id)/privacy", user: "ana", body: body) {
            $0.stories[id]?.level = level
        }
    }

    /// To another site, or by a few metres.
    private func move() -> Change? {
        guard let (id, story) = anyStory else { return nil }
        var place = TellingOracle.Place(site: story.place.site, isNudged: !story.place.isNudged)
        if number(2) == 0 { place = .init(site: number(oracle.sites.count), isNudged: false) }
        let (to, isFar) = (place, place.site != story.place.site)
        let path = "/v1/stories/\(id)/location"
        return Change(method: .put, path: path, user: "ana", body: location(of: place)) {
            $0.stories[id]?.place = to
            $0.stories[id]?.moves += isFar ? 1 : 0
        }
    }

    private func hide(_ name: String) -> Change? {
        guard let (id, story) = anyStory, let person = oracle.people[name], oracle.sees(person, story) else {
            return nil
        }
        let isHidden = person.hidden.contains(id)
        return Change(method: isHidden ? .delete : .put, path: "/v1/stories/\(id)/hide", user: name) {
            if isHidden { $0.people[name]?.hidden.remove(id) } else { $0.people[name]?.hidden.insert(id) }
        }
    }

    private func view(_ name: String) -> Change? {
        guard let (id, story) = anyStory, let person = oracle.people[name], oracle.sees(person, story) else {
            return nil
        }
        return Change(method: .post, path: "/v1/stories/\(id)/viewed", user: name) {
            $0.people[name]?.viewed.insert(id)
        }
    }

    private func optInOrOut(_ name: String) -> Change? {
        guard let person = oracle.people[name] else { return nil }
        let isOn = !person.isOn
        let body = "{\"enabled\":\(isOn)}"
        return Change(method: .put, path: DeliveryTests.settings, user: name, body: body) {
            $0.people[name]?.isOn = isOn
        }
    }

    private func switchType(_ name: String) -> Change? {
        guard let person = oracle.people[name] else { return nil }
        let wants = !person.wantsNearby
        let body = "{\"types\":[{\"type\":\"story.nearby\",\"enabled\":\(wants)}]}"
        return Change(method: .put, path: DeliveryTests.settings, user: name, body: body) {
            $0.people[name]?.wantsNearby = wants
        }
    }

    private func mute(_ name: String) -> Change? {
        guard let (_, story) = anyStory, let person = oracle.people[name] else { return nil }
        let muted = person.muted.symmetricDifference([story.place])
        let places = muted.map { place in
            let (latitude, longitude) = ModelWorld.degrees(oracle.point(of: place))
            let id = PlaceID(Coordinate(wrappingLatitude: latitude, longitude: longitude))
            return "{\"place_id\":\"\(id)\",\"enabled\":false}"
        }
        let body = "{\"places\":[\(places.sorted().joined(separator: ","))]}"
        return Change(method: .put, path: DeliveryTests.settings, user: name, body: body) {
            $0.people[name]?.muted = muted
        }
    }

    private func read(_ name: String) -> Change? {
        let shown = (known.items[name] ?? [:]).filter { !$0.value.contents.isEmpty }.keys.sorted()
        guard let id = any(shown) else { return nil }
        return Change(
            method: .patch,
            path: "/v1/notifications/\(id)",
            user: name,
            body: "{\"read\":\(number(3) > 0)}"
        ) { _ in }
    }

    /// The backend tells people something, perhaps again.
    func tell(_ client: Client) async throws {
        tally.others += 1
        let (key, users) = (
            "k\(number(25))", Array(ModelWorld.people.shuffled(using: &generator).prefix(1 + number(3)))
        )
        let names = users.map { "\"\($0)\"" }.joined(separator: ",")
        let body = "{\"users\":[\(names)],\"type\":\"comment.new\",\"title\":\"T\",\"key\":\"\(key)\"}"
        let reply = try await ask(client, .post, "/v1/notifications", as: nil, body, headers: service)
        let told = reply["told"]?.array ?? []
        let new = Set(users).subtracting(messages[key, default: []])
        #expect(Set(told.compactMap { $0["user"]?.string }) == new, "\(context): \(key) to \(users)")
        for one in told {
            guard let id = one["notification_id"]?.string, let name = one["user"]?.string else { continue }
            known.note(id, type: "comment.new", contents: [], to: name)
        }
        messages[key, default: []].formUnion(users)
    }
}
