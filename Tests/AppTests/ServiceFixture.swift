import Library
import App
import Foundation
import Formats
import Gazetteer
import Geometry
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Storage
import Stories
import TestSupport
import Testing

/// A service on a store of its own, with a clock that stands still, and its client.
struct ServiceFixture: Sendable {
    let folder: TemporaryFolder
    let clock: ManualClock
    /// The clock that only runs, where the service has one.
    let running: ManualClock
    let library: StoryLibrary
    let accounts: Accounts
    let service: WaymarkService
    let logger: Logger

    /// On a new database, with the secrets that all of these share, or on that of another fixture whose store is closed by
    /// now.
    ///
    /// With `isSteady` the service has a clock that only runs, in the run of the machine that `boot` names.
    init(
        random: RandomSource = .system,
        logger given: Logger? = nil,
        in place: TemporaryFolder? = nil,
        of other: ServiceFixture? = nil,
        gazetteer: GazetteerIndex? = nil,
        retentionDays: Int = StoryLibrary.defaultRetentionDays,
        isSteady: Bool = false,
        boot: String = "first",
        acceptsOldCopy: Bool = false
    ) async throws {
        folder = try place ?? other?.folder ?? EmptyDatabase.copy()
        clock = other?.clock ?? ManualClock()
        running = other?.running ?? ManualClock(5_000_000)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        logger = given ?? logger
        self.logger = logger
        let store = try StoryStore(
            path: folder.path("waymark.db"),
            mode: .readWrite,
            acceptsOldCopy: acceptsOldCopy,
            logger: logger
        )
        var steady: (@Sendable () -> Int64)?
        if isSteady { steady = { [running] in running.now.milliseconds } }
        library = try await StoryLibrary(
            store: store,
            gazetteer: gazetteer,
            now: { [clock] in clock.now },
            running: steady,
            boot: boot,
            random: random,
            retentionDays: retentionDays
        )
        accounts = await Accounts(store: store, now: library.now)
        service = WaymarkService(library: library, accounts: accounts, folders: DataFolders(), logger: logger)
        service.basemaps.add(try SmallBasemap.land())
    }

    /// Runs `body` with a client of the running service.
    func run(
        accounts given: Accounts? = nil,
        options: WaymarkService.Options = .init(),
        _ body: @escaping @Sendable (Client) async throws -> Void
    ) async throws {
        let accounts = given ?? accounts
        let service = WaymarkService(
            library: library,
            accounts: accounts,
            folders: DataFolders(),
            logger: logger
        )
        service.basemaps.add(try SmallBasemap.land())
        let application = service.buildApplication(options: options)
        try await RoutesAlone(application: application, logger: logger)
            .test(.router) { try await body(Client(transport: $0, accounts: accounts)) }
    }

    /// Lets time go by on all clocks; a service with a clock that only runs looks at it each second, as it does by itself.
    func pass(seconds: Int) async throws {
        for second in 0..<seconds {
            clock.advance(seconds: 1)
            running.advance(seconds: 1)
            try await library.time.keepTime(notes: second % 60 == 59)
        }
    }

    /// Closes the store and keeps a copy of the database as it is now; its folder of keys is not in it.
    func closeAndCopy(to copy: TemporaryFolder) throws {
        try library.store.close()
        try FileManager.default.copyItem(atPath: folder.path("waymark.db"), toPath: copy.path("old.db"))
    }

    /// Closes the store and puts the copy in the place of the database.
    func closeAndPutBack(_ copy: TemporaryFolder) throws {
        try library.store.close()
        let path = folder.path("waymark.db")
        // The checksums are those of the database that goes.
        for ending in ["", "-wal", "-shm", ".sums"] { try? FileManager.default.removeItem(atPath: path + ending) }
        try FileManager.default.copyItem(atPath: copy.path("old.db"), toPath: path)
    }

    /// The lines of the list of erasures that say something was erased, each as its words.
    func erasureLines() throws -> [[Substring]] {
        let path = folder.path("waymark.db.keys/erasures.log")
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { $0.split(separator: " ") }
            .filter { $0[3] != "counted" && $0[0] != "3" }
    }

    /// The bytes of the database file, or of one beside it with this ending.
    func contents(ofFileEnding ending: String) -> Data {
        (try? Data(contentsOf: URL(fileURLWithPath: folder.path("waymark.db" + ending)))) ?? Data()
    }

    /// Makes ana and ben one family and cora a stranger.
    func makeFamilies() async throws {
        let now = clock.now
        let family = try #require(FamilyID("whitfield"))
        let other = try #require(FamilyID("delacroix"))
        let users = try ["ana", "ben", "cora"].map { try #require(UserID($0)) }
        try await library.store.write { transaction in
            for user in users { try transaction.save(User(id: user, name: user.rawValue.capitalized), at: now) }
            try transaction.saveFamily(family, name: "Whitfield", at: now)
            try transaction.saveFamily(other, name: "Delacroix", at: now)
            try transaction.saveMember(users[0], of: family, role: .owner, at: now)
            try transaction.saveMember(users[1], of: family, role: .member, at: now)
            try transaction.saveMember(users[2], of: other, role: .owner, at: now)
        }
    }
}

/// Sends requests as one user or another.
struct Client: Sendable {
    let transport: any TestClientProtocol
    let accounts: Accounts

    /// What a request came back with.
    struct Reply: Sendable {
        let status: Int
        let headers: HTTPFields
        let bytes: [UInt8]

        /// The body as JSON; null when it is none.
        var json: JSONValue { (try? JSONValue(parsing: bytes, limits: .init(bytes: .max))) ?? .null }
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        as user: String? = nil,
        _ body: String? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Reply {
        var headers = headers
        if let user, let id = UserID(user) {
            headers[.authorization] = "Bearer " + (try await accounts.issueToken(for: id, seconds: 3_600))
        }
        return try await transport.execute(
            uri: path,
            method: method,
            headers: headers,
            body: body.map { ByteBuffer(string: $0) }
        ) { response in
            Reply(
                status: response.status.code,
                headers: response.headers,
                bytes: Array(response.body.readableBytesView)
            )
        }
    }

    func get(_ path: String, as user: String? = nil, headers: HTTPFields = [:]) async throws -> Reply {
        try await send(.get, path, as: user, headers: headers)
    }

    /// Creates a story and returns its id.
    func create(
        as user: String,
        title: String,
        latitude: Double? = 33.7554,
        longitude: Double = -84.3736,
        extra: String = ""
    ) async throws -> String {
        let location = latitude.map { ",\"location\":{\"lat\":\($0),\"lon\":\(longitude)}" } ?? ""
        let body = "{\"kind\":\"interview\",\"title\":\"\(title)\"\(location)\(extra)}"
        let reply = try await send(.post, "/v1/stories", as: user, body)
        #expect(reply.status == 201, "\(String(decoding: reply.bytes, as: UTF8.self))")
        return try #require(reply.json["id"]?.string)
    }
}
