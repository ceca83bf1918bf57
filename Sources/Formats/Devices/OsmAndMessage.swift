import Geometry
public import Stories

/// Reads what OsmAnd, the Traccar clients and trackers like them send: parameters of an address or of a form, or JSON
/// (https://www.traccar.org/osmand/).
public enum OsmAndMessage: Sendable {
    /// In which unit a speed is meant.
    public enum SpeedUnit: String, CaseIterable, Sendable {
        /// Knots, as Traccar's clients send it.
        case knots = "kn"
        /// Metres a second, as OsmAnd's own `{5}` is.
        case metresPerSecond = "ms"
        /// Kilometres an hour.
        case kilometresPerHour = "kmh"

        var metresPerSecond: Double {
            switch self {
            case .knots: 1_852.0 / 3_600
            case .metresPerSecond: 1
            case .kilometresPerHour: 1 / 3.6
            }
        }
    }

    /// The parameters that are read.
    public static let names: Set<String> = [
        "id", "deviceid", "lat", "lon", "location", "timestamp", "speed", "speed_unit", "accuracy", "hdop", "bearing",
        "heading", "valid", "mock",
    ]

    /// Why parameters are no position.
    public enum Problem: Error, Hashable, Sendable {
        /// A parameter that is missing or cannot be read; its name.
        case parameter(String)
    }

    /// The position that parameters give, the first value of each name; `nil` when the device says with `valid=false`
    /// that it has none.
    ///
    /// A report without a time counts as taken at `now`.
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

    /// Whether a body begins as JSON does, and not as a form.
    public static func isJSON(_ bytes: [UInt8]) -> Bool { bytes.first { !$0.isBlank } == UInt8(ascii: "{") }

    /// The positions of the JSON that Traccar's newer clients send.
    ///
    /// - Throws: ``JSONError`` for what is no JSON.
    public static func read(json bytes: [UInt8]) throws(JSONError) -> DeviceMessage {
        let value = try JSONValue(parsing: bytes, limits: .init(bytes: bytes.count))
        var message = DeviceMessage()
        let device = device(value)
        for location in value["location"]?.array ?? value["location"].map({ [$0] }) ?? [] {
            message.add(report(location, device: device))
        }
        return message
    }

    /// The device that a JSON message names.
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

    /// Seconds, milliseconds from 2^31 on, RFC 3339, or `yyyy-MM-dd HH:mm:ss` in UTC.
    private static func instant(_ text: String) -> Timestamp? {
        guard let number = TraceText.number(text) else { return TraceText.time(text) }
        guard number >= 0, let milliseconds = Int64(exactly: (number < 0x8000_0000 ? number * 1_000 : number).rounded())
        else { return nil }
        let instant = Timestamp(milliseconds: milliseconds)
        return instant.day == nil ? nil : instant
    }
}
