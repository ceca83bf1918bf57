import Web
import Library
import App
import Formats
import Geometry
import HTTPTypes
import NIOCore
import Stories
import TestSupport
import Testing

@Suite("Request limits")
struct RateLimitTests {
    private static let options: WaymarkService.Options = {
        var options = WaymarkService.Options()
        options.rateLimit = RateLimit(unitsPerSecond: 1, burst: 50)
        options.trustsProxy = true
        return options
    }()

    private static func from(_ address: String, _ token: String? = nil) throws -> HTTPFields {
        var headers: HTTPFields = token.map { KeyTests.bearer($0) } ?? [:]
        headers[try #require(HTTPField.Name("X-Forwarded-For"))] = address
        return headers
    }

    @Test("A bucket grants its burst, then its rate, and gives the wait")
    func bucket() {
        let buckets = TokenBuckets(unitsPerSecond: 2, burst: 10)
        // Milliseconds, units, and how long to wait if refused.
        let table: [(now: Int64, units: Double, wait: Int?)] = [
            (0, 5, nil), (0, 5, nil), (0, 1, 1), (499, 1, 1), (500, 1, nil), (500, 10, 5), (2_500, 4, nil),
            (2_500, 1, 1), (2_000, 1, 1), (3_000, 2, nil), (100_000, 10, nil), (100_000, 1, 1), (100_000, 1_000, 5),
        ]
        for (index, row) in table.enumerated() {
            #expect(buckets.take(row.units, from: "a", now: row.now) == row.wait, "row \(index)")
        }
        #expect(buckets.take(10, from: "b", now: 100_000) == nil)
    }

    @Test("A seeded run never exceeds burst and rate, and rejects no one who stays within them")
    func bound() {
        var random = SplitMix64(seed: 6_585)
        let buckets = TokenBuckets(unitsPerSecond: 3, burst: 40)
        var (now, given) = (Int64(0), 0.0)
        for _ in 0..<20_000 {
            now += Int64.random(in: 0...900, using: &random)
            let units = Double(Int.random(in: 1...12, using: &random))
            if buckets.take(units, from: "a", now: now) == nil { given += units }
        }
        #expect(given <= 40 + Double(now) / 1_000 * 3)
        #expect(given >= Double(now) / 1_000 * 3 - 40)
        for step in 0..<10_000 { #expect(buckets.take(1, from: "steady", now: Int64(step) * 334) == nil) }
    }

    @Test("The number of names remembered is limited, and a busy one is not forgotten")
    func memory() {
        let buckets = TokenBuckets(unitsPerSecond: 0.001, burst: 20, capacity: 100)
        var refused = 0
        for number in 0..<10_000 {
            _ = buckets.take(1, from: "name \(number)", now: 0)
            if number % 10 == 0, buckets.take(1, from: "busy", now: 0) != nil { refused += 1 }
        }
        #expect(buckets.count <= 100)
        #expect(refused == 1_000 - 20)
    }

    @Test(
        "The address is the peer's, or behind a trusted proxy the last hop; IPv6 addresses count per /64",
        arguments: [
            (peer: "192.0.2.1", forwarded: nil, trusts: true, name: "192.0.2.1"),
            ("192.0.2.1", "198.51.100.7", false, "192.0.2.1"), ("192.0.2.1", "198.51.100.7", true, "198.51.100.7"),
            ("192.0.2.1", "203.0.113.9, 198.51.100.7", true, "198.51.100.7"),
            ("192.0.2.1", "127.0.0.1,198.51.100.7:4711", true, "198.51.100.7"),
            ("192.0.2.1", "unknown", true, "192.0.2.1"), ("192.0.2.1", "198.51.100.7,x", true, "192.0.2.1"),
            ("192.0.2.1", "1.2.3.4.5", true, "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", nil, false, "2001:db8:1:2/64"),
            ("2001:db8::6", nil, false, "2001:db8:0:0/64"), ("::1", nil, false, "0:0:0:0/64"),
            ("::ffff:192.0.2.1", nil, false, "192.0.2.1"),
            ("192.0.2.1", "[2001:db8:1:2::9]:80", true, "2001:db8:1:2/64"),
            ("192.0.2.1", "2001:db8:1:2::9", true, "2001:db8:1:2/64"),
        ] as [(peer: String, forwarded: String?, trusts: Bool, name: String)]
    )
    func addresses(row: (peer: String, forwarded: String?, trusts: Bool, name: String)) throws {
        let peer = try SocketAddress(ipAddress: row.peer, port: 80)
        var headers: HTTPFields = [:]
        headers[try #require(HTTPField.Name("X-Forwarded-For"))] = row.forwarded
        #expect(ClientAddress.name(of: peer, headers: headers, trustsProxy: row.trusts) == row.name)
    }

    @Test("Too many requests give 429 with the seconds to wait, per user and address; health is unlimited")
    func requests() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run(options: RateLimitTests.options) { client async throws in
            let ana = try await client.accounts.issueToken(for: try #require(UserID("ana")), seconds: 600)
            func list(_ address: String, _ token: String? = nil) async throws -> Client.Reply {
                try await client.get(
                    "/v1/clusters?bbox=0,0,1,1&zoom=3",
                    headers: try RateLimitTests.from(address, token)
                )
            }
            for _ in 0..<10 { #expect(try await list("192.0.2.1").status == 200) }
            let refused = try await list("192.0.2.1")
            #expect(refused.status == 429 && refused.json["type"]?.string == "/problems/too-many-requests")
            #expect(refused.headers[try #require(HTTPField.Name("Retry-After"))] == "5")
            #expect(try await list("192.0.2.2").status == 200)
            for _ in 0..<10 { #expect(try await list("192.0.2.1", ana).status == 200) }
            #expect(try await list("192.0.2.3", ana).status == 429)
            let health = try await client.get("/healthz", headers: try RateLimitTests.from("192.0.2.1"))
            let ready = try await client.get("/readyz", headers: try RateLimitTests.from("192.0.2.1", ana))
            #expect(health.status == 200 && ready.status == 200)
            fixture.clock.advance(seconds: 5)
            #expect(try await list("192.0.2.1").status == 200)
            #expect(try await list("192.0.2.1").status == 429)
        }
    }

    @Test("Failed authentications count against the address, but never lock out a valid token")
    func failures() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run(options: RateLimitTests.options) { client async throws in
            let good = try await client.accounts.issueToken(for: try #require(UserID("ana")), seconds: 600)
            func me(_ token: String) async throws -> Int {
                try await client.get("/v1/me", headers: try RateLimitTests.from("192.0.2.1", token)).status
            }
            for _ in 0..<5 { #expect(try await me("wrong") == 401) }
            #expect(try await me("wrong") == 429)
            #expect(try await me(good) == 200)
            #expect(try await client.get("/v1/stories", headers: try RateLimitTests.from("192.0.2.1")).status == 429)
        }
    }

    @Test(
        "An address may try ten different wrong keys an hour; repeats are free, and a valid key always works"
    )
    func wrongKeys() async throws {
        let fixture = try await ServiceFixture()
        var options = RateLimitTests.options
        options.rateLimit = RateLimit(unitsPerSecond: 1_000, burst: 100_000)
        try await fixture.run(options: options) { client async throws in
            let (_, good) = try await KeyTests.make(#"{"name":"good"}"#, client)
            func me(_ key: String, from address: String = "192.0.2.1") async throws -> Client.Reply {
                try await client.get("/v1/me", headers: try RateLimitTests.from(address, key))
            }
            func wrong(_ number: Int) -> String {
                // As many digits for each: the keys differ whatever characters the good one has there.
                let digits = String(100 + number)
                return good.dropLast(digits.count + 4) + digits + "AAAA"
            }
            // A phone that nobody told that its key has ended.
            for _ in 0..<40 { #expect(try await me(wrong(1)).status == 401) }
            for number in 2...10 { #expect(try await me(wrong(number)).status == 401) }
            let refused = try await me(wrong(11))
            #expect(refused.status == 429)
            #expect(refused.headers[try #require(HTTPField.Name("Retry-After"))] == "360")
            #expect(try await me(good).status == 200)
            #expect(try await client.get("/v1/stories", headers: try RateLimitTests.from("192.0.2.1")).status == 200)
            #expect(try await me(wrong(12), from: "192.0.2.2").status == 401)
            // A token that has run out is to be refreshed, not waited for.
            let token = try await client.accounts.issueToken(for: try #require(UserID("ana")), seconds: 60)
            fixture.clock.advance(seconds: 100)
            for _ in 0..<12 { #expect(try await me(token).status == 401) }
            fixture.clock.advance(seconds: 400)
            #expect(try await me(wrong(13)).status == 401)
        }
    }

    @Test("An address may give ten wrong secrets an hour; a correct one always works")
    func guesses() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        var options = RateLimitTests.options
        options.rateLimit = RateLimit(unitsPerSecond: 1_000, burst: 100_000)
        try await fixture.run(options: options) { client async throws in
            var token = try await client.accounts.signIn(try #require(UserID("ana"))).refresh
            func refresh(_ token: String, from address: String) async throws -> Client.Reply {
                let body = "{\"refresh_token\":\"\(token)\"}"
                return try await client.send(
                    .post,
                    "/v1/tokens/refresh",
                    body,
                    headers: try RateLimitTests.from(address)
                )
            }
            for _ in 0..<9 { #expect(try await refresh("wrong", from: "192.0.2.1").status == 401) }
            for _ in 0..<20 {
                token = try #require(try await refresh(token, from: "192.0.2.1").json["refresh_token"]?.string)
            }
            // What is no guess at all does not count either.
            #expect(try await refresh("", from: "192.0.2.1").status == 422)
            #expect(try await refresh("wrong", from: "192.0.2.1").status == 401)
            let refused = try await refresh("wrong", from: "192.0.2.1")
            #expect(refused.status == 429)
            #expect(refused.headers[try #require(HTTPField.Name("Retry-After"))] == "360")
            #expect(try await refresh("wrong", from: "192.0.2.2").status == 401)
            // Whoever was wrong locks nobody out, and being right does not begin the count anew.
            token = try #require(try await refresh(token, from: "192.0.2.1").json["refresh_token"]?.string)
            #expect(try await refresh("wrong", from: "192.0.2.1").status == 429)
            fixture.clock.advance(seconds: 360)
            #expect(try await refresh("wrong", from: "192.0.2.1").status == 401)
            #expect(try await refresh(token, from: "192.0.2.1").status == 200)
        }
    }

    @Test("PRV-04 Guessing at invitations does not prevent others in the household from accepting theirs")
    func household() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        var options = RateLimitTests.options
        options.rateLimit = RateLimit(unitsPerSecond: 1_000, burst: 100_000)
        try await fixture.run(options: options) { client async throws in
            let family = try await client.makeFamily(of: "ana", "Lake")
            _ = try await client.invite([#"{"user":"cora"}"#], into: family, as: "ana")
            let list = try await client.get("/v1/me/invitations", as: "cora").json["invitations"]
            let id = try #require(list?[0]?["id"]?.string)
            func accept(_ id: String, as user: String) async throws -> Int {
                let token = try await client.accounts.issueToken(for: try #require(UserID(user)), seconds: 600)
                let headers = try RateLimitTests.from("192.0.2.1", token)
                return try await client.send(.post, "/v1/invitations/\(id)/accept", nil, headers: headers).status
            }
            let wrong = String(repeating: "0", count: id.utf8.count)
            for _ in 0..<10 { #expect(try await accept(wrong, as: "ben") == 404) }
            #expect(try await accept(wrong, as: "ben") == 429)
            _ = try await client.invite([#"{"user":"ben"}"#], into: family, as: "ana")
            let bens = try await client.get("/v1/me/invitations", as: "ben").json["invitations"]
            #expect(try await accept(try #require(bens?[0]?["id"]?.string), as: "ben") == 200)
            #expect(try await accept(id, as: "cora") == 200)
        }
    }
}
