import App
import Formats
import Foundation
import HTTPTypes
import Library
import Storage
import Stories
import TestSupport
import Testing

@Suite("Names of devices")
struct DeviceNameTests {
    /// Names with a control character.
    static let refused = ["a\u{1}b", "a\nb", "a\r", "\tphone", "phone\u{7F}", "\u{1B}[2Jphone"]
    static let taken = ["phone", "Aunt Olga’s phone", "手机", String(repeating: "a", count: StoryLimits.deviceLength)]

    private static let message = "must be one line, without control characters"
    private static let place = "lat=33.7554&lon=-84.3736"

    /// A body with the name as its device.
    private static func body(_ device: String, _ others: String = "") -> String {
        var json = JSONWriter()
        json.value(device)
        return "{\"device\":\(json.text)\(others)}"
    }

    private static func encoded(_ name: String) throws -> String {
        try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    }

    /// A report as an app sends it, with a control character in the name of its device.
    struct Report: Sendable, CustomTestStringConvertible {
        let app: String
        let path: String
        let body: String?

        var testDescription: String { app }

        private static let point = #""lat":33.7554,"lon":-84.3736,"acc":8"#
        private static let ownTracks = #""_type":"location",\#(point),"tst":1795262400"#
        private static let overland =
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[-84.3736,33.7554]},"properties":{"#
            + #""timestamp":"2026-11-21T12:00:00Z","horizontal_accuracy":8,"device_id":"ph\u0001one"}}"#

        static let all = [
            Report(app: "OwnTracks, address", path: "/ingest/owntracks?d=ph%01one", body: "{\(ownTracks)}"),
            Report(
                app: "OwnTracks, topic",
                path: "/ingest/owntracks",
                body: #"{\#(ownTracks),"topic":"owntracks/jane/ph\u0001one"}"#
            ),
            Report(app: "Overland", path: "/ingest/overland", body: #"{"locations":[\#(overland)]}"#),
            Report(app: "OsmAnd, address", path: "/ingest/osmand?id=ph%01one&\(place)&accuracy=8", body: nil),
            Report(app: "OsmAnd, form", path: "/ingest/osmand", body: "id=ph%0Aone&\(place)&accuracy=8"),
            Report(app: "Traccar", path: "/ingest/osmand", body: #"{\#(point),"device_id":"ph\u007Fone"}"#),
            Report(
                app: "uLogger",
                path: "/ingest/ulogger/client/index.php",
                body: "action=addpos&id=ph%09one&\(place)&accuracy=8&time=1795262400"
            ),
        ]
    }

    @Test(
        "LOC-07 NTF-09 A name with a control character is refused wherever a client names its device",
        arguments: refused
    )
    func refusals(name: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "ben", "{\"enabled\":true}")
            for (path, others) in [
                ("/v1/fixes", ",\"fixes\":[]"), ("/v1/fences/aa/entered", ""), ("/v1/me/keys", ",\"name\":\"P\""),
                ("/v1/me/owntracks", ",\"name\":\"P\""),
            ] {
                let reply = try await client.send(.post, path, as: "ben", DeviceNameTests.body(name, others))
                #expect(reply.status == 422, "\(path)")
                #expect(reply.json["errors"]?.array?.count == 1, "\(path)")
                #expect(reply.json["errors"]?[0]?["field"]?.string == "device", "\(path)")
                #expect(reply.json["errors"]?[0]?["message"]?.string == DeviceNameTests.message, "\(path)")
            }
            let encoded = try DeviceNameTests.encoded(name)
            let fences = try await client.get("/v1/fences?\(DeviceNameTests.place)&device=\(encoded)", as: "ben")
            #expect(fences.status == 400)
            #expect(fences.json["errors"]?[0]?["field"]?.string == "device")
            #expect(fences.json["errors"]?[0]?["message"]?.string == DeviceNameTests.message)
            // In a path it is the name of no device.
            let path = "/v1/me/devices/\(encoded)"
            #expect(try await client.send(.put, path, as: "ben", "{\"permission\":\"denied\"}").status == 404)
            #expect(try await client.get(path, as: "ben").status == 404)
            #expect(try await client.get("/v1/me/keys", as: "ben").json["keys"]?.array?.isEmpty == true)
            #expect(try fixture.library.store.inspectDevices() == [])
        }
    }

    @Test("NTF-09 Any other name is taken as given", arguments: taken)
    func takenNames(name: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "ben", "{\"enabled\":true}")
            let fix = #","fixes":[{"t":"2026-11-21T12:00:00Z","lat":33.7554,"lon":-84.3736,"acc":8}]"#
            let reply = try await client.send(.post, "/v1/fixes", as: "ben", DeviceNameTests.body(name, fix))
            #expect(reply.json["accepted"]?.integer == 1)
            #expect(try fixture.library.store.inspectDevices() == [name])
            let path = "/v1/me/devices/\(try DeviceNameTests.encoded(name))"
            #expect(try await client.get(path, as: "ben").json["device"]?.string == name)
        }
    }

    /// An app would send a refused report for ever.
    @Test("NTF-10 An app's report counts all the same, for a device without a name", arguments: Report.all)
    func apps(report: Report) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "ben", "{\"enabled\":true}")
            let method: HTTPRequest.Method = report.body == nil ? .get : .post
            let reply = try await client.send(method, report.path, as: "ben", report.body)
            #expect(reply.status == 200)
            #expect(try fixture.library.store.inspectDevices() == ["default"])
        }
    }
}
