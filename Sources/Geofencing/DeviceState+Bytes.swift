import Geometry

/// Thrown for bytes that do not encode the state of a device.
public struct DeviceStateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence that states the problem and its byte position.
    public let description: String
}

extension DeviceState {
    private static let version: UInt8 = 4
    /// The previous version of the encoding, which has no stays.
    private static let versionWithoutStay: UInt8 = 3

    /// The encoded state, equal for equal states: a version, then fixed-width little-endian numbers and counted lists.
    public var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(DeviceState.version)
        writer.write(nextTimer)
        writer.write(clock)
        writer.write(heard)
        writer.write(speed)
        writer.write(steadySpeed)
        writer.write(pace)
        writer.write(usualAccuracy)
        writer.write(isInterrupted)
        writer.write(visits)
        writer.write(disorderAt)
        writer.write(movedAt)
        writer.write(newest)
        writer.write(track)
        writer.write(stay)
        for anchor in [last, clear, paceAnchor, steadyAnchor] {
            writer.write(anchor != nil)
            if let anchor { writer.write(anchor) }
        }
        writer.write(list: suspects) { $0.write($1) }
        writer.write(list: places) { $0.write($1) }
        writer.write(list: pending) { $0.write($1) }
        writer.write(list: digests) { $0.write($1) }
        return writer.bytes
    }

    /// Decodes ``bytes``.
    ///
    /// - Throws: ``DeviceStateError`` if the bytes are not a valid encoding of a state; never traps.
    public init(bytes: [UInt8]) throws(DeviceStateError) {
        var reader = ByteReader(bytes)
        let version = try reader.byte()
        guard version == DeviceState.version || version == DeviceState.versionWithoutStay else {
            throw reader.error("an unknown version")
        }
        self.init()
        nextTimer = try reader.optionalTime()
        clock = try reader.time()
        heard = try reader.optionalTime()
        speed = try reader.optionalSpeed()
        steadySpeed = try reader.optionalSpeed()
        pace = try reader.optionalSpeed()
        usualAccuracy = try reader.bool() ? try reader.number(in: ByteReader.accuracies) : nil
        isInterrupted = try reader.bool()
        visits = try reader.word32()
        disorderAt = try reader.optionalTime()
        movedAt = try reader.optionalTime()
        newest = try reader.bool() ? try ByteReader.arrival(&reader) : nil
        track = try reader.bool() ? try ByteReader.track(&reader) : nil
        if version != DeviceState.versionWithoutStay, try reader.bool() { stay = try ByteReader.stay(&reader) }
        last = try reader.bool() ? try ByteReader.anchor(&reader) : nil
        clear = try reader.bool() ? try ByteReader.anchor(&reader) : nil
        paceAnchor = try reader.bool() ? try ByteReader.anchor(&reader) : nil
        steadyAnchor = try reader.bool() ? try ByteReader.anchor(&reader) : nil
        suspects = try reader.list(ByteReader.anchor)
        places = try reader.list(ByteReader.place)
        pending = try reader.list(ByteReader.fix)
        digests = try reader.list(ByteReader.digest)
        guard reader.isAtEnd else { throw reader.error("more bytes than expected") }
        guard zip(places, places.dropFirst()).allSatisfy({ $0.id < $1.id }) else {
            throw reader.error("places out of order")
        }
        guard digests.count <= DeviceState.mostDigests else { throw reader.error("a wrong count") }
    }
}

extension ByteWriter {
    mutating func write(_ anchor: Anchor) {
        write(anchor.time)
        write(anchor.coordinate)
        write(anchor.accuracy)
        write(anchor.isSimulated)
    }

    mutating func write(_ arrival: Arrival?) {
        write(arrival != nil)
        guard let arrival else { return }
        write(arrival.time)
        write(arrival.received)
        write(arrival.sequence)
    }

    mutating func write(_ place: PlaceState) {
        write(place.id.rawValue)
        write(place.coordinate)
        write(place.radius)
        write(UInt8(FencePhase.allCases.firstIndex(of: place.phase) ?? 0))
        write(place.since)
        write(place.count)
        write(place.isCoarse)
        write(place.deadline)
        write(place.latest)
        write(place.confidence)
        write(place.distance)
        write(place.visit)
        write(place.qualified)
        write(place.opened)
        write(place.reportAt)
        write(place.isHushed)
    }

    mutating func write(_ fix: Fix) {
        write(fix.time)
        write(fix.received)
        write(fix.coordinate)
        write(fix.accuracy)
        write(fix.speed)
        write(fix.course)
        write(fix.sequence)
        write(fix.isSimulated)
        write(fix.clockAhead)
    }
}

extension ByteReader {
    static let accuracies = 0.001...1_000_000_000.0

    static func digest(_ reader: inout ByteReader) throws(DeviceStateError) -> UInt64 { try reader.word() }

    static func anchor(_ reader: inout ByteReader) throws(DeviceStateError) -> Anchor {
        Anchor(
            time: try reader.time(),
            coordinate: try reader.coordinate(),
            accuracy: try reader.number(in: ByteReader.accuracies),
            isSimulated: try reader.bool()
        )
    }

    static func arrival(_ reader: inout ByteReader) throws(DeviceStateError) -> Arrival {
        Arrival(
            time: try reader.time(),
            received: try reader.time(),
            sequence: try reader.optionalInteger()
        )
    }

    static func place(_ reader: inout ByteReader) throws(DeviceStateError) -> PlaceState {
        guard let id = PlaceID(rawValue: try reader.word()) else { throw reader.error("an invalid place id") }
        return PlaceState(
            id: id,
            coordinate: try reader.coordinate(),
            radius: try reader.number(in: Fence.radii),
            phase: try reader.phase(),
            since: try reader.time(),
            count: try reader.word32(),
            isCoarse: try reader.bool(),
            deadline: try reader.optionalTime(),
            latest: try reader.time(),
            confidence: try reader.number(in: 0...1),
            distance: try reader.number(in: 0...100_000_000),
            visit: try reader.word32(),
            qualified: try reader.time(),
            opened: try reader.time(),
            reportAt: try reader.optionalTime(),
            isHushed: try reader.bool()
        )
    }

    mutating func phase() throws(DeviceStateError) -> FencePhase {
        let number = Int(try byte())
        guard FencePhase.allCases.indices.contains(number), FencePhase.allCases[number] != .outside else {
            throw error("an invalid phase")
        }
        return FencePhase.allCases[number]
    }

    static func fix(_ reader: inout ByteReader) throws(DeviceStateError) -> Fix {
        Fix(
            time: try reader.integer(),
            received: try reader.time(),
            coordinate: try reader.coordinate(),
            accuracy: try reader.optionalNumber(),
            speed: try reader.optionalNumber(),
            course: try reader.optionalNumber(),
            sequence: try reader.optionalInteger(),
            isSimulated: try reader.bool(),
            clockAhead: try reader.integer()
        )
    }
}
