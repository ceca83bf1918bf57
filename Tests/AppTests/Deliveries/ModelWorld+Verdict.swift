import App
import Library
import Formats
import HTTPTypes
import Storage
import TestSupport
import Testing

// What came of it all, held to the oracle.
extension ModelWorld {
    /// Looks into everybody's feed.
    func poll(_ client: Client) async throws {
        for name in ModelWorld.people {
            note(try await client.get("/v1/notifications?limit=100", as: name).json, to: name)
        }
    }

    private func note(_ page: JSONValue, to name: String) {
        for item in page["notifications"]?.array ?? [] {
            note(item: item, to: name)
            judgeName(of: item, to: name)
        }
    }

    private func note(item: JSONValue, to name: String) {
        guard let id = item["id"]?.string, let type = item["type"]?.string else { return }
        let contents = Set((item["content_ids"]?.array ?? []).compactMap(\.string))
        known.note(id, type: type, contents: contents, to: name)
    }

    /// Lets everything that is on its way arrive, and looks at what was told.
    func finish(_ client: Client) async throws {
        receivers.recover()
        await endWorkers()
        var pending = 1
        for _ in 0..<60 where pending > 0 {
            fixture.clock.advance(seconds: 8_000)
            try await fixture.library.delivery.deliverDue()
            pending = try await fixture.library.store.read { try $0.outbox(state: .pending, limit: 500).count }
        }
        let dead = try await fixture.library.store.read { try $0.outbox(state: .dead, limit: 500).count }
        #expect(pending == 0 && dead == 0, "\(context): \(pending) wait, \(dead) were given up")
        for name in ModelWorld.people {
            guard var follower = followers[name] else { continue }
            try await follower.finish(in: fixture.library)
            for event in follower.log.events where event.name == "notification" { note(item: event.json, to: name) }
            for end in ends[name] ?? [] {
                for (id, contents) in receivers.end(end)?.contents ?? [:] {
                    let isNearby = receivers.end(end)?.nearby.contains(id) == true
                    let type = isNearby ? "story.nearby" : known.items[name]?[id]?.type ?? "?"
                    known.note(id, type: type, contents: contents, to: name)
                }
            }
            let feed = try await pages(client, name)
            judgeTellings(name)
            judge(feed, of: name)
            judgeStream(of: name, follower.log)
            judgeEnds(of: name)
            tally.notifications += known.items[name]?.count ?? 0
        }
        tally.breaches += receivers.breaches.count
        #expect(receivers.breaches.isEmpty, context)
    }

    private func pages(_ client: Client, _ name: String) async throws -> [String] {
        var (ids, path) = ([String](), "/v1/notifications?limit=5" as String?)
        while let next = path {
            let page = try await client.get(next, as: name).json
            note(page, to: name)
            let shown = (page["notifications"]?.array ?? []).compactMap { $0["id"]?.string }
            ids += shown
            path = page["links"]?["next"]?.string
            // What tells of nothing any more leaves no gap in a page.
            #expect(shown.count == 5 || path == nil, context)
        }
        return ids
    }

    private func count(lost: Int = 0, doubled: Int = 0, _ what: @autoclosure () -> String) {
        tally.lost += lost
        tally.doubled += doubled
        #expect(lost == 0 && doubled == 0, "\(context), \(what()): \(lost) lost, \(doubled) doubled")
    }

    /// Of each story as often as the oracle says.
    private func judgeTellings(_ name: String) {
        for story in everStories.sorted() {
            let (bounds, told) = (
                oracle.bounds(of: story, for: name), known.count(of: story, to: name, type: "story.nearby")
            )
            tally.tellings += bounds.lowerBound
            count(
                lost: max(0, bounds.lowerBound - told),
                doubled: max(0, told - bounds.upperBound),
                "\(story) near \(name), told \(told) times for \(bounds)"
            )
            let news = known.count(of: story, to: name, type: "family.new_story")
            let isDue = name == "ben" && oracle.stories[story]?.isNews == true
            let isShown = oracle.shows(story, to: name)
            count(
                lost: isDue && isShown && news == 0 ? 1 : 0,
                doubled: max(0, news - (name == "ben" ? 1 : 0)),
                "\(story) as news to \(name)"
            )
        }
    }

    /// The feed lists each notification that tells of anything once, and nothing else.
    private func judge(_ feed: [String], of name: String) {
        count(doubled: feed.count - Set(feed).count, "feed of \(name)")
        let shown = (known.items[name] ?? [:])
            .filter { _, item in
                item.type == "comment.new" || item.contents.contains { oracle.shows($0, to: name) }
            }
        count(
            lost: Set(shown.keys).subtracting(feed).count,
            doubled: Set(feed).subtracting(shown.keys).count,
            "feed of \(name)"
        )
    }

    /// The stream told each notification once, in the order of the feed.
    private func judgeStream(of name: String, _ log: EventLog) {
        let (told, items) = (log.told, known.items[name] ?? [:])
        let wanted = items.filter { !$0.value.isExcusedInStream && !$0.value.isUncertain }.keys
        let missing = Set(wanted).subtracting(told)
        count(
            lost: missing.count,
            doubled: told.count - Set(told).count,
            "stream of \(name): \(missing.sorted())"
        )
        let positions = log.events.filter { $0.name != "badge" }.compactMap { Int64($0.id) }
        #expect(zip(positions, positions.dropFirst()).allSatisfy(<), "\(context): events of \(name) in order")
        #expect(!log.events.contains { $0.name == "gap" }, "\(context): a gap for \(name)")
    }

    /// Each end took each notification, and no other; what it told of stands under one id only.
    private func judgeEnds(of name: String) {
        for endName in ends[name] ?? [] {
            guard let end = receivers.end(endName) else {
                #expect(known.items[name]?.isEmpty != false, "\(context): nothing came to \(endName)")
                continue
            }
            let items = known.items[name] ?? [:]
            let wanted = items.filter { !$0.value.isUncertain && !$0.value.excusedEnds.contains(endName) }.keys
            let missing = Set(wanted).subtracting(end.taken.keys)
            count(
                lost: missing.count,
                doubled: Set(end.taken.keys).subtracting(items.keys).count,
                "\(endName): \(missing.sorted())"
            )
            for story in everStories {
                let ids = end.nearby.count { end.contents[$0]?.contains(story) == true }
                let most = oracle.bounds(of: story, for: name).upperBound
                count(doubled: max(0, ids - most), "\(endName): \(story) under \(ids) ids")
            }
        }
    }
}
