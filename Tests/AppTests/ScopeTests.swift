import Library
import App
import Formats
import HTTPTypes
import Stories
import TestSupport
import Testing

@Suite("Scopes on every documented route")
struct ScopeTests {
    /// A documented operation with a path that could be one.
    private struct Operation: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let scopes: Set<Scope>
        let needsToken: Bool
        var isService: Bool { scopes.contains(.actAs) }
    }

    private static func operations(_ client: Client) async throws -> [Operation] {
        let document = try await client.get("/openapi.json").json
        var found: [Operation] = []
        for (path, operations) in try #require(document["paths"]?.object).sorted(by: { $0.key < $1.key }) {
            for (method, operation) in try #require(operations.object).sorted(by: { $0.key < $1.key }) {
                let security = operation["security"]?.array ?? []
                // The routes for holders of share links take no token; the table of roles asks them as everybody.
                guard !security.contains(where: { $0["link"] != nil }) else { continue }
                let named = security.compactMap { $0["bearer"]?.array }.first ?? []
                found.append(
                    Operation(
                        method: try #require(HTTPRequest.Method(method.uppercased())),
                        path: path.replacing(/\{[a-z_]+\}/, with: "0123456789abcdef0123456789abcdef"),
                        scopes: Set(named.compactMap(\.string).compactMap(Scope.init)),
                        needsToken: !security.contains { $0.object?.isEmpty == true }
                    )
                )
            }
        }
        return found
    }

    private static func run(_ body: @escaping @Sendable (Client, [Operation]) async throws -> Void) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let operations = try await ScopeTests.operations(client)
            #expect(operations.count >= 20)
            try await body(client, operations)
        }
    }

    private static func send(
        _ operation: Operation,
        _ headers: HTTPFields,
        _ client: Client
    ) async throws -> Client.Reply {
        try await client.send(operation.method, operation.path, operation.method == .get ? nil : "{}", headers: headers)
    }

    @Test("A route that needs a token gives 401 without one or with an invalid one, before any other check")
    func noToken() async throws {
        try await ScopeTests.run { client, operations async throws in
            for operation in operations where operation.needsToken {
                // A page that needs no script has the browser ask for the key.
                let asked = operation.path == "/service/status" ? "Basic realm=" : "Bearer"
                let none = try await ScopeTests.send(operation, [:], client)
                #expect(none.status == 401 && none.headers[.wwwAuthenticate]?.hasPrefix(asked) == true, "\(operation)")
                let bad = try await ScopeTests.send(operation, KeyTests.bearer("x.y.z"), client)
                #expect(bad.status == 401, "\(operation)")
            }
        }
    }

    @Test("A token lacking only the required scope gets 403")
    func missing() async throws {
        try await ScopeTests.run { client, operations async throws in
            let ana = try #require(UserID("ana"))
            var checked = 0
            for operation in operations {
                for scope in operation.scopes {
                    let others = Set(Scope.allCases).subtracting([scope])
                    let text = try await client.accounts.issueToken(for: ana, seconds: 60, scopes: others)
                    let reply = try await ScopeTests.send(operation, KeyTests.bearer(text), client)
                    #expect(reply.status == 403, "\(operation)")
                    #expect(reply.json["type"]?.string == "/problems/scope-missing", "\(operation)")
                    checked += 1
                }
            }
            #expect(checked >= 15)
        }
    }

    @Test("A device's key gets 403 everywhere except for sending positions and for public data")
    func device() async throws {
        try await ScopeTests.run { client, operations async throws in
            let (_, text) = try await KeyTests.make("{\"name\":\"p\",\"device\":\"p\"}", client)
            var allowed: [String] = []
            for operation in operations {
                let reply = try await ScopeTests.send(operation, KeyTests.bearer(text), client)
                if reply.status == 403 {
                    // What only the page may ask for is refused to every other program, whatever its key.
                    let isForPage =
                        operation.path.hasPrefix("/v1/session") || operation.path.hasSuffix("/join")
                        || operation.path.hasPrefix("/v1/invitations/") && operation.path.hasSuffix("/provider")
                    let problem = isForPage ? "/problems/not-from-page" : "/problems/scope-missing"
                    #expect(reply.json["type"]?.string == problem, "\(operation)")
                } else if operation.needsToken || !operation.scopes.isEmpty {
                    allowed.append("\(operation.method) \(operation.path)")
                }
            }
            let positions = [
                "GET /ingest/osmand", "POST /ingest/osmand", "POST /ingest/overland", "POST /ingest/owntracks",
                "POST /ingest/ulogger/client/index.php",
            ]
            let any = "0123456789abcdef0123456789abcdef"
            let entries = ["POST /v1/fences/\(any)/entered", "POST /v1/fixes", "PUT /v1/me/devices/\(any)"]
            #expect(allowed == positions + entries)
        }
    }

    @Test("A service that names no user is told so where one is needed, and is anonymous elsewhere")
    func serviceAlone() async throws {
        try await ScopeTests.run { client, operations async throws in
            let request = Accounts.KeyRequest(holder: .service(Accounts.serviceScopes), name: "app", days: nil)
            let key = KeyTests.bearer(try await client.accounts.makeKey(request).text)
            for operation in operations
            where operation.needsToken && !operation.isService && operation.scopes.isSubset(of: Accounts.serviceScopes)
            {
                let reply = try await ScopeTests.send(operation, key, client)
                #expect(reply.status == 400, "\(operation)")
                #expect(reply.json["type"]?.string == "/problems/user-missing", "\(operation)")
            }
            _ = try await client.create(as: "ana", title: "Private", extra: ",\"privacy\":\"private\"")
            #expect(try await client.get("/v1/stories", headers: key).json["numberMatched"]?.integer == 0)
        }
    }

    @Test("A service sees what its named user sees and creates new ones; no one else may name a user")
    func serviceActing() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let request = Accounts.KeyRequest(holder: .service(Accounts.serviceScopes), name: "app", days: nil)
            let key = try await client.accounts.makeKey(request).text
            func named(_ user: String, _ key: String) -> HTTPFields {
                var headers = KeyTests.bearer(key)
                headers[.init("Waymark-User") ?? .accept] = user
                return headers
            }
            _ = try await client.create(as: "ana", title: "Private", extra: ",\"privacy\":\"private\"")
            let own = try await client.get("/v1/stories", headers: named("ana", key))
            #expect(own.json["numberMatched"]?.integer == 1 && own.headers[.cacheControl] == "private, no-cache")
            #expect(own.headers[.vary]?.contains("Waymark-User") == true)
            #expect(try await client.get("/v1/stories", headers: named("ben", key)).json["numberMatched"]?.integer == 0)
            let me = try await client.get("/v1/me", headers: named("newcomer", key))
            #expect(me.status == 200 && me.json["id"]?.string == "newcomer")
            #expect(me.json["scopes"]?.array?.contains(.string("act-as")) == true)
            for bad in ["", "a b", "../ana", String(repeating: "a", count: 65)] {
                #expect(try await client.get("/v1/me", headers: named(bad, key)).status == 400, "\(bad)")
            }
            let users = try await KeyTests.make("{\"name\":\"x\"}", client).text
            let token = try await client.accounts.issueToken(for: try #require(UserID("ana")), seconds: 60)
            for other in [users, token] {
                let reply = try await client.get("/v1/me", headers: named("ana", other))
                #expect(reply.status == 403 && reply.json["type"]?.string == "/problems/scope-missing")
            }
            var alone = HTTPFields()
            alone[.init("Waymark-User") ?? .accept] = "ana"
            #expect(try await client.get("/v1/stories", headers: alone).status == 401)
            // A key that may not act for anybody is no way in either.
            let narrow = Accounts.KeyRequest(holder: .service([.adminOps]), name: "metrics", days: nil)
            let metrics = try await client.accounts.makeKey(narrow).text
            #expect(try await client.get("/v1/me", headers: KeyTests.bearer(metrics)).status == 403)
            #expect(try await client.get("/v1/me", headers: named("ana", metrics)).status == 403)
        }
    }

    @Test("An external token's scopes narrow it, and only extend it where the operator trusts them")
    func outside() async throws {
        let fixture = try await ServiceFixture()
        let forge = TokenForge(fixture)
        for trusts in [false, true] {
            let accounts = try await forge.accounts(trustsScopes: trusts)
            try await fixture.run(accounts: accounts) { client async throws in
                func scopes(_ claim: String?) async throws -> [String] {
                    let token = try forge.signed(["scope": claim.map { "\"\($0)\"" }])
                    let reply = try await client.get("/v1/me", headers: KeyTests.bearer(token))
                    return (reply.json["scopes"]?.array ?? []).compactMap(\.string)
                }
                #expect(try await scopes(nil) == Scope.user.sorted().map(\.rawValue))
                #expect(try await scopes("openid stories:read email") == ["stories:read"])
                #expect(try await scopes("openid") == [])
                let most = try await scopes("act-as admin:ops stories:read")
                #expect(most == (trusts ? ["act-as", "admin:ops", "stories:read"] : ["stories:read"]))
            }
        }
    }
}
