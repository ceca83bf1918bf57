public import Formats
public import Notifications
import Stories

/// The JSON form of a user's delivery settings, the same in the database and over HTTP.
public enum DeliveryJSON: Sendable {
    /// Writes the settings as members of the open object.
    public static func write(_ settings: NotificationSettings, to json: inout JSONWriter) {
        json.member("everything", settings.delivery.everything)
        json.key("channels")
        write(settings.delivery.channels, to: &json)
        json.key("types")
        json.beginArray()
        for (type, choice) in settings.delivery.types.sorted(by: { $0.key < $1.key }) {
            json.beginObject()
            json.member("type", type.rawValue)
            json.member("enabled", choice.isEnabled)
            json.key("channels")
            write(choice.channels, to: &json)
            json.endObject()
        }
        json.endArray()
        json.member("time_zone", settings.zone)
        json.member("language", settings.language.tag)
        json.member("link_template", settings.linkTemplate?.text)
        json.key("quiet_hours")
        json.beginArray()
        for window in settings.quietHours.windows {
            json.beginObject()
            json.member("days", Weekday.allCases.filter(window.days.contains).map(\.rawValue))
            json.member("from", clock(window.from))
            json.member("to", clock(window.to))
            json.endObject()
        }
        json.endArray()
        json.key("caps")
        json.beginObject()
        write(settings.caps.perHour, as: "per_hour", to: &json)
        write(settings.caps.perDay, as: "per_day", to: &json)
        json.member("min_interval", settings.caps.pause)
        json.endObject()
        json.key("digest")
        json.beginObject()
        json.member("every", settings.digest.every.rawValue)
        json.member("day", settings.digest.day.rawValue)
        json.member("hour", settings.digest.hour)
        json.member("instead", settings.digest.replacesSingles)
        json.endObject()
    }

    /// Applies the settings given by an object; settings that it omits are unchanged.
    ///
    /// `channels` changes the channels it names; lists replace the previous ones.
    ///
    /// - Throws: ``NotificationSettingsError`` naming an invalid setting.
    public static func read(_ json: JSONValue, into settings: inout NotificationSettings) throws {
        if let everything = json["everything"]?.bool { settings.delivery.everything = everything }
        settings.delivery.channels.merge(channels(json["channels"])) { $1 }
        if let types = json["types"]?.array { settings.delivery.types = try self.types(types) }
        if let zone = json["time_zone"]?.string { settings.zone = zone }
        if let language = json["language"]?.string.flatMap(DateLanguage.named) { settings.language = language }
        if let template = json["link_template"] {
            settings.linkTemplate = try template.string.map { text in
                guard let template = LinkTemplate(text) else {
                    throw problem(
                        "link_template",
                        "must be an app's address of at most \(LinkTemplate.mostBytes) bytes, such as "
                            + "myapp://{kind}/{id}; it must contain {notification} or {id}, and its only "
                            + "other placeholders can be {type} and {kind}"
                    )
                }
                return template
            }
        }
        if let windows = json["quiet_hours"]?.array {
            settings.quietHours.windows = try windows.enumerated().map(window)
        }
        if let caps = json["caps"]?.object {
            if let value = caps["per_hour"] { settings.caps.perHour = value.integer }
            if let value = caps["per_day"] { settings.caps.perDay = value.integer }
            if let pause = caps["min_interval"]?.integer { settings.caps.pause = pause }
        }
        if let digest = json["digest"]?.object {
            if let every = digest["every"]?.string.flatMap(DigestSchedule.Every.init) { settings.digest.every = every }
            if let day = digest["day"]?.string.flatMap(Weekday.init(rawValue:)) { settings.digest.day = day }
            if let hour = digest["hour"]?.integer { settings.digest.hour = hour }
            if let instead = digest["instead"]?.bool { settings.digest.replacesSingles = instead }
        }
    }

    private static func write(_ channels: [ChannelKind: Bool], to json: inout JSONWriter) {
        json.beginObject()
        for kind in ChannelKind.allCases {
            if let isOn = channels[kind] { json.member(kind.rawValue, isOn) }
        }
        json.endObject()
    }

    private static func write(_ count: Int?, as name: String, to json: inout JSONWriter) {
        json.key(name)
        if let count { json.value(count) } else { json.null() }
    }

    private static func channels(_ json: JSONValue?) -> [ChannelKind: Bool] {
        ChannelKind.allCases.reduce(into: [:]) { channels, kind in
            if let isOn = json?[kind.rawValue]?.bool { channels[kind] = isOn }
        }
    }

    private static func types(_ list: [JSONValue]) throws -> [NoticeType: DeliveryChoices.TypeChoice] {
        var types: [NoticeType: DeliveryChoices.TypeChoice] = [:]
        for (index, item) in list.enumerated() {
            guard let type = item["type"]?.string.flatMap(NoticeType.init(rawValue:)) else {
                throw problem("types[\(index)].type", "must be a type of notification such as story.nearby")
            }
            guard types[type] == nil else { throw problem("types[\(index)].type", "is listed twice") }
            var choice = DeliveryChoices.TypeChoice()
            choice.isEnabled = item["enabled"]?.bool ?? true
            choice.channels = channels(item["channels"])
            types[type] = choice
        }
        return types
    }

    private static func window(_ index: Int, _ json: JSONValue) throws -> QuietHours.Window {
        let days = json["days"]?.array?.compactMap { $0.string.flatMap(Weekday.init(rawValue:)) } ?? Weekday.allCases
        guard let from = json["from"]?.string.flatMap(minutes), from < 1_440 else {
            throw problem("quiet_hours[\(index)].from", "must be a time of day as HH:MM, such as 09:00")
        }
        guard let to = json["to"]?.string.flatMap(minutes), to > 0 else {
            let message = "must be a time of day as HH:MM, such as 07:00; midnight is 24:00"
            throw problem("quiet_hours[\(index)].to", message)
        }
        guard let window = QuietHours.Window(days: Set(days), from: from, to: to) else {
            let message = "must have a day, and from and to must differ; a whole day is 00:00 to 24:00"
            throw problem("quiet_hours[\(index)]", message)
        }
        return window
    }

    private static func problem(_ field: String, _ message: String) -> NotificationSettingsError {
        NotificationSettingsError(problems: [.init(field: field, message: message)])
    }

    private static func clock(_ minutes: Int) -> String {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        return padded(minutes / 60) + ":" + padded(minutes % 60)
    }

    /// Reads `HH:MM`, 00:00 to 24:00.
    private static func minutes(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == 58, [0, 1, 3, 4].allSatisfy({ (48...57).contains(bytes[$0]) }) else {
            return nil
        }
        let hour = Int(bytes[0] - 48) * 10 + Int(bytes[1] - 48)
        let minute = Int(bytes[3] - 48) * 10 + Int(bytes[4] - 48)
        return minute < 60 && hour * 60 + minute <= 1_440 ? hour * 60 + minute : nil
    }
}
