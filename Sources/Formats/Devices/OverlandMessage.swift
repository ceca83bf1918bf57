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
        for feature in value["locations"]?.array ?? [] { message.add(report(feature)) }
        return message
    }

    private static func report(_ feature: JSONValue) -> DeviceReport? {
        guard let properties = feature["properties"], let time = properties["timestamp"]?.instant,
            let point = feature["geometry"], point["type"]?.string == "Point",
            let position = point["coordinates"]?.array, position.count >= 2,
            let longitude = position[0].number, let latitude = position[1].number,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return DeviceReport(
            device: properties["device_id"]?.string.flatMap { $0.isEmpty ? nil : $0 },
            time: time,
            coordinate: coordinate,
            accuracy: properties["horizontal_accuracy"]?.number,
            speed: properties["speed"]?.number,
            course: properties["course"]?.number
        )
    }
}
