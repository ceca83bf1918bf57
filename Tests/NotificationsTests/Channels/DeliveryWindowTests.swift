import Notifications
import Stories
import Testing

/// DLV-06: how many attempts an endpoint may have under way.
@Suite("The window of an endpoint")
struct DeliveryWindowTests {
    private static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    private static func opened(_ kind: ChannelKind, by count: Int = 40) -> DeliveryWindow {
        var window = DeliveryWindow()
        for turn in 1...Int64(count) {
            window.note(.delivered, of: kind, begun: time(turn * 10), at: time(turn * 10 + 5))
        }
        return window
    }

    @Test("DLV-06 Each success opens the window by one, up to the limit of the kind")
    func opens() {
        #expect(DeliveryWindow().size == 1)
        #expect(DeliveryWindowTests.opened(.webhook, by: 3).size == 4)
        for kind in ChannelKind.allCases {
            let size = DeliveryWindowTests.opened(kind).size
            #expect(size == DeliveryWindow.largest(of: kind) && size <= 16)
        }
        #expect(DeliveryWindow.largest(of: .email) == 1)
    }

    @Test(
        "DLV-06 A failure closes the window, and attempts started before do not reopen it",
        arguments: [
            DeliveryOutcome.throttled(until: Timestamp(milliseconds: 9_000)), .retry(.serverError), .retry(.timedOut),
            .uncertain(.timedOut), .endpointGone, nil,
        ]
    )
    func closes(_ outcome: DeliveryOutcome?) {
        var window = DeliveryWindowTests.opened(.webhook)
        window.note(outcome, of: .webhook, begun: DeliveryWindowTests.time(1_000), at: DeliveryWindowTests.time(1_100))
        #expect(window.size == 1)
        window.note(
            .delivered,
            of: .webhook,
            begun: DeliveryWindowTests.time(1_050),
            at: DeliveryWindowTests.time(1_200)
        )
        #expect(window.size == 1)
        window.note(
            .delivered,
            of: .webhook,
            begun: DeliveryWindowTests.time(1_101),
            at: DeliveryWindowTests.time(1_300)
        )
        #expect(window.size == 2)
    }

    @Test("DLV-06 A slow response halves the window; an unwanted message changes nothing")
    func halves() {
        var window = DeliveryWindowTests.opened(.webhook)
        window.note(
            .rejected(.badMessage),
            of: .webhook,
            begun: DeliveryWindowTests.time(0),
            at: DeliveryWindowTests.time(1)
        )
        #expect(window.size == 16)
        for (turn, size) in [8, 4, 2, 1, 1].enumerated() {
            let begun = Int64(turn) * 10_000
            window.note(
                .delivered,
                of: .webhook,
                begun: DeliveryWindowTests.time(begun),
                at: DeliveryWindowTests.time(begun + DeliveryWindow.patience + 1)
            )
            #expect(window.size == size)
        }
    }
}
