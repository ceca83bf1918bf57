import Geometry
public import Stories

/// Parses messages of OsmAnd, the Traccar clients and similar trackers: parameters of a URL or a form, or JSON
/// (https://www.traccar.org/osmand/).
public enum OsmAndMessage: Sendable {
    /// The unit of a speed.
    public enum SpeedUnit: String, CaseIterable, Sendable {
        /// Knots, as sent by Traccar's clients.
        case knots = "kn"
        /// Metres per second, as in OsmAnd's `{5}`.
        case metresPerSecond = "ms"
        /// Kilometres per hour.
        case kilometresPerHour = "kmh"

        var metresPerSecond: Double {
            switch self {
            case .knots: 1_852.0 / 3_600
            case .metresPerSecond: 1
            case .kilometresPerHour: 1 / 3.6
            }
        }
    }

    /// The recognised parameters.
    public static let names: Set<String> = [
        "id", "deviceid", "lat", "lon", "location", "timestamp", "speed", "speed_unit", "accuracy", "hdop", "bearing",
        "heading", "valid", "mock",
    ]

    /// The reason no position could be parsed from the parameters.
    public enum Problem: Error, Hashable, Sendable {
        /// A missing or invalid parameter, by name.
        case parameter(String)
    }

    /// Parses the position in the given parameters; `nil` if the device reports with `valid=false` that it has no
    /// position.
    ///
    /// `values` contains the first value of each parameter. A report without a time gets the time `now`.
    public static func read(_ values: [String: String], now: Timestamp) throws(Problem) -> DeviceReport? {
        func number(_ names: String...) -> Double? {
            names.lazy.compactMap { values[$0] }.first.flatMap { TraceText.number($0) }
        }
        guard let coordinate = coordinate(values) else { throw .parameter("lat") }
        var time = now
        if let text = values["timestamp"] {
            guard let read = instant(text) else { throw .parameter("timestamp") }
            time = read
        }
        let unit = values["speed_unit"].map { SpeedUnit(rawValue: $0) } ?? .knots
        guard let unit else { throw .parameter("speed_unit") }
        if ["false", "0"].contains(values["valid"]?.lowercased()) { return nil }
        return DeviceReport(
            device: values["id"] ?? values["deviceid"],
            time: time,
            coordinate: coordinate,
            accuracy: number("accuracy") ?? TraceText.accuracy(dilution: number("hdop")),
            speed: number("speed").map { $0 * unit.metresPerSecond },
            course: number("bearing", "heading"),
            isSimulated: ["true", "1"].contains(values["mock"]?.lowercased())
        )
    }

    /// Returns whether a body begins like JSON rather than a form.
    public static func isJSON(_ bytes: [UInt8]) -> Bool { bytes.first { !$0.isBlank } == UInt8(ascii: "{") }

    /// Parses the positions in JSON from Traccar's newer clients.
    ///
    /// - Throws: ``JSONError`` for invalid JSON.
    public static func read(json bytes: [UInt8]) throws(JSONError) -> DeviceMessage {
        let value = try JSONValue(parsing: bytes, limits: .init(bytes: bytes.count))
        var message = DeviceMessage()
        let device = device(value)
        for location in value["location"]?.array ?? value["location"].map({ [$0] }) ?? [] {
            message.add(report(location, device: device))
        }
        return message
    }

    /// Returns the device named in a JSON message.
    public static func device(json bytes: [UInt8]) -> String? {
        (try? JSONValue(parsing: bytes, limits: .init(bytes: bytes.count))).flatMap(device)
    }

    private static func device(_ value: JSONValue) -> String? {
        (value["device_id"] ?? value["uuid"])?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func report(_ location: JSONValue, device: String?) -> DeviceReport? {
        guard let time = location["timestamp"]?.instant, let coords = location["coords"],
            let coordinate = coords.coordinate("latitude", "longitude")
        else { return nil }
        return DeviceReport(
            device: device,
            time: time,
            coordinate: coordinate,
            accuracy: coords["accuracy"]?.number,
            speed: coords["speed"]?.number,
            course: coords["heading"]?.number,
            isSimulated: location["mock"]?.bool ?? false
        )
    }

    private static func coordinate(_ values: [String: String]) -> Coordinate? {
        var (latitude, longitude) = (values["lat"], values["lon"])
        if let location = values["location"] {
            let parts = location.split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            (latitude, longitude) = (String(parts[0]), String(parts[1]))
        }
        guard let latitude = latitude.flatMap({ TraceText.number($0) }),
            let longitude = longitude.flatMap({ TraceText.number($0) })
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// Parses a number since 1970 (in seconds; in milliseconds from 2^31 on), RFC 3339, or `yyyy-MM-dd HH:mm:ss` in
    /// UTC.
    private static func instant(_ text: String) -> Timestamp? {
        guard let number = TraceText.number(text) else { return TraceText.time(text) }
        guard number >= 0, let milliseconds = Int64(exactly: (number < 0x8000_0000 ? number * 1_000 : number).rounded())
        else { return nil }
        let instant = Timestamp(milliseconds: milliseconds)
        return instant.day == nil ? nil : instant
    }
}
