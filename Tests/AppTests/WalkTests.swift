import App
import Formats
import GRDB
import HTTPTypes
import Library
import Storage
import Stories
import TestSupport
import Testing

/// A line drawn on the map from south to north through the fixture's place.
private let drawnLine = """
    {"type":"Feature","properties":{},"geometry":{"type":"LineString",\
    "coordinates":[[-84.3736,33.7504],[-84.3736,33.7604]]}}
    """

@Suite("Walks: what a trace would lead to, and why")
struct WalkTests {
    private static let settings = "/v1/me/notification-settings"

    /// A recording of somebody who comes from the south, stays at the fixture's place for a minute, and leaves to the
    /// south again.
    private static var recording: String {
        var rows = "time,lat,lon,accuracy\n"
        let latitudes =
            Array(repeating: 33.7504, count: 2) + Array(repeating: 33.7554, count: 12)
            + Array(repeating: 33.7504, count: 24)
        var time: Int64 = 1_556_712_000_000
        for (number, latitude) in latitudes.enumerated() {
            // After so long a pause, a fix counts as it is: the way between the two is unknown.
            time += number == 2 || number == 14 ? 900_000 : 5_000
            rows += "\(RFC3339.format(Timestamp(milliseconds: time))),\(latitude),-84.3736,8\n"
        }
        return rows
    }

    private static func walk(
        _ client: Client,
        as user: String = "ben",
        _ query: String = "",
        _ body: String? = nil
    ) async throws -> JSONValue {
        let reply = try await client.send(.post, "/v1/walk" + query, as: user, body ?? recording)
        #expect(reply.status == 200, "\(reply.json)")
        return reply.json
    }

    private static func texts(_ report: JSONValue, _ list: String, _ member: String) -> [String] {
        (report[list]?.array ?? []).compactMap { $0[member]?.string }
    }

    /// The changes of state in a report, each with the rule that decided.
    private static func changes(_ report: JSONValue) -> [String] {
        (report["steps"]?.array ?? []).flatMap { $0["decisions"]?.array ?? [] }
            .compactMap { decision in
                guard let before = decision["before"]?.string, let after = decision["after"]?.string,
                    let why = decision["why"]?.string, before != after
                else { return nil }
                return "\(before)->\(after): \(why)"
            }
    }

    /// Every row of every table of ours.
    private static func rows(_ fixture: ServiceFixture) throws -> [String] {
        let tables = Set(PersonalTable.all.map(\.table)).union(PersonalTable.others).sorted()
        return try fixture.library.store.inspect { db in
            try tables.filter { try db.tableExists($0) }
                .flatMap { table in
                    try Row.fetchAll(db, sql: "SELECT * FROM \"\(table)\"").map { "\(table): \($0)" }
                }
        }
    }

