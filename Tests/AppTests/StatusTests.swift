import App
import Foundation
import Formats
import HTTPTypes
import Library
import Notifications
import Storage
import Stories
import TestSupport
import Testing

@Suite("The state of the service")
struct StatusTests {
    private static let path = "/v1/service/status"
    private static let page = "/service/status"

    private static func key(_ client: Client) async throws -> String {
        try await client.accounts.makeKey(.init(holder: .service([.adminOps]), name: "ops", days: nil)).text
    }

    private static func basic(_ password: String) -> HTTPFields {
        [.authorization: "Basic " + Data("operator:\(password)".utf8).base64EncodedString()]
    }

    @Test("OBS-04 OBS-03 The state has the documented shape, names nobody, and follows what happens")
    func state() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let ops = KeyTests.bearer(try await StatusTests.key(client))
            let document = try await client.get("/openapi.json").json
            func state() async throws -> JSONValue {
                let reply = try await client.get(StatusTests.path, headers: ops)
                #expect(reply.status == 200)
                let schema = JSONValue.object(["$ref": .string("#/components/schemas/ServiceStatus")])
                #expect(SchemaChecker(document: document).faults(of: reply.json, schema: schema) == [])
                let text = String(decoding: reply.bytes, as: UTF8.self)
                for name in ["ana", "ben", "Whitfield", "33.75"] { #expect(!text.contains("\"\(name)"), "\(name)") }
                return reply.json
            }
            let fresh = try await state()
            #expect(fresh["status"]?.string == "ready" && fresh["warnings"]?.array == [])
            #expect(fresh["last_backup"]?.isNull == true && fresh["last_check"]?.isNull == true)
            #expect(fresh["devices"]?["last_hour"]?.integer == 0 && fresh["outbox"]?["waiting"]?.integer == 0)
            #expect(fresh["sqlite"]?["version"]?.string == SQLiteVersion.current.text)
            #expect(fresh["disk"]?["database_bytes"]?.integer ?? 0 > 100_000)

            let record = UpkeepRecord(.backup, at: fixture.clock.now, outcome: "verified", figures: ["bytes": 4_096])
            try record.write(besideDatabase: fixture.library.store.path)
            try UpkeepRecord(.check, at: fixture.clock.now, outcome: "healthy")
                .write(besideDatabase: fixture.library.store.path)
            let on = #"{"enabled":true,"kinds":["public"]}"#
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "ana", on)
            let fix = #"{"fixes":[{"lat":33.7,"lon":-84.3,"at":"2026-11-21T12:00:00Z","accuracy":5}]}"#
            _ = try await client.send(.post, "/v1/fixes", as: "ana", fix)
            let next = try await state()
            #expect(next["last_backup"]?["outcome"]?.string == "verified")
            #expect(next["last_backup"]?["figures"]?["bytes"]?.integer == 4_096)
            #expect(next["last_check"]?["outcome"]?.string == "healthy")

            fixture.library.store.watchSpace(.standard, measuring: { 300_000_000 }, now: { 0 })
            let low = try await state()
            #expect(low["disk"]?["free_bytes"]?.integer == 300_000_000)
            #expect(low["warnings"]?[0]?["code"]?.string == "disk-low")
            fixture.library.store.watchSpace(.standard, measuring: { 100_000_000 }, now: { 0 })
            #expect(try await state()["status"]?.string == "not-ready")
        }
    }

    @Test("OBS-04 Messages that wait, that are due, and that were given up are counted")
    func outbox() async throws {
        try await DeliveryTests.run { scene async throws in
            let ops = KeyTests.bearer(try await StatusTests.key(scene.client))
            _ = try await scene.webhook("hook")
            scene.sender.answer(400)
            let service = KeyTests.bearer(try await scene.service())
            let body = #"{"users":["ben"],"type":"comment.new","title":"Title"}"#
            _ = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
            let waiting = try await scene.client.get(StatusTests.path, headers: ops).json
            #expect(waiting["outbox"]?["waiting"]?.integer == 1)
            #expect(waiting["outbox"]?["oldest"]?.string != nil)
            try await scene.later(seconds: 1)
            let dead = try await scene.client.get(StatusTests.path, headers: ops).json
            #expect(dead["outbox"]?["waiting"]?.integer == 0 && dead["outbox"]?["dead"]?.integer == 1)
            #expect(dead["outbox"]?["oldest"]?.isNull == true)
        }
    }

    @Test("OBS-04 The page needs no script, asks a browser for the operator's key, and shows it to nobody else")
    func asPage() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let key = try await StatusTests.key(client)
            let asked = try await client.get(StatusTests.page)
            #expect(asked.status == 401 && asked.headers[.wwwAuthenticate]?.hasPrefix("Basic realm=") == true)
            #expect(try await client.get(StatusTests.page, headers: StatusTests.basic("wm_key_wrong")).status == 401)
            #expect(try await client.get(StatusTests.path).headers[.wwwAuthenticate] == "Bearer")
            #expect(try await client.get(StatusTests.page, as: "ana").status == 403)
            // The password of the page opens nothing else.
            #expect(try await client.get(StatusTests.path, headers: StatusTests.basic(key)).status == 401)
            let reply = try await client.get(StatusTests.page, headers: StatusTests.basic(key))
            let text = String(decoding: reply.bytes, as: UTF8.self)
            #expect(reply.status == 200 && reply.headers[.cacheControl] == "no-store")
            #expect(text.contains("<h1>State of the service</h1>") && text.contains("The service is ready."))
            #expect(!text.contains("<script") && !text.contains("http-equiv=\"refresh\""))
            #expect(text.contains("SQLite \(SQLiteVersion.current.text)"))
            var spanish = StatusTests.basic(key)
            spanish[.acceptLanguage] = "es"
            fixture.library.store.watchSpace(.standard, measuring: { 300_000_000 }, now: { 0 })
            let page = try await client.get(StatusTests.page + "?refresh=true", headers: spanish)
            let words = String(decoding: page.bytes, as: UTF8.self)
            #expect(words.contains("<h1>Estado del servicio</h1>") && words.contains("300 MB"))
            #expect(words.contains("http-equiv=\"refresh\" content=\"5\"") && words.contains("disk-low"))
        }
    }
}
