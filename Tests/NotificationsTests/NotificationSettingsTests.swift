import Notifications
import Stories
import Testing

@Suite("Notification settings")
struct NotificationSettingsTests {
    @Test("NTF-01 Off by default; turning on and off is recorded and counted")
    func consent() throws {
        var settings = NotificationSettings()
        #expect(!settings.enabled && settings.radius == 150 && settings.consentAt == nil)
        try settings.optIn(at: Timestamp(milliseconds: 5), version: "2026-11")
        #expect(settings.enabled && settings.consentEpoch == 1 && settings.consentAt?.milliseconds == 5)
        try settings.optIn(at: Timestamp(milliseconds: 9), version: "2026-11")
        #expect(settings.consentEpoch == 1 && settings.consentAt?.milliseconds == 5)
        settings.optOut()
        #expect(!settings.enabled && settings.consentEpoch == 2 && settings.consentVersion == nil)
        #expect(throws: NotificationSettingsError.self) {
            try settings.optIn(at: Timestamp(milliseconds: 9), version: "")
        }
    }

    @Test("NTF-02 Kinds are named, family_object stands for three; none means all")
    func kinds() throws {
        var settings = NotificationSettings()
        #expect(settings.wants(.photo) && settings.wants(.interview))
        settings.kinds = try NotificationSettings.kinds(named: ["family_object"])
        #expect(settings.kinds == [.photo, .document, .videoObject])
        #expect(settings.wants(.photo) && !settings.wants(.interview))
        #expect(throws: NotificationSettingsError.self) { try NotificationSettings.kinds(named: ["photo", "No!"]) }
    }

    @Test("NTF-02 Every wrong field is named")
    func validation() throws {
        var settings = NotificationSettings()
        try settings.validate()
        settings.radius = 5_000
        settings.minimumDwell = 1_800
        settings.maximumSpeed = 12
        try settings.validate()
        settings.radius = .nan
        settings.minimumDwell = -1
        settings.maximumSpeed = .infinity
        let error = #expect(throws: NotificationSettingsError.self) { try settings.validate() }
        #expect(error?.problems.map(\.field) == ["radius", "min_dwell", "max_speed"])
        let stored = NotificationSettings(enabled: true, consentEpoch: 3, consentAt: nil, consentVersion: nil)
        #expect(throws: NotificationSettingsError.self) { try stored.validate() }
    }

    @Test("NTF-02 The radius must be between 75 and 5,000 m", arguments: [74.9, 5_000.1, -150, 0])
    func radius(metres: Double) {
        var settings = NotificationSettings()
        settings.radius = metres
        #expect(throws: NotificationSettingsError.self) { try settings.validate() }
    }
}
