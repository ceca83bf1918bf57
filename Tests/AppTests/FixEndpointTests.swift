import App
import Library
import Formats
import Geometry
import HTTPTypes
import Storage
import Stories
import Testing
import TestSupport

@Suite("Fixes and notifications over HTTP")
struct FixEndpointTests {
    private static let settings = "/v1/me/notification-settings"
    private static let start = 1_795_262_400_000

    /// A batch of one fix at the fixture's place, so many seconds after its clock began.
    private static func fix(seconds: Double, latitude: Double = 33.7554, device: String = "phone") -> String {
        let time = RFC3339.format(Timestamp(milliseconds: Int64(start) + Int64(seconds * 1_000)))
        return
            "{\"device\":\"\(device)\",\"fixes\":[{\"t\":\"\(time)\",\"lat\":\(latitude),\"lon\":-84.3736,\"acc\":8}]}"
    }

    @Test("NTF-01 Off by default: fixes are ignored and the answer says so")
    func offByDefault() async throws {
        try await ServiceFixture()
            .run { client async throws in
                _ = try await client.create(as: "ana", title: "Here")
                #expect(try await client.get(FixEndpointTests.settings, as: "ben").json["enabled"]?.bool == false)
                let report = try await client.send(.post, "/v1/fixes", as: "ben", FixEndpointTests.fix(seconds: 0))
                #expect(report.json["monitoring"]?.string == "off")
                #expect(report.json["accepted"]?.integer == 0)
            }
    }

