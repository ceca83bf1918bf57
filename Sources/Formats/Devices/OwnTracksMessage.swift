/// Parses messages that the OwnTracks apps post over HTTP (https://owntracks.org/booklet/tech/json/).
public enum OwnTracksMessage: Sendable {
    /// Parses the positions in messages of the types `location` and `transition`, which are treated alike.
    ///
    /// Every other type, including encrypted messages, is ignored: the app would resend a rejected message forever.
    ///
    /// - Throws: ``JSONError`` for invalid JSON.
    public static func read(_ bytes: [UInt8]) throws(JSONError) -> DeviceMessage {
        var message = DeviceMessage()
        guard bytes.contains(where: { !$0.isBlank }) else { return message }
        let value = try JSONValue(parsing: bytes, limits: .init(bytes: bytes.count))
        for part in value.array ?? [value] { message.add(report(part)) }
        return message
    }

    private static func report(_ value: JSONValue) -> DeviceReport? {
        guard ["location", "transition"].contains(value["_type"]?.string), let time = value["tst"]?.instant,
            let coordinate = value.coordinate("lat", "lon")
        else { return nil }
        return DeviceReport(
            device: value["topic"]?.string.flatMap(device),
            time: time,
            coordinate: coordinate,
            accuracy: value["acc"]?.number,
            speed: value["vel"]?.number.map { $0 / 3.6 },
            course: value["cog"]?.number
        )
    }

    /// Returns the device in a topic such as `owntracks/jane/phone`.
    private static func device(topic: String) -> String? {
        let parts = topic.split(separator: "/")
        return parts.count >= 3 && parts[0] == "owntracks" ? String(parts[2]) : nil
    }
}
