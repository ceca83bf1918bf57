/// Writes a protocol buffers message, field by field in the order given.
struct ProtobufWriter: Sendable {
    /// The output so far.
    private(set) var bytes: [UInt8] = []

    private enum WireType {
        static let varint: UInt64 = 0
        static let fixed64: UInt64 = 1
        static let length: UInt64 = 2
    }

    /// Appends a number as a varint (groups of seven bits, the lowest first), without a field key.
    mutating func appendVarint(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Appends an integer field.
    mutating func append(_ number: UInt64, field: Int) {
        appendKey(field, WireType.varint)
        appendVarint(number)
    }

    /// Appends a 64-bit floating-point field.
    mutating func append(double number: Double, field: Int) {
        appendKey(field, WireType.fixed64)
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a string field.
    mutating func append(_ text: String, field: Int) {
        appendKey(field, WireType.length)
        appendVarint(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends a field with a message or packed numbers; nothing if it is empty.
    mutating func append(_ message: ProtobufWriter, field: Int) {
        guard !message.bytes.isEmpty else { return }
        appendKey(field, WireType.length)
        appendVarint(UInt64(message.bytes.count))
        bytes.append(contentsOf: message.bytes)
    }

    /// Appends the fields of another writer.
    mutating func append(contentsOf other: ProtobufWriter) {
        bytes.append(contentsOf: other.bytes)
    }

    private mutating func appendKey(_ field: Int, _ type: UInt64) {
        appendVarint(UInt64(field) << 3 | type)
    }

    /// Maps a signed number to an unsigned one, so that numbers near zero have a short varint: 0, -1, 1, -2 become 0,
    /// 1, 2, 3.
    static func zigzag(_ number: Int32) -> UInt32 { UInt32(bitPattern: number << 1 ^ number >> 31) }

    /// Maps a signed number to an unsigned one, so that numbers near zero have a short varint: 0, -1, 1, -2 become 0,
    /// 1, 2, 3.
    static func zigzag(_ number: Int64) -> UInt64 { UInt64(bitPattern: number << 1 ^ number >> 63) }
}
