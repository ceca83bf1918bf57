import Formats
import Foundation
import GRDB
import Geometry
public import Notifications
public import Stories

extension StoreReader {
    /// Returns the notification settings of a user: off and without consent if they were never asked.
    public func notificationSettings(of user: UserID) throws -> NotificationSettings {
        let statement = try db.cachedStatement(sql: "SELECT * FROM notification_settings WHERE user = ?")
        return try statement.first([user.rawValue], NotificationSettingsRow.settings) ?? NotificationSettings()
    }
}

extension StoreTransaction {
    /// Stores the notification settings of a user with the history of their consent.
    ///
    /// A withdrawal is added to the list of erasures, under the number `erasure`, before it reaches the database, so
    /// that an older copy restored later does not turn notifications on again. Without `erasure`, the list already
    /// contains the withdrawal: an erasure listed there also ends the consent.
    public func save(
        _ settings: NotificationSettings,
        of user: UserID,
        at now: Timestamp,
        source: ConsentRecord.Source,
        erasure: StoryID?
    ) throws {
        let old = try notificationSettings(of: user)
        try replaceRow(of: user, by: settings)
        let isWithdrawn = old.enabled && !settings.enabled
        let isGiven = settings.enabled && (!old.enabled || old.consentVersion != settings.consentVersion)
        guard isWithdrawn || isGiven else { return }
        if isWithdrawn { try cancelLocationEntries(of: user, reason: "opted_out", at: now) }
        let number = try Int.fetchOne(
            db,
            sql: "SELECT count(*) FROM consents WHERE user = ? AND at_ms = ?",
            arguments: [user.rawValue, now.milliseconds]
        )
        try db.execute(
            sql:
                "INSERT INTO consents (user, at_ms, number, kind, version, action, source) VALUES (?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                user.rawValue, now.milliseconds, number ?? 0, ConsentRecord.nearbyStories,
                isWithdrawn ? old.consentVersion : settings.consentVersion, isWithdrawn ? "withdrawn" : "given",
                source.rawValue,
            ]
        )
        guard isWithdrawn, let erasure else { return }
        try put(erasureList.entry(.consent, of: .user(user), at: now, id: erasure), isSwept: true)
    }

    /// Stores settings without the history of consent.
    ///
    /// If the consent epoch changed, everything started under the old one is removed: evaluator states, their timers,
    /// and pending visits.
    private func replaceRow(of user: UserID, by settings: NotificationSettings) throws {
        let old = try notificationSettings(of: user)
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO notification_settings
                (user, enabled, radius, kinds, options, consent_epoch, consent_ms, consent_version)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: StatementArguments([user.rawValue] + NotificationSettingsRow.arguments(settings))
        )
        // Nothing started under the old settings may still be sent.
        noteWithdrawal(from: user)
        noteOutdatedAttempts(of: user)
        noteSilence(of: user, settings, replacing: old)
        try log(.settings, of: user, at: clock.time)
        guard old.consentEpoch != settings.consentEpoch else { return }
        try db.execute(sql: "DELETE FROM evaluator_states WHERE user = ?", arguments: [user.rawValue])
        try db.execute(sql: "DELETE FROM pending_visits WHERE user = ?", arguments: [user.rawValue])
    }
}

/// Notification settings as a row of the table `notification_settings`.
private enum NotificationSettingsRow {
    /// The values of the columns after `user`.
    static func arguments(_ settings: NotificationSettings) -> [(any DatabaseValueConvertible)?] {
        var kinds = JSONWriter()
        kinds.value(settings.kinds.map(\.rawValue).sorted())
        var options = JSONWriter()
        options.beginObject()
        options.member("notify_viewed", settings.notifiesViewed)
        options.member("notify_own", settings.notifiesOwn)
        options.member("min_dwell", settings.minimumDwell)
        options.member("max_speed", settings.maximumSpeed)
        options.member("kept_days", settings.keptDays)
        if !settings.places.isEmpty { write(settings.places, to: &options) }
        options.member("preview", settings.preview.rawValue)
        DeliveryJSON.write(settings, to: &options)
        options.endObject()
        return [
            settings.enabled, settings.radius, kinds.text, options.text, settings.consentEpoch,
            settings.consentAt?.milliseconds, settings.consentVersion,
        ]
    }

    private static func write(_ places: [PlaceSetting], to json: inout JSONWriter) {
        json.key("places")
        json.beginArray()
        for setting in places {
            json.beginObject()
            json.member("place", setting.place.description)
            json.member("enabled", setting.isEnabled)
            if let until = setting.mutedUntil { json.member("muted_until", Int(until.milliseconds)) }
            json.member("radius", setting.radius)
            if let kinds = setting.kinds { json.member("kinds", kinds.map(\.rawValue).sorted()) }
            json.endObject()
        }
        json.endArray()
    }

    private static func place(_ json: JSONValue) -> PlaceSetting? {
        guard let place = json["place"]?.string.flatMap({ PlaceID($0) }) else { return nil }
        var setting = PlaceSetting(place: place)
        setting.isEnabled = json["enabled"]?.bool ?? true
        setting.mutedUntil = json["muted_until"]?.integer.map { Timestamp(milliseconds: Int64($0)) }
        setting.radius = json["radius"]?.number
        if let kinds = json["kinds"]?.array {
            setting.kinds = Set(kinds.compactMap { kind in kind.string.flatMap { StoryKind($0) } })
        }
        return setting
    }

    static func settings(_ row: Row) throws -> NotificationSettings {
        var settings = NotificationSettings(
            enabled: row["enabled"],
            consentEpoch: row["consent_epoch"],
            consentAt: (row["consent_ms"] as Int64?).map { Timestamp(milliseconds: $0) },
            consentVersion: row["consent_version"]
        )
        settings.radius = row["radius"]
        let kinds = try JSONValue(parsing: Array((row["kinds"] as String).utf8))
        settings.kinds = Set((kinds.array ?? []).compactMap { $0.string.flatMap { StoryKind($0) } })
        let options = try JSONValue(parsing: Array((row["options"] as String).utf8), limits: .init(bytes: 4 << 20))
        settings.notifiesViewed = options["notify_viewed"]?.bool ?? false
        settings.notifiesOwn = options["notify_own"]?.bool ?? false
        settings.minimumDwell = options["min_dwell"]?.integer ?? 0
        settings.keptDays = options["kept_days"]?.integer ?? 0
        settings.places = (options["places"]?.array ?? []).compactMap(place)
        settings.maximumSpeed = options["max_speed"]?.number
        settings.preview = options["preview"]?.string.flatMap(NotificationSettings.Preview.init) ?? .count
        try DeliveryJSON.read(options, into: &settings)
        return settings
    }
}
