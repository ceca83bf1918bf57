import Geometry
public import Stories

/// Parses messages of OsmAnd, the Traccar clients and similar trackers: parameters of a URL or a form, or JSON
/// (https://www.traccar.org/osmand/).
///
/// GPSLogger, PhoneTrack, Colota and others let their users choose the names of the fields, so the usual names of each
/// field are read.
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

    /// The names of each field; the first that occurs counts.
    enum Names {
        static let latitude = ["lat", "latitude"]
        static let longitude = ["lon", "lng", "longitude"]
        /// Both, with a comma between them.
        static let location = "location"
        static let time = ["timestamp", "tst", "time"]
        static let accuracy = ["accuracy", "acc", "gps_accuracy", "horizontal_accuracy"]
        /// In the unit that ``SpeedUnit`` names.
        static let speed = ["speed"]
        /// In metres per second unless a unit is given, as GPSLogger and Colota send it.
        static let metricSpeed = ["spd", "vel"]
        static let course = ["bearing", "heading", "dir", "direction", "bear", "course", "cog"]
        static let device = ["id", "deviceid", "device_id", "device"]
    }

    /// The parameters of Traccar's clients, each of which may be given once.
    public static let names: Set<String> = [
        "id", "deviceid", "lat", "lon", "location", "timestamp", "speed", "speed_unit", "accuracy", "hdop", "bearing",
        "heading", "valid", "mock",
    ]

    /// The reason no position could be parsed from the parameters.
    public enum Problem: Error, Hashable, Sendable {
        /// A missing or invalid parameter, by name.
        case parameter(String)

        /// Whether the position is missing or invalid.
        public var isPosition: Bool {
            switch self {
            case .parameter(let name): (Names.latitude + Names.longitude + [Names.location]).contains(name)
            }
        }

        /// What the parameter must be, to follow its name.
        public var message: String {
            let name =
                switch self {
                case .parameter(let name): name
                }
            return switch name {
            case _ where Names.latitude.contains(name): "must be a latitude from -90 to 90 in degrees"
            case _ where Names.longitude.contains(name): "must be a longitude from -180 to 180 in degrees"
            case Names.location: "must be a latitude from -90 to 90, a comma and a longitude from -180 to 180"
            case "speed_unit": "must be one of " + SpeedUnit.allCases.map(\.rawValue).joined(separator: ", ")
            default: "must be a time in seconds or milliseconds since 1970, or as RFC 3339"
            }
        }
    }

    /// Parses the position in the given parameters; `nil` if the device reports with `valid=false` that it has no
    /// position.
    ///
    /// `values` contains the first value of each parameter. A report without a time gets the time `now`.
    public static func read(_ values: [String: String], now: Timestamp) throws(Problem) -> DeviceReport? {
        func text(_ names: [String]) -> (name: String, text: String)? {
            names.lazy.compactMap { name in values[name].map { (name: name, text: $0) } }.first
        }
        func number(_ names: [String]) -> Double? { text(names).flatMap { TraceText.number($0.text) } }
        let coordinate = try coordinate(values)
        var time = now
        if let given = text(Names.time) {
            guard let read = instant(given.text) else { throw .parameter(given.name) }
            time = read
        }
        let unit = values["speed_unit"].map { SpeedUnit(rawValue: $0) }
        if case .some(nil) = unit { throw .parameter("speed_unit") }
        if ["false", "0"].contains(values["valid"]?.lowercased()) { return nil }
        return DeviceReport(
            device: text(Names.device)?.text,
            time: time,
            coordinate: coordinate,
            accuracy: number(Names.accuracy) ?? TraceText.accuracy(dilution: number(["hdop"])),
            speed: speed(number, unit: unit ?? nil),
            course: number(Names.course),
            isSimulated: ["true", "1"].contains(values["mock"]?.lowercased())
        )
    }

    /// Returns the speed in metres per second; Traccar's clients send knots unless they name another unit.
    private static func speed(_ number: ([String]) -> Double?, unit: SpeedUnit?) -> Double? {
        number(Names.speed).map { $0 * (unit ?? .knots).metresPerSecond }
            ?? number(Names.metricSpeed).map { $0 * (unit ?? .metresPerSecond).metresPerSecond }
    }

    /// Returns whether a body begins like JSON rather than a form.
    public static func isJSON(_ bytes: [UInt8]) -> Bool {
        let first = bytes.first { !$0.isBlank }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// Parses the positions in JSON: from Traccar's newer clients, from Home Assistant's companion apps, of OwnTracks, or
    /// one object with the fields of each position.
    ///
    /// A position of the last kind without a time gets the time `now`. Speeds are in metres per second unless
    /// `speed_unit` names another unit.
    ///
    /// - Throws: ``JSONError`` for invalid JSON.
    public static func read(json bytes: [UInt8], now: Timestamp) throws(JSONError) -> DeviceMessage {
        let value = try JSONValue(parsing: bytes, limits: .init(bytes: bytes.count))
        var message = DeviceMessage()
        for part in value.array ?? [value] { read(part, now: now, into: &message) }
        return message
    }

    private static func read(_ value: JSONValue, now: Timestamp, into message: inout DeviceMessage) {
        let device = device(value)
        guard !OwnTracksMessage.isMessage(value) else {
            return message.add { () throws(IgnoredPart) -> DeviceReport in
                var report = try OwnTracksMessage.report(value)
                report.device = report.device ?? device
                return report
            }
        }
        if let type = value["type"]?.string, value["data"] != nil {
            return message.add { () throws(IgnoredPart) -> DeviceReport in
                try HomeAssistantMessage.report(value, type: type, now: now)
            }
        }
        guard let location = value["location"] else {
            return message.add { () throws(IgnoredPart) -> DeviceReport in try flat(value, device: device, now: now) }
        }
        for location in location.array ?? [location] {
            message.add { () throws(IgnoredPart) -> DeviceReport in
                if location["coords"] != nil { return try report(location, device: device) }
                return try flat(location, in: value, device: device, now: now)
            }
        }
    }

    /// Returns the device named in a JSON message.
    public static func device(json bytes: [UInt8]) -> String? {
        (try? JSONValue(parsing: bytes, limits: .init(bytes: bytes.count))).flatMap { device($0.array?.first ?? $0) }
    }

    private static func device(_ value: JSONValue) -> String? {
        (["device_id", "uuid"] + Names.device).lazy.compactMap { value[$0]?.string }.first { !$0.isEmpty }
    }

    private static func report(_ location: JSONValue, device: String?) throws(IgnoredPart) -> DeviceReport {
        guard let coords = location["coords"], let time = try location.time(["timestamp"]) else { throw .time }
        return DeviceReport(
            device: device,
            time: time,
            coordinate: try coords.coordinate(["latitude"], ["longitude"]),
            accuracy: coords.amount("accuracy"),
            speed: coords.amount("speed"),
            course: coords.amount("heading"),
            isSimulated: location["mock"]?.bool ?? false
        )
    }

    /// Returns the position whose fields are members of `value`; its time may stand beside it, in `envelope`.
    private static func flat(
        _ value: JSONValue,
        in envelope: JSONValue = .null,
        device: String?,
        now: Timestamp
    ) throws(IgnoredPart) -> DeviceReport {
        let coordinate = try value.coordinate(Names.latitude, Names.longitude)
        var time = try value.time(Names.time)
        if time == nil { time = try envelope.time(Names.time) }
        if value["valid"]?.bool == false { throw .invalid }
        // A speed in an unknown unit is left out.
        let unit: SpeedUnit? =
            value["speed_unit"].map { $0.string.flatMap(SpeedUnit.init(rawValue:)) } ?? .metresPerSecond
        return DeviceReport(
            device: device,
            time: time ?? now,
            coordinate: coordinate,
            accuracy: value.amount(Names.accuracy) ?? TraceText.accuracy(dilution: value.amount("hdop")),
            speed: unit.flatMap { unit in
                value.amount(Names.speed + Names.metricSpeed).map { $0 * unit.metresPerSecond }
            },
            course: value.amount(Names.course),
            isSimulated: value["mock"]?.bool ?? false
        )
    }

    /// - Throws: ``Problem`` with the name of the parameter that is missing or out of range.
    private static func coordinate(_ values: [String: String]) throws(Problem) -> Coordinate {
        if let location = values[Names.location] {
            let parts = location.split(separator: ",", omittingEmptySubsequences: false)
                .compactMap { TraceText.number(String($0)) }
            guard parts.count == 2, let coordinate = Coordinate(latitude: parts[0], longitude: parts[1]) else {
                throw .parameter(Names.location)
            }
            return coordinate
        }
        func degrees(_ names: [String], _ limit: Double) throws(Problem) -> Double {
            let name = names.first { values[$0] != nil } ?? names[0]
            guard let number = values[name].flatMap({ TraceText.number($0) }), (-limit...limit).contains(number) else {
                throw .parameter(name)
            }
            return number
        }
        let (latitude, longitude) = (try degrees(Names.latitude, 90), try degrees(Names.longitude, 180))
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw .parameter(Names.latitude[0])
        }
        return coordinate
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
