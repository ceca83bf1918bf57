public import Stories

/// The facts about a due outbox entry and its channel that determine the next step.
public struct DeliveryQuestion: Sendable {
    /// The notifications that an entry announces.
    public enum Extent: Hashable, Sendable {
        /// A single notification.
        case one
        /// Several that waited together.
        case several
        /// All of a week or a month.
        case period

        /// Whether one message announces several.
        public var isSummary: Bool { self != .one }
    }

    /// The type of the entry.
    public let type: NoticeType
    /// The notifications that it announces.
    public let extent: Extent
    /// The kind of the channel.
    public let kind: ChannelKind
    /// The consent epoch that it was written in, if it is about the user's location.
    public var epoch: Int?
    /// The time at which it expires; `nil` if it never does.
    public var expiresAt: Timestamp?
    /// The number of attempts so far.
    public var attempts = 0
    /// Whether it has waited for quiet hours to end.
    public var isDeferred = false
    /// Whether the channel is verified and was not switched off by the service.
    public var isActive = true
    /// Whether the user has the channel switched on.
    public var isEnabled = true
    /// Whether no other attempt on its channel is in progress.
    public var isAlone = true
    /// Whether its user exists.
    public var isUserKnown = true

    /// Creates the facts about an entry without attempts, for an active channel with no attempt in progress.
    public init(type: NoticeType, extent: Extent = .one, kind: ChannelKind) {
        self.type = type
        self.extent = extent
        self.kind = kind
    }
}

/// The next step for a due entry of the outbox.
public enum DeliveryDecision: Hashable, Sendable {
    /// The reason that an entry ends without being sent.
    public enum Reason: String, CaseIterable, Hashable, Sendable {
        /// The channel is disabled.
        case channelDisabled = "channel_disabled"
        /// Its user does not want this type, or switched the channel off.
        case switchedOff = "switched_off"
        /// Its user no longer exists.
        case noUser = "no_user"
        /// The consent that it was written under has ended.
        case optedOut = "opted_out"
        /// It will be part of the next digest.
        case inDigest = "in_digest"
        /// It expired before it could be sent.
        case expired
        /// Its user's limit is reached.
        case cap
    }

    /// It must not be sent any more.
    case cancel(Reason)
    /// It cannot be sent; an operator can replay it.
    case giveUp(Reason)
    /// It waits until quiet hours end.
    case wait(until: Timestamp)
    /// It is combined with the others that waited for quiet hours to end.
    case combine
    /// It waits for the attempts in progress, whose outcome determines whether it is sent, and with which text.
    case follow
    /// It is a sample, sent regardless of the user's settings.
    case sample
    /// It is sent, unless none of its content is left to announce.
    case send
}

/// The rules that decide the next step of a delivery and the effect of its outcome, without reading a clock or a
/// database.
public enum DeliveryRules: Sendable {
    /// The recent messages to a channel that count towards limits.
    public struct Sent: Hashable, Sendable {
        /// The number in the last hour.
        public let lastHour: Int
        /// The number in the last day.
        public let lastDay: Int
        /// The time since the last message, in seconds; `nil` if there was none.
        public let secondsSinceLast: Double?

        /// Creates the counts.
        public init(lastHour: Int, lastDay: Int, secondsSinceLast: Double?) {
            self.lastHour = lastHour
            self.lastDay = lastDay
            self.secondsSinceLast = secondsSinceLast
        }
    }

    /// Decides the next step for an entry at `now`, using the current settings.
    ///
    /// - Parameters:
    ///   - question: the facts about the entry and its channel.
    ///   - settings: the settings of its user.
    ///   - now: the current time.
    ///   - zone: the offsets of the zone in the settings.
    ///   - waiting: returns the number of entries that waited for quiet hours to end and may now be sent; called only
    ///     if this entry waited too.
    ///   - sent: returns the recent messages to the channel; called only if a limit is set.
    /// - Returns: The next step for the entry.
    public static func decide(
        _ question: DeliveryQuestion,
        settings: NotificationSettings,
        at now: Timestamp,
        zone: ZoneOffset,
        waiting: () throws -> Int,
        sent: () throws -> Sent
    ) rethrows -> DeliveryDecision {
        guard question.isActive else { return .giveUp(.channelDisabled) }
        guard question.isEnabled else { return .cancel(.switchedOff) }
        if question.type == .test { return .sample }
        if let reason = refusal(of: question, settings: settings) { return .cancel(reason) }
        if let end = settings.quietHours.end(at: now, zone: zone) { return .wait(until: end) }
        if let expiresAt = question.expiresAt, expiresAt <= now, !question.isDeferred { return .cancel(.expired) }
        if question.isDeferred, try waiting() > 1 { return .combine }
        let caps = settings.caps
        // Limits count delivered messages, and the outcome of attempts in progress is unknown.
        if !question.isAlone, question.extent.isSummary || !caps.isUnlimited { return .follow }
        if question.attempts == 0, !question.extent.isSummary, !caps.isUnlimited, try !caps.allows(sent()) {
            return .cancel(.cap)
        }
        return .send
    }

    /// Returns the reason the user's settings prevent an entry from ever being sent; `nil` if they do not.
    private static func refusal(
        of question: DeliveryQuestion,
        settings: NotificationSettings
    ) -> DeliveryDecision.Reason? {
        guard question.isUserKnown else { return .noUser }
        if let epoch = question.epoch, !settings.enabled || settings.consentEpoch != epoch { return .optedOut }
        let isWanted =
            question.extent.isSummary
            ? settings.delivery.everything && settings.delivery.channels[question.kind] != false
            : settings.delivery.sends(question.type, through: question.kind)
        guard isWanted else { return .switchedOff }
        if question.kind == .email, question.extent != .period, settings.digest.holdsBack(question.type) {
            return .inDigest
        }
        return nil
    }
}

extension DeliveryCaps {
    fileprivate func allows(_ sent: DeliveryRules.Sent) -> Bool {
        allows(
            sentLastHour: sent.lastHour,
            sentLastDay: sent.lastDay,
            secondsSinceLast: sent.secondsSinceLast
        )
    }
}
