import Notifications
import Stories
import Testing

@Suite("What becomes of an entry that comes up")
struct DeliveryRuleTests {
    private let now = Timestamp(milliseconds: 1_795_266_300_000)  // Saturday, 2026-11-21T13:05:00Z
    private let question = DeliveryQuestion(type: .newStory, kind: .webhook)

    private func decide(
        _ question: DeliveryQuestion,
        _ settings: NotificationSettings = NotificationSettings(),
        waiting: Int = 0,
        sent: DeliveryRules.Sent = .init(lastHour: 0, lastDay: 0, secondsSinceLast: nil)
    ) -> DeliveryDecision {
        DeliveryRules.decide(
            question,
            settings: settings,
            at: now,
            zone: { _ in 0 },
            waiting: { waiting },
            sent: { sent }
        )
    }

    private func changed(_ change: (inout DeliveryQuestion) -> Void) -> DeliveryQuestion {
        var question = question
        change(&question)
        return question
    }

    private func settings(_ change: (inout NotificationSettings) -> Void) -> NotificationSettings {
        var settings = NotificationSettings()
        change(&settings)
        return settings
    }

    /// Quiet on Saturdays from 13:00 to 14:00.
    private func quiet() throws -> NotificationSettings {
        let window = try #require(QuietHours.Window(days: [.saturday], from: 780, to: 840))
        return settings { $0.quietHours.windows = [window] }
    }

    @Test("DLV-04 An entry goes unless something keeps it")
    func goes() {
        #expect(decide(question) == .send)
        #expect(decide(changed { $0.attempts = 3 }) == .send)
        #expect(decide(changed { $0.isAlone = false }) == .send)
    }

    @Test("DLV-04 Nothing goes through a channel that is off; a sample asks for no other choice")
    func channels() throws {
        let sample = DeliveryQuestion(type: .test, kind: .webhook)
        for question in [question, sample] {
            var off = question
            off.isEnabled = false
            #expect(decide(off) == .cancel(.switchedOff))
            off.isActive = false
            #expect(decide(off) == .giveUp(.channelDisabled))
        }
        var unwanted = try quiet()
        unwanted.delivery.everything = false
        #expect(decide(sample, unwanted) == .sample)
    }

    @Test("PRV-07 Nothing goes to somebody who is no user any more")
    func users() {
        #expect(decide(changed { $0.isUserKnown = false }) == .cancel(.noUser))
    }

    @Test("NTF-01 What tells of whereabouts goes under the consent it was written under, and no other")
    func consent() throws {
        var agreed = NotificationSettings()
        try agreed.optIn(at: now, version: "1")
        let epoch = agreed.consentEpoch
        #expect(decide(changed { $0.epoch = epoch }, agreed) == .send)
        #expect(decide(changed { $0.epoch = epoch - 1 }, agreed) == .cancel(.optedOut))
        var ended = agreed
        ended.optOut()
        #expect(decide(changed { $0.epoch = epoch }, ended) == .cancel(.optedOut))
        #expect(decide(changed { $0.epoch = ended.consentEpoch }, ended) == .cancel(.optedOut))
        #expect(decide(question, ended) == .send)
    }

    @Test("DLV-04 A type, a channel or all can be off; a message for several asks for the channel alone")
    func choices() {
        let summary = DeliveryQuestion(type: .digest, extent: .several, kind: .webhook)
        let all = settings { $0.delivery.everything = false }
        let channel = settings { $0.delivery.channels[.webhook] = false }
        var choice = DeliveryChoices.TypeChoice()
        choice.isEnabled = false
        let types = settings { $0.delivery.types = [.newStory: choice, .digest: choice] }
        #expect(decide(question, all) == .cancel(.switchedOff) && decide(summary, all) == .cancel(.switchedOff))
        #expect(decide(question, channel) == .cancel(.switchedOff) && decide(summary, channel) == .cancel(.switchedOff))
        #expect(decide(question, types) == .cancel(.switchedOff) && decide(summary, types) == .send)
    }

    @Test("DLV-05 What waits for the digest goes by e-mail in no other way, and by other channels as ever")
    func digests() {
        let weekly = settings { ($0.digest.every, $0.digest.replacesSingles) = (.weekly, true) }
        #expect(decide(DeliveryQuestion(type: .newStory, kind: .email), weekly) == .cancel(.inDigest))
        #expect(decide(DeliveryQuestion(type: .digest, extent: .several, kind: .email), weekly) == .cancel(.inDigest))
        #expect(decide(DeliveryQuestion(type: .digest, extent: .period, kind: .email), weekly) == .send)
        #expect(decide(DeliveryQuestion(type: .invitation, kind: .email), weekly) == .send)
        #expect(decide(question, weekly) == .send)
    }

