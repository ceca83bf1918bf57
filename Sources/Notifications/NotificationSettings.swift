public import Stories

/// What a user wants to be told of; off until they say so (NTF-01).
public struct NotificationSettings: Hashable, Sendable {
    /// How much a notification gives away to whoever sees the screen.
    public enum Preview: String, CaseIterable, Hashable, Sendable {
        /// Kinds, and the title of a single story.
        case full
        /// How many stories, and the place.
        case count
        /// Only that there is something.
        case none
    }

    /// The radii that can be chosen, in metres; below 75 m a phone's position cannot decide.
    public static let radii: ClosedRange<Double> = 75...5_000
    /// The shortest stays that can be asked for, in seconds.
    public static let dwells: ClosedRange<Int> = 0...1_800
    /// The speed limits that can be chosen, in metres per second.
    public static let speeds: ClosedRange<Double> = 0.5...100
    /// For how many days fixes can be kept.
    public static let retentions: ClosedRange<Int> = 0...30
    /// The most kinds that can be listed.
    public static let mostKinds = 64

    /// Whether nearby stories are announced at all.
    public private(set) var enabled = false
    /// The radius around each place in metres, within ``radii``.
    public var radius = 150.0
    /// The wanted kinds; empty means all.
    public var kinds: Set<StoryKind> = []
    /// Counts the changes of consent; what was begun under an earlier one must not be finished.
    public private(set) var consentEpoch = 0
    /// When the user agreed, or `nil` while they do not.
    public private(set) var consentAt: Timestamp?
    /// The version of the explanation they agreed to.
    public private(set) var consentVersion: String?
    /// Whether stories the user has already viewed are announced.
    public var notifiesViewed = false
    /// Whether the user's own stories are announced.
    public var notifiesOwn = false
    /// How long a visit must last in seconds before it is announced, within ``dwells``.
    public var minimumDwell = 0
    /// The speed in metres per second above which nothing is told of a place, until slower while still there; `nil` for
    /// none.
    public var maximumSpeed: Double?
    /// For how many days fixes are kept as they came, within ``retentions``; 0 keeps none.
    public var keptDays = 0
    /// The places with settings of their own, each once, in their order.
    public var places: [PlaceSetting] = []
    /// How much a notification gives away.
    public var preview = Preview.count
    /// Which notifications are made, and which channels they go through.
    public var delivery = DeliveryChoices()
    /// The name of the zone, of the IANA's list, by whose clock quiet hours and digests go.
    public var zone = "UTC"
    /// The language in which dates are written to them.
    public var language = DateLanguage.english
    /// How links that leave for their app are written; `nil` for the service's own page.
    public var linkTemplate: LinkTemplate?
    /// When channels are silent.
    public var quietHours = QuietHours()
    /// The most that channels are sent.
    public var caps = DeliveryCaps()
    /// How often there is an e-mail with what was told.
    public var digest = DigestSchedule()

    /// Creates the settings of somebody who was never asked.
    public init() {}

    /// Continues stored settings.
    public init(enabled: Bool, consentEpoch: Int, consentAt: Timestamp?, consentVersion: String?) {
        self.enabled = enabled
        self.consentEpoch = consentEpoch
        self.consentAt = consentAt
        self.consentVersion = consentVersion
    }

    /// Turns announcements on: the user agreed at `time` to the explanation of this version.
    ///
    /// Agreeing again to the same version changes nothing.
    ///
    /// - Throws: ``NotificationSettingsError`` when `version` is empty or over 64 bytes.
    public mutating func optIn(at time: Timestamp, version: String) throws {
        guard (1...64).contains(version.utf8.count) else {
            let message = "name the version of the explanation that was agreed to, 1 to 64 bytes"
            throw NotificationSettingsError(problems: [.init(field: "consent_version", message: message)])
        }
        if enabled, consentVersion == version { return }
        if !enabled { consentEpoch += consentEpoch == .max ? 0 : 1 }
        enabled = true
        consentAt = time
        consentVersion = version
    }

    /// Turns announcements off; all that was begun before is void.
    public mutating func optOut() {
        consentEpoch += consentEpoch == .max ? 0 : 1
        enabled = false
        consentAt = nil
        consentVersion = nil
    }

    /// Forgets the places that have settings of their own, whose ids are points, and that fixes are to be kept; returns how
    /// many places there were (NTF-09).
    public mutating func forgetPlaces() -> Int {
        defer { (places, keptDays) = ([], 0) }
        return places.count
    }

    /// Whether stories of a kind are wanted.
    public func wants(_ kind: StoryKind) -> Bool { kinds.isEmpty || kinds.contains(kind) }

