import App
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import TestSupport
import Testing

/// DLV-06: an endpoint that accepts and says nothing keeps no other waiting.
@Suite("Slow endpoints")
struct SlowEndpointTests {
    @Test("DLV-06 A slow attempt frees its place among the working ones and continues")
    func places() async throws {
        try await DeliveryTests.run { scene async throws in
            for number in 0..<5 { _ = try await scene.webhook("hook\(number)") }
            let deliveries = scene.fixture.library.delivery
            let all = deliveries.room(at: scene.fixture.clock.now).working
            let gate = ModelGate()
            scene.sender.behave { _ in
                try await gate.wait()
                return ChannelAnswer(status: 200)
            }
            let service = KeyTests.bearer(try await scene.service())
            let body = #"{"users":["ben"],"type":"comment.new","title":"Comment"}"#
            _ = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
            async let delivery = scene.fixture.library.delivery.deliverDue()
            while scene.sender.webhooks("comment.new").count < 5 { await Task.yield() }
            #expect(deliveries.room(at: scene.fixture.clock.now).working == all - 5)
            scene.fixture.clock.advance(seconds: 2)
            #expect(deliveries.room(at: scene.fixture.clock.now).working == all - 5)
            scene.fixture.clock.advance(seconds: 0.1)
            #expect(deliveries.room(at: scene.fixture.clock.now).working == all)
            gate.open(stays: true)
            _ = try await delivery
            #expect(try await scene.entries(.done).count == 5)
            #expect(deliveries.room(at: scene.fixture.clock.now).working == all)
        }
    }
}
