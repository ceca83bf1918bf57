import App
import Library
import Foundation
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("Channels with a lost key")
struct LostSealTests {
    @Test("DLV-06 Without its keys a database reports it in the log, readiness, the channel and to its owner")
    func lost() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let key = fixture.folder.path("waymark.db.keys/channels.key")
        let aside = try TemporaryFolder()
        try await fixture.run { client async throws in
            for topic in ["waymark-one", "waymark-two"] {
                let target = #"{"url":"https://ntfy.example/","topic":"\#(topic)"}"#
                let body = #"{"kind":"ntfy","name":"Door","target":\#(target)}"#
                let made = try await client.send(.post, "/v1/me/channels", as: "ben", body)
                #expect(made.status == 201, "\(String(decoding: made.bytes, as: UTF8.self))")
            }
            #expect(try await client.get("/readyz").json["warnings"] == nil)
        }
        try fixture.library.store.close()
        try FileManager.default.moveItem(atPath: key, toPath: aside.path("key"))

        // Nobody is told twice, however often it is started.
        for _ in 0..<2 {
            let lines = LogLines()
            let bare = try await ServiceFixture(logger: lines.logger, of: fixture)
            try await bare.run { client async throws in
                #expect(!lines.beginning(with: "error channels were switched off").isEmpty)
                let ready = try await client.get("/readyz")
                #expect(ready.status == 200)
                let warnings = ready.json["warnings"]?.array?.compactMap { $0["code"]?.string }
                #expect(warnings == ["channel-keys-lost"])
                let channels = try await client.get("/v1/me/channels", as: "ben").json["channels"]?.array ?? []
                #expect(channels.map { $0["state"]?.string } == ["disabled", "disabled"])
                #expect(channels.map { $0["reason"]?.string } == ["secret_lost", "secret_lost"])
                let feed = try await client.get("/v1/notifications?limit=100", as: "ben").json["notifications"]?.array
                let told = feed?.filter { $0["type"]?.string == "channel.disabled" } ?? []
                #expect(told.count == 2)
                let words = told.first?["body"]?.string ?? ""
                #expect(words.contains("“Door”") && words.contains("lost the key") && words.contains("add it again"))
                // It cannot be switched on by asking.
                let id = channels.first?["id"]?.string ?? ""
                let proof = try await client.send(.post, "/v1/me/channels/\(id)/verify", as: "ben", "{}")
                #expect(proof.status == 409 && proof.json["type"]?.string == "/problems/secret-lost")
            }
            try bare.library.store.close()
        }

        // With the key back everything goes on, and nothing has to be looked at.
        try FileManager.default.removeItem(atPath: key)
        try FileManager.default.moveItem(atPath: aside.path("key"), toPath: key)
        let again = try await ServiceFixture(of: fixture)
        try await again.run { client async throws in
            let channels = try await client.get("/v1/me/channels", as: "ben").json["channels"]?.array ?? []
            #expect(channels.map { $0["state"]?.string } == ["active", "active"])
            #expect(channels.allSatisfy { $0["reason"]?.isNull == true })
            #expect(try await client.get("/readyz").json["warnings"] == nil)
        }
    }

    @Test("DLV-06 Once its channels are removed or recreated, a service without the old key reports nothing")
    func removed() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let body = #"{"kind":"ntfy","target":{"url":"https://ntfy.example/","topic":"waymark-ben"}}"#
        try await fixture.run { client async throws in
            #expect(try await client.send(.post, "/v1/me/channels", as: "ben", body).status == 201)
        }
        try fixture.library.store.close()
        try FileManager.default.removeItem(atPath: fixture.folder.path("waymark.db.keys/channels.key"))
        let bare = try await ServiceFixture(of: fixture)
        try await bare.run { client async throws in
            let old = try await client.get("/v1/me/channels", as: "ben").json["channels"]?[0]?["id"]?.string ?? ""
            #expect(try await client.send(.post, "/v1/me/channels", as: "ben", body).status == 201)
            #expect(try await client.send(.delete, "/v1/me/channels/\(old)", as: "ben").status == 204)
            #expect(try await client.get("/readyz").json["warnings"] == nil)
        }
    }
}
