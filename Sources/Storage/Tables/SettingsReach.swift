import Formats
import Geometry
public import Notifications
public import Stories

/// What a person does not want to be notified of, and when: the part of the settings that an older copy must not undo.
public enum SettingsReach: Sendable {
    /// Returns settings that announce no more than either, and are silent whenever one of them is.
    ///
    /// The time zone is that of `newer`: its hours apply, and those of `older` are read in its zone. Everything that does
    /// not silence anything is that of `older`.
    public static func narrowed(_ older: NotificationSettings, to newer: NotificationSettings) -> NotificationSettings {
        var settings = older
        settings.radius = min(older.radius, newer.radius)
        settings.kinds = kinds(older.kinds, newer.kinds)
        settings.notifiesViewed = older.notifiesViewed && newer.notifiesViewed
        settings.notifiesOwn = older.notifiesOwn && newer.notifiesOwn
        settings.minimumDwell = max(older.minimumDwell, newer.minimumDwell)
        settings.maximumSpeed = least(older.maximumSpeed, newer.maximumSpeed)
        settings.keptDays = min(older.keptDays, newer.keptDays)
        settings.preview = preview(older.preview, newer.preview)
        settings.delivery = delivery(older.delivery, newer.delivery)
        let hours = newer.quietHours.windows
        if !hours.isEmpty { settings.zone = newer.zone }
        let both = hours + older.quietHours.windows.filter { !hours.contains($0) }
        settings.quietHours.windows =
            hours.isEmpty ? older.quietHours.windows : Array(both.prefix(QuietHours.mostWindows))
        settings.caps.perHour = least(older.caps.perHour, newer.caps.perHour)
        settings.caps.perDay = least(older.caps.perDay, newer.caps.perDay)
        settings.caps.pause = max(older.caps.pause, newer.caps.pause)
        settings.places = places(older.places, newer.places)
        return settings
    }

    /// Returns whether settings are more silent than earlier ones in any respect.
    static func isNarrower(_ new: NotificationSettings, than old: NotificationSettings) -> Bool {
        narrowed(old, to: new) != old
    }

    /// No kinds mean all of them; if nothing is in both, those chosen last count.
    private static func kinds(_ older: Set<StoryKind>, _ newer: Set<StoryKind>) -> Set<StoryKind> {
        guard !older.isEmpty, !newer.isEmpty else { return older.union(newer) }
        let both = older.intersection(newer)
        return both.isEmpty ? newer : both
    }

    private static func least<Value: Comparable>(_ older: Value?, _ newer: Value?) -> Value? {
        guard let older, let newer else { return older ?? newer }
        return min(older, newer)
    }

    private static func preview(
        _ older: NotificationSettings.Preview,
        _ newer: NotificationSettings.Preview
    ) -> NotificationSettings.Preview {
        let order: [NotificationSettings.Preview] = [.none, .count, .full]
        return order.first { $0 == older || $0 == newer } ?? .none
    }

    private static func delivery(_ older: DeliveryChoices, _ newer: DeliveryChoices) -> DeliveryChoices {
        var choices = older
        choices.everything = older.everything && newer.everything
        choices.channels.merge(newer.channels.filter { !$0.value }) { $1 }
        for (type, theirs) in newer.types {
            var choice = choices.types[type] ?? DeliveryChoices.TypeChoice()
            choice.isEnabled = choice.isEnabled && theirs.isEnabled
            choice.channels.merge(theirs.channels.filter { !$0.value }) { $1 }
            if choice != DeliveryChoices.TypeChoice() { choices.types[type] = choice }
        }
        return choices
    }

    private static func places(_ older: [PlaceSetting], _ newer: [PlaceSetting]) -> [PlaceSetting] {
        var places = older
        for theirs in newer where !theirs.isEnabled || theirs.mutedUntil != nil {
            if let index = places.firstIndex(where: { $0.place == theirs.place }) {
                places[index].isEnabled = places[index].isEnabled && theirs.isEnabled
                if let until = theirs.mutedUntil {
                    places[index].mutedUntil = max(places[index].mutedUntil ?? until, until)
                }
            } else if places.count < PlaceSetting.most {
                var muted = PlaceSetting(place: theirs.place)
                (muted.isEnabled, muted.mutedUntil) = (theirs.isEnabled, theirs.mutedUntil)
                places.append(muted)
            }
        }
        return places
    }
}

extension SettingsReach {
    /// Returns the form on the list: JSON without spaces, in which a place is named by a keyed digest.
    static func text(_ settings: NotificationSettings, on list: ErasureList) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.member("radius", settings.radius)
        json.member("kinds", settings.kinds.map(\.rawValue).sorted())
        json.member("notify_viewed", settings.notifiesViewed)
        json.member("notify_own", settings.notifiesOwn)
        json.member("min_dwell", settings.minimumDwell)
        json.member("max_speed", settings.maximumSpeed)
        json.member("kept_days", settings.keptDays)
        json.member("preview", settings.preview.rawValue)
        json.key("muted")
        json.beginArray()
        for setting in settings.places where !setting.isEnabled || setting.mutedUntil != nil {
            json.beginObject()
            json.member("place", list.digest(of: .place(setting.place.description)).description)
            json.member("enabled", setting.isEnabled)
            if let until = setting.mutedUntil { json.member("until", Int(until.milliseconds)) }
            json.endObject()
        }
        json.endArray()
        var plain = settings
        // The address of an app silences nothing.
        plain.linkTemplate = nil
        DeliveryJSON.write(plain, to: &json)
        json.endObject()
        // A line is split at spaces, which JSON has only within strings.
        return json.text.replacing(" ", with: "\\u0020")
    }

    /// Reads the form on the list; returns `nil` if it cannot be read.
    ///
    /// `place` finds a place by its digest.
    public static func settings(_ text: String, place: (StoryID) -> PlaceSetting?) -> NotificationSettings? {
        guard let json = try? JSONValue(parsing: Array(text.utf8), limits: .init(bytes: 4 << 20)) else { return nil }
        var settings = NotificationSettings()
        settings.radius = json["radius"]?.number ?? NotificationSettings.radii.lowerBound
        settings.kinds = Set((json["kinds"]?.array ?? []).compactMap { $0.string.flatMap { StoryKind($0) } })
        settings.notifiesViewed = json["notify_viewed"]?.bool ?? false
        settings.notifiesOwn = json["notify_own"]?.bool ?? false
        settings.minimumDwell = json["min_dwell"]?.integer ?? 0
        settings.maximumSpeed = json["max_speed"]?.number
        settings.keptDays = json["kept_days"]?.integer ?? 0
        settings.preview = json["preview"]?.string.flatMap(NotificationSettings.Preview.init) ?? .none
        settings.places = (json["muted"]?.array ?? [])
            .compactMap { muted in
                guard var setting = muted["place"]?.string.flatMap({ StoryID($0) }).flatMap(place) else { return nil }
                setting.isEnabled = muted["enabled"]?.bool ?? false
                setting.mutedUntil = muted["until"]?.integer.map { Timestamp(milliseconds: Int64($0)) }
                return setting
            }
        return (try? DeliveryJSON.read(json, into: &settings)).map { settings }
    }
}
