import App
import Formats
import HTTPTypes
import Library
import Notifications
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

/// DLV-09: attempts that may have succeeded, at receivers that cannot drop a repeat.
@Suite("Uncertain deliveries")
struct UncertainDeliveryTests {
    static let targets = [
        "gotify": #"{"url":"https://push.example.org","token":"A1b2C3d4E5"}"#,
        "apprise": #"{"url":"https://apprise.example.org","key":"family"}"#,
        "ntfy": #"{"url":"https://ntfy.example.org","topic":"stories"}"#,
    ]

    /// How an attempt ends.
    private enum End: CaseIterable {
        case timedOut, closedEarly, gatewayTimedOut, interrupted, unreachable, failing

        /// Whether the message may have arrived.
        var isUncertain: Bool { self != .unreachable && self != .failing }

        func answer() throws -> ChannelAnswer {
            switch self {
            case .timedOut: throw SendingError(.timedOut, "there was no answer in time")
            case .closedEarly: throw SendingError(.unreachable, "the connection was closed", mayHaveArrived: true)
            case .gatewayTimedOut: ChannelAnswer(status: 504, retryAfter: "5")
            case .interrupted: throw CancellationError()
            case .unreachable: throw SendingError(.unreachable, "the connection to the address failed")
            case .failing: ChannelAnswer(status: 500)
            }
        }
    }

    /// Sends ben a notification through a channel whose first attempt ends badly; returns the number of attempts and
    /// what became of the entry.
    private func attempts(
        _ kind: String,
        _ end: End,
        _ choice: RepeatChoice
    ) async throws -> (count: Int, entry: OutboxEntry?) {
        let fixture = try await ServiceFixture()
        let result = Held()
        try await fixture.run { client async throws in
            let scene = try await DeliveryTests.Scene(fixture, client)
            fixture.library.delivery.egress.choose(choice)
            let target = UncertainDeliveryTests.targets[kind] ?? ""
            let made = try await client.send(
                .post,
                "/v1/me/channels",
                as: "ben",
                #"{"kind":"\#(kind)","target":\#(target)}"#
            )
            #expect(made.status == 201)
            let sender = scene.sender
            sender.behave { _ in try sender.sent.count <= 1 ? end.answer() : ChannelAnswer(status: 200) }
            let service = KeyTests.bearer(try await scene.service())
            let body = #"{"users":["ben"],"type":"comment.new","title":"Comment","key":"1"}"#
            _ = try await client.send(.post, "/v1/notifications", as: nil, body, headers: service)
            for _ in 0..<4 { try await scene.later(seconds: 70) }
            result.set((sender.sent.count, try await scene.entries(nil).first))
        }
        return result.value
    }

    /// What a closure found.
    private final class Held: Sendable {
        private let state = Mutex<(count: Int, entry: OutboxEntry?)>((0, nil))
        var value: (count: Int, entry: OutboxEntry?) { state.withLock { $0 } }
        func set(_ value: (count: Int, entry: OutboxEntry?)) { state.withLock { $0 = value } }
    }

    @Test("DLV-09 What may have arrived is not sent again where a repeat shows, and a certain failure is")
    func atMostOnce() async throws {
        for kind in ["gotify", "apprise"] {
            for end in End.allCases {
                let (count, entry) = try await attempts(kind, end, .atMostOnce)
                #expect(count == (end.isUncertain ? 1 : 2), "\(kind) \(end)")
                #expect(entry?.state == (end.isUncertain ? .dead : .done), "\(kind) \(end)")
                #expect(entry?.reason == (end.isUncertain ? "uncertain" : nil), "\(kind) \(end)")
            }
        }
    }

    @Test("DLV-09 The operator may choose the other risk, and a receiver that drops repeats gets another attempt")
    func atLeastOnce() async throws {
        for end in End.allCases {
            let gotify = try await attempts("gotify", end, .atLeastOnce)
            #expect(gotify.count == 2 && gotify.entry?.state == .done, "\(end)")
            let ntfy = try await attempts("ntfy", end, .atMostOnce)
            #expect(ntfy.count == 2 && ntfy.entry?.state == .done, "\(end)")
        }
    }

    @Test("DLV-09 An attempt that a killed service left behind counts as one that may have succeeded")
    func killed() async throws {
        for (choice, state) in [(RepeatChoice.atMostOnce, OutboxEntry.State.dead), (.atLeastOnce, .done)] {
            try await DeliveryTests.run { scene async throws in
                scene.fixture.library.delivery.egress.choose(choice)
                let target = UncertainDeliveryTests.targets["gotify"] ?? ""
                let body = #"{"kind":"gotify","target":\#(target)}"#
                _ = try await scene.client.send(.post, "/v1/me/channels", as: "ben", body)
                let service = KeyTests.bearer(try await scene.service())
                let notice = #"{"users":["ben"],"type":"comment.new","title":"Comment","key":"1"}"#
                _ = try await scene.client.send(.post, "/v1/notifications", as: nil, notice, headers: service)
                // Claimed, and never heard of again.
                let claims = try await scene.fixture.library.delivery.claimDeliveries(working: 8, failing: 8)
                #expect(claims.count == 1)
                for _ in 0..<3 { try await scene.later(seconds: 70) }
                #expect(try await scene.entries(nil).map(\.state) == [state])
                #expect(scene.sender.sent.count == (state == .done ? 1 : 0))
            }
        }
    }
}
