import App
import Library
import Formats
import HTTPTypes
import Geometry
import HummingbirdTesting
import MapDrawing
import Stories
import TestSupport

/// Sends the same requests of one viewer to three twin worlds and compares every byte of the answers.
struct TwinRun: Sendable {
    let viewer: TwinViewer
    let round: Int
    let seed: UInt64
    var storyCount = 240
    /// Spoils the twins on purpose, to see that it is noticed.
    var spoil: (@Sendable (TwinWorld) async throws -> Void)?

    /// What was asked and how it was answered.
    struct Tally: Sendable {
        var requests = 0
        /// How often each status was answered, by operation.
        var statuses: [String: [Int: Int]] = [:]
        var operations: Set<String> = []

        /// Joins two tallies.
        static func + (a: Tally, b: Tally) -> Tally {
            Tally(
                requests: a.requests + b.requests,
                statuses: a.statuses.merging(b.statuses) { $0.merging($1, uniquingKeysWith: +) },
                operations: a.operations.union(b.operations)
            )
        }
    }

    /// Sends so many requests.
    ///
    /// - Throws: ``TwinFault`` at the first answer that differs, with all that is needed to see it again.
    func send(_ count: Int) async throws -> Tally {
        let user = viewer.user(round: round)
        let now = TwinWorld.start
        let eyes = TwinCast.viewer(user)
        var worlds: [TwinWorld] = []
        for variant in TwinPopulation.Variant.allCases {
            let population = try TwinPopulation(variant, viewer: eyes, seed: seed, count: storyCount, now: now)
            worlds.append(try await TwinWorld(population, seed: seed))
        }
        if let spoil { try await spoil(worlds[1]) }
        let all = worlds
        return try await all[0]
            .run { [self] first in
                try await all[1]
                    .run { second in
                        try await all[2]
                            .run { third in
                                var session = try await TwinSession(
                                    run: self,
                                    worlds: all,
                                    clients: [first, second, third]
                                )
                                return try await session.send(count)
                            }
                    }
            }
    }
}

/// One run while it goes on.
struct TwinSession {
    private let run: TwinRun
    private let worlds: [TwinWorld]
    private let clients: [any TestClientProtocol]
    private var requests: TwinRequests
    private var draw: TwinDraw
    private var tally = TwinRun.Tally()
    private var actors: TwinActors

    init(run: TwinRun, worlds: [TwinWorld], clients: [any TestClientProtocol]) async throws {
        self.run = run
        self.worlds = worlds
        self.clients = clients
        draw = TwinDraw(seed: run.seed ^ 0xC10C)
        let user = run.viewer.user(round: run.round)
        // Twins share their signing keys: one token is good in all of them.
        var token: String?
        if let user { token = try await worlds[0].token(of: user) }
        if run.viewer == .holder { token = try await TwinSharing.secret(in: worlds, clients) }
        let reply = try await TwinReply(
            TwinRequest(method: .get, path: "/openapi.json", operation: "GET /openapi.json"),
            by: clients[0]
        )
        let document = try JSONValue(parsing: reply.bytes, limits: .init(bytes: .max))
        requests = try TwinRequests(
            document: document,
            whole: worlds[0].population,
            token: token,
            seed: run.seed,
            now: worlds[0].clock.now,
            isHolder: run.viewer == .holder
        )
        tally.operations = Set(requests.operationNames)
        actors = try await TwinActors(document: document, worlds: worlds, clients: clients, seed: run.seed)
    }

    mutating func send(_ count: Int) async throws -> TwinRun.Tally {
        // A history that the viewer knows nothing of.
        for _ in 0..<min(60, count / 4) { try await actors.actUnseen(telling: &requests) }
        for _ in 0..<count {
            try await step()
            try await compare(try requests.next())
        }
        try await comparePictures()
        return tally
    }

    /// Draws the map of each world as `waymark render --as` does: the same bytes.
    private func comparePictures() async throws {
        let user = run.viewer.user(round: run.round).flatMap { UserID($0) }
        for (longitude, latitude, zoom) in [(0.0, 0.0, 1.0), (-84.39, 33.75, 5), (-84.39, 33.75, 10)] {
            let center = Coordinate(wrappingLatitude: latitude, longitude: longitude)
            let view = try MapView(center: center, zoom: zoom, width: 800, height: 600)
            var pictures: [[UInt8]] = []
            for world in worlds {
                var viewer = Viewer.anonymous
                if let user, let known = try await world.library.viewer(of: user) { viewer = known }
                let maps = MapPictures(maps: world.library.maps, tiles: { [] })
                let picture = try await maps.picture(of: view, search: StorySearch(), viewer: viewer, look: .light)
                pictures.append(picture.svg)
            }
            guard pictures.allSatisfy({ $0 == pictures[0] }) else {
                throw TwinFault("\(run.viewer) tells twins apart by their picture at zoom \(zoom), seed \(run.seed)")
            }
        }
    }

    /// Lets time pass and others do things.
    private mutating func step() async throws {
        let seconds = draw.chance(0.3) ? 90_000 : draw.chance(1) ? 3_600 : draw.pick([0, 0.001, 0.5, 5, 30])
        for world in worlds { world.clock.advance(seconds: seconds) }
        let now = worlds[0].clock.now
        requests.setTime(now)
        actors.setTime(now)
        if draw.chance(4) { for world in worlds { _ = try await world.library.fences.fireTimers() } }
        if draw.chance(15) { try await actors.actUnseen(telling: &requests) }
        if draw.chance(4) { try await actors.actSeen() }
    }

    private mutating func compare(_ request: TwinRequest) async throws {
        var replies: [TwinReply] = []
        for client in clients { replies.append(try await TwinReply(request, by: client)) }
        tally.requests += 1
        tally.statuses[request.operation, default: [:]][replies[0].status, default: 0] += 1
        for (world, reply) in zip(worlds, replies).dropFirst() where reply != replies[0] {
            throw TwinFault(
                """
                \(run.viewer) tells a world from its twin without what they may not see (\(world.population.variant)), \
                after \(tally.requests) requests of round \(run.round), seed \(run.seed):
                \(request.method.rawValue) \(request.path) \(request.headers.filter { $0.name != .authorization })
                \(request.body ?? "")
                \(replies[0].difference(from: reply))
                """
            )
        }
        if replies[0].status == 500 {
            throw TwinFault(
                "\(request.method.rawValue) \(request.path) failed (seed \(run.seed), round \(run.round)): \(request.body ?? "")"
            )
        }
        requests.learn(request, replies[0])
        try await signInAgain(after: request, replies[0])
    }

    /// Gets a new token where the old one ended: who signed out everywhere, or had their account deleted, comes back.
    private mutating func signInAgain(after request: TwinRequest, _ reply: TwinReply) async throws {
        guard request.method == .delete, request.path == "/v1/me/sessions" || request.path == "/v1/me",
            (200..<300).contains(reply.status), let user = run.viewer.user(round: run.round)
        else { return }
        // Tokens count whole seconds.
        for world in worlds { world.clock.advance(seconds: 2) }
        requests.token = try await worlds[0].token(of: user)
    }
}
