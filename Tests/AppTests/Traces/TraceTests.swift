import App
import Formats
import GRDB
import HTTPTypes
import Library
import Logging
import Notifications
import Observing
import Storage
import Stories
import TestSupport
import Testing

/// OBS-01: a trace is followed by one id from a request to the webhook, and by nobody who could link two people by it.
@Suite("Traces")
struct TraceTests {
    static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    static let text = "00-\(trace)-00f067aa0ba902b7-01"

    static func header(_ text: String = text) throws -> HTTPFields {
        [try #require(HTTPField.Name("traceparent")): text]
    }

    /// The positions that webhook messages of a type carried.
    static func positions(_ type: String, _ sender: RecordingSender) throws -> [TraceParent] {
        try sender.sent
            .compactMap { message -> String? in
                guard case .http(let http) = message, let json = try? JSONValue(parsing: http.body),
                    json["type"]?.string == type
                else { return nil }
                return http[header: "traceparent"] ?? ""
            }
            .map { try #require(TraceParent($0)) }
    }

    private func traces(_ type: String, _ scene: DeliveryTests.Scene) throws -> [String] {
        try TraceTests.positions(type, scene.sender).map(\.trace.description)
    }

    /// Sends ben's phone into the place of the stories; a timer decides, so that no request is under way when the
    /// notice is written.
    static func enter(_ scene: DeliveryTests.Scene, _ headers: HTTPFields, as user: String? = "ben") async throws {
        for _ in 0..<3 {
            let time = RFC3339.format(scene.fixture.clock.now)
            let fix = #"{"t":"\#(time)","lat":33.7554,"lon":-84.3736,"acc":8}"#
            let body = #"{"device":"phone","fixes":[\#(fix)]}"#
            let reply = try await scene.client.send(.post, "/v1/fixes", as: user, body, headers: headers)
            #expect(reply.status == 200, "\(String(decoding: reply.bytes, as: UTF8.self))")
            scene.fixture.clock.advance(seconds: 6)
        }
        for _ in 0..<3 {
            scene.fixture.clock.advance(seconds: 6)
            _ = try await scene.fixture.library.fences.fireTimers()
        }
    }

    @Test("OBS-01 The trace of a fix reaches the person's webhook, after a restart and at every attempt, each a span")
    func fromFixToWebhook() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let scene = try await DeliveryTests.Scene(fixture, client)
            _ = try await client.create(as: "ana", title: "Here")
            _ = try await scene.webhook()
            try await TraceTests.enter(scene, TraceTests.header())
            #expect(try await scene.entries(.pending).first?.cause?.parent.trace.description == TraceTests.trace)
        }
        try fixture.library.store.close()
        let again = try await ServiceFixture(of: fixture)
        try await again.run { _ async throws in
            let sender = RecordingSender()
            again.library.delivery.open(sender, writer: ChannelWriter(), address: { "https://stories.example" })
            sender.answer(500)
            try await again.library.delivery.deliverDue()
            sender.answer(204)
            again.clock.advance(seconds: 60)
            try await again.library.delivery.deliverDue()
            let positions = try TraceTests.positions("story.nearby", sender)
            #expect(positions.map(\.trace.description) == [TraceTests.trace, TraceTests.trace])
            #expect(Set(positions.map(\.span)).count == 2 && positions.allSatisfy { $0.isSampled })
        }
    }