    @Test("NTF-03 NTF-05 An entry is announced once with its count: not on the next fix, device or day")
    func toldOnce() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for number in 0..<3 { _ = try await client.create(as: "ana", title: "Here \(number)") }
            _ = try await client.send(.put, FixEndpointTests.settings, as: "ben", "{\"enabled\":true,\"radius\":150}")
            var told: [JSONValue] = []
            for seconds in [0.0, 6, 12, 18] {
                let report = try await client.send(
                    .post,
                    "/v1/fixes",
                    as: "ben",
                    FixEndpointTests.fix(seconds: seconds)
                )
                #expect(report.json["monitoring"]?.string == "on")
                told += report.json["notifications"]?.array ?? []
                fixture.clock.advance(seconds: 6)
            }
            #expect(told.count == 1)
            for device in ["tablet", "phone"] {
                fixture.clock.advance(seconds: 86_400)
                let later = Double(fixture.clock.now.milliseconds - Int64(FixEndpointTests.start)) / 1_000
                for seconds in [later, later + 6, later + 12] {
                    let body = FixEndpointTests.fix(seconds: seconds, device: device)
                    let report = try await client.send(.post, "/v1/fixes", as: "ben", body)
                    #expect(report.json["notifications"]?.array?.isEmpty == true)
                    fixture.clock.advance(seconds: 6)
                }
            }
            let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array ?? []
            #expect(feed.count == 1)
            #expect(feed.first?["count"]?.integer == 3)
            #expect(feed.first?["id"] == told.first)
            #expect(try await client.get("/v1/notifications", as: "ana").json["notifications"]?.array?.isEmpty == true)
        }
    }

    @Test("NTF-07 A single fix inside is decided by the clock within 30 s")
    func timers() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here")
            _ = try await client.send(.put, FixEndpointTests.settings, as: "ben", "{\"enabled\":true}")
            _ = try await client.send(.post, "/v1/fixes", as: "ben", FixEndpointTests.fix(seconds: 0))
            fixture.clock.advance(seconds: 29)
            #expect(try await fixture.library.fences.fireTimers() == 1)
            #expect(try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array?.count == 1)
            fixture.clock.advance(seconds: 60)
            _ = try await fixture.library.fences.fireTimers()
            #expect(try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array?.count == 1)
        }
    }

    @Test("NTF-05 New content at a known place is announced, and nothing else")
    func onlyTheNew() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Old")
            _ = try await client.send(.put, FixEndpointTests.settings, as: "ben", "{\"enabled\":true}")
            func stay(latitude: Double, fixes: Int) async throws -> Int {
                var told = 0
                for _ in 0..<fixes {
                    let now = Double(fixture.clock.now.milliseconds - Int64(FixEndpointTests.start)) / 1_000
                    let body = FixEndpointTests.fix(seconds: now, latitude: latitude)
                    let report = try await client.send(.post, "/v1/fixes", as: "ben", body)
                    told += report.json["notifications"]?.array?.count ?? 0
                    fixture.clock.advance(seconds: 20)
                }
                return told
            }
            #expect(try await stay(latitude: 33.7554, fixes: 3) == 1)
            let new = try await client.create(as: "ana", title: "New")
            #expect(try await stay(latitude: 33.7554, fixes: 3) == 0)
            fixture.clock.advance(seconds: 3_600)
            #expect(try await stay(latitude: 33.8, fixes: 6) == 0)
            fixture.clock.advance(seconds: 3_600)
            #expect(try await stay(latitude: 33.7554, fixes: 3) == 1)
            let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array ?? []
            #expect(feed.first?["content_ids"]?.array?.compactMap(\.string) == [new])
        }
    }

    @Test("NTF-06 PRV-02 The user's own stories and invisible ones are never announced")
    func nothingElse() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "cora", title: "Mine")
            _ = try await client.create(as: "ana", title: "Family", extra: ",\"privacy\":\"family_only\"")
            _ = try await client.create(as: "ana", title: "Private", extra: ",\"privacy\":\"private\"")
            let near = ",\"location\":{\"lat\":33.7554,\"lon\":-84.3736,\"precision\":\"approximate\",\"cell\":0.1}"
            _ = try await client.create(as: "ana", title: "Elsewhere for others", latitude: nil, extra: near)
            for (user, count) in [("cora", 0), ("ben", 1)] {
                _ = try await client.send(.put, FixEndpointTests.settings, as: user, "{\"enabled\":true}")
                for seconds in [0.0, 6, 12] {
                    _ = try await client.send(.post, "/v1/fixes", as: user, FixEndpointTests.fix(seconds: seconds))
                }
                fixture.clock.advance(seconds: 30)
                _ = try await fixture.library.fences.fireTimers()
                let feed = try await client.get("/v1/notifications", as: user).json["notifications"]?.array ?? []
                // Cora's own story is hers; Ben gets Ana's for the family and Cora's, which are public at this place.
                let near = feed.filter { $0["type"]?.string == "story.nearby" }
                let told = near.flatMap { $0["content_ids"]?.array ?? [] }.count
                #expect(told == (count == 0 ? 0 : 2), "\(user)")
                fixture.clock.advance(seconds: -30)
            }
        }
    }

    @Test("NTF-01 Opting out takes effect immediately; opting in again repeats nothing")
    func optingOut() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here")
            _ = try await client.send(.put, FixEndpointTests.settings, as: "ben", "{\"enabled\":true}")
            _ = try await client.send(.post, "/v1/fixes", as: "ben", FixEndpointTests.fix(seconds: 0))
            _ = try await client.send(.put, FixEndpointTests.settings, as: "ben", "{\"enabled\":false}")
            fixture.clock.advance(seconds: 29)
            #expect(try await fixture.library.fences.fireTimers() == 0)
            #expect(try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array?.isEmpty == true)
        }
    }

    @Test("PRV-01 PRV-07 Stories closed or deleted since are no longer shown in the feed")
    func feedForgets() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let first = try await client.create(as: "ana", title: "First")
            let second = try await client.create(as: "ana", title: "Second")
            _ = try await client.send(
                .put,
                FixEndpointTests.settings,
                as: "ben",
                "{\"enabled\":true,\"preview\":\"full\"}"
            )
            for seconds in [0.0, 6, 12] {
                _ = try await client.send(.post, "/v1/fixes", as: "ben", FixEndpointTests.fix(seconds: seconds))
                fixture.clock.advance(seconds: 6)
            }
            func feed() async throws -> [JSONValue] {
                try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array ?? []
            }
            #expect(try await feed().first?["count"]?.integer == 2)
            _ = try await client.send(.patch, "/v1/stories/\(first)", as: "ana", "{\"privacy\":\"private\"}")
            let left = try await feed()
            #expect(left.count == 1 && left.first?["count"]?.integer == 1)
            #expect(left.first?["content_ids"]?.array?.compactMap(\.string) == [second])
            #expect(left.first?["source_ids"] == nil)
            _ = try await client.send(.delete, "/v1/stories/\(second)", as: "ana")
            #expect(try await feed().isEmpty)
        }
    }

    @Test("NTF-01 Consenting to an outdated text is rejected")
    func consentVersion() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let body = "{\"enabled\":true,\"consent_version\":\"zzz\"}"
                #expect(try await client.send(.put, FixEndpointTests.settings, as: "ben", body).status == 422)
                #expect(try await client.get(FixEndpointTests.settings, as: "ben").json["enabled"]?.bool == false)
            }
    }

    @Test("NTF-09 The state of a device that was silent for a day is removed")
    func forgetting() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, FixEndpointTests.settings, as: "ben", "{\"enabled\":true}")
            _ = try await client.send(.post, "/v1/fixes", as: "ben", FixEndpointTests.fix(seconds: 0))
            let user = try #require(UserID("ben"))
            func isKept() async throws -> Bool {
                try await fixture.library.store.read {
                    try $0.evaluatorState(of: user, device: "phone", consentEpoch: 1) != nil
                }
            }
            fixture.clock.advance(seconds: 86_000)
            _ = try await fixture.library.fences.fireTimers()
            #expect(try await isKept())
            fixture.clock.advance(seconds: 1_000)
            _ = try await fixture.library.fences.fireTimers()
            #expect(try await isKept() == false)
        }
    }

    @Test("NTF-12 Unreadable fixes are named individually, the others count; a repeat is a duplicate")
    func partlyBad() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, FixEndpointTests.settings, as: "ben", "{\"enabled\":true}")
            let good = "{\"t\":\"2026-11-21T12:00:00Z\",\"lat\":1,\"lon\":2,\"acc\":5}"
            let body = """
                {"device":"phone","fixes":[{"t":"noon","lat":1,"lon":2},{"t":"2026-11-21T12:00:00Z","lat":91,"lon":2},\(good),\(good),
                {"t":"2026-11-21T12:00:01Z","lat":0,"lon":0},{"t":"2026-11-21T12:00:02Z","lat":1,"lon":2,"acc":5000},
                {"t":"9999-12-31T23:59:59Z","lat":1,"lon":2,"acc":5}]}
                """
            let report = try await client.send(.post, "/v1/fixes", as: "ben", body)
            #expect(report.json["accepted"]?.integer == 1)
            #expect(report.json["duplicate"]?.integer == 1)
            #expect(report.json["rejected"]?.array?.compactMap { $0["i"]?.integer } == [0, 1, 4, 5, 6])
        }
    }

    @Test(
        "NTF-02 Settings outside their limits are rejected by field and change nothing",
        arguments: [
            ("radius", "{\"radius\":10}"), ("kinds[0]", "{\"kinds\":[\"\"]}"), ("preview", "{\"preview\":\"all\"}"),
        ]
    )
    func badSettings(field: String, body: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let before = try await client.get(FixEndpointTests.settings, as: "ben")
                let reply = try await client.send(.put, FixEndpointTests.settings, as: "ben", body)
                #expect(reply.status == 422)
                #expect(reply.json["errors"]?[0]?["field"]?.string == field)
                #expect(try await client.get(FixEndpointTests.settings, as: "ben").bytes == before.bytes)
            }
    }

    @Test("NTF-10 A trace plays on its own clock: dry without side effects, else once and marked as simulated")
    func traces() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here")
            var rows = "time,lat,lon,accuracy\n"
            for second in stride(from: 0, to: 60, by: 5) {
                rows += "2019-05-01T12:00:\(second < 10 ? "0" : "")\(second)Z,33.7554,-84.3736,8\n"
            }
            func play(_ query: String = "", _ body: String? = nil) async throws -> Client.Reply {
                try await client.send(.post, "/v1/traces" + query, as: "ben", body ?? rows)
            }
            let off = try await play()
            #expect(off.status == 200 && off.json["monitoring"]?.string == "off")
            _ = try await client.send(.put, FixEndpointTests.settings, as: "ben", "{\"enabled\":true}")
            var ids: [String] = []
            for query in ["?dry_run=true", "?dry_run=true", "", "", "?dry_run=true"] {
                let reply = try await play(query)
                #expect(reply.status == 200 && reply.json["points"]?.integer == 12)
                let told = reply.json["notifications"]?.array ?? []
                #expect(told.allSatisfy { $0["simulated"]?.bool == true })
                ids.append(told.compactMap { $0["id"]?.string }.joined())
            }
            #expect(ids[0] == ids[1] && ids[1] == ids[2] && !ids[0].isEmpty && ids[3].isEmpty && ids[4].isEmpty)
            let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array ?? []
            #expect(feed.count == 1 && feed[0]["simulated"]?.bool == true)
            for (query, body, status) in [
                ("", "hello", 422), ("?radius=10", rows, 400), ("?dry_run=maybe", rows, 400),
                ("?name=x.gpx", "<gpx>", 422),
            ] {
                #expect(try await play(query, body).status == status, "\(query)")
            }
            #expect(try await client.send(.post, "/v1/traces", rows).status == 401)
        }
    }

    @Test("NTF-10 A trace with all times equal is reported; OwnTracks recordings are played")
    func equalTimes() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, FixEndpointTests.settings, as: "ben", "{\"enabled\":true}")
            let row = "2019-05-01T12:00:00Z,33.7554,-84.3736,8\n"
            let still = try await client.send(
                .post,
                "/v1/traces",
                as: "ben",
                "time,lat,lon,accuracy\n" + row + row + row
            )
            let problem = still.json["problems"]?[0]?.string ?? ""
            #expect(problem.hasPrefix("all 3 points have the same time"), "\(problem)")
            let message = #"{"_type":"location","lat":33.7554,"lon":-84.3736,"acc":12,"tst":1795262400}"#
            let line = "2026-11-21T12:00:03Z\t*                 \t" + message + "\n"
            let played = try await client.send(.post, "/v1/traces?name=2026-11.rec", as: "ben", line)
            #expect(played.status == 200 && played.json["format"]?.string == "OwnTracks")
            #expect(played.json["timed"]?.integer == 1)
        }
    }

    @Test("NTF-09 Fixes are kept only on request and while requested, each with reasons for its fences")
    func keptFixes() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for number in 0..<2 { _ = try await client.create(as: "ana", title: "Here \(number)") }
            func settings(_ body: String) async throws {
                #expect(try await client.send(.put, FixEndpointTests.settings, as: "ben", body).status == 200)
            }
            func kept() async throws -> [JSONValue] {
                try await client.get("/v1/fixes", as: "ben").json["fixes"]?.array ?? []
            }
            var seconds = 0.0
            func walk() async throws {
                for _ in 0..<3 {
                    let body = FixEndpointTests.fix(seconds: seconds, latitude: 33.7554)
                    _ = try await client.send(.post, "/v1/fixes", as: "ben", body)
                    fixture.clock.advance(seconds: 6)
                    seconds += 6
                }
            }
            try await settings("{\"enabled\":true}")
            try await walk()
            #expect(try await kept().isEmpty)
            try await settings("{\"keep_fixes_days\":2}")
            try await walk()
            let fixes = try await kept()
            #expect(
                fixes.count == 3 && fixes.allSatisfy { $0["outcome"]?.string == "accepted" && $0["acc"]?.number == 8 }
            )
            #expect(try await client.get("/v1/me/location-data", as: "ben").json["raw_fixes"]?.integer == 3)
            let id = try #require(fixes.first?["id"]?.string)
            let reply = try await client.get("/v1/fixes/\(id)/explain", as: "ben")
            let fence = try #require(reply.json["fences"]?[0])
            #expect(fence["d"]?.number == 0 && fence["r"]?.number == 150 && (fence["p"]?.number ?? 0) > 0.97)
            #expect(fence["ledger"]?.string == "2 of 2 already announced" && fence["why"]?.string?.isEmpty == false)
            // Why nothing is told of what there is.
            _ = try await client.create(as: "ben", title: "Mine")
            let seen = try await client.create(as: "ana", title: "Seen")
            _ = try await client.send(.post, "/v1/stories/\(seen)/viewed", as: "ben")
            let ledger = try await client.get("/v1/fixes/\(id)/explain", as: "ben").json["fences"]?[0]?["ledger"]?
                .string
            #expect(ledger == "2 of 4 already announced, 1 your own, 1 viewed")
            // Nobody else's, and of a place where nothing is to be seen any more nothing is said.
            let others = try await client.get("/v1/fixes/\(id)/explain", as: "cora")
            let absent = try await client.get("/v1/fixes/0123456789abcdef0123456789abcdef/explain", as: "ben")
            #expect(others.status == 404 && others.bytes == absent.bytes)
            let page = try await client.get("/v1/fixes?limit=2", as: "ben").json
            let next = try #require(page["links"]?["next"]?.string)
            #expect(try await client.get(next, as: "ben").json["fixes"]?.array?.count == 1)
            // The days go by.
            fixture.clock.advance(seconds: 2 * 86_400 + 60)
            #expect(try await client.get("/v1/fixes/\(id)/explain", as: "ben").status == 404)
            try await ErasureUpkeep(library: fixture.library, logger: fixture.logger).keepUp()
            #expect(try await kept().isEmpty)
            seconds += 2 * 86_400 + 60
            try await walk()
            #expect(try await kept().count == 3)
            try await settings("{\"keep_fixes_days\":0}")
            #expect(try await kept().isEmpty)
            #expect(
                try await client.send(.put, FixEndpointTests.settings, as: "ben", "{\"keep_fixes_days\":31}").status
                    == 422
            )
        }
    }
}
