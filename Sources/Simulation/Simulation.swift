import Foundation
import Geometry
import HTTPTypes
import Library
import Storage
import Stories
import Synchronization

/// A service on a machine on which everything goes wrong that a seed says, held to a small model of what must be.
///
/// It is the whole service but sockets and timers, on real SQLite files. One generator decides who does what, in which
/// order their requests reach the database, what of them shares a commit, when the disk fails and how, what a power cut
/// leaves, and when the clock is set. Everything runs in turns, so that the same seed gives the same ``Outcome/digest``.
package final class Simulation {
    /// A way to weaken the service, which the model has to notice; for tests of the simulation.
    package enum Weakness: String, CaseIterable, Sendable {
        /// Writes are acknowledged before they are on the disk.
        case unsyncedCommits
        /// A request that is sent again has another key.
        case forgottenKeys
        /// Everybody reads as the owner of the stories.
        case openDoors
    }

    /// How a simulation is run.
    package struct Options: Sendable {
        /// The number of rounds in which something may go wrong.
        package var rounds = 60
        /// The commit after which it stops, to look at the files; `nil` runs to the end.
        package var lastCommit: Int?
        /// A weakness, for a control.
        package var weakness: Weakness?
        /// Whether the files are left.
        package var keepsFiles = false

        /// Creates the options of an ordinary run.
        package init() {}
    }

    /// What came of it.
    package struct Outcome: Sendable {
        /// What must not be; `nil` if all was well.
        package var problem: String?
        /// The number of commits until then.
        package var commits = 0
        /// How often the service was started again, and how often a machine lost its power.
        package var restarts = 0
        package var powerCuts = 0
        /// How many requests were acknowledged, and how many notifications there were.
        package var acknowledged = 0
        package var notifications = 0
        /// How many places were not announced because the service called the positions there late.
        package var late = 0
        /// What happened, a line an event.
        package var trace: [String] = []
        /// The folder of the files, if they are left.
        package var folder: String?

        /// A digest of the trace.
        package var digest: UInt64 {
            trace.reduce(14_695_981_039_346_656_037) { hash, line in
                (Array(line.utf8) + [10]).reduce(hash) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
            }
        }
    }

    let options: Options
    let template: Template
    var generator: SplitMix64
    let time: ManualTime
    let receiver: Receiver
    let machine: Machine
    var outcome = Outcome()
    var facts = Facts()
    var writers = Cast.writers.map(Writer.init)
    var drivers = Cast.drivers.map(Driver.init)
    var ids: [String: String]
    var clockChanges = 0

    /// Prepares a simulation of a seed.
    ///
    /// - Throws: ``SimulationFault`` if there is no place for its files.
    package init(seed: UInt64, template: Template, options: Options = Options()) throws {
        (self.template, self.options) = (template, options)
        generator = SplitMix64(seed: SplitMix64.mix(seed &+ 0x5EED))
        time = ManualTime(template.time, boot: 1)
        receiver = Receiver(SplitMix64(seed: generator.next()))
        ids = template.stories
        machine = try Machine(
            template: template,
            time: time,
            receiver: receiver,
            generator: SplitMix64(seed: generator.next()),
            options: options
        )
        for driver in Cast.drivers {
            facts.acknowledge("settings \(driver)", as: "full 100")
            for number in 0..<Cast.landmarks {
                let fact = "story ana \(Cast.landmark(number, on: driver))"
                facts.acknowledge(fact, as: "v0 \(Cast.privacy(ofLandmark: number))")
            }
        }
    }

    /// What ends a simulation before its time.
    enum End: Error {
        /// Something is not as it must be.
        case problem(String)
        /// The last commit has been reached.
        case reached
    }

    /// Runs it on this thread, which it holds until the end.
    ///
    /// - Throws: ``SimulationFault`` if the simulation itself cannot go on.
    package func run() throws -> Outcome {
        do {
            try restart(after: nil)
            for _ in 0..<options.rounds { try round() }
            try finish()
        } catch End.problem(let problem) {
            outcome.problem = problem
            note("PROBLEM: \(problem)")
        } catch let fault as SimulationFault {
            outcome.problem = "stuck: \(fault)"
        } catch End.reached {
            note("stopped after commit \(machine.commits)")
        }
        outcome.commits = machine.commits
        outcome.folder = machine.end(keepsFiles: options.keepsFiles)
        return outcome
    }

    func note(_ line: String) { outcome.trace.append("\(machine.commits) \(line)") }

    func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    // MARK: Rounds

    private func round() throws {
        try pass(seconds: 1 + number(4))
        if clockChanges < 2, number(40) == 0 { setClock("while running") }
        if machine.disk.hasStruck, number(5) == 0 { machine.disk.plan(Blow(after: machine.commits, using: &generator)) }
        try act()
        if number(2) == 0 { try deliver() }
        try look()
        if number(30) == 0 { try restart(after: .kill, isOrderly: number(2) == 0) }
        if number(6) == 0 { try check() }
    }

    func pass(seconds: Int) throws {
        let minute = time.truth.milliseconds / 60_000
        for _ in 0..<seconds {
            time.advance(seconds: 1)
            for index in drivers.indices { drivers[index].drive(at: time.device) }
        }
        let (library, isNoted) = (machine.service?.library, time.truth.milliseconds / 60_000 > minute)
        try turn { _ = try? await library?.time.keepTime(notes: isNoted) }
    }

    func setClock(_ moment: String) {
        clockChanges += 1
        let (seconds, isRight) = (number(2) == 0 ? 86_400 : -3_600, number(2) == 0)
        time.setWall(by: seconds, isRight: isRight)
        note("the clock is set by \(seconds) s, \(isRight ? "rightly" : "wrongly"), \(moment)")
    }

    /// Some people do something at the same time; if it is quiet, only what they have begun.
    func act(isQuiet: Bool = false) throws {
        guard let service = machine.service else { return }
        var deeds: [(Deed, Turn<SimulatedReply>)] = []
        for index in writers.indices where isQuiet ? writers[index].wish != nil : number(2) == 0 {
            let wish = writers[index].nextWish(facts, ids: ids, using: &generator)
            facts.ask(wish.fact, for: wish.value)
            var request = wish.request
            if options.weakness == .forgottenKeys, wish.attempts > 0 { request.key = "again \(wish.attempts)" }
            writers[index].noteAttempt()
            deeds.append((.wish(index, wish), Turn { [request] in await service.send(request) }))
            // The same from a second connection, by an app that lost patience.
            if request.key != nil, number(4) == 0 {
                deeds.append((.wish(index, wish), Turn { [request] in await service.send(request) }))
            }
        }
        for index in drivers.indices where !drivers[index].waiting.isEmpty && (isQuiet || number(3) > 0) {
            let report = drivers[index].report
            deeds.append((.report(index), Turn { await service.send(report) }))
        }
        if isQuiet || number(3) == 0 {
            let fences = service.library.fences
            deeds.append(
                (
                    .timers,
                    Turn {
                        do { return SimulatedReply(status: try await fences.fireTimers() >= 0 ? 200 : 500) } catch {
                            return SimulatedReply(status: 503)
                        }
                    }
                )
            )
        }
        deeds.shuffle(using: &generator)
        try machine.perform(deeds.map(\.1))
        let isCut = machine.disk.crash != nil
        for (deed, turn) in deeds {
            heard(isCut ? SimulatedReply(status: 0) : turn.value ?? SimulatedReply(status: 0), of: deed)
        }
    }

    /// What somebody did.
    private enum Deed {
        case wish(Int, Wish)
        case report(Int)
        case timers
    }

    private func heard(_ reply: SimulatedReply, of deed: Deed) {
        switch deed {
        case .timers: note("timers: \(reply.status)")
        case .report(let index):
            let counts = Driver.counts(of: reply)
            note("\(drivers[index].name) reports \(drivers[index].waiting.count): \(reply.status)\(counts)")
            drivers[index].note(reply)
            if reply.isSuccess { outcome.acknowledged += 1 }
        case .wish(let index, let wish):
            let (request, text) = (wish.request, String(decoding: reply.body, as: UTF8.self))
            note("\(writers[index].name) \(request.method.rawValue) \(wish.fact) = \(wish.value): \(reply.status)")
            guard writers[index].wish?.fact == wish.fact else { return }
            let isRepetition = wish.attempts > 0
            let wasDone =
                reply.isSuccess || reply.status == 409 && text.contains("already-done")
                || request.method == .delete && isRepetition && [404, 410].contains(reply.status)
            if wasDone {
                facts.acknowledge(wish.fact, as: wish.value)
                writers[index].forget()
                outcome.acknowledged += 1
            } else if reply.status == 507, wish.attempts == 0 {
                facts.refuse(wish.fact)
            } else if (400..<500).contains(reply.status), reply.status != 409, reply.status != 429 {
                outcome.problem = outcome.problem ?? "refused: \(wish.fact) = \(wish.value): \(reply.status) \(text)"
            }
        }
    }

    /// Sends what waits for a webhook.
    func deliver() throws {
        guard let service = machine.service else { return }
        let turn = Turn { () -> SimulatedReply in
            do { return SimulatedReply(status: try await service.deliverSome() ? 200 : 204) } catch {
                return SimulatedReply(status: 503)
            }
        }
        try machine.perform([turn])
        let isKnown = machine.disk.crash == nil && service.store.writingProblem == nil
        // What could not be stored is stored later, unless this life ends before.
        if !isKnown || service.library.delivery.state.unstored.isEmpty { receiver.settle(isKnown: isKnown) }
        note("deliveries: \(isKnown ? turn.value?.status ?? 0 : 0)")
    }

    /// Runs something alone, whatever becomes of it.
    func turn(_ work: @escaping @Sendable () async -> Void) throws { try machine.perform([Turn(work)]) }

    /// Looks whether the service can go on; starts it again if not.
    private func look() throws {
        for line in machine.disk.takeNotes() { note(line) }
        if let problem = outcome.problem { throw End.problem(problem) }
        if let crash = machine.disk.crash { return try restart(after: crash) }
        guard machine.service?.store.writingProblem != nil else {
            try learnIDs()
            return
        }
        note("writing has stopped")
        try restart(after: number(2) == 0 ? .kill : .powerCut)
    }

    private func learnIDs() throws {
        guard let service = machine.service else { return }
        let turn = Turn { try? await service.storyIDs() }
        try machine.perform([turn])
        if let known = turn.value ?? nil { ids.merge(known) { $1 } }
    }
}
