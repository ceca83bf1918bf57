import Foundation
import Messaging
import TestSupport
import Testing

@Suite("A lasting connection to a broker", .enabled(if: TestBroker.isInstalled, "mosquitto is not installed"))
struct BrokerSessionTests {
    private static func session(
        _ broker: TestBroker,
        _ adjust: (inout BrokerPace) -> Void = { _ in }
    ) throws -> BrokerSession {
        var pace = BrokerPace()
        pace.firstPause = .milliseconds(50)
        pace.longestPause = .milliseconds(200)
        adjust(&pace)
        let options = try BrokerOptions(address: "mqtt://127.0.0.1:\(broker.port)")
        return BrokerSession(options, role: .reading(options.topics.positions, as: "waymark-test"), pace: pace)
    }

    /// Waits for a state that is as wanted.
    private static func wait(
        _ states: inout AsyncStream<BrokerState>.AsyncIterator,
        for isWanted: (BrokerState) -> Bool
    ) async -> BrokerState? {
        while let state = await states.next(isolation: #isolation) { if isWanted(state) { return state } }
        return nil
    }

    private static func next(_ messages: inout AsyncStream<BrokerMessage>.AsyncIterator) async throws -> BrokerMessage {
        let message = await messages.next(isolation: #isolation)
        return try #require(message)
    }

    private static func text(_ message: BrokerMessage) -> String {
        String(decoding: message.payload ?? [], as: UTF8.self)
    }

    @Test("REL-02 A message is acknowledged when it is settled: one that is handed back comes again, in its place")
    func handedBack() async throws {
        let broker = try await TestBroker()
        let session = try BrokerSessionTests.session(broker)
        session.start()
        var (states, messages) = (session.states.makeAsyncIterator(), session.messages.makeAsyncIterator())
        let state = await BrokerSessionTests.wait(&states) { $0 == .connected }
        #expect(state == .connected)
        for number in 1...3 { try broker.publish("waymark/in/a", "\(number)") }
        let first = try await BrokerSessionTests.next(&messages)
        #expect(first.topic == "waymark/in/a" && BrokerSessionTests.text(first) == "1")
        first.settle(.taken)
        let second = try await BrokerSessionTests.next(&messages)
        #expect(BrokerSessionTests.text(second) == "2")
        second.settle(.again)
        // The first one may come again too, because its acknowledgement may have been on its way.
        var seen: [String] = []
        while seen.last != "3" {
            let message = try await BrokerSessionTests.next(&messages)
            seen.append(BrokerSessionTests.text(message))
            message.settle(.taken)
        }
        #expect(seen.suffix(2) == ["2", "3"])
        // The broker reads in order. When it confirms what was published behind the acknowledgements, it has read those
        // too; a busy one might otherwise see the next session before them, and send the messages again.
        let again = await BrokerSessionTests.wait(&states) { $0 == .connected }
        #expect(again == .connected)
        try await session.publish([1], in: "waymark/out/settled")
        await session.stop()
        // Nothing is left at the broker: what comes next is new.
        let later = try BrokerSessionTests.session(broker)
        later.start()
        try broker.publish("waymark/in/a", "4")
        var more = later.messages.makeAsyncIterator()
        let fourth = try await BrokerSessionTests.next(&more)
        #expect(BrokerSessionTests.text(fourth) == "4")
        fourth.settle(.taken)
        await later.stop()
    }

    @Test("A message that nobody settles in time is handed back")
    func unsettled() async throws {
        let broker = try await TestBroker()
        let session = try BrokerSessionTests.session(broker) { $0.settling = .milliseconds(150) }
        session.start()
        var (states, messages) = (session.states.makeAsyncIterator(), session.messages.makeAsyncIterator())
        _ = await BrokerSessionTests.wait(&states) { $0 == .connected }
        try broker.publish("waymark/in/a/event", "late")
        let first = try await BrokerSessionTests.next(&messages)
        let state = await BrokerSessionTests.wait(&states) { $0 == .away(.handedBack) }
        #expect(state != nil)
        let again = try await BrokerSessionTests.next(&messages)
        #expect(again !== first && BrokerSessionTests.text(again) == "late")
        again.settle(.taken)
        await session.stop()
    }

    @Test("REL-02 What comes while the service or the broker is away is not lost")
    func away() async throws {
        let broker = try await TestBroker()
        let first = try BrokerSessionTests.session(broker)
        first.start()
        var states = first.states.makeAsyncIterator()
        _ = await BrokerSessionTests.wait(&states) { $0 == .connected }
        await first.stop()
        try broker.publish("waymark/in/a", "while away")
        broker.stop()
        try await broker.start()

        let second = try BrokerSessionTests.session(broker)
        second.start()
        var (later, messages) = (second.states.makeAsyncIterator(), second.messages.makeAsyncIterator())
        let message = try await BrokerSessionTests.next(&messages)
        #expect(BrokerSessionTests.text(message) == "while away")
        message.settle(.taken)

        broker.stop(by: SIGKILL)
        let lost = await BrokerSessionTests.wait(&later) { $0 != .connected }
        try await broker.start()
        #expect(lost != nil)
        try broker.publish("waymark/in/a", "after the end")
        // The killed broker may have forgotten that the first was acknowledged. It comes before the subscription is
        // confirmed then, so that nothing may wait for the connection before it is settled.
        var last: String?
        while last != "after the end" {
            let next = try await BrokerSessionTests.next(&messages)
            last = BrokerSessionTests.text(next)
            next.settle(.taken)
        }
        await second.stop()
    }

    @Test("A message of more than 64 KB and one with odd bytes come without harm")
    func odd() async throws {
        let broker = try await TestBroker()
        let session = try BrokerSessionTests.session(broker)
        session.start()
        var (states, messages) = (session.states.makeAsyncIterator(), session.messages.makeAsyncIterator())
        _ = await BrokerSessionTests.wait(&states) { $0 == .connected }
        let folder = try TemporaryFolder()
        for bytes in [Data(count: 65_537), Data(count: 65_536), Data([0xFF, 0, 0xC3])] {
            try bytes.write(to: folder.url.appending(path: "message"))
            try broker.publish("waymark/in/odd", file: folder.path("message"))
            let message = try await BrokerSessionTests.next(&messages)
            #expect(message.topic == "waymark/in/odd")
            #expect(message.payload == (bytes.count > 65_536 ? nil : [UInt8](bytes)))
            message.settle(.taken)
        }
        try broker.publish("waymark/in/none", "")
        let empty = try await BrokerSessionTests.next(&messages)
        #expect(empty.topic == "waymark/in/none" && empty.payload == [])
        empty.settle(.taken)
        await session.stop()
    }

    @Test("REL-09 A broker that does not let the service in, and one that is away, are named and tried again")
    func refusals() async throws {
        let closed = try await TestBroker(settings: ["allow_anonymous false"])
        let session = try BrokerSessionTests.session(closed)
        session.start()
        var states = session.states.makeAsyncIterator()
        let first = await BrokerSessionTests.wait(&states) { _ in true }
        let second = await BrokerSessionTests.wait(&states) { _ in true }
        #expect(first == .away(.notAdmitted) && second == first)
        closed.stop()
        // An attempt that was under way ends as a lost connection.
        let last = await BrokerSessionTests.wait(&states) { $0 == .away(.unreachable) }
        #expect(last != nil)
        await session.stop()
    }

    @Test("REL-09 With TLS the certificate must be that of the broker's name, by somebody trusted")
    func encryption() async throws {
        let folder = try TemporaryFolder()
        let (key, certificate) = (folder.path("key.pem"), folder.path("certificate.pem"))
        let made = try ProgramRun(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
                certificate,
            ],
            showsErrors: false
        )
        #expect(made.status == 0)
        let broker = try await TestBroker(listener: ["certfile \(certificate)", "keyfile \(key)"])
        let wanted: [(host: String, certificates: String?, state: BrokerState)] = [
            ("localhost", certificate, .connected), ("127.0.0.1", certificate, .away(.insecure)),
            ("localhost", nil, .away(.insecure)),
        ]
        for (host, certificates, state) in wanted {
            let options = try BrokerOptions(address: "mqtts://\(host):\(broker.port)", certificates: certificates)
            let session = BrokerSession(options, role: .publishing(as: "waymark-test"))
            session.start()
            var states = session.states.makeAsyncIterator()
            let found = await BrokerSessionTests.wait(&states) { _ in true }
            #expect(found == state, "\(host)")
            await session.stop()
        }
    }

    @Test("DLV-06 What is published is confirmed by the broker; without a connection it fails, and never comes later")
    func publishing() async throws {
        let broker = try await TestBroker()
        let options = try BrokerOptions(address: "mqtt://127.0.0.1:\(broker.port)")
        var pace = BrokerPace()
        pace.firstPause = .milliseconds(50)
        pace.longestPause = .milliseconds(200)
        let session = BrokerSession(options, role: .publishing(as: "waymark-out"), pace: pace)
        await #expect(throws: PublishingFailure.away) { try await session.publish([1], in: "waymark/out/a") }
        session.start()
        var states = session.states.makeAsyncIterator()
        _ = await BrokerSessionTests.wait(&states) { $0 == .connected }
        try broker.keep("waymark/out/#")
        for number in 1...3 { try await session.publish(Array("\(number)".utf8), in: "waymark/out/a") }
        broker.stop()
        _ = await BrokerSessionTests.wait(&states) { $0 != .connected }
        await #expect(throws: PublishingFailure.away) {
            try await session.publish(Array("lost".utf8), in: "waymark/out/a")
        }
        try await broker.start()
        _ = await BrokerSessionTests.wait(&states) { $0 == .connected }
        try await session.publish(Array("4".utf8), in: "waymark/out/b")
        let seen = try broker.read(4, in: "waymark/out/#")
        #expect(seen == ["waymark/out/a 1", "waymark/out/a 2", "waymark/out/a 3", "waymark/out/b 4"])
        #expect(try broker.retained(in: "waymark/out/#").isEmpty)
        await session.stop()
    }
}
