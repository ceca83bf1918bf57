import Library
import App
import Crypto
import Formats
import Foundation
import GRDB
import Geometry
import HTTPTypes
import HummingbirdTesting
import Notifications
import Storage
import Stories
import TestSupport

/// The world whose answers are recorded, made once and copied for every route: no answer depends on what was asked of
/// other routes.
struct GoldenWorld: Sendable {
    private let folder: TemporaryFolder
    private let pages: TemporaryFolder
    /// The time when it was complete.
    private let instant: Timestamp
    private let population: TwinPopulation

    /// Makes the world: fixed secrets, seeded stories, and what people did with them.
    init() async throws {
        population = try TwinPopulation(
            .whole,
            viewer: TwinCast.viewer(nil),
            seed: 7,
            count: 90,
            now: TwinWorld.start
        )
        let (pages, folder) = (try GoldenWorld.makePages(), try TemporaryFolder())
        let path = folder.path("waymark.db")
        try GoldenWorld.writeKeys(beside: path)
        try StoryStore(path: path, mode: .readWrite, logger: EmptyDatabase.logger).close()
        try GoldenWorld.fixSecrets(in: path)
        let clock = ManualClock()
        let world = try await TwinWorld(
            population,
            in: folder,
            clock: clock,
            folders: GoldenWorld.folders(pages),
            isNew: true
        )
        try await world.runGolden { client in
            // The numbers below are for the copies.
            let stage = try await RoleStage(world: world, client: client, after: 100_000)
            try await stage.populate()
        }
        try world.library.store.close()
        (self.pages, self.folder, instant) = (pages, folder, clock.now)
    }

    /// A world of its own, of a service with or without a gazetteer.
    func copy(hasGazetteer: Bool = true) async throws -> TwinWorld {
        let copy = try TemporaryFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        where name != "waymark.db.lock" {
            try FileManager.default.copyItem(atPath: folder.path(name), toPath: copy.path(name))
        }
        return try await TwinWorld(
            population,
            in: copy,
            clock: ManualClock(instant.milliseconds),
            folders: GoldenWorld.folders(pages),
            isNew: false,
            hasGazetteer: hasGazetteer
        )
    }

    /// Where the service finds a page of three files, and no map engine.
    private static func folders(_ pages: TemporaryFolder) -> DataFolders {
        DataFolders(option: pages.url.path, environment: ["WAYMARK_CACHE": pages.path("cache")], executable: "/waymark")
    }

    private static func makePages() throws -> TemporaryFolder {
        let pages = try TemporaryFolder()
        let page = pages.url.appending(path: "waymark_App.resources/page")
        try FileManager.default.createDirectory(at: page, withIntermediateDirectories: true)
        try Data("<!doctype html><title>A page</title>".utf8).write(to: page.appending(path: "index.html"))
        try Data("export const zoom = 3\n".utf8).write(to: page.appending(path: "page.js"))
        try Data("const files = [];\n".utf8).write(to: page.appending(path: "sw.js"))
        return pages
    }

    private static func writeKeys(beside path: String) throws {
        let folder = URL(filePath: path + ".keys")
        let mode: (Int) -> [FileAttributeKey: Any] = { [.posixPermissions: $0] }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: mode(0o700))
        for name in StoreKeys.Name.allCases where name != .storyIDs && name != .ledger {
            let file = folder.appending(path: name.rawValue + ".key").path
            let isWritten = FileManager.default.createFile(atPath: file, contents: key(name), attributes: mode(0o600))
            guard isWritten else { throw TwinFault("\(file) cannot be written") }
        }
    }

    /// Replaces the secrets that lie inside the database, before anything is keyed with them.
    private static func fixSecrets(in path: String) throws {
        let database = try DatabaseQueue(path: path)
        try database.write { db in
            for name in StoreKeys.Name.allCases {
                try db.execute(
                    sql: "UPDATE secrets SET key = ? WHERE name = ?",
                    arguments: [key(name), name.rawValue]
                )
            }
        }
        try database.close()
        // One changed page, and not of stories, could as well be damage: the checksums are made anew.
        try FileManager.default.removeItem(atPath: path + ".sums")
    }

    private static func key(_ name: StoreKeys.Name) -> Data {
        Data(SHA256.hash(data: Data("golden \(name.rawValue)".utf8)))
    }
}

extension TwinWorld {
    /// Opens a world on a folder; a new one is filled with the population first.
    init(
        _ population: TwinPopulation,
        in folder: TemporaryFolder,
        clock: ManualClock,
        folders: DataFolders,
        isNew: Bool,
        hasGazetteer: Bool = true
    ) async throws {
        self.population = population
        self.folder = folder
        self.clock = clock
        // What a copy draws is not what the world has drawn.
        let random = isNew ? TwinRandom(seed: 1, apart: 2) : TwinRandom(seed: 3, apart: 4)
        self.random = random
        let store = try StoryStore(path: folder.path("waymark.db"), mode: .readWrite, logger: EmptyDatabase.logger)
        store.useClock { clock.now }
        let now = clock.now
        if isNew { try await store.write { try population.store(in: $0, at: now) } }
        library = try await StoryLibrary(
            store: store,
            gazetteer: hasGazetteer ? try TwinGazetteer.withPart.get() : nil,
            now: { clock.now },
            random: random.source
        )
        accounts = await Accounts(store: store, now: { clock.now }, random: random.source)
        service = WaymarkService(
            library: library,
            accounts: accounts,
            folders: folders,
            logger: EmptyDatabase.logger
        )
    }

    /// Runs `body` with the service as an operator could have set it up, without its timers.
    func runGolden<Value: Sendable>(
        adjusted adjust: (inout WaymarkService.Options) -> Void = { _ in },
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        var options = WaymarkService.Options()
        options.publicURL = "https://waymark.example"
        options.linkSchemes = ["myapp"]
        options.origins = ["https://app.example"]
        // Nothing leaves: the worker that would carry it out does not run.
        options.sender = RecordingSender()
        var draw = TwinDraw(seed: 3)
        options.writer = ChannelWriter(
            credentials: ChannelCredentials(
                vapid: try VAPIDKey(subject: "mailto:operator@example.org", using: &draw),
                sender: try MailSender(address: "waymark@example.org")
            )
        )
        adjust(&options)
        return try await RoutesAlone(
            application: service.buildApplication(options: options),
            logger: EmptyDatabase.logger
        )
        .test(.router) { try await body($0) }
    }

    /// Makes everything that is drawn from here on depend on `name` alone.
    func restartRandom(_ name: String) {
        random.restart(seed: name.utf8.reduce(0x601D) { SplitMix64.mix($0 ^ UInt64($1)) })
    }
}
