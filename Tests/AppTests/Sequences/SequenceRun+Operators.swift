import App
import Library
import Formats
import HTTPTypes
import Stories
import TestSupport
import Testing

// What operators and their backend do, and what takes a person's account away.
extension SequenceRun {
    /// The operator loads another list of sensitive areas, or none.
    func changeAreas() async throws {
        // Of a story without a place nothing is held.
        func floors() -> [String: Int] { oracle.items.compactMapValues { $0.place.map(oracle.floor) } }
        let before = floors()
        oracle.areas = (0..<number(4))
            .map { _ in
                SequenceArea.random(
                    around: SequenceRun.spots[number(SequenceRun.spots.count)],
                    coarseness: any([1, 10, 100, SequenceOracle.Coarseness.hidden]) ?? 1,
                    using: &generator
                )
            }
        let changed = floors().count { $0.value != before[$0.key] }
        let areas = try oracle.areas.map { try $0.forProduct }
        let told = try await fixture.library.moderation.areas.replace(areas)
        #expect(told == changed, context("operator"))
    }

    func report() async throws {
        guard let user = any(SequenceRun.users),
            let (id, _) = any(oracle.visible(to: user).filter { $0.item.owner != user })
        else { return }
        let known = oracle.reports.first { $0.value.story == id && $0.value.reporter == user }?.key
        let reply = try await send(.post, "/v1/stories/\(id)/report", as: user, "{\"reason\":\"spam\"}")
        let tracking = try #require(reply["tracking_id"]?.string)
        #expect(known == nil || known == tracking)
        if known == nil { oracle.reports[tracking] = SequenceOracle.Report(story: id, reporter: user) }
    }

    func decide() async throws {
        // Tracking ids hang on the installation's secrets; by what they are of, a sequence is the same every time.
        let reports = oracle.reports.sorted {
            ($0.value.story, $0.value.reporter ?? "") < ($1.value.story, $1.value.reporter ?? "")
        }
        guard let tracking = any(reports.map(\.key)),
            let status = any(["reviewed", "actioned", "actioned", "dismissed"])
        else { return }
        let body = "{\"status\":\"\(status)\"}"
        _ = try await send(.patch, "/v1/service/reports/\(tracking)", as: nil, body, headers: service)
        oracle.reports[tracking]?.status = status
    }

    func setAutoPrivate() async throws {
        let isOn = number(2) == 0
        if number(3) == 0, let user = any(SequenceRun.users) {
            try await setAutoPrivate(isOn, "\"user\":\"\(user)\"")
            for (id, item) in oracle.items where item.owner == user { oracle.items[id]?.isAutoPrivate = isOn }
            // What they get from now on too.
            if isOn { oracle.flagged.insert(user) } else { oracle.flagged.remove(user) }
        } else {
            let ids = (0..<3).compactMap { _ in anyStory()?.id }
            try await setAutoPrivate(isOn, "\"stories\":[\(ids.map { "\"\($0)\"" }.joined(separator: ","))]")
            for id in ids { oracle.items[id]?.isAutoPrivate = isOn }
        }
    }

    private func setAutoPrivate(_ isOn: Bool, _ what: String) async throws {
        let body = "{\"auto_private\":\(isOn),\(what)}"
        _ = try await send(.put, "/v1/service/auto-private", as: nil, body, headers: service)
    }

    func restore() async throws {
        guard let id = any(oracle.retained.keys.sorted()) else { return }
        #expect(try await fixture.library.rights.retention.restore(try #require(StoryID(id))))
        oracle.restore(id)
        if let owner = oracle.items[id]?.owner, oracle.flagged.contains(owner) {
            oracle.items[id]?.isAutoPrivate = true
        }
    }

    /// The retention of everything deleted ends.
    func purge() async throws {
        #expect(try await fixture.library.rights.retention.purge(olderThanDays: 0) == oracle.retained.count)
        for id in oracle.retained.keys.sorted().prefix(2) {
            #expect(try await fixture.library.rights.retention.restore(try #require(StoryID(id))) == false)
        }
        oracle.retained = [:]
    }

    /// Somebody erases their account, and somebody of that name comes.
    func erase() async throws {
        guard let user = any(SequenceRun.users) else { return }
        _ = try await send(.delete, "/v1/me", as: user)
        let own = oracle.items.filter { $0.value.owner == user }.keys
        for other in SequenceRun.users { told[other]?.subtract(own) }
        oracle.erase(user)
        oracle.flagged.remove(user)
        watching.remove(user)
        (replicas[user], cursors[user], told[user], everTold[user]) = (nil, nil, nil, nil)
        fixture.clock.advance(seconds: 3)
        let body = "{\"name\":\"\(user)\"}"
        #expect(try await client.send(.patch, "/v1/me", as: user, body).status == 200)
    }
}
