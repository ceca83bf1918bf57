import Formats
import Foundation
import HTTPTypes
import Storage

extension Simulation {
    /// Holds what is stored, and what everybody sees, to the model.
    func check() throws {
        guard let service = machine.service, machine.disk.crash == nil else { return }
        let turn = Turn { () -> Result<[String: String], any Error> in
            do { return .success(try await service.facts()) } catch { return .failure(error) }
        }
        try machine.perform([turn])
        guard machine.disk.crash == nil else { return }
        switch turn.value {
        case .success(let found):
            if let problem = facts.problems(in: found).first { throw End.problem(problem) }
        case .failure(let error): throw End.problem("unreadable: \(error)")
        case nil: return
        }
        for viewer in Cast.everybody.map(Optional.some) + [nil] { try checkList(of: viewer) }
        try checkFeeds()
        note("checked")
    }

    /// Sends a request and returns the answer; `nil` if the machine goes down meanwhile.
    private func ask(_ request: SimulatedRequest) throws -> JSONValue? {
        guard let service = machine.service else { return nil }
        let turn = Turn { await service.send(request) }
        try machine.perform([turn])
        guard machine.disk.crash == nil, service.store.writingProblem == nil, let reply = turn.value else { return nil }
        // A list that shows exact points is noted in the log of accesses first, for which a disk may have no room.
        if reply.status == 507 { return nil }
        guard reply.isSuccess else {
            throw End.problem("\(request.path) of \(request.user ?? "nobody") was answered \(reply.status)")
        }
        return try? JSONValue(parsing: reply.body, limits: .init(bytes: .max))
    }

    /// The stories that somebody sees are those that they may see, with the words of the version that is stored.
    private func checkList(of viewer: String?) throws {
        let reader = options.weakness == .openDoors ? "ana" : viewer
        guard let list = try ask(SimulatedRequest(path: "/v1/stories?limit=1000", user: reader)) else { return }
        let titles = (list["features"]?.array ?? []).compactMap { $0["properties"]?["title"]?.string }
        let seen = Set(titles)
        guard seen.count == titles.count else { throw End.problem("doubled: a list shows a story twice") }
        var unsure: Set<String> = []
        var expected: Set<String> = []
        for fact in Set(facts.present).union(facts.unsettled) where fact.hasPrefix("story ") {
            let words = fact.split(separator: " ").map(String.init)
            let value = facts[fact].split(separator: " ").map(String.init)
            if !facts.isSettled(fact) { unsure.insert(words[2]) }
            guard value.count == 2, Cast.sees(viewer, value[1], of: words[1]) else { continue }
            expected.insert("\(words[2]) \(value[0])")
        }
        let wrong = seen.symmetricDifference(expected).filter { !unsure.contains(StoryText.name(in: $0)) }.sorted()
        guard let title = wrong.first else { return }
        let what = seen.contains(title) ? "private: \(viewer ?? "nobody") sees" : "lost: \(viewer ?? "nobody") misses"
        throw End.problem("\(what) \(title)")
    }

    /// Everybody's feed has each notification that was answered, each story once, and none that they may not see.
    func checkFeeds() throws {
        for driver in drivers {
            let request = SimulatedRequest(path: "/v1/notifications?limit=100", user: driver.name)
            guard let page = try ask(request) else { return }
            let items = page["notifications"]?.array ?? []
            let missing = driver.acknowledged.subtracting(items.compactMap { $0["id"]?.string })
            if let id = missing.min() { throw End.problem("lost: \(driver.name) was answered the notification \(id)") }
            let told = Simulation.announced(items)
            let names = told.map(name(ofStory:))
            guard Set(names).count == names.count else {
                throw End.problem("doubled: \(driver.name) was notified twice")
            }
            if let name = names.sorted().first(where: { !Cast.owed(to: driver.name).contains($0) }) {
                throw End.problem("private: \(driver.name) was notified of \(name)")
            }
        }
    }

    /// The stories that notifications of places announce.
    private static func announced(_ items: [JSONValue]) -> [String] {
        items.filter { $0["type"]?.string == "story.nearby" }
            .flatMap { ($0["content_ids"]?.array ?? []).compactMap(\.string) }
    }

    private func name(ofStory id: String) -> String { template.stories.first { $0.value == id }?.key ?? id }

    /// Lets everything come to its end without further faults, and holds that to the model.
    func finish() throws {
        machine.disk.plan(nil)
        receiver.recover()
        var seconds = 0
        while !drivers.allSatisfy(\.hasArrived) || seconds < 120 {
            guard seconds < 1_200 else { throw End.problem("lost: positions are not accepted") }
            try pass(seconds: 8)
            seconds += 8
            try settleWishes()
            try deliver()
            if machine.disk.crash != nil { throw End.reached }
        }
        // Whatever was put off is due by then.
        for _ in 0..<20 {
            try pass(seconds: 600)
            try deliver()
            if machine.disk.crash != nil { throw End.reached }
        }
        try check()
        try checkArrivals()
    }

    /// Sends everything again that was not answered.
    private func settleWishes() throws {
        try act(isQuiet: true)
        if let problem = outcome.problem { throw End.problem(problem) }
    }

    private func checkArrivals() throws {
        for driver in drivers {
            guard let page = try ask(SimulatedRequest(path: "/v1/notifications?limit=100", user: driver.name)) else {
                return
            }
            let told = Simulation.announced(page["notifications"]?.array ?? [])
            outcome.notifications += told.count
            let untold = Cast.owed(to: driver.name).subtracting(told.map(name(ofStory:)))
            outcome.late += untold.intersection(driver.excused).count
            if let missing = untold.subtracting(driver.excused).min() {
                throw End.problem("lost: \(driver.name) was not notified of \(missing)")
            }
        }
        if let problem = receiver.problems().first { throw End.problem(problem) }
        let arrived = Set(receiver.stories.map(name(ofStory:)))
        let excused = drivers.first { $0.name == "dan" }?.excused ?? []
        if let missing = Cast.owed(to: "dan").subtracting(arrived).subtracting(excused).min() {
            throw End.problem("lost: no message about \(missing) arrived")
        }
        if let name = arrived.sorted().first(where: { !Cast.owed(to: "dan").contains($0) }) {
            throw End.problem("private: a message about \(name) arrived")
        }
    }
}
