import Web
import Library
import App
import ArgumentParser
import Foundation
import Gazetteer
import Hummingbird
import Logging
import Messaging
import NIOCore
import Notifications
import Observing
import Storage
import Stories

/// `waymark serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the HTTP service and the map page.",
        discussion: "Example: waymark serve --demo, then open http://127.0.0.1:8080/"
    )

    @Option(help: "The address to listen on; other machines are served only with a certificate or --trusted-proxy.")
    var host = "127.0.0.1"
    @Option(parsing: .unconditional, help: "The port; 0 selects a free one.")
    var port = 8080
    @Flag(help: "Load the demo's users and stories and print a token for each user.")
    var demo = false
    @Flag(
        help: "Development mode: a user dev with a token valid for one hour, local access only, responses marked."
    )
    var dev = false
    @Flag(help: "A proxy on this network terminates TLS, adds X-Forwarded-For and has exclusive access to the port.")
    var trustedProxy = false
    @Option(
        name: .customLong("public-url"),
        help: "The public URL, for links; by default http://, host and port."
    )
    var publicURL: String?
    @Option(
        name: .customLong("allow-origin"),
        help: "An origin, such as https://app.example, whose pages may send tokens of their users; may be repeated."
    )
    var origins: [String] = []
    @Option(
        name: .customLong("media-origin"),
        help: """
            A server, such as https://media.example, from which the page may load the pictures, recordings and videos \
            of stories; may be repeated. Others are only linked.
            """
    )
    var mediaOrigins: [String] = []
    @Option(
        name: .customLong("allow-embedding"),
        help: """
            A site, such as https://museum.example, whose pages may show the map of public stories (/embed) in a frame; \
            may be repeated. Without it there is no such map.
            """
    )
    var embedders: [String] = []
    @Option(
        name: .customLong("link-scheme"),
        help:
            "A scheme, such as myapp, allowed for the links in users' notifications; may be repeated."
    )
    var linkSchemes: [String] = []
    @Option(
        parsing: .unconditional,
        help: "How many days deleted stories are retained, encrypted, before they are destroyed; 0 keeps none."
    )
    var retentionDays = StoryLibrary.defaultRetentionDays
    @Option(
        name: .customLong("after-old-copy"),
        help: """
            Only 'private': start on a copy of the database that the list of erasures beside it cannot bring up to date, \
            with every story temporarily private and every channel off.
            """
    )
    var afterOldCopy: OldCopyStart?
    @Flag(
        inversion: .prefixedNo,
        help: "Let the link of an invitation into a family make an account; by default yes, unless --jwks is given."
    )
    var invitationsMakeAccounts: Bool?
    @Option(
        name: .customLong("stop-within"),
        parsing: .unconditional,
        help: "How long requests under way may last after SIGTERM or Ctrl-C before they are cut, such as 30s or 2min.",
        transform: ServeCommand.seconds
    )
    var stopWithin = 30
    @Option(help: "The file of settings; by default $WAYMARK_CONFIG, or waymark.yaml if there is one.")
    var config: String?
    @OptionGroup(title: "TLS") var encryption: EncryptionOptions
    @OptionGroup(title: "Watching") var watch: WatchOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup var space: SpaceOptions
    @OptionGroup var backups: BackupOptions
    @OptionGroup var issuer: IssuerOptions
    @OptionGroup(title: "OpenID Connect") var provider: ProviderOptions
    @OptionGroup(title: "Outbound messages") var sendingOptions: SendingOptions
    @OptionGroup(title: "A broker of messages (MQTT)") var messaging: BrokerSettings
    @OptionGroup var database: DatabaseOptions

    /// Rejects options that do not fit together; opens nothing.
    func check() async throws {
        if let first = await objections().first { throw first }
    }

    func run() async throws {
        try await check()
        let mediaOrigins = try mediaOrigins.map { try ServeCommand.site($0, option: "--media-origin") }
        let embedders = try embedders.map { try ServeCommand.site($0, option: "--allow-embedding") }
        let publicURL = try publicURL.map(ServeCommand.address)
        let certificates = try encryption.certificates()
        ProcessMemory.prepare()
        OpenFiles.raiseLimit()
        let sender = try sendingOptions.sender()
        let provider = try provider.settings(certificates: sendingOptions.certificates)
        let broker = try messaging.broker()
        let backups = try backups.plan()
        let (logger, level) = watch.logger(quiet: database.quiet)
        let folders = DataFolders()
        // Options are checked first: after a typo, no port is opened and no database created.
        let outside = try await issuer.outsideIssuer(logger: logger)
        let stop = ServiceStop(within: .seconds(stopWithin), logger: logger) { _exit(0) }
        let reload = SettingReload(
            arguments: Array(CommandLine.arguments.dropFirst(2)),
            level: level,
            certificates: certificates,
            logger: logger
        )
        let signals = Signals(stop: stop, logger: logger) {
            if reload.run(), let outside { Task { await outside.reload() } }
        }
        defer { withExtendedLifetime(signals) {} }
        // Verifying the gazetteer and opening the database take a tenth of a second each, beside each other.
        let places = Task(executorPreference: LongWorkExecutor.shared) { Self.gazetteer(folders, logger: logger) }
        // Errors in the database file are reported before the port is opened.
        let store = try openStore(logger: logger)
        defer { try? store.close() }
        // While the database is still held: the next service has a socket of its own.
        defer { OperatorSocket.remove(beside: store.path) }
        var options = WaymarkService.Options()
        options.host = host
        options.port = port
        options.publicURL = publicURL
        options.origins = Set(origins)
        options.mediaOrigins = Set(mediaOrigins)
        options.embedders = Set(embedders)
        options.linkSchemes = Set(linkSchemes)
        options.rateLimit = limits.rateLimit
        options.connections.perAddress = limits.connectionsPerAddress
        options.trustsProxy = trustedProxy
        options.isDevelopment = dev
        // With another issuer, accounts are made there.
        options.invitationsMakeAccounts = invitationsMakeAccounts ?? (outside == nil)
        options.provider = provider
        options.sender = sender
        options.repeats = sendingOptions.uncertainDelivery.choice
        options.broker = broker
        let registry = MetricRegistry()
        options.metrics = registry
        options.traces = try watch.traces(certificates: sendingOptions.certificates, metrics: registry)
        options.metricsPort = watch.metricsPort
        options.certificates = certificates
        options.rules = try encryption.rules()
        var credentials = try sendingOptions.credentials { store.keys }
        credentials.brokerPrefix = broker?.topics.prefix
        options.writer = ChannelWriter(credentials: credentials)
        let (shownHost, quiet) = (host == "::1" ? "[::1]" : host, database.quiet)
        let scheme = certificates == nil ? "http" : "https"
        let progress = StartupProgress(say: { Console.remark($0, quiet: quiet) })
        let application = WaymarkService.buildApplication(
            options: options,
            folders: folders,
            progress: progress,
            stop: stop,
            logger: logger
        ) {
            try await service(
                on: store,
                places: places,
                outside: outside,
                folders: folders,
                backups: backups,
                progress: progress,
                logger: logger
            )
        } onReady: { port in
            Console.remark("Waymark is at \(scheme)://\(shownHost):\(port)/  (stop it with Ctrl-C)", quiet: quiet)
        }
        do {
            try await withTaskExecutorPreference(EventLoopExecutor.shared) {
                try await WaymarkService.run(application, until: stop, logger: logger)
            }
        } catch let failure as OpeningFailure {
            throw failure.cause
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw CommandFailure.failed(
                "\(host):\(port) is in use by another program. Give another --port, or 0 for a free one."
            )
        } catch {
            throw CommandFailure.failed(
                "The service on \(host):\(port) failed: \(error). The lines before this one may say more, and so may "
                    + "'waymark doctor'."
            )
        }
    }

    /// Opens the database, for reading only if it cannot be written, and reports what limits it.
    private func openStore(logger: Logger) throws -> StoryStore {
        let isReadOnly = StoryStore.isReadOnly(database.path)
        guard !isReadOnly || !(demo || dev) else {
            throw CommandFailure.usage(
                "\(database.path) cannot be written, which --demo and --dev need. Give another --database."
            )
        }
        let store = try StoryStore(
            path: database.path,
            mode: isReadOnly ? .readOnly : .readWrite,
            acceptsOldCopy: afterOldCopy == .private,
            logger: logger
        )
        if isReadOnly { logger.warning("\(ReadinessWarning.readOnly.detail)", metadata: ["database": "\(store.path)"]) }
        for warning in ReadinessWarning.rights(of: store) { logger.warning("\(warning.detail)") }
        if let defect = SQLiteVersion.current.defect { logger.info("\(defect)") }
        return store
    }

    /// Loads all data the service needs.
    private func service(
        on store: StoryStore,
        places: Task<GazetteerIndex?, Never>,
        outside: KeySetFile?,
        folders: DataFolders,
        backups: BackupPlan?,
        progress: StartupProgress,
        logger: Logger
    ) async throws -> WaymarkService {
        progress.begin("Loading the gazetteer")
        let library = try await database.library(
            on: store,
            gazetteer: await places.value,
            additions: additions(logger: logger),
            retentionDays: retentionDays,
            progress: progress
        )
        // From here on, so that a start with little space still applies erasures and withdrawals.
        store.watchSpace(space.limits)
        if let shortage = store.diskShortage { logger.warning("\(ReadinessWarning.shortage(shortage).detail)") }
        let accounts = await issuer.accounts(on: library, outsideIssuer: outside, logger: logger)
        if dev { try await prepareDevelopment(library, accounts: accounts) }
        let users = demo ? try await loadDemo(into: library, accounts: accounts, folders: folders) : []
        if store.isWritable { ImportUpload.removeLeftovers(besideDatabase: store.path) }
        if store.isWritable { ExportFile.removeLeftovers(besideDatabase: store.path) }
        _ = OperatorDesk.open(for: library, logger: logger)
        return WaymarkService(
            library: library,
            accounts: accounts,
            folders: folders,
            logger: logger,
            demoUsers: users,
            backups: backups
        )
    }

    /// Creates the user of the development mode, in a database without other users, and prints a token for that user.
    private func prepareDevelopment(_ library: StoryLibrary, accounts: Accounts) async throws {
        do {
            try await DevelopmentMode.prepare(library)
        } catch {
            throw CommandFailure.usage("--dev: \(library.store.path) \(error.description)")
        }
        let token = try await accounts.issueToken(for: DevelopmentMode.user, seconds: 3_600)
        Console.line("token \(DevelopmentMode.user) \(token)")
    }

    /// Loads the operator's additions to the gazetteer; the service runs without them if they cannot be loaded.
    private func additions(logger: Logger) -> GazetteerAdditions? {
        do {
            return try GazetteerAdditions.load(beside: database.path)
        } catch {
            logger.warning("continuing without the data added to the gazetteer: \(error)")
            return nil
        }
    }

    /// Loads the gazetteer; if it cannot be loaded, the service runs without place names, and the log gives the reason.
    private static func gazetteer(_ folders: DataFolders, logger: Logger) -> GazetteerIndex? {
        do {
            return try GazetteerLoader(folders: folders, logger: logger).load()
        } catch {
            logger.error("running without place names", metadata: ["why": "\(error)"])
            return nil
        }
    }

    /// Loads the demo's stories and prints a token for each of its users; returns the users.
    private func loadDemo(
        into library: StoryLibrary,
        accounts: Accounts,
        folders: DataFolders
    ) async throws -> [User] {
        let demo: Demo
        do {
            demo = try Demo(folders: folders, keys: library.store.keys, now: SystemClock.now)
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw CommandFailure.failed(
                "\(host):\(port) is in use by another program. Give another --port, or 0 for a free one."
            )
        } catch {
            throw CommandFailure.failed("The demo cannot be loaded: \(error)")
        }
        try await demo.load(into: library)
        var tokens: [String: String] = [:]
        for user in demo.users {
            let token = try await accounts.issueToken(for: user.id, seconds: 30 * 86_400)
            tokens[user.id.rawValue] = token
            try? FileHandle.standardOutput.write(contentsOf: Data("token \(user.id) \(token)\n".utf8))
        }
        let file = library.store.path + ".demo-tokens.json"
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try? FileManager.default.removeItem(atPath: file)
        guard
            FileManager.default.createFile(
                atPath: file,
                contents: try encoder.encode(tokens),
                attributes: [.posixPermissions: 0o600]
            )
        else { throw CommandFailure.failed("Cannot write \(file); check the permissions of its folder.") }
        return demo.users
    }
}

/// How to start on a copy of the database that may be older than what the list of erasures knows.
enum OldCopyStart: String, ExpressibleByArgument, CaseIterable {
    /// With every story temporarily private and every channel off.
    case `private`
}
