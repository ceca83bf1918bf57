import Formats
import Foundation
import Geometry
import Library
import Stories

extension Simulation {
    /// Starts the service again on what is left on the disk, and holds that to what must be; `nil` is the first start.
    func restart(after effect: Blow.Effect?, isOrderly: Bool = false) throws {
        var effect = effect
        var reason = ""
        for attempt in 0..<6 {
            if let effect { try end(by: effect, isOrderly: isOrderly && attempt == 0) }
            // The first tries may fail as well: a start moves the log into the database.
            let mayFail = attempt < 3 && effect != nil && number(3) == 0
            if mayFail { machine.disk.plan(Blow(at: machine.commits, using: &generator)) }
            let problem = try machine.start()
            for line in machine.disk.takeNotes() { note(line) }
            if let crash = machine.disk.crash {
                effect = crash
                continue
            }
            guard let problem else {
                try begin(isFirst: effect == nil)
                return
            }
            guard mayFail, machine.disk.hasStruck else { throw End.problem("not started: \(problem)") }
            note("the start failed")
            reason = problem
            machine.disk.plan(nil)
            effect = number(2) == 0 ? .kill : .powerCut
        }
        throw End.problem("not started after several tries: \(reason)")
    }

    private func end(by effect: Blow.Effect, isOrderly: Bool) throws {
        if options.lastCommit.map({ machine.commits >= $0 }) == true, machine.disk.crash != nil { throw End.reached }
        let unstored = machine.service?.library.delivery.state.unstored
        defer { receiver.settle(isKnown: unstored?.isEmpty ?? true) }
        do {
            try machine.endLife(by: effect, isOrderly: isOrderly)
        } catch let fault as SimulationFault {
            throw fault
        } catch {
            // An orderly end may meet the disk's failure too.
            guard machine.disk.crash != nil || machine.disk.hasStruck else { throw End.problem("not closed: \(error)") }
            note("the end failed")
            try machine.endLife(by: effect, isOrderly: false)
        }
        outcome.restarts += 1
        if effect == .powerCut {
            outcome.powerCuts += 1
            time.reboot()
        }
        note(isOrderly ? "ends" : "\(effect)")
        time.advance(seconds: 1 + number(20))
        if clockChanges < 2, number(12) == 0 { setClock("before the start") }
    }

    /// Compares what a start found with what must be there; from then on it is certain.
    private func begin(isFirst: Bool) throws {
        guard let service = machine.service else { return }
        if !isFirst { machine.disk.plan(nil) }
        let turn = Turn { () -> Result<[String: String], any Error> in
            do { return .success(try await service.facts()) } catch { return .failure(error) }
        }
        let found: [String: String]
        switch try turn.end() {
        case .success(let facts): found = facts
        case .failure(let error): throw End.problem("unreadable after a start: \(error)")
        }
        if let problem = facts.problems(in: found).first { throw End.problem("after a start: \(problem)") }
        facts.adopt(found)
        try machine.holdWriter()
        note("started")
        try checkFeeds()
    }
}

extension Blow {
    /// Draws a blow that comes while a service starts on a database with so many commits.
    init(at commits: Int, using generator: inout SplitMix64) {
        commit = Int.random(in: 0..<3, using: &generator) == 0 ? commits + 1 : commits
        moment =
            commit > commits
            ? .write(Int.random(in: 0...3, using: &generator)) : .move(Int.random(in: 0...20, using: &generator))
        let effects: [Effect] = [.kill, .powerCut, .failure(times: 1)]
        effect = effects[Int.random(in: 0..<effects.count, using: &generator)]
    }
}
