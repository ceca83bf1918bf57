public import Web
public import Library
public import Hummingbird
import Gazetteer
public import Logging
public import Messaging
import NIOCore
public import Notifications
public import Observing
import ServiceLifecycle
import Storage
public import Stories

/// The HTTP service: the composition root of its routes.
public struct WaymarkService: Sendable {
    /// The options for listening, limits and notifications.
    public struct Options: Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// The port; 0 takes any free one.
        public var port = 8080
        /// The maximum number of concurrent connections.
        public var connectionLimit = 12_000
        /// The maximum time for requests to arrive, and the maximum number of connections per address.
        public var connections = ConnectionLimits()
        /// The public URL of the service for links, without a trailing slash; `nil` means host and port.
        public var publicURL: String?
        /// The limit on requests; `nil` means no limit.
        public var rateLimit: RateLimit?
        /// Whether the operator's proxy sets `X-Forwarded-For` and is the only client that can reach the port.
        public var trustsProxy = false
        /// Whether every answer is marked as coming from a development service (`X-Dev-Mode: 1`).
        public var isDevelopment = false

        /// Sends notifications; without it they wait.
        public var sender: (any ChannelSender)?
        /// Writes messages, with the operator's keys.
        public var writer = ChannelWriter()

        /// What happens after an attempt that may have succeeded, at a receiver that cannot drop a repeat.
        public var repeats = RepeatChoice.atMostOnce

        /// The schemes of apps, such as `myapp`, allowed in links of notifications.
        public var linkSchemes: Set<String> = []

        /// The origins, such as `https://app.example`, whose pages may send tokens.
        public var origins: Set<String> = []

        /// Whether the link of an invitation into a family makes an account for a person without one.
        public var invitationsMakeAccounts = true

        /// The provider with which people may sign in; `nil` for none.
        public var provider: ProviderSettings?

        /// The servers from which the page may load pictures, recordings and videos.
        public var mediaOrigins: Set<MediaOrigin> = []

        /// The sites whose pages may show the map of public stories in a frame.
        public var embedders: Set<MediaOrigin> = []

        /// What is counted where it happens; `nil` counts only what the database needs.
        public var metrics: MetricRegistry?
        /// The port on this machine at which `/metrics` needs no token; `nil` for none.
        public var metricsPort: Int?
        /// The certificate; `nil` for HTTP without TLS.
        public var certificates: TLSCertificates?
        /// What answers say to browsers.
        package var rules = BrowserRules()
        /// Where spans go, and who learns traces.
        public var traces = TraceOptions()
        /// The operator's broker of messages (MQTT); `nil` for none.
        public var broker: BrokerOptions?

