import Library
import App
import Foundation
import GRDB
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// DLV-03, DLV-06: channels and deliveries through their services alone, without HTTP.
@Suite("The services of channels and deliveries")
struct DeliveryServiceTests {
    /// A library with the user ben; what leaves it is recorded.
    private struct World {
        let fixture: ServiceFixture
        let sender = RecordingSender()
        let ben: UserID

        var channels: ChannelService { fixture.library.channels }
        var delivery: DeliveryService { fixture.library.delivery }

        init() async throws {
            fixture = try await ServiceFixture()
            try await fixture.makeFamilies()
            ben = try #require(UserID("ben"))
            let credentials = ChannelCredentials(sender: try MailSender(address: "waymark@example.org"))
            let writer = ChannelWriter(credentials: credentials)
            fixture.library.delivery.open(sender, writer: writer, address: { "https://stories.example" })
        }

        func webhook() async throws -> (channel: ChannelRow, isNew: Bool) {
            let fields = ["url": "https://example.org/hook"]
            let made = try await channels.make(.webhook, fields: fields, name: nil, for: ben)
            return (made.channel, made.isNew)
        }

        func row(_ channel: ChannelRow) async throws -> ChannelRow? {
            try await fixture.library.store.read { try $0.channel(channel.id) }
        }

        func entry(_ message: String) async throws -> OutboxEntry {
            try #require(try await entries().first { $0.message == message })
        }

        func entries() async throws -> [OutboxEntry] {
            try await fixture.library.store.read { try $0.outbox(state: nil, limit: 100) }
        }

        /// The code in the last e-mail.
        func code() throws -> String {
            let mails = sender.sent.compactMap { message -> String? in
                guard case .mail(let mail) = message else { return nil }
                return String(decoding: mail.bytes, as: UTF8.self).replacingOccurrences(of: "=\r\n", with: "")
                    .replacingOccurrences(of: "\r\n", with: " ")
            }
            return String(try #require(mails.last?.firstMatch(of: /code: (\d{8})/)?.1))
        }
    }

    @Test("DLV-03 A webhook is active once it answered its challenge; made again, it is the same channel")
    func webhook() async throws {
        let world = try await World()
        let (channel, isNew) = try await world.webhook()
        #expect(isNew && channel.state == .unproven)
        try await world.delivery.deliverDue()
        #expect(try await world.row(channel)?.state == .active)
        let again = try await world.webhook()
        #expect(!again.isNew && again.channel.id == channel.id)
        let fields = ["url": "https://example.org/other"]
        #expect(try await world.channels.make(.webhook, fields: fields, name: nil, for: world.ben).isNew)
    }

