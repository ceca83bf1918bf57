import Library
import App
import Formats
import HTTPTypes
import HummingbirdTesting
import Storage
import Stories
import Synchronization
import TestSupport

/// Who calls a route.
enum Role: String, CaseIterable, Sendable {
    /// Without a token.
    case anonymous
    /// With a token that is none.
    case badToken
    case stranger, member, admin, former, owner
    /// A key of a device of the owner.
    case device
    /// The key of an app's backend, which names the owner.
    case service
    /// A key with the operators' scope alone, which is no user's.
    case operatorKey
    /// A user whose token has the operators' scope as well.
    case operatorUser
    /// Somebody without an account who holds a link to a collection of the owner.
    case holder

    /// The user's id; `nil` without a good token.
    var user: String? {
        switch self {
        case .anonymous, .badToken, .operatorKey, .holder: nil
        case .operatorUser: "opal"
        case .stranger: "sue"
        case .member: "mia"
        case .admin: "ann"
        case .former: "fred"
        case .owner, .device, .service: "olga"
        }
    }

    /// Whether stories that olga's or mia's families may see are for this role.
    var isFamily: Bool { self == .member || self == .admin || user == "olga" }

    /// What this role may be let do by its token or key.
    var scopes: Set<String> {
        switch self {
        case .device: ["fixes:write"]
        case .service: Set(Accounts.serviceScopes.map(\.rawValue))
        case .operatorKey: [Scope.adminOps.rawValue]
        case .operatorUser: Set((Scope.user.union([.adminOps])).map(\.rawValue))
        default: Set(Scope.user.map(\.rawValue))
        }
    }
}

/// A service with the people of the table, and fresh things for each of its cells.
struct RoleStage: Sendable {
    let world: TwinWorld
    let client: any TestClientProtocol
    /// The header of each role.
    private(set) var authorizations: [Role: String] = [.badToken: "Bearer nonsense"]
    private var tokens: [String: String] = [:]
    private let serial: Counter
    /// The title of the collection that the holder's link shows.
    private(set) var sharedTitle = ""

    /// Sets the stage; names that were not used yet have numbers after `number`.
    init(world: TwinWorld, client: any TestClientProtocol, after number: Int = 0) async throws {
        self.world = world
        self.client = client
        serial = Counter(number)
        for role in Role.allCases {
            guard let user = role.user else { continue }
            let token = try await world.token(of: user)
            tokens[user] = token
            authorizations[role] = "Bearer " + token
        }
        authorizations[.device] = "Bearer " + (try await key(.device(olga(), "phone")))
        authorizations[.service] = "Bearer " + (try await key(.service(Accounts.serviceScopes)))
        authorizations[.operatorKey] = "Bearer " + (try await key(.service([.adminOps])))
        if let opal = UserID("opal") {
            let scopes = Scope.user.union([.adminOps])
            let token = try await world.accounts.issueToken(for: opal, seconds: 10 * 365 * 86_400, scopes: scopes)
            authorizations[.operatorUser] = "Bearer " + token
        }
        tokens["zed"] = try await world.token(of: "zed")
        // Reading makes nobody known, and who is not has no live stream.
        for user in tokens.keys.sorted() {
            _ = try await prepare(.patch, "/v1/me", as: user, "{\"name\":\"\(user)\"}")
        }
        let made = try await sharedCollection()
        sharedTitle = made.title
        authorizations[.holder] = "Bearer " + made.secret
    }

    /// A new collection of the owner with one story, and the secret of a link that shows it exactly.
    private func sharedCollection() async throws -> (title: String, secret: String) {
        let title = nextName("shared")
        let trip = try await prepare(.post, "/v1/collections", as: "olga", "{\"title\":\"\(title)\"}")
        let story = "{\"kind\":\"photo\",\"title\":\"A\",\"collection\":\"\(title)\"}"
        _ = try await prepare(.post, "/v1/stories", as: "olga", story)
        guard let id = trip["id"]?.string,
            let secret = try await prepare(
                .post,
                "/v1/me/share-links",
                as: "olga",
                "{\"collection\":\"\(id)\",\"precision\":\"exact\",\"days\":365}"
            )["secret"]?
            .string
        else { throw TwinFault("A new link has no secret.") }
        return (title, secret)
    }

    private func olga() throws -> UserID {
        guard let id = UserID("olga") else { throw TwinFault("olga is no id") }
        return id
    }

    private func key(_ holder: Accounts.KeyRequest.Holder) async throws -> String {
        try await world.accounts.makeKey(Accounts.KeyRequest(holder: holder, name: "A key", days: nil)).text
    }

    /// A name that was not used yet.
    func nextName(_ kind: String) -> String { "\(kind)-\(nextNumber())" }

    /// A number that was not used yet.
    func nextNumber() -> Int { serial.next() }

    /// Sends a request as a role.
    func send(_ method: HTTPRequest.Method, _ path: String, as role: Role, _ body: String?) async throws -> TwinReply {
        try await send(method, path, authorization: authorizations[role], for: role == .service ? "olga" : nil, body)
    }

    /// Sends a request as a user, to prepare something.
    func prepare(
        _ method: HTTPRequest.Method,
        _ path: String,
        as user: String,
        _ body: String?
    ) async throws -> JSONValue {
        let reply = try await send(method, path, authorization: tokens[user].map { "Bearer " + $0 }, body)
        guard (200..<300).contains(reply.status) else {
            throw TwinFault(
                "preparing \(method) \(path) answered \(reply.status): \(String(decoding: reply.bytes, as: UTF8.self))"
            )
        }
        return (try? JSONValue(parsing: reply.bytes, limits: .init(bytes: .max))) ?? .null
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        authorization: String?,
        for named: String? = nil,
        _ body: String?
    ) async throws -> TwinReply {
        var request = TwinRequest(method: method, path: path, body: body, operation: path)
        request.headers[.authorization] = authorization
        request.headers[.twinUser] = named
        request.headers[.twinRequestID] = "table"
        return try await TwinReply(request, by: client)
    }

    /// A new story of a user.
    func story(of user: String, _ privacy: String) async throws -> String {
        let body = "{\"kind\":\"photo\",\"title\":\"A\",\"privacy\":\"\(privacy)\",\"location\":{\"lat\":1,\"lon\":2}}"
        guard let id = try await prepare(.post, "/v1/stories", as: user, body)["id"]?.string else {
            throw TwinFault("A new story has no id.")
        }
        return id
    }
}

/// What one cell of the table is about, and what it must answer.
struct RoleCell: Sendable {
    let name: String
    /// The values of the path parameters.
    let values: [String: String]
    let status: Int
}

/// Counts up.
private final class Counter: Sendable {
    private let value: Mutex<Int>

    init(_ start: Int) { value = Mutex(start) }

    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}