    @Test("DLV-05 In quiet hours it waits for their end, and is of use after them though its time is over")
    func quietHours() throws {
        let end = now.advanced(byMilliseconds: 55 * 60_000)
        let late = changed { $0.expiresAt = now }
        #expect(decide(question, try quiet()) == .wait(until: end))
        #expect(decide(late, try quiet()) == .wait(until: end))
        #expect(decide(late) == .cancel(.expired))
        #expect(decide(changed { $0.expiresAt = now.advanced(byMilliseconds: 1) }) == .send)
        #expect(decide(changed { ($0.expiresAt, $0.isDeferred) = (now, true) }, waiting: 1) == .send)
    }

    @Test("DLV-05 Those that waited together become one, whatever is under way; one alone stays itself")
    func combined() {
        #expect(decide(changed { $0.isDeferred = true }, waiting: 2) == .combine)
        #expect(decide(changed { ($0.isDeferred, $0.isAlone) = (true, false) }, waiting: 2) == .combine)
        #expect(decide(changed { $0.isDeferred = true }, waiting: 1) == .send)
        #expect(decide(question, waiting: 2) == .send)
    }

    @Test("DLV-05 A limit counts what arrived, of what is new: nobody knows that of what is under way")
    func limits() {
        let hourly = settings { $0.caps.perHour = 2 }
        let full = DeliveryRules.Sent(lastHour: 2, lastDay: 2, secondsSinceLast: 60)
        #expect(decide(question, hourly, sent: full) == .cancel(.cap))
        #expect(decide(question, hourly) == .send && decide(question, sent: full) == .send)
        #expect(decide(changed { $0.attempts = 1 }, hourly, sent: full) == .send)
        #expect(decide(changed { $0.isAlone = false }, hourly, sent: full) == .follow)
        let pause = settings { $0.caps.pause = 61 }
        #expect(decide(question, pause, sent: full) == .cancel(.cap))
        let daily = settings { $0.caps.perDay = 2 }
        #expect(decide(question, daily, sent: full) == .cancel(.cap))
        for extent in [DeliveryQuestion.Extent.several, .period] {
            var summary = DeliveryQuestion(type: .digest, extent: extent, kind: .webhook)
            #expect(decide(summary, hourly, sent: full) == .send)
            summary.isAlone = false
            #expect(decide(summary) == .follow)
        }
    }

    @Test("Nothing is counted that no rule asks for")
    func counts() throws {
        struct Asked: Error {}
        let decision = try DeliveryRules.decide(
            question,
            settings: NotificationSettings(),
            at: now,
            zone: { _ in 0 },
            waiting: { throw Asked() },
            sent: { throw Asked() }
        )
        #expect(decision == .send)
    }
}

@Suite("What an attempt means for its entry and its channel")
struct DeliverySettlementTests {
    private let now = Timestamp(milliseconds: 1_795_266_300_000)

    private func ago(_ milliseconds: Int64) -> Timestamp { now.advanced(byMilliseconds: -milliseconds) }

    private func settle(
        _ outcome: DeliveryOutcome,
        kind: ChannelKind = .webhook,
        age: Int64 = 1_000,
        expiresIn: Int64? = nil,
        number: Int = 1,
        begun: Int64 = 100,
        at health: EndpointHealth = EndpointHealth()
    ) -> DeliverySettlement {
        let attempt = DeliveryAttempt(
            kind: kind,
            createdAt: ago(age),
            expiresAt: expiresIn.map { now.advanced(byMilliseconds: $0) },
            number: number,
            begun: ago(begun)
        )
        var generator = SystemRandomNumberGenerator()
        let retries = RetryPolicy(delays: [0, 5, 300], jitter: 0)
        return DeliveryRules.settle(outcome, of: attempt, at: health, retries: retries, now: now, using: &generator)
    }

    @Test("DLV-06 What arrived is done and ends an outage; what is refused for good is dead, and its endpoint at work")
    func settled() {
        let failing = EndpointHealth(failures: 3, failingSince: ago(9_000))
        #expect(settle(.delivered, at: failing) == settle(.delivered))
        #expect(settle(.delivered).entry == .done && settle(.delivered).health == EndpointHealth())
        let rejected = settle(.rejected(.badMessage), at: failing)
        #expect(rejected.entry == .dead && rejected.health == EndpointHealth() && rejected.end == nil)
        let gone = settle(.endpointGone)
        #expect(gone.entry == .dead && gone.end == .gone)
    }

    @Test("DLV-09 What may have arrived is dead at once, and counts as a failure of its endpoint")
    func uncertain() {
        let outcome = DeliveryOutcome.uncertain(.timedOut)
        #expect(settle(outcome).entry == .dead && settle(outcome).end == nil)
        #expect(settle(outcome).health == EndpointHealth(failures: 1, failingSince: now))
        let long = EndpointHealth(failures: 30, failingSince: ago(DeliveryRules.patience + 1))
        #expect(settle(outcome, at: long).end == .failing)
        #expect(outcome.problem == .timedOut && outcome.word == "uncertain")
    }

