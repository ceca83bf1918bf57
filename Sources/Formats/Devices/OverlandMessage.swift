import Geometry

/// Parses messages of the Overland app (https://github.com/aaronpk/Overland-iOS).
public enum OverlandMessage: Sendable {
    /// Parses the positions in a batch; unreadable ones are ignored, because the app would resend a rejected batch
    /// forever.
    ///
    /// - Throws: ``JSONError`` for invalid JSON.
    public static func read(_ bytes: [UInt8]) throws(JSONError) -> DeviceMessage {
        let value = try JSONValue(parsing: bytes, limits: .init(bytes: bytes.count))
        var message = DeviceMessage()
        let device = name(value["device_id"])
        // Some forwarders put messages of OwnTracks into this envelope, or send them without it.
        let parts = value["locations"]?.array ?? (OwnTracksMessage.isMessage(value) ? [value] : [])
        for part in value.array ?? parts {
            message.add { () throws(IgnoredPart) -> DeviceReport in
                var read = try OwnTracksMessage.isMessage(part) ? OwnTracksMessage.report(part) : report(part)
                read.device = read.device ?? device
                return read
            }
        }
        return message
    }

    private static func report(_ feature: JSONValue) throws(IgnoredPart) -> DeviceReport {
        guard let point = feature["geometry"], point["type"]?.string == "Point", let properties = feature["properties"]
        else { throw .otherType }
        guard let position = point["coordinates"]?.array, position.count >= 2,
            let longitude = position[0].number, let latitude = position[1].number,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { throw .position }
        guard let time = try properties.time(["timestamp"]) else { throw .time }
        return DeviceReport(
            device: name(properties["device_id"]),
            time: time,
            coordinate: coordinate,
            accuracy: properties.amount("horizontal_accuracy"),
            speed: properties.amount("speed"),
            course: properties.amount("course")
        )
    }

    private static func name(_ value: JSONValue?) -> String? { value?.string.flatMap { $0.isEmpty ? nil : $0 } }
}