    @Test(
        "PRV-02 What one person's request causes for another is in a trace of its own, and keeps nothing of the first"
    )
    func otherPeople() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let scene = try await DeliveryTests.Scene(fixture, client)
            _ = try await scene.webhook()
            let body = #"{"kind":"interview","title":"For all of us","privacy":"family_only"}"#
            let made = try await client.send(.post, "/v1/stories", as: "ana", body, headers: TraceTests.header())
            #expect(made.status == 201)
            try await fixture.library.delivery.deliverDue()
            let traces = try traces("family.new_story", scene)
            #expect(traces.count == 1 && traces != [TraceTests.trace])
            #expect(try await scene.entries(nil).map(\.cause) == [nil])
            #expect(try ByteSearch(texts: [TraceTests.trace], degrees: []).findings(in: fixture.folder.url) == [])
        }
    }

    @Test("PRV-02 An endpoint that is not proven learns no trace; a proven one of the same person does")
    func unproven() async throws {
        try await DeliveryTests.run { scene async throws in
            let body = #"{"kind":"webhook","target":{"url":"https://example.org/hook"}}"#
            let headers = try TraceTests.header()
            let made = try await scene.client.send(.post, "/v1/me/channels", as: "ben", body, headers: headers)
            try await scene.fixture.library.delivery.deliverDue()
            let challenges = try traces("endpoint.verification", scene)
            #expect(challenges.count == 1 && challenges != [TraceTests.trace])
            let path = "/v1/me/channels/\(made.json["id"]?.string ?? "")/test"
            _ = try await scene.client.send(.post, path, as: "ben", headers: headers)
            try await scene.fixture.library.delivery.deliverDue()
            #expect(try traces("channel.test", scene) == [TraceTests.trace])
        }
    }

    @Test(
        "PRV-02 The trace of an app's backend, which acts for many, reaches the app's own hosts alone",
        arguments: [
            ([], false), (["example.org"], true), (["other.example"], false),
        ] as [(Set<String>, Bool)]
    )
    func backend(_ hosts: Set<String>, _ isShared: Bool) async throws {
        let fixture = try await ServiceFixture()
        var options = WaymarkService.Options()
        options.traces.sharing = TraceSharing(hosts: hosts)
        try await fixture.run(options: options) { client async throws in
            let scene = try await DeliveryTests.Scene(fixture, client)
            _ = try await client.create(as: "ana", title: "Here")
            _ = try await scene.webhook()
            var headers = try TraceTests.header()
            headers[.authorization] = KeyTests.bearer(try await scene.service())[.authorization]
            headers[try #require(HTTPField.Name("Waymark-User"))] = "ben"
            try await TraceTests.enter(scene, headers, as: nil)
            try await fixture.library.delivery.deliverDue()
            let traces = try traces("story.nearby", scene)
            #expect(traces.count == 1 && (traces == [TraceTests.trace]) == isShared)
        }
    }

    @Test(
        "OBS-01 The line of a request has its trace; a traceparent changes no answer, and a bad one begins a new trace"
    )
    func log() async throws {
        let lines = LogLines()
        let fixture = try await ServiceFixture(logger: lines.logger)
        try await fixture.run { client async throws in
            let plain = try await client.get("/v1/stories")
            let name = try #require(HTTPField.Name("traceparent"))
            let bad = ["00-no", TraceTests.text.uppercased(), String(repeating: "9", count: 5_000)]
            for text in [TraceTests.text] + bad {
                let reply = try await client.get("/v1/stories", headers: TraceTests.header(text))
                #expect(reply.status == 200 && reply.bytes == plain.bytes)
                #expect(reply.headers[.eTag] == plain.headers[.eTag])
                #expect(reply.headers[name] == nil)
            }
        }
        let traces = lines.beginning(with: "info request ")
            .map { line in line.firstMatch(of: /"trace": ([0-9a-f]{32})/).map { String($0.output.1) } ?? "none" }
        #expect(traces.count == 5 && traces[1] == TraceTests.trace)
        #expect(Set(traces).count == 5 && !traces.contains("none"))
    }

    @Test(
        "NTF-09 Erasing an account, or location data, leaves no trace of its requests",
        arguments: [
            "/v1/me", "/v1/me/location-data",
        ]
    )
    func erased(_ path: String) async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            _ = try await scene.webhook()
            try await TraceTests.enter(scene, TraceTests.header())
            let search = ByteSearch(texts: [TraceTests.trace], degrees: [])
            #expect(try search.findings(in: scene.fixture.folder.url) != [])
            #expect(try await scene.client.send(.delete, path, as: "ben").status / 100 == 2)
            _ = try await scene.fixture.library.store.foldLogAfterRemovals()
            #expect(try search.findings(in: scene.fixture.folder.url) == [])
        }
    }

    @Test("REL-01 A database from before traces gets their columns, and keeps its rows")
    func oldDatabase() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let scene = try await DeliveryTests.Scene(fixture, client)
            _ = try await client.create(as: "ana", title: "Here")
            _ = try await scene.webhook()
            try await TraceTests.enter(scene, TraceTests.header())
        }
        try fixture.library.store.inspect { db throws in
            try db.execute(
                sql: """
                    \(droppingColumns)
                    ALTER TABLE outbox DROP COLUMN trace; ALTER TABLE evaluator_states DROP COLUMN trace;
                    DELETE FROM grdb_migrations WHERE identifier = 'traces';
                    """
            )
        }
        try fixture.library.store.close()
        let again = try await ServiceFixture(of: fixture)
        let sender = RecordingSender()
        again.library.delivery.open(sender, writer: ChannelWriter(), address: { "https://stories.example" })
        try await again.library.delivery.deliverDue()
        let traces = try TraceTests.positions("story.nearby", sender).map(\.trace.description)
        #expect(traces.count == 1 && traces != [TraceTests.trace])
    }
}
