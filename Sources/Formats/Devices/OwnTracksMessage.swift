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
        for part in value.array ?? [value] {
            message.add { () throws(IgnoredPart) -> DeviceReport in try report(part) }
        }
        return message
    }

    /// Returns whether a value is a message of OwnTracks, wherever it stands.
    static func isMessage(_ value: JSONValue) -> Bool { value["_type"]?.string != nil }

    static func report(_ value: JSONValue) throws(IgnoredPart) -> DeviceReport {
        guard ["location", "transition"].contains(value["_type"]?.string) else { throw .otherType }
        guard let time = try value.time(["tst"]) else { throw .time }
        return DeviceReport(
            device: value["topic"]?.string.flatMap(device),
            time: time,
            coordinate: try value.coordinate(["lat"], ["lon"]),
            accuracy: value.amount("acc"),
            speed: value.amount("vel").map { $0 / 3.6 },
            course: value.amount("cog")
        )
    }

    /// Returns the device in a topic such as `owntracks/jane/phone`.
    private static func device(topic: String) -> String? {
        let parts = topic.split(separator: "/")
        return parts.count >= 3 && parts[0] == "owntracks" ? String(parts[2]) : nil
    }
}