    /// Reads kinds as written, `family_object` standing for three.
    ///
    /// - Throws: ``NotificationSettingsError`` naming the first that is none.
    public static func kinds(named names: [String]) throws -> Set<StoryKind> {
        var kinds: Set<StoryKind> = []
        for name in names {
            guard let named = StoryKind.named(name) else {
                let message = "a kind is 1 to 32 characters of a-z, 0-9 and _, such as interview or family_object"
                throw NotificationSettingsError(problems: [.init(field: "kinds", message: message)])
            }
            kinds.formUnion(named)
        }
        return kinds
    }

    private var placeProblems: [NotificationSettingsError.Problem] {
        if places.count > PlaceSetting.most {
            return [
                .init(field: "places", message: "at most \(PlaceSetting.most) places can have settings of their own")
            ]
        }
        if Set(places.map(\.place)).count < places.count {
            return [.init(field: "places", message: "a place stands in the list twice")]
        }
        return places.enumerated()
            .compactMap { index, setting in
                guard let radius = setting.radius, !NotificationSettings.radii.contains(radius) else { return nil }
                let message = "the radius must lie between 75 and 5000 metres, or be null"
                return .init(field: "places[\(index)].radius", message: message)
            }
    }

    private var deliveryProblems: [NotificationSettingsError.Problem] {
        var problems: [NotificationSettingsError.Problem] = []
        if delivery.types.count > DeliveryChoices.mostTypes {
            problems.append(.init(field: "types", message: "at most \(DeliveryChoices.mostTypes) types can be listed"))
        }
        if !(1...64).contains(zone.utf8.count) {
            problems.append(.init(field: "time_zone", message: "the zone is a name such as America/New_York"))
        }
        if quietHours.windows.count > QuietHours.mostWindows {
            let message = "at most \(QuietHours.mostWindows) spans of quiet hours can be listed"
            problems.append(.init(field: "quiet_hours", message: message))
        }
        for (name, count) in [("per_hour", caps.perHour), ("per_day", caps.perDay)] {
            guard let count, !DeliveryCaps.counts.contains(count) else { continue }
            problems.append(.init(field: "caps.\(name)", message: "a limit lies between 1 and 1000, or is null"))
        }
        if !DeliveryCaps.pauses.contains(caps.pause) {
            let message = "the shortest time between two lies between 0 and 86400 seconds"
            problems.append(.init(field: "caps.min_interval", message: message))
        }
        if !(0...23).contains(digest.hour) {
            problems.append(.init(field: "digest.hour", message: "the hour lies between 0 and 23"))
        }
        return problems
    }

    /// Checks every field that has limits.
    ///
    /// - Throws: ``NotificationSettingsError`` with one problem per wrong field.
    public func validate() throws {
        var problems: [NotificationSettingsError.Problem] = []
        if !NotificationSettings.radii.contains(radius) {
            problems.append(.init(field: "radius", message: "the radius must lie between 75 and 5000 metres"))
        }
        if kinds.count > NotificationSettings.mostKinds {
            problems.append(.init(field: "kinds", message: "at most 64 kinds can be listed"))
        }
        if !NotificationSettings.dwells.contains(minimumDwell) {
            problems.append(.init(field: "min_dwell", message: "the shortest stay must lie between 0 and 1800 seconds"))
        }
        problems += placeProblems
        if !NotificationSettings.retentions.contains(keptDays) {
            problems.append(.init(field: "keep_fixes_days", message: "fixes can be kept for 0 to 30 days"))
        }
        if let maximumSpeed, !NotificationSettings.speeds.contains(maximumSpeed) {
            let message = "the highest speed must lie between 0.5 and 100 metres per second, or be null"
            problems.append(.init(field: "max_speed", message: message))
        }
        problems += deliveryProblems
        if enabled, consentAt == nil || consentVersion == nil {
            problems.append(.init(field: "enabled", message: "opt in by agreeing to a version of the explanation"))
        }
        if !problems.isEmpty { throw NotificationSettingsError(problems: problems) }
    }
}

/// What is wrong with notification settings, field by field.
public struct NotificationSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One wrong field.
    public struct Problem: Hashable, Sendable {
        /// The field as it is called over HTTP.
        public let field: String
        /// What is wrong and what is expected.
        public let message: String

        /// Names a problem.
        public init(field: String, message: String) {
            self.field = field
            self.message = message
        }
    }

    /// The wrong fields, at least one.
    public let problems: [Problem]

    /// Creates an error of at least one problem.
    public init(problems: [Problem]) {
        self.problems = problems
    }

    /// All problems in one line.
    public var description: String { problems.map { "\($0.field): \($0.message)" }.joined(separator: "; ") }
}