        /// Creates the default options.
        public init() {}
    }

    let library: StoryLibrary
    let accounts: Accounts
    let folders: DataFolders
    let logger: Logger
    /// The users of the demo, as whom anybody on this machine may sign in.
    private let demoUsers: [User]
    /// When backups are made; `nil` if only on command.
    let backups: BackupPlan?
    /// The basemaps; they become ready while the service runs.
    package let basemaps = Basemaps()
    /// The connection through which notifications leave to the operator's broker.
    let publisher = BrokerPublisher()

    /// Creates the service on a library.
    public init(library: StoryLibrary, accounts: Accounts, folders: DataFolders, logger: Logger, demoUsers: [User] = [])
    {
        self.init(
            library: library,
            accounts: accounts,
            folders: folders,
            logger: logger,
            demoUsers: demoUsers,
            backups: nil
        )
    }

    /// Creates the service on a library, which is backed up by plan.
    package init(
        library: StoryLibrary,
        accounts: Accounts,
        folders: DataFolders,
        logger: Logger,
        demoUsers: [User],
        backups: BackupPlan?
    ) {
        self.demoUsers = demoUsers
        self.backups = backups
        self.library = library
        self.accounts = accounts
        self.folders = folders
        self.logger = logger
    }

    /// Returns all declared endpoints, in the order of the OpenAPI document.
    private func endpoints(at address: PublicAddress, _ options: Options, page: PageFiles) -> [Endpoint] {
        let ways = SignInWays(
            demoUsers: demoUsers,
            invitationsMakeAccounts: options.invitationsMakeAccounts,
            provider: options.provider?.name,
            publicURL: address.given
        )
        let sessions = SessionEndpoints(library: library, accounts: accounts, ways: ways)
        let cursors = CursorCodec(keys: library.store.keys, now: library.now)
        return StoryEndpoints(library: library, cursors: cursors).all + PictureEndpoints(library: library).all
            + storyPages(at: address, options).all
            + MapEndpoints(library: library).all
            + ClusterEndpoints(library: library, cursors: cursors).all
            + TileEndpoints(library: library, address: address).all
            + FeatureEndpoints(
                library: library,
                cursors: cursors,
                address: address,
                projection: .proj,
                mapPage: { try page.mapPage(for: $0) }
            )
            .all
            + BasemapEndpoints(basemaps: basemaps, address: address).all
            + GazetteerEndpoints(gazetteer: library.maps.placeSearch).all
            + NominatimEndpoints(gazetteer: library.maps.placeSearch).all
            + PhotonEndpoints(gazetteer: library.maps.placeSearch).all
            + PeliasEndpoints(gazetteer: library.maps.placeSearch).all + FixEndpoints(library: library).all
            + SettingsEndpoints(library: library).all + ChannelEndpoints(library: library).all
            + MessageEndpoints(library: library).all + UnsubscribeEndpoints(library: library).all
            + FeedEndpoints(library: library, cursors: cursors).all
            + LiveEndpoints(library: library, accounts: accounts).all
            + FenceEndpoints(library: library).all + IngestEndpoints(library: library, address: address).all
            + AccountEndpoints(library: library, accounts: accounts).all
            + TrackerEndpoints(accounts: accounts, address: address).all
            + sessions.all + PasskeyEndpoints(library: library, sessions: sessions).all
            + ProviderEndpoints(
                library: library,
                provider: provider(options),
                ways: ways,
                address: address,
                languages: PageLanguages(folders: folders),
                logger: logger
            )
            .all
            + ShareEndpoints(library: library, address: address).all
            + SharedEndpoints(library: library, cursors: cursors).all
            + FamilyEndpoints(library: library, publicURL: { address.url }).all
            + PrivacyEndpoints(library: library, cursors: cursors).all + SyncEndpoints(library: library).all
            + PersonEndpoints(library: library).all + ListEndpoints(library: library, cursors: cursors).all
            + FacetEndpoints(library: library).all + CollectionEndpoints(library: library).all
            + NamedPlaceEndpoints(library: library).all
            + ViewedEndpoints(library: library).all + ProposalEndpoints(library: library, cursors: cursors).all
            + StoryPlaceEndpoints(library: library, cursors: cursors).all
            + LabelEndpoints(library: library).all + CellEndpoints().all
            + OperationEndpoints(library: library, registry: options.metrics).all
            + ImportEndpoints(library: library).all
            + ExportEndpoints(library: library, accounts: accounts, address: address, known: ExportReference.known).all
            + StatusEndpoints(library: library, address: address, languages: PageLanguages(folders: folders)).all
            + OutboxEndpoints(library: library).all
    }

    /// Returns what speaks with the provider; `nil` without one, and if libcurl cannot be started.
    private func provider(_ options: Options) -> ProviderClient? {
        guard let settings = options.provider else { return nil }
        do {
            let transport = try CurlProviderTransport(settings)
            return ProviderClient(settings, transport: transport) { [library] in library.clock.lasting.milliseconds }
        } catch {
            logger.error("nobody can sign in with the provider", metadata: ["why": "\(error)"])
            return nil
        }
    }

    private func storyPages(at address: PublicAddress, _ options: Options) -> StoryPageEndpoints {
        let origins = options.mediaOrigins.sorted().map(\.text)
        return StoryPageEndpoints(
            library: library,
            basemaps: basemaps,
            address: address,
            mediaOrigins: origins,
            languages: PageLanguages(folders: folders),
            cursors: CursorCodec(keys: library.store.keys, now: library.now)
        )
    }

    /// Builds the router with all endpoints, the OpenAPI document and the page.
    public func buildRouter(options: Options = Options()) -> Router<ServiceContext> {
        buildRouter(options: options, at: PublicAddress(options: options), page: page(options))
    }

    private func page(_ options: Options) -> PageFiles {
        PageFiles(folders: folders, mediaOrigins: options.mediaOrigins, embedders: options.embedders)
    }

    func buildRouter(options: Options, at address: PublicAddress, page: PageFiles) -> Router<ServiceContext> {
        library.delivery.allowLinks(of: options.linkSchemes)
        library.delivery.egress.choose(options.repeats)
        let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
        let described = endpoints(at: address, options, page: page)
        let documents = OperationEndpoints.documents { document in
            WaymarkService.write(document, of: described, at: address)
        }
        let all = described + documents
        options.traces.trace(router)
        router.add(
            middleware: ExchangeMiddleware(
                logger: logger,
                isDevelopment: options.isDevelopment,
                origins: options.origins,
                allowed: AllowedMethods(
                    all.map { ($0.path, $0.method) } + PageFiles.routes
                ),
                metrics: options.metrics.map(HTTPMetrics.init),
                rules: options.rules
            )
        )
        let routes = EndpointRoutes(
            endpoints: all,
            components: ServiceSchemas.byName,
            authenticate: { [accounts] in try await accounts.principal($0, isWriting: $1) },
            limits: options.rateLimit.map { RequestLimits($0, now: library.time.lasting) },
            trustsProxy: options.trustsProxy,
            address: address,
            answers: RequestAnswers(context: library.context),
            settled: { [library] in await library.delivery.settled() }
        )
        routes.register(on: router)
        if !page.hasMapEngine {
            logger.warning(
                """
                \(PageFiles.engineFolder) is neither in the cache nor in the data folder; the page shows only the list \
                until you run scripts/fetch-maplibre
                """
            )
        }
        if let problem = page.problem {
            logger.warning("the page's modules are served one by one, which is slow: \(problem)")
        }
        page.register(on: router)
        warnOfLostSeals()
        return router
    }

    /// Returns the description of the API in one of its forms.
    private static func write(_ document: APIDocument, of endpoints: [Endpoint], at address: PublicAddress) -> [UInt8] {
        // Their declarations are the same, whatever they answer.
        let all = endpoints + OperationEndpoints.documents { _ in [] }
        let description = OpenAPIDocument(
            endpoints: all,
            webhooks: WebhookSchemas.webhooks,
            webhookHeaders: WebhookSchemas.headers,
            components: ServiceSchemas.all + FeatureSchemas.all,
            tags: APIChapters.all,
            samples: APIChapters.samples,
            server: address.given ?? "/"
        )
        switch document {
        case .v31: return description.json(.v31)
        case .v30: return description.json(.v30)
        case .page: return APIPage(endpoints: all, description: description, url: address.given ?? "").bytes
        }
    }

    private func warnOfLostSeals() {
        if library.rights.retention.hadLostStories {
            logger.error("\(ReadinessWarning.lostSealingKey.detail)")
        }
        guard library.channels.lostSeals > 0 else { return }
        logger.error(
            """
            channels were switched off because the key that seals their addresses is missing from the folder of keys \
            beside the database. Stop the service and restore that folder, or ask users to remove these channels and \
            add them again
            """,
            metadata: ["channels": "\(library.channels.lostSeals)"]
        )
    }

    /// Opens the egress, if the options have a sender.
    func openEgress(_ options: Options, at address: PublicAddress) {
        library.delivery.egress.trace(with: options.traces.tracer, options.traces.sharing)
        if let sender = options.sender {
            let all = sendingToBroker(sender, options)
            library.delivery.open(all, writer: options.writer, address: { address.url })
        }
        let pictures = MapPictures(maps: library.maps, tiles: { [basemaps] in basemaps.all })
        // The library holds what draws.
        library.delivery.drawMaps { [weak library] stories, user in
            guard let library, let viewer = try await library.viewer(of: user) else { return nil }
            return try await pictures.digest(of: stories, for: viewer)
        }
    }

    /// Builds an application that answers with `responder`; `options` determines the limits on connections and the
    /// address to listen on, and `stop` cuts its connections.
    static func application(
        _ responder: some HTTPResponder<ServiceContext>,
        options: Options,
        services: [any Service],
        stop: ServiceStop?,
        logger: Logger,
        onServerRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> some ApplicationProtocol {
        let limits = options.connections
        let (counts, countsAddresses) = (ConnectionCounts(perAddress: limits.perAddress), !options.trustsProxy)
        let connections = stop?.connections ?? OpenConnections()
        return Application(
            responder: responder,
            server: connections.server(certificates: options.certificates) {
                ConnectionGuard(limits: limits, counts: counts, countsAddresses: countsAddresses)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port),
                availableConnectionsDelegate: .maximum(options.connectionLimit, logger: logger)
            ),
            services: services + [MemoryUpkeep(counts: counts)],
            onServerRunning: onServerRunning,
            logger: logger
        )
    }

    /// Builds an application that listens and runs the companion services; `onRunning` receives the port.
    ///
    /// Without `stop`, only the caller of the application ends it.
    public func buildApplication(
        options: Options = Options(),
        stop: ServiceStop? = nil,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let address = PublicAddress(options: options)
        openEgress(options, at: address)
        return WaymarkService.application(
            buildRouter(options: options, at: address, page: page(options)).buildResponder(),
            options: options,
            services: companions(options),
            stop: stop,
            logger: logger
        ) { [library] channel in
            // The server waits for open requests when it stops, so streams must end then.
            Task {
                try? await gracefulShutdown()
                library.live.endAll()
            }
            let port = channel.localAddress?.port ?? options.port
            address.listens(on: port)
            stop?.serve()
            await onRunning(port)
        }
    }
}