    @Test("DLV-09 Only an attempt that may have succeeded is kept from being repeated")
    func avoidsRepeats() {
        let retry = DeliveryOutcome.retry(.timedOut)
        #expect(retry.avoidingRepeat(mayHaveArrived: true) == .uncertain(.timedOut))
        #expect(DeliveryOutcome.throttled(until: now).avoidingRepeat(mayHaveArrived: true) == .uncertain(.serverError))
        #expect(retry.avoidingRepeat(mayHaveArrived: false) == retry)
        for outcome in [DeliveryOutcome.delivered, .endpointGone, .rejected(.badMessage)] {
            #expect(outcome.avoidingRepeat(mayHaveArrived: true) == outcome)
        }
        for (status, gotify, apprise) in [
            (424, false, true), (500, false, false), (502, true, true), (503, false, false), (504, true, true),
        ] {
            let answer = ChannelAnswer(status: status)
            #expect(DeliveryOutcome.mayHaveDelivered(answer, .gotify) == gotify, "\(status)")
            #expect(DeliveryOutcome.mayHaveDelivered(answer, .apprise) == apprise, "\(status)")
        }
        #expect(ChannelKind.allCases.filter { !$0.dropsRepeats } == [.gotify, .apprise, .mqtt])
    }

    @Test("DLV-06 What failed is tried again on schedule, until the last attempt or the end of its use")
    func retries() {
        let retry = DeliveryOutcome.retry(.serverError)
        #expect(settle(retry).entry == .again(at: now.advanced(byMilliseconds: 5_000)))
        #expect(settle(retry, number: 2).entry == .again(at: now.advanced(byMilliseconds: 300_000)))
        #expect(settle(retry, number: 3).entry == .dead)
        #expect(settle(retry, expiresIn: 5_000).entry == .dead)
        #expect(settle(retry, expiresIn: 5_001).entry == .again(at: now.advanced(byMilliseconds: 5_000)))
        #expect(settle(retry).health == EndpointHealth(failures: 1, failingSince: now))
    }

    @Test("DLV-06 One outage counts once, however many attempts were under way when it began")
    func outage() {
        let known = EndpointHealth(failures: 1, failingSince: ago(50))
        #expect(settle(.retry(.timedOut), begun: 100, at: known).health == known)
        #expect(settle(.retry(.timedOut), begun: 50, at: known).health.failures == 2)
        #expect(settle(.retry(.timedOut), begun: 10, at: known).health.failingSince == ago(50))
    }

    @Test("DLV-06 The tenth failure opens the breaker for a minute; a shorter pause does not end a longer one")
    func breaker() {
        let nine = EndpointHealth(failures: 9, failingSince: ago(60_000))
        let minute = now.advanced(byMilliseconds: 60_000)
        #expect(settle(.retry(.unreachable), at: nine).health.pausedUntil == minute)
        let eight = EndpointHealth(failures: 8, failingSince: ago(60_000))
        #expect(settle(.retry(.unreachable), at: eight).health.pausedUntil == nil)
        let hour = now.advanced(byMilliseconds: 3_600_000)
        let patient = EndpointHealth(pausedUntil: hour)
        #expect(settle(.delivered, at: patient).health.pausedUntil == hour)
        #expect(settle(.delivered, at: EndpointHealth(pausedUntil: now)).health.pausedUntil == nil)
        #expect(settle(.throttled(until: minute), at: patient).health.pausedUntil == hour)
        #expect(settle(.throttled(until: hour), at: EndpointHealth(pausedUntil: minute)).health.pausedUntil == hour)
    }

    @Test("DLV-06 An endpoint that asks for patience gets it, but not for ever")
    func patience() {
        let until = now.advanced(byMilliseconds: 60_000)
        let throttled = DeliveryOutcome.throttled(until: until)
        #expect(settle(throttled).entry == .again(at: until) && settle(throttled).health.pausedUntil == until)
        let days = DeliveryRules.patience
        #expect(days == 432_000_000)
        #expect(settle(throttled, age: days, number: 3).entry == .again(at: until))
        #expect(settle(throttled, age: days + 1, number: 2).entry == .again(at: until))
        #expect(settle(throttled, age: days + 1, number: 3).entry == .dead)
        #expect(settle(throttled, age: days + 1, number: 3).end == nil)
    }

    @Test("DLV-06 After five days of failures a channel is switched off, unless the fault is the operator's")
    func failing() {
        let long = EndpointHealth(failures: 30, failingSince: ago(DeliveryRules.patience + 1))
        let short = EndpointHealth(failures: 30, failingSince: ago(DeliveryRules.patience))
        #expect(settle(.retry(.unreachable), at: long).end == .failing)
        #expect(settle(.retry(.unreachable), at: short).end == nil)
        #expect(settle(.retry(.credentials), at: long).end == nil)
        #expect(settle(.retry(.unreachable), kind: .email, at: long).end == nil)
        #expect(settle(.delivered, at: long).end == nil && settle(.throttled(until: now), at: long).end == nil)
    }
}