    @Test("DLV-03 A code by e-mail ends after ten wrong ones, also for the right one; the next e-mail has a new one")
    func code() async throws {
        let world = try await World()
        let fields = ["address": "ben@example.org"]
        let (channel, _, _) = try await world.channels.make(.email, fields: fields, name: nil, for: world.ben)
        try await world.delivery.deliverDue()
        let old = try world.code()
        let wrong = old == "00000000" ? "00000001" : "00000000"
        for count in 1...10 {
            await #expect(throws: (any Error).self) {
                try await world.channels.verify(channel.id, of: world.ben, code: wrong)
            }
            #expect(try await world.row(channel)?.wrongCodes == count)
        }
        await #expect(throws: (any Error).self) {
            try await world.channels.verify(channel.id, of: world.ben, code: old)
        }
        #expect(try await world.row(channel)?.state == .unproven)
        world.fixture.clock.advance(seconds: 1)
        #expect(try await world.channels.verify(channel.id, of: world.ben, code: nil).state == .unproven)
        try await world.delivery.deliverDue()
        let new = try world.code()
        #expect(new != old)
        #expect(try await world.channels.verify(channel.id, of: world.ben, code: new).state == .active)
    }

    @Test("DLV-03 A user may have 20 verification requests sent within any hour, and each user has their own 20")
    func limit() throws {
        let (limit, clock) = (VerificationLimit(), ManualClock())
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        for _ in 0..<20 {
            #expect(limit.allows(ana, at: clock.now))
            clock.advance(seconds: 60)
        }
        #expect(!limit.allows(ana, at: clock.now) && limit.allows(ben, at: clock.now))
        // An hour after the first request there is room for one, and a rejected one was not counted.
        clock.advance(seconds: 40 * 60)
        #expect(limit.allows(ana, at: clock.now) && !limit.allows(ana, at: clock.now))
    }

    @Test("A channel that is switched off drops what waits; switched on again, it begins with what comes next")
    func switchedOff() async throws {
        let world = try await World()
        let (channel, _) = try await world.webhook()
        try await world.delivery.deliverDue()
        let message = try await world.channels.test(channel.id, of: world.ben).message
        let off = try await world.channels.change(channel.id, of: world.ben, isEnabled: false, name: nil)
        #expect(!off.channel.isEnabled && off.waiting == 0)
        await #expect(throws: (any Error).self) { try await world.channels.test(channel.id, of: world.ben) }
        _ = try await world.channels.change(channel.id, of: world.ben, isEnabled: true, name: nil)
        world.sender.forget()
        try await world.delivery.deliverDue()
        #expect(world.sender.sent.isEmpty)
        #expect(try await world.entry(message).state == .cancelled)
        world.fixture.clock.advance(seconds: 1)
        _ = try await world.channels.test(channel.id, of: world.ben)
        try await world.delivery.deliverDue()
        #expect(world.sender.sent.count == 1)
    }

    @Test("DLV-06 An entry is retried by the policy, and is a dead letter once the next retry would come too late")
    func retries() async throws {
        let world = try await World()
        let (channel, _) = try await world.webhook()
        try await world.delivery.deliverDue()
        world.sender.forget()
        world.sender.answer(500)
        // A sample expires after 15 minutes: retries follow after 5 s and 5 min, and the next would follow after 30 min.
        let message = try await world.channels.test(channel.id, of: world.ben).message
        for (seconds, count) in [(0, 1), (6, 2), (200, 2), (140, 3)] {
            world.fixture.clock.advance(seconds: Double(seconds))
            try await world.delivery.deliverDue()
            #expect(world.sender.sent.count == count)
        }
        let entry = try await world.entry(message)
        #expect(entry.state == .dead && entry.reason == "server_error")
        #expect(try await world.row(channel)?.failures == 3)
    }

    @Test("NTF-09 DLV-06 A message whose outcome cannot be stored is not sent again once its lease has run out")
    func unstored() async throws {
        let world = try await World()
        let (channel, _) = try await world.webhook()
        try await world.delivery.deliverDue()
        world.sender.forget()
        let message = try await world.channels.test(channel.id, of: world.ben).message
        let store = world.fixture.library.store
        // As a disk that is full from the moment on at which the message arrives.
        try store.inspect { db in
            try db.execute(
                sql: "CREATE TEMP TRIGGER full BEFORE INSERT ON main.attempts BEGIN SELECT RAISE(ABORT, 'full'); END"
            )
        }
        for _ in 0..<3 {
            await #expect(throws: (any Error).self) { try await world.delivery.deliverDue() }
            #expect(world.sender.sent.count == 1)
            world.fixture.clock.advance(seconds: 100)
        }
        #expect(try await world.entry(message).state == .pending)
        try store.inspect { try $0.execute(sql: "DROP TRIGGER full") }
        try await world.delivery.deliverDue()
        #expect(world.sender.sent.count == 1 && world.delivery.state.unstored.isEmpty)
        #expect(try await world.entry(message).state == .done)
    }

    @Test("DLV-06 Dead letters are replayed all or none")
    func replay() async throws {
        let world = try await World()
        let (channel, _) = try await world.webhook()
        try await world.delivery.deliverDue()
        world.sender.answer(400)
        let message = try await world.channels.test(channel.id, of: world.ben).message
        try await world.delivery.deliverDue()
        let dead = try await world.entry(message)
        #expect(dead.state == .dead)
        await #expect(throws: (any Error).self) {
            try await world.delivery.replay([dead.number, dead.number + 1_000])
        }
        #expect(try await world.entry(message).state == .dead)
        world.sender.answer(200)
        #expect(try await world.delivery.replay([dead.number, dead.number]) == 1)
        try await world.delivery.deliverDue()
        #expect(try await world.entry(message).state == .done)
        #expect(try await world.delivery.replayAll(of: nil) == 0)
    }
}
