import Library
import App
import Formats
import Foundation
import GRDB
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

/// One rule for names, wherever they come in.
@Suite("Name rules at every input")
struct NameEntranceTests {
    /// A request that gives a name in a field of its body.
    private struct Entrance {
        let method: HTTPRequest.Method
        let path: String
        var field = "name"
        var rest: [String: Double] = [:]

        func body(_ name: String) -> String {
            var json = JSONWriter()
            json.beginObject()
            json.member(field, name)
            for (field, number) in rest.sorted(by: { $0.key < $1.key }) { json.member(field, number) }
            json.endObject()
            return json.text
        }
    }

    private static let good = [" Ana ", "José", "עדי", "👩\u{200D}👧", "A\u{200F}B", String(repeating: "é", count: 150)]
    /// What only the rule of names refuses.
    private static let bad = [
        " ", "\u{A0}", "\u{200B}", "\u{2060}\u{3164}", "a\nb", "a\tb", "a\u{7}b", "a\u{7F}b", "a\u{85}b", "a\u{9F}b",
        "a\u{2028}b", "a\u{2029}b", "a\u{202E}b", "a\u{2066}b",
    ]
    /// What the declared shape of the body refuses first.
    private static let misshapen = [
        "", "a\u{0}b", String(repeating: "x", count: 301), String(repeating: "é", count: 151),
    ]

    private static func entrances(_ fixture: ServiceFixture, _ client: Client) async throws -> [Entrance] {
        let place = Entrance(method: .post, path: "/v1/named-places", rest: ["lat": 33.75, "lon": -84.37])
        let made = try await client.send(.post, place.path, as: "ana", place.body("Mill"))
        let id = try #require(made.json["id"]?.string)
        return [
            Entrance(method: .patch, path: "/v1/me"),
            Entrance(method: .post, path: "/v1/families"),
            Entrance(method: .patch, path: "/v1/families/whitfield"),
            Entrance(method: .post, path: "/v1/me/keys"),
            Entrance(method: .post, path: "/v1/collections", field: "title"),
            place,
            Entrance(method: .patch, path: "/v1/named-places/\(id)"),
        ]
    }

    @Test("Every route that takes a name accepts and rejects the same ones, with the same message")
    func routes() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for entrance in try await NameEntranceTests.entrances(fixture, client) {
                func send(_ name: String) async throws -> Client.Reply {
                    try await client.send(entrance.method, entrance.path, as: "ana", entrance.body(name))
                }
                for name in NameEntranceTests.bad + NameEntranceTests.misshapen {
                    let reply = try await send(name)
                    let problem = reply.json["errors"]?[0]
                    #expect(reply.status == 422, "\(entrance.path) \(name.debugDescription)")
                    #expect(problem?["field"]?.string == entrance.field, "\(entrance.path) \(name.debugDescription)")
                    guard NameEntranceTests.bad.contains(name) else { continue }
                    #expect(problem?["message"]?.string == DisplayName.rule(), "\(entrance.path)")
                }
                for name in NameEntranceTests.good {
                    let reply = try await send(name)
                    #expect((200..<300).contains(reply.status), "\(entrance.path) \(name.debugDescription)")
                    #expect(reply.json[entrance.field]?.string == name, "\(entrance.path)")
                }
            }
        }
    }

    @Test("Labels for others follow the same rule, after control characters become spaces")
    func labels() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for name in [" ", "\u{200B}", "\u{2028}", "\u{202E}", " \u{301}"] {
                    let body = Entrance(method: .put, path: "", field: "label").body(name)
                    let problem = try await client.send(.put, "/v1/me/labels/ben", as: "ana", body).json["errors"]?[0]
                    #expect(
                        problem?["field"]?.string == "label"
                            && problem?["message"]?.string == DisplayName.rule(maxBytes: 100)
                    )
                }
            }
    }

    @Test("The commands apply the same rule to their options")
    func commands() {
        for name in NameEntranceTests.good { #expect(throws: Never.self) { try DisplayName(name, in: "--name") } }
        for name in NameEntranceTests.bad + NameEntranceTests.misshapen {
            let refusal = #expect(throws: DisplayName.Refusal.self) { try DisplayName(name, in: "--name") }
            #expect(refusal?.description == "--name \(DisplayName.rule()).")
        }
    }

    @Test("A demo with an invalid user or family name is not loaded", arguments: ["users", "families"])
    func demo(list: String) async throws {
        let (folder, fixture) = (try TemporaryFolder(), try await ServiceFixture())
        let place = folder.url.appending(path: "waymark_App.resources/demo")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        func read(_ name: String) throws -> Demo {
            var json = JSONWriter()
            json.beginObject()
            json.key(list)
            json.beginArray()
            json.beginObject()
            json.member("id", "someone")
            json.member("name", name)
            json.endObject()
            json.endArray()
            json.endObject()
            try Data(json.bytes).write(to: place.appending(path: "demo-stories.json"))
            let folders = DataFolders(option: folder.url.path, environment: [:])
            return try Demo(folders: folders, keys: fixture.library.store.keys, now: fixture.clock.now)
        }
        for name in NameEntranceTests.good { _ = try read(name) }
        for name in NameEntranceTests.bad + NameEntranceTests.misshapen {
            let failure = #expect(throws: Demo.Failure.self) { _ = try read(name) }
            #expect(failure?.description.hasSuffix("name \(DisplayName.rule()).") == true, "\(name.debugDescription)")
        }
    }

    @Test("A name stored under an older rule is shown and causes no problems")
    func stored() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let old = "a\u{85}\u{202E}b"
        try fixture.library.store.inspect { db in
            for table in ["users", "families"] { try db.execute(sql: "UPDATE \(table) SET name = ?", arguments: [old]) }
        }
        try await fixture.run { client async throws in
            let changed = try await client.send(.patch, "/v1/me", as: "ana", #"{"email":"ana@example.org"}"#)
            #expect(changed.status == 200 && changed.json["name"]?.string == old)
            let family = try await client.get("/v1/families/whitfield", as: "ana")
            #expect(family.status == 200 && family.json["name"]?.string == old)
            let members = try await client.get("/v1/families/whitfield/members", as: "ben").json["members"]?.array ?? []
            #expect(members.map { $0["name"]?.string } == [old, old])
        }
    }
}
