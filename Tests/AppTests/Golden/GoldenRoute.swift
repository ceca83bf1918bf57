import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport

/// A request to a route, in one of the ways in which it can be asked.
struct GoldenAsk: Sendable {
    /// Whom an app's backend names.
    enum Naming: Sendable {
        /// Olga where an app's backend asks, nobody where somebody else does.
        case usual
        case nobody
        case user(String)
    }

    var variant: String
    /// The method, where it is not the route's own.
    var method: HTTPRequest.Method?
    /// The path, where it is another one.
    var path: String?
    /// The query, where it is not the one of the table of roles.
    var query: String?
    var body: String?
    var headers: HTTPFields = [:]
    var naming = Naming.usual
}

/// Asks one route everything, in a fixed order, and keeps the answers.
struct GoldenRoute {
    let stage: RoleStage
    let operation: TwinOperation
    let rule: RouteRule
    let document: JSONValue
    /// What the variants are about, as the records say it.
    let thing: String
    private(set) var records: [GoldenRecord] = []
    private var counts: [String: Int] = [:]
    private var preparations = 0
    /// What the next requests are about.
    private(set) var values: [String: String] = [:]

    init(
        stage: RoleStage,
        operation: TwinOperation,
        rule: RouteRule,
        document: JSONValue,
        thing: String = "sample"
    ) {
        self.stage = stage
        self.thing = thing
        self.operation = operation
        self.rule = rule
        self.document = document
    }

    /// Who gets furthest: whom the variants are asked as.
    var principal: Role {
        switch rule.access {
        case .anyone, .user: .owner
        case .service: .service
        case .operators: .operatorKey
        case .link: .holder
        }
    }

    /// Asks everything.
    mutating func askAll() async throws {
        try await askRoles()
        if operation.method == .get { try await askReads() } else { try await askWrites() }
        try await askCallers()
        try await renew()
        try await GoldenScripts.table[operation.name]?(&self)
    }

    /// The requests of the table of roles: every role about every sort of thing.
    private mutating func askRoles() async throws {
        for role in Role.allCases {
            stage.world.clock.advance(seconds: 60)
            beginPreparation()
            let cells = try await stage.cells(rule, for: role)
            // Whoever is refused whatever it is about is so twice, about the first and the last.
            let isRefused = rule.refusal(of: role, operation) != nil && cells.count > 2
            for cell in isRefused ? [cells[0], cells[cells.count - 1]] : cells {
                let ask = GoldenAsk(variant: "plain", body: rule.body)
                _ = try await send(ask, as: role, about: cell.name, cell.values)
            }
        }
    }

    /// What somebody hears who asks with a key or for a user that will not do.
    private mutating func askCallers() async throws {
        guard rule.access != .operators else { return }
        try await renew()
        _ = try await say("for nobody", as: .service, naming: .nobody)
        _ = try await say(
            "for an unknown user",
            as: .service,
            ["Waymark-User-Create": "false"],
            naming: .user("unknown")
        )
        _ = try await say("for a user whom only services may name", as: .stranger, naming: .user("olga"))
    }