    @Test("NTF-10 NTF-12 A walk explains every decision about a fence")
    func decisions() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let story = try await client.create(as: "ana", title: "Here")
                let report = try await WalkTests.walk(client, "?radius=150")
                #expect(report["monitoring"]?.string == "off" && report["decisions"]?.string == "all")
                #expect(
                    WalkTests.changes(report) == [
                        "outside->inside: P >= 0.95, sparse or fast", "inside->leaving: outside the exit ring, waiting",
                        "leaving->outside: outside the exit ring for 60 s",
                    ]
                )
                let steps = report["steps"]?.array ?? []
                let outcomes = steps.compactMap { $0["fix"]?["outcome"]?.string }
                #expect(outcomes == Array(repeating: "accepted", count: 38))
                #expect(steps.allSatisfy { $0["estimate"]?["acc"]?.number ?? 0 > 0 })
                let fence = report["fences"]?[0]
                #expect(fence?["r"]?.number == 150 && fence?["exit_r"]?.number == 180)
                #expect(fence?["stories"]?[0]?["id"]?.string == story)
                #expect(WalkTests.texts(report, "notifications", "kind") == ["entered"])
                #expect(report["notifications"]?[0]?["content_ids"]?[0]?.string == story)
                #expect(report["silences"]?.array?.isEmpty == true)
                let entered = steps.flatMap { $0["entered"]?.array ?? [] }
                #expect(entered.compactMap { $0["why"]?.string } == ["the fix decided"])
                #expect(steps.flatMap { $0["left"]?.array ?? [] }.count == 1)
            }
    }

    @Test("NTF-09 A walk stores nothing and notifies nobody, whatever it passes")
    func storesNothing() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here")
            _ = try await client.send(.put, WalkTests.settings, as: "ben", #"{"enabled":true,"radius":150}"#)
            let (before, commits) = (try WalkTests.rows(fixture), fixture.library.store.commitCount)
            #expect(before.contains { $0.hasPrefix("stories: ") })
            var reports: [JSONValue] = []
            for query in ["", "", "?noise=10&outliers=0.1", "?forget=true&radius=300"] {
                reports.append(try await WalkTests.walk(client, query))
            }
            #expect(try await client.send(.post, "/v1/walk", as: "ben", "no trace").status == 422)
            #expect(reports[0] == reports[1])
            #expect(WalkTests.texts(reports[0], "notifications", "title").count == 1)
            #expect(fixture.library.store.commitCount == commits)
            #expect(try WalkTests.rows(fixture) == before)
            let feed = try await client.get("/v1/notifications", as: "ben").json
            #expect(feed["notifications"]?.array?.isEmpty == true)
        }
    }

    @Test("NTF-05 A walk says why a story at a visited place is not announced")
    func silences() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let story = try await client.create(as: "ana", title: "Here")
                func reasons(as user: String, _ query: String = "") async throws -> [String] {
                    let report = try await WalkTests.walk(client, as: user, query)
                    let silences = report["silences"]?.array ?? []
                    #expect(silences.allSatisfy { $0["story"]?.string == story })
                    let told = WalkTests.texts(report, "notifications", "kind").isEmpty ? [] : ["announced"]
                    return silences.compactMap { $0["reason"]?.string } + told
                }
                _ = try await client.send(.put, WalkTests.settings, as: "ana", #"{"notify_own":false}"#)
                #expect(try await reasons(as: "ana") == ["own"])
                _ = try await client.send(.put, WalkTests.settings, as: "ben", #"{"enabled":true}"#)
                #expect(try await reasons(as: "ben") == ["announced"])
                let played = try await client.send(.post, "/v1/traces", as: "ben", WalkTests.recording)
                #expect(played.json["notifications"]?.array?.count == 1)
                #expect(try await reasons(as: "ben") == ["told"])
                #expect(try await reasons(as: "ben", "?forget=true") == ["announced"])
            }
    }

    @Test("PRV-03 A walk passes only the fences of stories that its viewer may see")
    func visibility() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let before = try await client.send(.post, "/v1/walk", as: "ben", WalkTests.recording)
                _ = try await client.create(as: "ana", title: "Mine", extra: #","privacy":"private""#)
                let after = try await client.send(.post, "/v1/walk", as: "ben", WalkTests.recording)
                #expect(after.status == 200 && after.bytes == before.bytes)
                #expect(after.json["fences"]?.array?.isEmpty == true)
                #expect(try await WalkTests.walk(client, as: "ana")["fences"]?.array?.count == 1)
            }
    }

    @Test("NTF-10 A drawn way is walked at the chosen speed, with the same errors for the same seed")
    func drawing() async throws {
        try await ServiceFixture()
            .run { client async throws in
                _ = try await client.create(as: "ana", title: "Here")
                func drawn(_ query: String) async throws -> JSONValue {
                    try await WalkTests.walk(client, query, drawnLine)
                }
                func fixes(_ report: JSONValue) -> [JSONValue] {
                    (report["steps"]?.array ?? []).compactMap { $0["fix"] }.filter { !$0.isNull }
                }
                let plain = try await drawn("?speed=2&interval=10")
                #expect(plain["drawn"]?.bool == true && plain["timed"]?.integer == 0)
                // 1,112 metres at two metres a second, every ten seconds.
                #expect(fixes(plain).count == 57)
                #expect(fixes(plain).last?["lat"]?.number == 33.7604)
                #expect(WalkTests.texts(plain, "notifications", "kind") == ["entered"])
                let noisy = try await drawn("?speed=2&interval=10&noise=20&outliers=0.05&seed=7")
                #expect(try await drawn("?speed=2&interval=10&noise=20&outliers=0.05&seed=7") == noisy)
                #expect(try await drawn("?speed=2&interval=10&noise=20&outliers=0.05&seed=8") != noisy)
                #expect(fixes(noisy).map { $0["t"]?.string } == fixes(plain).map { $0["t"]?.string })
                #expect(fixes(noisy).map { $0["lat"]?.number } != fixes(plain).map { $0["lat"]?.number })
                let route = """
                    <gpx version="1.1"><rte><rtept lat="33.7504" lon="-84.3736"/><rtept lat="33.7604" lon="-84.3736"/>\
                    </rte></gpx>
                    """
                let planned = try await WalkTests.walk(client, "?speed=2&interval=10&name=a.gpx", route)
                #expect(fixes(planned) == fixes(plain))
            }
    }

    @Test(
        "REL-10 A walk that cannot be taken is rejected with what to do",
        arguments: [
            ("?radius=10", 400, nil), ("?noise=201", 400, nil), ("?outliers=0.6", 400, nil), ("?speed=0", 400, nil),
            ("?seed=-1", 400, nil), ("?interval=0.5", 400, nil), ("?dry_run=true", 400, nil),
            ("", 422, "hello"), ("?speed=0.1&interval=1", 422, drawnLine),
        ] as [(String, Int, String?)]
    )
    func rejected(query: String, status: Int, body: String?) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let text = body ?? WalkTests.recording
                let reply = try await client.send(.post, "/v1/walk" + query, as: "ben", text)
                #expect(reply.status == status, "\(query)")
                #expect(reply.json["detail"]?.string?.isEmpty == false)
                #expect(try await client.send(.post, "/v1/walk", text).status == 401)
            }
    }

    @Test("REL-10 A walk past too many places is rejected, and a walk of nothing is empty")
    func sizes() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for number in 0..<12 {
                let latitude = 33.75 + Double(number) / 1_000
                _ = try await client.create(as: "ana", title: "\(number)", latitude: latitude)
            }
            let crowded: String = (0..<9_000)
                .map { number in
                    let time = RFC3339.format(Timestamp(milliseconds: 1_556_712_000_000 + Int64(number) * 5_000))
                    return "\(time),33.7554,-84.3736,8\n"
                }
                .joined()
            let header: String = "time,lat,lon,accuracy\n"
            let reply = try await client.send(.post, "/v1/walk?radius=5000", as: "ben", header + crowded)
            #expect(reply.status == 422 && reply.json["type"]?.string?.hasSuffix("walk-too-dense") == true)
            let empty = try await WalkTests.walk(client, "", header)
            #expect(empty["steps"]?.array?.count ?? 0 <= 1)
            #expect(empty["problems"]?[0]?.string?.hasPrefix("the trace has no positions") == true)
        }
    }

    @Test("The page /walk is served with the policy of the other page and without anything from elsewhere")
    func page() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let page = try await client.get("/walk")
                #expect(page.status == 200)
                let text = String(decoding: page.bytes, as: UTF8.self)
                #expect(text.contains("/assets/walk.js") && !text.contains("http://") && !text.contains("https://"))
                for name in ["walk.js", "walk-run.js", "walk-map.js", "walk.css"] {
                    #expect(try await client.get("/assets/" + name).status == 200, "\(name)")
                }
            }
    }
}
