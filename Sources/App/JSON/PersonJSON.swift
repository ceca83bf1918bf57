import Library
import Formats
import Geofencing
import Geometry
import Notifications
import Storage
import Stories

/// The JSON of a person's stored data.
enum PersonJSON: Sendable {
    static func locationData(_ data: LocationDataSummary, settings: NotificationSettings) -> [UInt8] {
        var json = JSONWriter(capacity: 1_000)
        json.beginObject()
        json.member("monitoring", settings.enabled ? "on" : "off")
        json.member("consent_at", settings.consentAt.map { RFC3339.format($0) })
        json.member("raw_fixes", data.fixes)
        json.key("devices")
        json.beginArray()
        for device in data.devices {
            json.beginObject()
            json.member("device", device.name)
            json.member("heard_of", RFC3339.format(device.heardOf))
            json.member("bytes", device.state.count)
            write(try? DeviceState(bytes: device.state), to: &json)
            json.endObject()
        }
        json.endArray()
        json.member("told_stories", data.toldStories)
        json.member("notifications", data.notifications)
        json.key("kept")
        json.beginArray()
        for (kind, rows, holds, ends) in [
            (
                "device_states", data.devices.count, "the positions and places above",
                "a day after the device's last report"
            ),
            (
                "visits", data.visits, "places you entered within the last few seconds, with their coordinates",
                "a few seconds"
            ),
            (
                "fixes", data.fixes, "positions as received, and why fences near them were entered or not",
                "the end of the period you chose"
            ),
            ("told_stories", data.toldStories, "keyed digests of announced stories, and the times", "their deletion"),
            ("notifications", data.notifications, "the name and coordinates of one place each", "their deletion"),
            (
                "place_settings", settings.places.count, "your settings for places, each identified by its coordinates",
                "their deletion, or their removal from the settings"
            ),
        ] {
            json.beginObject()
            json.member("kind", kind)
            json.member("rows", rows)
            json.member("holds", holds)
            json.member("until", ends)
            json.endObject()
        }
        json.endArray()
        json.member("explanation", explanation)
        json.endObject()
        return json.bytes
    }

    /// Writes everything a device's state contains about its whereabouts; empty if the state cannot be read.
    private static func write(_ state: DeviceState?, to json: inout JSONWriter) {
        json.key("last_position")
        if let last = state?.lastPosition { write(last, to: &json) } else { json.null() }
        json.key("positions")
        json.beginArray()
        for position in state?.positions ?? [] { write(position, to: &json) }
        json.endArray()
        json.member("places", state?.placeCount ?? 0)
        json.member("fix_digests", state?.digestCount ?? 0)
    }

    private static func write(_ position: DeviceState.Position, to json: inout JSONWriter) {
        json.beginObject()
        json.member("at", RFC3339.format(Timestamp(milliseconds: position.time)))
        json.key("lat")
        json.degrees(position.coordinate.latitude)
        json.key("lon")
        json.degrees(position.coordinate.longitude)
        json.member("accuracy", position.accuracy)
        json.endObject()
    }

    private static let explanation = """
        Your track is not kept unless you ask for it. For each device, its last position, the few positions that are \
        used to measure speeds or are waiting to be processed, and the places it is at are kept for at most a day \
        after its last report. For each story you were notified of, a keyed digest is kept; for each notification, \
        the place.
        """

    static func write(_ access: AccessRecord, names: [AccessRecord.Reader: String], to json: inout JSONWriter) {
        json.beginObject()
        json.member("story", access.story.description)
        json.member("reader", access.reader.id)
        json.member("reader_kind", access.reader.kind)
        json.member("reader_name", names[access.reader])
        json.member("day", day(access.day))
        json.endObject()
    }

    /// Returns a day, given in days since 1970-01-01, as YYYY-MM-DD.
    ///
    /// Days outside the years 1...9999 are clamped.
    static func day(_ number: Int) -> String {
        let day = Int64(min(4_000_000, max(-4_000_000, number)))
        return String(RFC3339.format(Timestamp(milliseconds: day * 86_400_000)).prefix(10))
    }

    static func consents(_ records: [ConsentRecord], settings: NotificationSettings) -> [UInt8] {
        var json = JSONWriter(capacity: 1_000)
        json.beginObject()
        json.key("current")
        json.beginArray()
        if settings.enabled {
            json.beginObject()
            json.member("kind", ConsentRecord.nearbyStories)
            json.member("version", settings.consentVersion)
            json.member("since", settings.consentAt.map { RFC3339.format($0) })
            json.endObject()
        }
        json.endArray()
        json.key("history")
        json.beginArray()
        for record in records {
            json.beginObject()
            json.member("at", RFC3339.format(record.at))
            json.member("kind", record.kind)
            json.member("version", record.version)
            json.member("action", record.action.rawValue)
            json.member("source", record.source.rawValue)
            json.endObject()
        }
        json.endArray()
        json.member("explanation", Consent.explanation)
        json.endObject()
        return json.bytes
    }
}
