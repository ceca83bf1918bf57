import Geometry
import Notifications
import Stories
import Testing

@Suite("Outcomes of attempts")
struct DeliveryTests {
    private let now = ChannelSamples.now

    private func outcome(
        _ kind: ChannelKind,
        _ status: Int,
        _ body: String = "",
        retryAfter: String? = nil
    )
        -> DeliveryOutcome
    {
        let answer = ChannelAnswer(status: status, retryAfter: retryAfter, body: Array(body.utf8))
        return DeliveryOutcome(reading: answer, of: kind, at: now)
    }

    private func later(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: now.milliseconds + seconds * 1000) }

    @Test("DLV-06 Every kind of endpoint maps to delivered, retry, gone or never", arguments: ChannelKind.allCases)
    func table(kind: ChannelKind) {
        guard kind != .email else { return }
        #expect(outcome(kind, 200) == .delivered && outcome(kind, 201) == .delivered)
        for status in [301, 302, 304, 307, 308] { #expect(outcome(kind, status) == .retry(.redirected)) }
        for status in [500, 502, 503, 504, 507, 599] {
            #expect(outcome(kind, status) == .retry(.serverError))
            #expect(!outcome(kind, status, "Unregistered UNREGISTERED BadDeviceToken").isFinal)
        }
        #expect(outcome(kind, 408) == .retry(.timedOut))
        #expect(outcome(kind, 400, "no") == .rejected(.badMessage) && outcome(kind, 413) == .rejected(.tooLarge))
        for status in [-1, 0, 100, 199, 600, 999, .max, .min] { #expect(outcome(kind, status) == .retry(.badAnswer)) }
        for status in [429, 503] {
            #expect(outcome(kind, status, retryAfter: "120") == .throttled(until: later(120)))
            let date = "Sat, 21 Nov 2026 12:05:00 GMT"
            #expect(outcome(kind, status, retryAfter: date) == .throttled(until: later(300)))
            #expect(outcome(kind, status, retryAfter: "999999999") == .throttled(until: later(86_400)))
            #expect(outcome(kind, status, retryAfter: "Fri, 01 Jan 1999 00:00:00 GMT") == .throttled(until: now))
        }
        for problem in DeliveryProblem.allCases where problem != .expired {
            let outcome = DeliveryOutcome(failure: problem)
            #expect(outcome.problem == problem && outcome != .delivered && outcome != .endpointGone)
        }
    }

    @Test(
        "DLV-06 An invalid Retry-After is ignored",
        arguments: ["", "-1", "1.5", "soon", "99999999999", "Sat, 31 Feb 2026 12:05:00 GMT", "Sat, 21 Nov 2026"]
    )
    func badPause(text: String) {
        #expect(outcome(.webhook, 429, retryAfter: text) == .retry(.throttled))
    }

    @Test("DLV-06 410 switches every endpoint off; 404 only a browser's")
    func gone() {
        for kind in ChannelKind.allCases where kind != .email && kind != .fcm {
            #expect(outcome(kind, 410) == .endpointGone, "\(kind)")
        }
        #expect(outcome(.webPush, 404) == .endpointGone)
        #expect(outcome(.webhook, 404) == .retry(.notFound) && outcome(.ntfy, 404) == .rejected(.notFound))
        #expect(outcome(.webhook, 401) == .retry(.unauthorized) && outcome(.gotify, 401) == .rejected(.unauthorized))
        #expect(outcome(.apprise, 204) == .rejected(.notFound) && outcome(.apprise, 424) == .retry(.serverError))
    }

    @Test("DLV-06 Apple's reasons")
    func apns() {
        #expect(outcome(.apns, 400, #"{"reason":"BadDeviceToken"}"#) == .endpointGone)
        #expect(outcome(.apns, 400, #"{"reason":"BadTopic"}"#) == .rejected(.badMessage))
        #expect(outcome(.apns, 403, #"{"reason":"ExpiredProviderToken"}"#) == .retry(.credentials))
        #expect(outcome(.apns, 429, #"{"reason":"TooManyProviderTokenUpdates"}"#) == .retry(.throttled))
        let body = Array(#"{"reason":"Unregistered","timestamp":\#(now.milliseconds)}"#.utf8)
        let answer = ChannelAnswer(status: 410, body: body)
        func gone(registered seconds: Int64) -> DeliveryOutcome {
            DeliveryOutcome(reading: answer, of: .apns, at: now, registeredAt: later(seconds))
        }
        #expect(gone(registered: -60) == .endpointGone && gone(registered: 60) == .retry(.serverError))
    }

    @Test("DLV-06 Google's codes")
    func fcm() {
        func body(_ code: String) -> String { #"{"error":{"code":404,"details":[{"a":1},{"errorCode":"\#(code)"}]}}"# }
        #expect(outcome(.fcm, 404, body("UNREGISTERED")) == .endpointGone)
        #expect(outcome(.fcm, 404, body("OTHER")) == .rejected(.notFound))
        #expect(outcome(.fcm, 404, "[[[") == .rejected(.notFound))
        #expect(outcome(.fcm, 400, body("INVALID_ARGUMENT")) == .rejected(.badMessage))
        #expect(outcome(.fcm, 401) == .retry(.credentials) && outcome(.fcm, 403) == .rejected(.unauthorized))
        #expect(outcome(.fcm, 429) == .throttled(until: later(60)))
    }

    @Test("DLV-06 Replies of mail servers (RFC 5321)")
    func mail() {
        #expect(outcome(.email, 250) == .delivered && outcome(.email, 451) == .retry(.serverError))
        #expect(outcome(.email, 550, "550 5.1.1 no such user") == .endpointGone)
        #expect(outcome(.email, 550, "550 5.7.1 looks like spam") == .rejected(.badMessage))
        #expect(outcome(.email, 535) == .retry(.credentials) && outcome(.email, 552) == .rejected(.tooLarge))
        #expect(outcome(.email, 0) == .retry(.badAnswer) && outcome(.email, 354) == .retry(.badAnswer))
    }

    @Test("DLV-06 Ten attempts span about 76 hours, each delayed randomly by up to a tenth", arguments: UInt64(0)..<50)
    func schedule(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let policy = RetryPolicy()
        let delays: [Int64] = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
        var at = now
        for (attempts, delay) in delays.enumerated() {
            let next = try #require(policy.next(afterAttempts: attempts, at: at, using: &generator))
            let waited = next.milliseconds - at.milliseconds
            #expect((delay * 1000...delay * 1100).contains(waited))
            at = next
        }
        #expect(policy.next(afterAttempts: 10, at: at, using: &generator) == nil)
        #expect(policy.next(afterAttempts: -1, at: at, using: &generator) == nil)
        #expect(policy.next(afterAttempts: .max, at: at, using: &generator) == nil)
        let hours = Double(at.milliseconds - now.milliseconds) / 3_600_000
        #expect((75.5...83.2).contains(hours))
    }

    @Test("DLV-06 Random delays spread retries over the whole tenth")
    func jitter() {
        var generator = SplitMix64(seed: 1)
        let waits = (0..<1_000)
            .compactMap { _ in
                RetryPolicy().next(afterAttempts: 2, at: now, using: &generator)
                    .map { $0.milliseconds - now.milliseconds }
            }
        #expect(waits.count == 1_000 && waits.contains { $0 < 301_000 } && waits.contains { $0 > 329_000 })
    }

    @Test("NTF-07 Pushes expire; webhooks and e-mails do not")
    func expiry() {
        let message = ChannelSamples.message()
        for kind in ChannelKind.allCases {
            let expected = [ChannelKind.webhook, .email].contains(kind) ? nil : message.expiresAt
            #expect(RetryPolicy.deadline(of: message, on: kind) == expected)
        }
    }

    @Test("DLV-06 After ten consecutive failures an endpoint is probed once a minute until it recovers")
    func breaker() {
        var breaker = CircuitBreaker()
        for _ in 0..<9 { breaker.fail(at: now) }
        #expect(breaker.allows(at: now) && !breaker.isOpen)
        breaker.succeed()
        for _ in 0..<9 { breaker.fail(at: now) }
        #expect(breaker.allows(at: now))
        breaker.fail(at: now)
        #expect(breaker.isOpen && !breaker.allows(at: later(59)) && breaker.allows(at: later(60)))
        breaker.begin(at: later(60))
        #expect(!breaker.allows(at: later(61)))
        breaker.fail(at: later(61))
        #expect(!breaker.allows(at: later(120)) && breaker.allows(at: later(121)))
        let stored = CircuitBreaker(failures: breaker.failures, probeAt: breaker.probeAt)
        #expect(stored == breaker)
        breaker.succeed()
        #expect(breaker == CircuitBreaker() && breaker.allows(at: now))
    }
}

extension DeliveryOutcome {
    /// Whether the channel or the message is given up.
    fileprivate var isFinal: Bool {
        switch self {
        case .endpointGone, .rejected, .uncertain: true
        case .delivered, .retry, .throttled: false
        }
    }
}