    /// Asks as the principal about the present thing.
    @discardableResult
    mutating func say(
        _ variant: String,
        as role: Role? = nil,
        _ headers: [String: String] = [:],
        method: HTTPRequest.Method? = nil,
        path: String? = nil,
        query: String? = nil,
        body: String?? = .none,
        naming: GoldenAsk.Naming = .usual
    ) async throws -> TwinReply {
        var ask = GoldenAsk(
            variant: variant,
            method: method,
            path: path,
            query: query,
            body: body ?? rule.body,
            naming: naming
        )
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            guard let name = HTTPField.Name(name) else { throw TwinFault("\(name) is no field name") }
            ask.headers[name] = value
        }
        return try await send(ask, as: role ?? principal, about: thing, values)
    }

    /// Asks and keeps the answer.
    private mutating func send(
        _ ask: GoldenAsk,
        as role: Role,
        about cell: String,
        _ values: [String: String]
    ) async throws -> TwinReply {
        let name = [role.rawValue, cell, ask.variant].joined(separator: " | ")
        let ordinal = counts[name, default: 0] + 1
        counts[name] = ordinal
        // What one request draws is no business of the others'.
        stage.world.restartRandom("\(operation.name) | \(name) | \(ordinal)")
        var path = ask.path ?? operation.path
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { path = path.replacing("{\(name)}", with: value) }
        let reply = try await stage.answer(ask, operation.method, path + (ask.query ?? rule.query), as: role)
        records.append(
            GoldenRecord(
                route: operation.name,
                role: role,
                cell: cell,
                variant: ask.variant,
                ordinal: ordinal,
                reply: reply
            )
        )
        return reply
    }

    /// Makes a new thing for the next requests to be about.
    mutating func renew() async throws {
        beginPreparation()
        // There may be few new things of some sorts in an hour.
        stage.world.clock.advance(seconds: 3_601)
        values = try await stage.sample(rule, of: principal.user ?? "olga")
    }

    /// Asks with each of several bodies, by the name of what is special about it.
    mutating func say(_ bodies: KeyValuePairs<String, String>) async throws {
        for (name, body) in bodies { try await say(name, body: body) }
    }

    /// Asks with each of several queries.
    mutating func ask(_ queries: [String], as roles: [Role] = []) async throws {
        for query in queries {
            for role in roles.isEmpty ? [principal] : roles { try await say(query, as: role, query: query) }
        }
    }

    /// Prepares something as a user, by a request of which no answer is kept.
    @discardableResult
    mutating func prepare(
        _ method: HTTPRequest.Method,
        _ path: String,
        as user: String = "olga",
        _ body: String? = nil
    ) async throws -> JSONValue {
        beginPreparation()
        var path = path
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { path = path.replacing("{\(name)}", with: value) }
        return try await stage.prepare(method, path, as: user, body)
    }

    /// Makes the next requests be about this.
    mutating func use(_ values: [String: String]) { self.values = values }

    /// Lets what is prepared next draw what nothing else has drawn.
    mutating func beginPreparation() {
        preparations += 1
        stage.world.restartRandom("\(operation.name) prepares \(preparations)")
    }
}

extension RoleStage {
    /// Sends a request and returns its answer.
    func answer(
        _ ask: GoldenAsk,
        _ method: HTTPRequest.Method,
        _ path: String,
        as role: Role
    ) async throws -> TwinReply {
        var request = TwinRequest(method: ask.method ?? method, path: path, body: ask.body, operation: path)
        request.headers[.authorization] = authorizations[role]
        switch ask.naming {
        case .usual: request.headers[.twinUser] = role == .service ? "olga" : nil
        case .nobody: break
        case .user(let name): request.headers[.twinUser] = name
        }
        request.headers[.twinRequestID] = "golden"
        for field in ask.headers { request.headers[field.name] = field.value }
        return try await TwinReply(request, by: client)
    }

    /// The values of the path for something new that a user may do everything with.
    func sample(_ rule: RouteRule, of user: String) async throws -> [String: String] {
        switch rule.about {
        case .nothing: return [:]
        case .story(let own, _):
            return ["id": try await story(of: (200..<300).contains(own) ? user : "mia", "public")]
        case .storyPlace(_, _, let isWaiting):
            let id = try await story(of: user, "public")
            return ["id": id, "story_place": try await place(of: id, owner: user, isWaiting: isWaiting)]
        case .collection: return ["collection": try await collection(of: user, "public")]
        case .namedPlace: return ["named_place": try await namedPlace(of: user, .familyOnly)]
        case .family: return ["family": try await family(user, .owner)]
        case .member: return ["family": try await family(user, .owner), "user": "xia"]
        case .invitation:
            let family = try await family(user, .owner)
            return ["family": family, "invitation": try await invitation(into: family, of: nextName("guest"))]
        case .anyReport: return ["report": try await report(by: "mia")]
        case .own(.channel, _):
            // There may be few at a time.
            for channel in try await prepare(.get, "/v1/me/channels", as: user, nil)["channels"]?.array ?? [] {
                _ = try await prepare(.delete, "/v1/me/channels/\(channel["id"]?.string ?? "")", as: user, nil)
            }
            return ["channel": try await make(.channel, of: user)]
        case .own(let thing, _): return [thing.rawValue: try await make(thing, of: user)]
        case .device: return ["device": "phone"]
        case .person: return ["user": "mia"]
        case .picture:
            let id = try await story(of: user, "public")
            _ = try await prepare(.put, "/v1/stories/\(id)/thumbnail", as: user, SmallPicture.webp())
            return ["id": id]
        case .place, .entry, .cluster, .tile, .link, .basemap, .shared, .sharedCluster:
            let role: Role = if case .link = rule.access { .holder } else { .owner }
            guard let cell = try await cells(rule, for: role).first else { throw TwinFault("nothing to ask about") }
            return cell.values
        }
    }
}
