public import Stories

/// A user's notification settings; off until the user consents (NTF-01).
public struct NotificationSettings: Hashable, Sendable {
    /// How much a notification reveals to anyone who sees the screen.
    public enum Preview: String, CaseIterable, Hashable, Sendable {
        /// Kinds, and the title of a single story.
        case full
        /// The number of stories, and the place.
        case count
        /// Only that there is a notification.
        case none
    }

    /// The allowed radii, in metres; below 75 m a phone's position is not accurate enough.
    public static let radii: ClosedRange<Double> = 75...5_000
    /// The allowed minimum stays, in seconds.
    public static let dwells: ClosedRange<Int> = 0...1_800
    /// The allowed speed limits, in metres per second.
    public static let speeds: ClosedRange<Double> = 0.5...100
    /// The allowed numbers of days to keep fixes.
    public static let retentions: ClosedRange<Int> = 0...30
    /// The maximum number of entries in ``kinds``.
    public static let mostKinds = 64

    /// Whether nearby stories are announced at all.
    public private(set) var enabled = false
    /// The radius around each place in metres, within ``radii``.
    public var radius = 150.0
    /// The wanted kinds; empty means all.
    public var kinds: Set<StoryKind> = []
    /// The number of changes of consent; work started under an earlier epoch must be abandoned.
    public private(set) var consentEpoch = 0
    /// When the user consented, or `nil` without consent.
    public private(set) var consentAt: Timestamp?
    /// The version of the explanation the user agreed to.
    public private(set) var consentVersion: String?
    /// Whether stories the user has already viewed are announced.
    public var notifiesViewed = false
    /// Whether the user's own stories are announced.
    public var notifiesOwn = false
    /// How long a visit must last in seconds before it is announced, within ``dwells``.
    public var minimumDwell = 0
    /// The speed in metres per second above which a place is not announced until the user slows down while still there;
    /// `nil` for no limit.
    public var maximumSpeed: Double?
    /// The number of days for which raw fixes are kept, within ``retentions``; 0 keeps none.
    public var keptDays = 0
    /// The places with settings of their own, each once, in the order given by the user.
    public var places: [PlaceSetting] = []
    /// How much a notification reveals.
    public var preview = Preview.count
    /// The notifications that are created and the channels they go through.
    public var delivery = DeliveryChoices()
    /// The IANA name of the time zone for quiet hours and digests.
    public var zone = "UTC"
    /// The language of dates in messages to the user.
    public var language = DateLanguage.english
    /// The template for links sent to the user's app; `nil` for the service's own page.
    public var linkTemplate: LinkTemplate?
    /// The hours when channels are silent.
    public var quietHours = QuietHours()
    /// The limits on messages sent to channels.
    public var caps = DeliveryCaps()
    /// How often a digest is sent by e-mail.
    public var digest = DigestSchedule()

    /// Creates the default settings, without consent.
    public init() {}

    /// Creates settings from stored consent.
    public init(enabled: Bool, consentEpoch: Int, consentAt: Timestamp?, consentVersion: String?) {
        self.enabled = enabled
        self.consentEpoch = consentEpoch
        self.consentAt = consentAt
        self.consentVersion = consentVersion
    }

    /// Turns announcements on: the user agreed at `time` to this version of the explanation.
    ///
    /// Agreeing again to the same version changes nothing.
    ///
    /// - Throws: ``NotificationSettingsError`` if `version` is empty or over 64 bytes.
    public mutating func optIn(at time: Timestamp, version: String) throws {
        guard (1...64).contains(version.utf8.count) else {
            let message = "must be the version of the explanation that was agreed to, 1 to 64 bytes"
            throw NotificationSettingsError(problems: [.init(field: "consent_version", message: message)])
        }
        if enabled, consentVersion == version { return }
        if !enabled { consentEpoch += consentEpoch == .max ? 0 : 1 }
        enabled = true
        consentAt = time
        consentVersion = version
    }

    /// Turns announcements off and invalidates all work begun before.
    public mutating func optOut() {
        consentEpoch += consentEpoch == .max ? 0 : 1
        enabled = false
        consentAt = nil
        consentVersion = nil
    }

    /// Deletes the settings for single places, because their ids are points, and withdraws the consent to keep fixes;
    /// returns the number of places deleted (NTF-09).
    public mutating func forgetPlaces() -> Int {
        defer { (places, keptDays) = ([], 0) }
        return places.count
    }

    /// Returns whether stories of a kind are wanted.
    public func wants(_ kind: StoryKind) -> Bool { kinds.isEmpty || kinds.contains(kind) }

