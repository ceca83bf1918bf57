import Library
import App
import Foundation
import Geometry
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Storage
import Stories
import TestSupport

/// One of the twins: a service on a database of its own, with a clock and a generator that keep step with its twins'.
struct TwinWorld: Sendable {
    let population: TwinPopulation
    let folder: TemporaryFolder
    let clock: ManualClock
    let random: TwinRandom
    let library: StoryLibrary
    let accounts: Accounts
    let service: WaymarkService

    /// The instant at which every world starts.
    static let start = ManualClock().now

    /// Opens a world on a copy of the template and fills it.
    init(_ population: TwinPopulation, seed: UInt64) async throws {
        self.population = population
        folder = try EmptyDatabase.copy()
        clock = ManualClock()
        random = TwinRandom(seed: seed, apart: SplitSeed.of(seed, population.variant.rawValue))
        let store = try StoryStore(path: folder.path("waymark.db"), mode: .readWrite, logger: EmptyDatabase.logger)
        // Before anything is written: stamps of the machine's own clock would lie after those of a world that begins earlier.
        store.useClock { [clock] in clock.now }
        let now = clock.now
        try await store.write { try population.store(in: $0, at: now) }
        library = try await StoryLibrary(
            store: store,
            gazetteer: try TwinGazetteer.index.get(),
            now: { [clock] in clock.now },
            random: random.source
        )
        accounts = await Accounts(store: store, now: { [clock] in clock.now }, random: random.source)
        service = WaymarkService(
            library: library,
            accounts: accounts,
            folders: DataFolders(),
            logger: EmptyDatabase.logger
        )
        service.basemaps.add(try SmallBasemap.land())
    }

    /// Runs `body` with the running service: its routes without the timers, which would beat in real time.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        try await RoutesAlone(application: service.buildApplication(), logger: EmptyDatabase.logger)
            .test(.router) { try await body($0) }
    }

    /// The id of the viewer; `nil` for the anonymous.
    var viewerName: String? { population.viewer.user?.rawValue }

    /// A token of a user that outlives every run.
    func token(of user: String) async throws -> String {
        guard let id = UserID(user) else { throw TwinFault("\(user) is no id") }
        // One world issues for all: what it draws for that must not put it out of step.
        random.setApart(true)
        defer { random.setApart(false) }
        return try await accounts.issueToken(for: id, seconds: 10 * 365 * 86_400)
    }
}

/// Seeds for what differs between twins.
enum SplitSeed: Sendable {
    static func of(_ seed: UInt64, _ name: String) -> UInt64 {
        name.utf8.reduce(seed ^ 0x5EED) { SplitMix64.mix($0 ^ UInt64($1)) }
    }
}

/// A request as both twins get it.
struct TwinRequest: Sendable {
    var method: HTTPRequest.Method
    var path: String
    var headers: HTTPFields = [:]
    var body: String?
    /// The operation it is meant for, such as `GET /v1/stories/{id}`.
    var operation: String
}

/// What a twin answers.
struct TwinReply: Equatable, Sendable {
    let status: Int
    /// Every field in the order of its name, but the date.
    let headers: [String]
    let bytes: [UInt8]
    let fields: HTTPFields

    init(_ request: TwinRequest, by client: any TestClientProtocol) async throws {
        self = try await client.execute(
            uri: request.path,
            method: request.method,
            headers: request.headers,
            body: request.body.map { ByteBuffer(string: $0) }
        ) { response in
            TwinReply(
                status: response.status.code,
                headers: response.headers.filter { $0.name != .date }
                    .map { "\($0.name.canonicalName): \($0.value)" }.sorted(),
                bytes: Array(response.body.readableBytesView),
                fields: response.headers
            )
        }
    }

    private init(status: Int, headers: [String], bytes: [UInt8], fields: HTTPFields) {
        self.status = status
        self.headers = headers
        self.bytes = bytes
        self.fields = fields
    }

    /// What differs, for a person to read.
    func difference(from other: TwinReply) -> String {
        var text = "status \(status) and \(other.status)"
        let odd = Set(headers).symmetricDifference(other.headers).sorted()
        if !odd.isEmpty { text += "\nheaders: \(odd.joined(separator: " | "))" }
        let first =
            zip(bytes, other.bytes).enumerated().first { $1.0 != $1.1 }?.offset ?? min(bytes.count, other.bytes.count)
        guard bytes != other.bytes else { return text }
        // Packed bytes tell a reader nothing: both are kept to be unpacked.
        if fields[.contentType] == "application/zip" {
            let folder = FileManager.default.temporaryDirectory
            for (name, bytes) in [("whole", bytes), ("twin", other.bytes)] {
                try? Data(bytes).write(to: folder.appending(path: "waymark-twin-\(name).zip"))
            }
            return text + "\nbyte \(first); see waymark-twin-whole.zip and waymark-twin-twin.zip in \(folder.path)"
        }
        func part(_ bytes: [UInt8]) -> String {
            String(decoding: bytes.dropFirst(max(0, first - 120)).prefix(260), as: UTF8.self)
        }
        return text
            + "\nbyte \(first) of \(bytes.count) and \(other.bytes.count):\n  \(part(bytes))\n  \(part(other.bytes))"
    }
}
