public import Stories

/// What is known of an entry of the outbox, and of the channel that it waits for, when it comes up.
public struct DeliveryQuestion: Sendable {
    /// Which notifications an entry tells of.
    public enum Extent: Hashable, Sendable {
        /// One.
        case one
        /// Several that waited together.
        case several
        /// All of a week or a month.
        case period

        /// Whether it tells of several in one message.
        public var isSummary: Bool { self != .one }
    }

    /// What sort of thing it tells.
    public let type: NoticeType
    /// Which notifications it tells of.
    public let extent: Extent
    /// What the channel is.
    public let kind: ChannelKind
    /// The consent it was written under, where it tells of whereabouts.
    public var epoch: Int?
    /// From when it is of no use any more.
    public var expiresAt: Timestamp?
    /// How often it was tried.
    public var attempts = 0
    /// Whether it waited for quiet hours to end.
    public var isDeferred = false
    /// Whether the channel is proven and not switched off by the service.
    public var isActive = true
    /// Whether its user has the channel switched on.
    public var isEnabled = true
    /// Whether nothing of its channel is under way.
    public var isAlone = true
    /// Whether there is its user.
    public var isUserKnown = true

    /// Creates the question of an entry that was never tried, for a channel that is on and idle.
    public init(type: NoticeType, extent: Extent = .one, kind: ChannelKind) {
        self.type = type
        self.extent = extent
        self.kind = kind
    }
}

/// What becomes of an entry of the outbox that comes up.
public enum DeliveryDecision: Hashable, Sendable {
    /// Why an entry ends without having been sent.
    public enum Reason: String, CaseIterable, Hashable, Sendable {
        /// Nothing goes through its channel any more.
        case channelDisabled = "channel_disabled"
        /// Its user does not want it, or nothing through the channel.
        case switchedOff = "switched_off"
        /// There is no such user any more.
        case noUser = "no_user"
        /// The consent it was written under has ended.
        case optedOut = "opted_out"
        /// It waits for the next digest instead.
        case inDigest = "in_digest"
        /// It is of no use any more.
        case expired
        /// Its user has been sent as much as they want.
        case cap
    }

    /// It is not to be sent any more.
    case cancel(Reason)
    /// It cannot be sent; an operator can have it sent again.
    case giveUp(Reason)
    /// It is quiet until then.
    case wait(until: Timestamp)
    /// Those that waited with it for the quiet to end become one.
    case combine
    /// What is under way decides whether, and in which words, it goes.
    case follow
    /// It is a sample, which depends on no choice of its user's.
    case sample
    /// It goes, if there is anything left to say.
    case tell
}

/// The rules by which deliveries are decided on and settled; they read neither a clock nor a database.
public enum DeliveryRules: Sendable {
    /// What was sent to a channel lately, as far as limits count it.
    public struct Sent: Hashable, Sendable {
        /// In the last hour.
        public let lastHour: Int
        /// In the last day.
        public let lastDay: Int
        /// How long ago the last was sent, in seconds; `nil` for never.
        public let secondsSinceLast: Double?

        /// Creates the counts.
        public init(lastHour: Int, lastDay: Int, secondsSinceLast: Double?) {
            self.lastHour = lastHour
            self.lastDay = lastDay
            self.secondsSinceLast = secondsSinceLast
        }
    }

    /// Returns what becomes of an entry at `now`, by the settings that hold at this moment.
    ///
    /// `zone` has the offsets of the zone in the settings. `waiting` counts the entries that waited for the quiet to end
    /// and may go now, and is asked only of one that did; `sent` counts what went to the channel, and is asked only where
    /// a limit holds.
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
        // A limit counts what arrived: of what is under way nobody knows that yet.
        if !question.isAlone, question.extent.isSummary || !caps.isUnlimited { return .follow }
        if question.attempts == 0, !question.extent.isSummary, !caps.isUnlimited, try !caps.allows(sent()) {
            return .cancel(.cap)
        }
        return .tell
    }

    /// Why its user's choices keep an entry from being sent at any time; `nil` when they do not.
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
