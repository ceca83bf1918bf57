import Geometry
import Stories

/// Parses what Home Assistant's companion apps send to its webhook, as an automation forwards it
/// (https://developers.home-assistant.io/docs/api/native-app-integration/sending-data/).
enum HomeAssistantMessage: Sendable {
    /// Returns the position in a message of the type `update_location`, at `now` if it has no time.
    ///
    /// - Throws: ``IgnoredPart`` for every other type, including encrypted messages.
    static func report(_ value: JSONValue, type: String, now: Timestamp) throws(IgnoredPart) -> DeviceReport {
        guard type == "update_location", let data = value["data"] else { throw .otherType }
        guard let position = data["gps"]?.array, position.count == 2, let latitude = position[0].number,
            let longitude = position[1].number,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { throw .position }
        var time = try data.time(["timestamp"])
        if time == nil { time = try value.time(["timestamp"]) }
        return DeviceReport(
            device: (value["device_id"] ?? data["device_id"])?.string,
            time: time ?? now,
            coordinate: coordinate,
            accuracy: data.amount("gps_accuracy"),
            speed: data.amount("speed"),
            course: data.amount("course")
        )
    }
}