    /// Parses names of kinds; `family_object` represents three kinds.
    ///
    /// - Throws: ``NotificationSettingsError`` naming the first invalid kind.
    public static func kinds(named names: [String]) throws -> Set<StoryKind> {
        var kinds: Set<StoryKind> = []
        for name in names {
            guard let named = StoryKind.named(name) else {
                let message = "must be kinds of 1 to 32 characters a-z, 0-9 and _, such as interview or family_object"
                throw NotificationSettingsError(problems: [.init(field: "kinds", message: message)])
            }
            kinds.formUnion(named)
        }
        return kinds
    }

    private var placeProblems: [NotificationSettingsError.Problem] {
        if places.count > PlaceSetting.most {
            return [
                .init(field: "places", message: "must have at most \(PlaceSetting.most) entries")
            ]
        }
        if Set(places.map(\.place)).count < places.count {
            return [.init(field: "places", message: "must list each place only once")]
        }
        return places.enumerated()
            .compactMap { index, setting in
                guard let radius = setting.radius, !NotificationSettings.radii.contains(radius) else { return nil }
                let message = "must be between 75 and 5000 metres, or null"
                return .init(field: "places[\(index)].radius", message: message)
            }
    }

    private var deliveryProblems: [NotificationSettingsError.Problem] {
        var problems: [NotificationSettingsError.Problem] = []
        if delivery.types.count > DeliveryChoices.mostTypes {
            problems.append(.init(field: "types", message: "must have at most \(DeliveryChoices.mostTypes) entries"))
        }
        if !(1...64).contains(zone.utf8.count) {
            problems.append(.init(field: "time_zone", message: "must be a time zone such as America/New_York"))
        }
        if quietHours.windows.count > QuietHours.mostWindows {
            let message = "must have at most \(QuietHours.mostWindows) entries"
            problems.append(.init(field: "quiet_hours", message: message))
        }
        for (name, count) in [("per_hour", caps.perHour), ("per_day", caps.perDay)] {
            guard let count, !DeliveryCaps.counts.contains(count) else { continue }
            problems.append(.init(field: "caps.\(name)", message: "must be between 1 and 1000, or null"))
        }
        if !DeliveryCaps.pauses.contains(caps.pause) {
            let message = "must be between 0 and 86400 seconds"
            problems.append(.init(field: "caps.min_interval", message: message))
        }
        if !(0...23).contains(digest.hour) {
            problems.append(.init(field: "digest.hour", message: "must be between 0 and 23"))
        }
        return problems
    }

    /// Validates every field with limits.
    ///
    /// - Throws: ``NotificationSettingsError`` with one problem per invalid field.
    public func validate() throws {
        var problems: [NotificationSettingsError.Problem] = []
        if !NotificationSettings.radii.contains(radius) {
            problems.append(.init(field: "radius", message: "must be between 75 and 5000 metres"))
        }
        if kinds.count > NotificationSettings.mostKinds {
            problems.append(.init(field: "kinds", message: "must have at most 64 entries"))
        }
        if !NotificationSettings.dwells.contains(minimumDwell) {
            problems.append(.init(field: "min_dwell", message: "must be between 0 and 1800 seconds"))
        }
        problems += placeProblems
        if !NotificationSettings.retentions.contains(keptDays) {
            problems.append(.init(field: "keep_fixes_days", message: "must be between 0 and 30 days"))
        }
        if let maximumSpeed, !NotificationSettings.speeds.contains(maximumSpeed) {
            let message = "must be between 0.5 and 100 metres per second, or null"
            problems.append(.init(field: "max_speed", message: message))
        }
        problems += deliveryProblems
        if enabled, consentAt == nil || consentVersion == nil {
            problems.append(.init(field: "enabled", message: "requires consent to a version of the explanation"))
        }
        if !problems.isEmpty { throw NotificationSettingsError(problems: problems) }
    }
}

/// The errors in notification settings.
public struct NotificationSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One invalid field.
    public struct Problem: Hashable, Sendable {
        /// The name of the field in the HTTP API.
        public let field: String
        /// The error and the expected value, as a phrase that follows the name of the field.
        public let message: String

        /// Creates a problem.
        public init(field: String, message: String) {
            self.field = field
            self.message = message
        }
    }

    /// The invalid fields, at least one.
    public let problems: [Problem]

    /// Creates an error of at least one problem.
    public init(problems: [Problem]) {
        self.problems = problems
    }

    /// All problems in one line.
    public var description: String { problems.map { "\($0.field): \($0.message)" }.joined(separator: "; ") }
}
