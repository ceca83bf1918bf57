import App
import Formats
import Foundation
import HTTPTypes
import Testing

@Suite("Setting a tracking app up")
struct TrackerTests {
    /// The settings in a link for OwnTracks.
    private static func settings(in link: String) throws -> JSONValue {
        let inline = try #require(link.split(separator: "=", maxSplits: 1).last)
        #expect(!inline.contains("+"), "a plus in a query stands for a space")
        let text = try #require(String(inline).removingPercentEncoding)
        return try JSONValue(parsing: [UInt8](try #require(Data(base64Encoded: text))))
    }

    @Test("The link sets OwnTracks up with a key that sends the device's positions and can do nothing else")
    func ownTracks() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let body = #"{"name":"Aunt Olga’s phone","device":"pixel"}"#
            let reply = try await client.send(.post, "/v1/me/owntracks", as: "ana", body)
            #expect(reply.status == 201)
            #expect(reply.headers[.cacheControl]?.contains("no-store") == true)
            let link = try #require(reply.json["link"]?.string)
            #expect(link.hasPrefix("owntracks:///config?inline="))
            let settings = try TrackerTests.settings(in: link)
            #expect(settings["_type"]?.string == "configuration" && settings["mode"]?.integer == 3)
            #expect(settings["auth"]?.bool == true && settings["deviceId"]?.string == "pixel")
            #expect(settings["url"]?.string?.hasSuffix("/ingest/owntracks") == true)
            let key = try #require(settings["password"]?.string)
            #expect(reply.json["key"]?.string == key && reply.json["kind"]?.string == "device")
            let basic = Data("\(settings["username"]?.string ?? ""):\(key)".utf8).base64EncodedString()
            let headers: HTTPFields = [.authorization: "Basic \(basic)"]
            let fix = #"{"_type":"location","lat":40.7,"lon":-73.9,"acc":10,"tst":1795262400}"#
            #expect(try await client.send(.post, "/ingest/owntracks", fix, headers: headers).status == 200)
            #expect(try await client.get("/v1/me/keys", headers: KeyTests.bearer(key)).status == 403)
            // Shown once: neither the list of keys nor anybody else gets it again.
            let list = try await client.get("/v1/me/keys", as: "ana")
            #expect(list.json["keys"]?[0]?["id"] == reply.json["id"])
            #expect(!String(decoding: list.bytes, as: UTF8.self).contains(key))
            #expect(try await client.get("/v1/me/keys", as: "ben").json["keys"]?.array?.isEmpty == true)
        }
    }

    @Test("The QR code holds the link, dark on light with a quiet zone")
    func code() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let reply = try await client.send(.post, "/v1/me/owntracks", as: "ana", #"{"name":"P","device":"p"}"#)
            let link = try #require(reply.json["link"]?.string)
            let drawing = try #require(QRCode(link))
            #expect(reply.json["qr_code"]?.string == drawing.svg)
            // The corner that readers look for: seven dark modules after a margin of four.
            #expect(drawing.svg.contains(#"<path d="M4 4h7v1h-7z"#))
            let size = try #require(drawing.svg.firstMatch(of: /viewBox="0 0 (\d+) (\d+)"/))
            #expect(size.1 == size.2 && drawing.lines.count == ((Int(size.1) ?? 0) + 1) / 2)
            #expect(QRCode(String(repeating: "a", count: 5_000)) == nil && QRCode("a\0b") == nil)
        }
    }

    @Test(
        "What is wrong is said of its field, and makes no key",
        arguments: [
            (#"{"name":"P"}"#, "device"), (#"{"device":"p"}"#, "name"), (#"{"name":"P","device":""}"#, "device"),
            (#"{"name":"a\nb","device":"p"}"#, "name"),
        ]
    )
    func refusal(body: String, field: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let reply = try await client.send(.post, "/v1/me/owntracks", as: "ana", body)
            #expect(reply.status == 400 || reply.status == 422)
            #expect(reply.json["errors"]?.array?.contains { $0["field"]?.string == field } == true)
            #expect(try await client.get("/v1/me/keys", as: "ana").json["keys"]?.array?.isEmpty == true)
        }
    }

    @Test("A token that may manage the account but not send positions makes no device key")
    func scopes() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let narrow = #"{"name":"N","scopes":["account:manage"]}"#
            let key = try await KeyTests.make(narrow, client).text
            let body = #"{"name":"P","device":"p"}"#
            let headers = KeyTests.bearer(key)
            let reply = try await client.send(.post, "/v1/me/owntracks", body, headers: headers)
            #expect(reply.status == 400 || reply.status == 422)
            #expect(reply.json["errors"]?[0]?["field"]?.string == "device")
        }
    }
}
