import Geometry

/// Writes a sequence of little-endian numbers.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: UInt8) { bytes.append(value) }

    mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func write(_ value: UInt64) { append(value) }

    mutating func write(_ value: UInt32) { append(value) }

    mutating func write(_ value: Int64) { append(value) }

    mutating func write(_ value: Double) { append(value.bitPattern) }

    mutating func write(_ value: Int64?) {
        write(value != nil)
        if let value { write(value) }
    }

    mutating func write(_ value: Double?) {
        write(value != nil)
        if let value { write(value) }
    }

    mutating func write(_ coordinate: Coordinate) {
        write(coordinate.latitude)
        write(coordinate.longitude)
    }

    mutating func write<Element>(list: [Element], _ body: (inout ByteWriter, Element) -> Void) {
        write(UInt32(clamping: list.count))
        for element in list { body(&self, element) }
    }

    private mutating func append(_ value: some FixedWidthInteger) {
        var rest = value
        for _ in 0..<(value.bitWidth / 8) {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}

/// Reads the output of ``ByteWriter`` and rejects everything else.
struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    func error(_ problem: String) -> DeviceStateError {
        DeviceStateError(description: "the stored state of a device is damaged: \(problem) before byte \(position)")
    }

    mutating func byte() throws(DeviceStateError) -> UInt8 {
        guard position < bytes.count else { throw error("a premature end") }
        position += 1
        return bytes[position - 1]
    }

    mutating func bool() throws(DeviceStateError) -> Bool {
        let value = try byte()
        guard value <= 1 else { throw error("a flag that is neither 0 nor 1") }
        return value == 1
    }

    mutating func word() throws(DeviceStateError) -> UInt64 {
        var value: UInt64 = 0
        for shift in 0..<8 { value |= UInt64(try byte()) << UInt64(8 * shift) }
        return value
    }

    mutating func word32() throws(DeviceStateError) -> UInt32 {
        var value: UInt32 = 0
        for shift in 0..<4 { value |= UInt32(try byte()) << UInt32(8 * shift) }
        return value
    }

    mutating func integer() throws(DeviceStateError) -> Int64 { Int64(bitPattern: try word()) }

    /// Reads a time and rejects one outside ``Fix/times``; deadlines may lie up to 1,000,000 seconds later.
    mutating func time() throws(DeviceStateError) -> Int64 {
        let value = try integer()
        guard (0...Fix.times.upperBound + 1_000_000_000).contains(value) else { throw error("an invalid time") }
        return value
    }

    mutating func anyNumber() throws(DeviceStateError) -> Double { Double(bitPattern: try word()) }

    mutating func optionalSpeed() throws(DeviceStateError) -> Double? {
        try bool() ? try number(in: 0...1_000_000_000) : nil
    }

    mutating func number(in range: ClosedRange<Double>) throws(DeviceStateError) -> Double {
        let value = try anyNumber()
        guard range.contains(value) else { throw error("a number out of range") }
        return value
    }

    mutating func coordinate() throws(DeviceStateError) -> Coordinate {
        let latitude = try anyNumber()
        let longitude = try anyNumber()
        guard let value = Coordinate(latitude: latitude, longitude: longitude) else {
            throw error("an invalid coordinate")
        }
        return value
    }

    mutating func optionalTime() throws(DeviceStateError) -> Int64? { try bool() ? try time() : nil }

    mutating func optionalInteger() throws(DeviceStateError) -> Int64? { try bool() ? try integer() : nil }

    mutating func optionalNumber() throws(DeviceStateError) -> Double? { try bool() ? try anyNumber() : nil }

    mutating func list<Element>(
        _ read: (inout ByteReader) throws(DeviceStateError) -> Element
    ) throws(DeviceStateError) -> [Element] {
        let count = try word32()
        // Every element takes at least four bytes, so a corrupt count cannot reserve more than the input can hold.
        guard Int(count) <= (bytes.count - position) / 4 else { throw error("a wrong count") }
        var elements: [Element] = []
        elements.reserveCapacity(Int(count))
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }
}
