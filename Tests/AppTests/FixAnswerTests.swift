import Library
import App
import Formats
import Foundation
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("Answers to devices and apps")
struct FixAnswerTests {
    private static let settings = "/v1/me/notification-settings"
    private static let place = "\"lat\":33.7554,\"lon\":-84.3736"

    private func fix(_ milliseconds: Int64, _ rest: String = FixAnswerTests.place + ",\"acc\":8") -> String {
        "{\"t\":\"\(RFC3339.format(Timestamp(milliseconds: milliseconds)))\",\(rest)}"
    }

    private func report(_ client: Client, _ fixes: [String]) async throws -> JSONValue {
        let body = "{\"device\":\"phone\",\"fixes\":[\(fixes.joined(separator: ","))]}"
        return try await client.send(.post, "/v1/fixes", as: "ben", body).json
    }

    @Test("NTF-12 NTF-09 A fix from 1980 is rejected with a message, is not kept, and repeats are recognized")
    func yearsAgo() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let settings = "{\"enabled\":true,\"keep_fixes_days\":3}"
            _ = try await client.send(.put, FixAnswerTests.settings, as: "ben", settings)
            let now = fixture.clock.now.milliseconds
            let old = fix(315_532_800_000)
            for turn in 0..<2 {
                #expect(try await report(client, [fix(now)])[turn == 0 ? "accepted" : "duplicate"]?.integer == 1)
                let refused = try await report(client, [old])
                #expect(refused["accepted"]?.integer == 0 && refused["late"]?.integer == 0)
                let reason = try #require(refused["rejected"]?[0])
                #expect(reason["why"]?.string == "old" && reason["field"]?.string == "t")
                #expect(reason["message"]?.string?.contains("more than a day in the past") == true)
            }
            // The device does not count as one that sends in disorder either: a new one is judged at once.
            fixture.clock.advance(seconds: 1)
            _ = try await report(client, [fix(now + 1_000)])
            let kept = try await client.get("/v1/fixes", as: "ben").json["fixes"]?.array ?? []
            #expect(kept.count == 2 && kept.allSatisfy { $0["outcome"]?.string == "accepted" })
            let data = try await client.get("/v1/me/location-data", as: "ben").bytes
            #expect(!String(decoding: data, as: UTF8.self).contains("1980-"))
            // What is an hour back is late, and kept as such.
            #expect(try await report(client, [fix(now - 3_600_000)])["late"]?.integer == 1)
            #expect(try await client.get("/v1/fixes", as: "ben").json["fixes"]?.array?.count == 3)
        }
    }

    @Test("NTF-12 Rejected fixes name the error, its place and the remedy; a clock an hour ahead is accepted")
    func words() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, FixAnswerTests.settings, as: "ben", "{\"enabled\":true}")
            let now = fixture.clock.now.milliseconds
            let answer = try await report(
                client,
                [
                    "{\"t\":\"noon\",\(FixAnswerTests.place)}", fix(now + 90_000_000), fix(now, "\"lat\":91,\"lon\":2"),
                    fix(now, "\"lat\":1,\"lon\":181"), fix(now, "\"lat\":0,\"lon\":0"),
                    fix(now, FixAnswerTests.place + ",\"acc\":-1"), fix(now, FixAnswerTests.place + ",\"acc\":201"),
                ]
            )
            let rejected = answer["rejected"]?.array ?? []
            #expect(rejected.compactMap { $0["i"]?.integer } == Array(0..<7))
            let whys = ["time", "time", "position", "position", "zero", "invalid", "accuracy"]
            #expect(rejected.compactMap { $0["why"]?.string } == whys)
            #expect(rejected.compactMap { $0["field"]?.string } == ["t", "t", "lat", "lon", "lat", "acc", "acc"])
            let messages = rejected.compactMap { $0["message"]?.string }
            #expect(messages.count == 7 && Set(messages).count == 7 && messages.allSatisfy { $0.contains(" ") })
            #expect(messages[2] == "must be between -90 and 90 degrees")
            #expect(try await report(client, [fix(now + 3_600_000)])["accepted"]?.integer == 1)
        }
    }

    @Test("NTF-12 Only the fix without a position, or with an unreadable field, is rejected; the rest count")
    func unreadable() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, FixAnswerTests.settings, as: "ben", "{\"enabled\":true}")
            let now = fixture.clock.now.milliseconds
            let answer = try await report(
                client,
                [
                    fix(now, "\"lat\":null,\"lon\":2"), fix(now), "7", fix(now, "\"lon\":2"),
                    fix(now + 1, FixAnswerTests.place + ",\"acc\":\"good\""),
                    fix(now + 2, FixAnswerTests.place + ",\"hdop\":1"),
                    fix(now + 3, FixAnswerTests.place + ",\"acc\":null"),
                ]
            )
            #expect(answer["accepted"]?.integer == 2)
            let rejected = answer["rejected"]?.array ?? []
            #expect(rejected.compactMap { $0["i"]?.integer } == [0, 2, 3, 4, 5])
            #expect(rejected.compactMap { $0["field"]?.string } == ["lat", "", "lat", "acc", "hdop"])
            #expect(rejected.allSatisfy { $0["why"]?.string == "invalid" && $0["message"]?.string?.isEmpty == false })
        }
    }

    @Test("NTF-12 An explanation's distance is the fix's; the filter's estimate is a separate field")
    func explained() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here", latitude: 33.7555, longitude: -84.3763)
            let settings = "{\"enabled\":true,\"keep_fixes_days\":1}"
            _ = try await client.send(.put, FixAnswerTests.settings, as: "ben", settings)
            for (latitude, pause) in [(33.7590, 60.0), (33.7575, 50), (33.7556, 10)] {
                let fix = fix(fixture.clock.now.milliseconds, "\"lat\":\(latitude),\"lon\":-84.3763,\"acc\":8")
                #expect(try await report(client, [fix])["accepted"]?.integer == 1)
                fixture.clock.advance(seconds: pause)
            }
            let id = try #require(try await client.get("/v1/fixes", as: "ben").json["fixes"]?[0]?["id"]?.string)
            let reply = try await client.get("/v1/fixes/\(id)/explain", as: "ben")
            let fence = try #require(reply.json["fences"]?[0])
            #expect(abs((fence["d"]?.number ?? 0) - 11.1) < 0.5 && fence["acc"]?.number == 12)
            #expect((fence["likely_d"]?.number ?? 0) > 20 && (fence["likely_acc"]?.number ?? 0) > 12)
        }
    }

    @Test("NTF-10 A trace without times, or without any points, is reported as such")
    func emptyTraces() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, FixAnswerTests.settings, as: "ben", "{\"enabled\":true}")
            for (body, format, word) in [
                ("lat,lon\n33.7554,-84.3736\n", "CSV", "the trace has no timed points"),
                ("{\"locations\":[]}", "Google Timeline", "the trace has no positions"),
                ("{\"type\":\"FeatureCollection\",\"features\":[]}", "GeoJSON", "the trace has no positions"),
                ("time,lat,lon\n2019-05-01T12:00:00Z,33.7554,-84.3736\n", "CSV", ""),
            ] {
                let reply = try await client.send(.post, "/v1/traces", as: "ben", body)
                #expect(reply.status == 200 && reply.json["format"]?.string == format)
                let problems = reply.json["problems"]?.array?.compactMap(\.string) ?? []
                #expect(word.isEmpty ? problems.isEmpty : problems.first?.hasPrefix(word) == true, "\(format)")
            }
        }
    }

    @Test("NTF-10 OsmAnd's parameters may occur once; errors of other apps are acknowledged and counted")
    func apps() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, FixAnswerTests.settings, as: "ben", "{\"enabled\":true}")
            let made = try await client.send(.post, "/v1/me/keys", as: "ben", "{\"name\":\"P\",\"device\":\"phone\"}")
            let key = try #require(made.json["key"]?.string)
            let place = "id=\(key)&lat=33.7554&lon=-84.3736"
            for (query, status) in [
                ("", 200), ("&lat=2", 400), ("&accuracy=8&accuracy=9", 400), ("&alarm=a&alarm=b", 200),
            ] {
                #expect(try await client.get("/ingest/osmand?\(place)\(query)").status == status, "\(query)")
                #expect(try await client.send(.post, "/ingest/osmand", place + query).status == status, "\(query)")
            }
            let repeated = try await client.get("/ingest/osmand?\(place)&lat=2")
            #expect(repeated.json["detail"]?.string?.contains("lat: is given more than once") == true)
            let basic = HTTPField(name: .authorization, value: "Basic " + Data("x:\(key)".utf8).base64EncodedString())
            let wrong = #"{"_type":"location","lat":999,"lon":0,"tst":1795262400}"#
            let ahead = #"{"_type":"location","lat":9,"lon":0,"tst":2085978496}"#
            for body in [wrong, ahead] {
                let reply = try await client.send(.post, "/ingest/owntracks", body, headers: [basic].fields)
                #expect(reply.status == 200 && reply.bytes == Array("[]".utf8))
            }
            let point = "{\"type\":\"Point\",\"coordinates\":[0,999]}"
            let feature = "{\"geometry\":\(point),\"properties\":{\"timestamp\":\"2026-11-21T12:00:00Z\"}}"
            let path = "/ingest/overland?access_token=" + key
            let reply = try await client.send(.post, path, "{\"locations\":[\(feature)]}")
            #expect(reply.status == 200 && reply.bytes == Array("{\"result\":\"ok\"}".utf8))
            let narrow = Accounts.KeyRequest(holder: .service([.adminOps]), name: "metrics", days: nil)
            let operators = KeyTests.bearer(try await client.accounts.makeKey(narrow).text)
            let metrics = String(decoding: try await client.get("/metrics", headers: operators).bytes, as: UTF8.self)
            #expect(metrics.contains("waymark_fixes_total{outcome=\"ignored\"} 3\n"))
            #expect(metrics.contains("waymark_fixes_total{outcome=\"accepted\"} 1\n"))
        }
    }

    @Test("NTF-10 A replay uses channels only if requested")
    func delivered() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            _ = try await scene.webhook()
            let fixes = (0..<12)
                .map { "2019-05-01T12:00:\($0 < 2 ? "0" : "")\($0 * 5)Z,33.7554,-84.3736,8" }
            let rows = "time,lat,lon,accuracy\n" + fixes.joined(separator: "\n") + "\n"
            let trace = try TraceReader.read(Array(rows.utf8), fileName: "walk.csv")
            let ben = try #require(UserID("ben"))
            var options = ReplayOptions()
            (options.delivers, options.isDryRun) = (true, true)
            #expect(
                try await scene.fixture.library.fences.replay(trace.fixes, for: ben, options: options).notices.count
                    == 1
            )
            #expect(try await scene.entries(nil).isEmpty)
            options.isDryRun = false
            #expect(
                try await scene.fixture.library.fences.replay(trace.fixes, for: ben, options: options).notices.count
                    == 1
            )
            #expect(try await scene.entries(.pending).count == 1)
            try await scene.fixture.library.delivery.deliverDue()
            let sent = scene.sender.webhooks("story.nearby")
            #expect(sent.count == 1 && sent.first?.data["simulated"]?.bool == true)
            _ = try await scene.client.create(as: "ana", title: "New")
            options.delivers = false
            #expect(
                try await scene.fixture.library.fences.replay(trace.fixes, for: ben, options: options).notices.count
                    == 1
            )
            try await scene.fixture.library.delivery.deliverDue()
            #expect(scene.sender.webhooks("story.nearby").count == 1)
        }
    }
}

extension [HTTPField] {
    fileprivate var fields: HTTPFields { HTTPFields(self) }
}
