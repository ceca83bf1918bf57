import Library
import App
import Formats
import Foundation
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// A small world in which everything goes wrong that can: devices that repeat themselves, workers that die, a service that
/// is closed in the middle, people who change their minds, ends that stall. It asks the service over HTTP and holds what
/// everybody was told to the oracle.
actor ModelWorld {
    /// What happened in how many worlds.
    struct Tally: Sendable {
        var worlds = 0
        var fixes = 0
        /// Changes, crashes, workers, connections: whatever is not a fix.
        var others = 0
        var attempts = 0
        var tellings = 0
        var notifications = 0
        var crashes = 0
        /// What there had to be and was not, and what there was twice.
        var lost = 0
        var doubled = 0
        /// How often somebody read the name of a circle.
        var named = 0
        /// What went out after it was withdrawn.
        var breaches = 0

        var events: Int { fixes + others }

        static func += (a: inout Tally, b: Tally) {
            a.worlds += b.worlds
            a.fixes += b.fixes
            a.others += b.others
            a.attempts += b.attempts
            a.tellings += b.tellings
            a.notifications += b.notifications
            a.crashes += b.crashes
            a.lost += b.lost
            a.doubled += b.doubled
            a.breaches += b.breaches
            a.named += b.named
        }
    }

    static let rounds = 14
    static let people = ["ben", "cora", "dan"]

    let seed: UInt64
    var generator: SplitMix64
    var fixture: ServiceFixture
    var oracle: TellingOracle
    let receivers: ModelReceivers
    var tally = Tally()
    /// What is known of what was told: by everybody who shows it.
    var known = ModelKnown()
    var followers: [String: ModelFollower] = [:]
    /// The ends of each person's webhooks.
    let ends = ["ben": ["ben-0", "ben-1"], "cora": ["cora-0"], "dan": ["dan-0", "dan-1"]]
    var service: HTTPFields = [:]
    /// The keys of what the backend told, and to whom.
    var messages: [String: Set<String>] = [:]
    private var round = 0
    private var step = 0
    private var walks: [ModelWalk] = []
    private var backlog: [(device: TellingOracle.Device, fixes: [String])] = []
    private var workers: [Task<Void, Never>] = []
    private var isSetUp = false
    var storiesMade = 0
    /// The named places, by their ids.
    var circles: [String: Circle] = [:]
    var circlesMade = 0
    /// All stories that there ever were.
    var everStories: Set<String> = []

    init(seed: Int) async throws {
        self.seed = UInt64(seed)
        generator = SplitMix64(seed: UInt64(seed) &* 0x9E37 &+ 11)
        fixture = try await ServiceFixture()
        receivers = ModelReceivers(seed: UInt64(seed))
        var sites = (0..<9).map { TellingOracle.Point(x: Double($0 % 3) * 2_500, y: Double($0 / 3) * 2_500) }
        // Next door to the first.
        sites.append(TellingOracle.Point(x: 90, y: 0))
        oracle = TellingOracle(
            sites: sites,
            people: [
                "ben": .init(radius: 150, isFamily: true), "cora": .init(radius: 200, isFamily: false),
                "dan": .init(radius: 100, isFamily: false),
            ]
        )
    }

    func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    func any<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &generator) }

    var context: Comment { "seed \(seed), round \(round), step \(step)" }

    /// Lives through all rounds, in as many lives of the service as it takes, and returns what happened.
    func run() async throws -> Tally {
        while true {
            try await fixture.run { client async throws in try await self.live(client) }
            if round == ModelWorld.rounds { break }
            fixture = try await ServiceFixture(of: fixture)
        }
        tally.worlds = 1
        tally.attempts = receivers.attempts
        return tally
    }

    /// One life of the service: until it is closed in the middle, or all is over.
    private func live(_ client: Client) async throws {
        fixture.library.delivery.open(receivers, writer: ChannelWriter(), address: { "https://stories.example" })
        if !isSetUp { try await setUp(client) }
        for name in followers.keys.sorted() { await reconnect(name) }
        while round < ModelWorld.rounds {
            if walks.isEmpty { try await setOut(client) }
            while step < ModelWalk.length + 8 {
                step += 1
                fixture.clock.advance(seconds: ModelWalk.pace)
                measure()
                if tally.crashes < 2, step < ModelWalk.length, number(120) == 0 {
                    return try await crash(client)
                }
                try await act(client)
                _ = try await fixture.library.fences.fireTimers()
                fixture.library.live.tick(at: fixture.clock.now)
            }
            try await arrive(client)
        }
        try await finish(client)
    }

    // MARK: Rounds

    private func setUp(_ client: Client) async throws {
        isSetUp = true
        try await fixture.makeFamilies()
        let request = Accounts.KeyRequest(holder: .service(Accounts.serviceScopes), name: "app", days: nil)
        service = KeyTests.bearer(try await client.accounts.makeKey(request).text)
        for name in ModelWorld.people {
            let radius = oracle.people[name]?.radius ?? 150
            let body = "{\"enabled\":true,\"radius\":\(radius)}"
            try await ask(client, .put, DeliveryTests.settings, as: name, body)
            for end in ends[name] ?? [] {
                let target = "{\"kind\":\"webhook\",\"target\":{\"url\":\"https://example.org/\(end)\"}}"
                try await ask(client, .post, "/v1/me/channels", as: name, target)
            }
            guard let user = UserID(name) else { continue }
            followers[name] = ModelFollower(user)
        }
        try await fixture.library.delivery.deliverDue()
        for follower in followers.values { try await follower.begin(in: fixture.library) }
        for _ in 0..<30 { try await makeStory(client) }
        // Chance alone draws too few that anybody reads; every site may lie in one from the start.
        for _ in 0..<3 { try await drawCircle(.everyone, client) }
    }

    /// Some devices set out, each on a walk of its own; what was measured offline comes now, too late.
    private func setOut(_ client: Client) async throws {
        fixture.clock.advance(seconds: Double.random(in: 700...2_400, using: &generator))
        for (device, fixes) in backlog { try await send(fixes, of: device, client) }
        backlog = []
        let devices = ModelWorld.people
            .flatMap { name in ["phone", "tablet"].map { TellingOracle.Device(person: name, name: $0) } }
            .shuffled(using: &generator).prefix(3 + number(3))
        step = 0
        walks = devices.map {
            let wasAway = oracle.isAway($0)
            return ModelWalk(of: $0, among: oracle.sites, wasAway: wasAway, using: &generator)
        }
        for index in walks.indices where !walks[index].isOffline {
            walks[index].number = oracle.begin(
                walks[index].device,
                path: walks[index].path,
                middle: walks[index].middle
            )
        }
    }

    private func arrive(_ client: Client) async throws {
        for walk in walks {
            if walk.isOffline {
                backlog.append((walk.device, walk.batches.flatMap { $0 } + walk.measured))
            } else {
                oracle.end(walk.number)
            }
        }
        (walks, round) = ([], round + 1)
        try await poll(client)
        if number(2) == 0 { await endWorkers() }
    }

    /// The devices measure where they are.
    private func measure() {
        guard step <= ModelWalk.length else { return }
        let time = RFC3339.format(fixture.clock.now)
        for index in walks.indices {
            let fix = walks[index].path[step - 1]
            let (latitude, longitude) = ModelWorld.degrees(fix.at)
            walks[index].measured
                .append(
                    "{\"t\":\"\(time)\",\"lat\":\(latitude),\"lon\":\(longitude),\"acc\":\(fix.accuracy)}"
                )
            guard !walks[index].isOffline else { continue }
            if walks[index].measured.count >= 4 || number(2) == 0 || step == ModelWalk.length { walks[index].pack() }
            walks[index].disturb(using: &generator)
        }
    }

    /// Where a point of the plane lies on earth.
    static func degrees(_ point: TellingOracle.Point) -> (latitude: Double, longitude: Double) {
        let metres = 111_195.0
        return (33.75 + point.y / metres, -84.37 + point.x / metres / cos(33.75 * Double.pi / 180))
    }

    /// One step: what is sent, and what happens besides.
    private func act(_ client: Client) async throws {
        if number(6) == 0 { for name in followers.keys.sorted() where number(3) == 0 { await reconnect(name) } }
        if number(4) == 0 { startWorker() }
        if number(150) == 0 { try await dieWithLease() }
        if number(12) == 0 { try await tell(client) }
        switch number(16) {
        case 0: try await change(client, beside: [])
        case 1: try await change(client, beside: takeBatches(), startingWorkers: true)
        case 2, 3: note(await post(takeBatches(), client))
        default: for batch in takeBatches() { note(await post([batch], client)) }
        }
    }

    private func reconnect(_ name: String) async {
        guard var follower = followers[name] else { return }
        await follower.connect(to: fixture.library, losingAfter: number(6_000), shut: number(6) == 0)
        followers[name] = follower
        tally.others += 1
    }

    // MARK: Fixes

    /// A batch on its way.
    struct Batch: Sendable {
        let device: TellingOracle.Device
        let fixes: [String]
        /// Which walk it belongs to.
        let walk: Int
    }

    private func takeBatches() -> [Batch] {
        walks.indices.filter { !walks[$0].isOffline }
            .flatMap { index in
                let batches = walks[index].batches.map { Batch(device: walks[index].device, fixes: $0, walk: index) }
                walks[index].batches = []
                return batches
            }
    }

    /// Sends batches at the same time; returns which were answered, with the notifications that were decided.
    nonisolated func post(_ batches: [Batch], _ client: Client) async -> [(batch: Batch, told: [String]?)] {
        await withTaskGroup(of: (Batch, [String]?).self) { group in
            for batch in batches {
                group.addTask {
                    let body = "{\"device\":\"\(batch.device.name)\",\"fixes\":[\(batch.fixes.joined(separator: ","))]}"
                    let reply = try? await client.send(.post, "/v1/fixes", as: batch.device.person, body)
                    guard let reply, reply.status == 200 else { return (batch, nil) }
                    return (batch, (reply.json["notifications"]?.array ?? []).compactMap(\.string))
                }
            }
            return await group.reduce(into: []) { $0.append((batch: $1.0, told: $1.1)) }
        }
    }

    /// Notes what was answered; what was not is sent again.
    func note(_ answers: [(batch: Batch, told: [String]?)], isExcused: Bool = false) {
        for (batch, told) in answers {
            tally.fixes += batch.fixes.count
            guard let told else {
                walks[batch.walk].batches.append(batch.fixes)
                continue
            }
            walks[batch.walk].sent.append(batch.fixes)
            known.note(told, to: batch.device.person, isExcused: isExcused)
        }
    }

    private func send(_ fixes: [String], of device: TellingOracle.Device, _ client: Client) async throws {
        let answers = await post([Batch(device: device, fixes: fixes, walk: 0)], client)
        #expect(answers.first?.told?.isEmpty == true, "\(context): what comes too late tells nobody anything")
        tally.fixes += fixes.count
    }

    // MARK: Workers and crashes

    /// Sends what is due; two workers at a time at most.
    func startWorker() {
        tally.others += 1
        if workers.count >= 6 { receivers.release() }
        let library = fixture.library
        workers.append(Task { _ = try? await library.delivery.deliverDue() })
    }

    func endWorkers() async {
        receivers.stallNoMore()
        for worker in workers { await worker.value }
        workers = []
        receivers.stallAgain()
    }

    /// A worker takes what is due and is not heard of again.
    private func dieWithLease() async throws {
        tally.others += 1
        let now = fixture.clock.now
        try await fixture.library.store.write { try DeliveryTests.Scene.takeAndForget(in: $0, at: now) }
    }

    /// Closes the store while fixes are evaluated and messages are on their way.
    private func crash(_ client: Client) async throws {
        tally.crashes += 1
        tally.others += 1
        let (batches, library) = (takeBatches(), fixture.library)
        startWorker()
        startWorker()
        async let answers = post(batches, client)
        async let timers = try? library.fences.fireTimers()
        for _ in 0..<number(60) { await Task.yield() }
        try library.store.close()
        note(await answers)
        _ = await timers
        for name in followers.keys.sorted() {
            guard var follower = followers[name] else { continue }
            await follower.drop()
            followers[name] = follower
        }
    }
}
