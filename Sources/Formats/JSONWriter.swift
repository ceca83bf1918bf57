public import Geometry

/// Writes JSON (RFC 8259) directly as bytes, inserting commas automatically.
///
/// Intended for responses with many features, for which general-purpose encoders are over ten times slower. The caller
/// must close every object and array, and give every value in an object a key.
public struct JSONWriter: Sendable {
    /// The output so far, UTF-8.
    public private(set) var bytes: [UInt8] = []
    /// Whether the next value or key must be preceded by a comma.
    private var needsComma = false

    /// Creates an empty writer with room for `capacity` bytes.
    public init(capacity: Int = 0) {
        bytes.reserveCapacity(max(0, capacity))
    }

    /// The output so far as a string.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Opens an object.
    public mutating func beginObject() { begin(UInt8(ascii: "{")) }

    /// Closes the innermost object.
    public mutating func endObject() { end(UInt8(ascii: "}")) }

    /// Opens an array.
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }

    /// Closes the innermost array.
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Writes the key of the next value, a literal that needs no escaping.
    public mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes the key of the next value.
    @_disfavoredOverload
    public mutating func key(_ name: String) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string, escaping it as needed.
    public mutating func value(_ text: String) {
        separate()
        quote(text)
        needsComma = true
    }

    /// Writes an integer.
    public mutating func value(_ number: Int) {
        separate()
        append(magnitude: UInt64(number.magnitude), negative: number < 0)
        needsComma = true
    }

    /// Writes a number in the shortest form that parses to the same value; `null` if it is not finite.
    public mutating func value(_ number: Double) {
        guard number.isFinite else { return null() }
        separate()
        if number == number.rounded(), abs(number) < 1e15 {
            let whole = Int64(number)
            append(magnitude: whole.magnitude, negative: whole < 0)
        } else {
            bytes.append(contentsOf: number.description.utf8)
        }
        needsComma = true
    }

    /// Writes `true` or `false`.
    public mutating func value(_ flag: Bool) {
        separate()
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        needsComma = true
    }

    /// Writes a string, or `null` if there is none.
    public mutating func value(_ text: String?) {
        guard let text else { return null() }
        value(text)
    }

    /// Writes an array of strings.
    public mutating func value(_ texts: [String]) {
        beginArray()
        for text in texts { value(text) }
        endArray()
    }

    /// Writes `null`.
    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
        needsComma = true
    }

    /// Writes a GeoJSON position, `[longitude,latitude]` with at most seven decimals (about one centimetre).
    public mutating func coordinates(_ coordinate: Coordinate) {
        coordinates(longitude: coordinate.longitude, latitude: coordinate.latitude)
    }

    /// Writes a GeoJSON position, `[longitude,latitude]` with at most seven decimals, without checking its range.
    public mutating func coordinates(longitude: Double, latitude: Double) {
        beginArray()
        degrees(longitude)
        degrees(latitude)
        endArray()
    }

    /// Writes a GeoJSON position, `[x,y]` with all digits, such as the longitude and latitude of a stored point.
    public mutating func position(_ x: Double, _ y: Double) {
        beginArray()
        value(x)
        value(y)
        endArray()
    }

    /// Writes an angle in degrees with at most seven decimals.
    public mutating func degrees(_ degrees: Double) {
        // 360 degrees are 3.6e9 units, well within Int64; anything larger is not an angle and is written unchanged.
        guard degrees.isFinite, abs(degrees) <= 1e6 else { return value(degrees) }
        separate()
        let units = Int64((degrees * 1e7).rounded())
        append(magnitude: units.magnitude / 10_000_000, negative: units < 0)
        append(decimals: units.magnitude % 10_000_000)
        needsComma = true
    }

    /// Writes bytes that already are a complete JSON value.
    public mutating func raw(_ value: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: value)
        needsComma = true
    }

    /// Ends a line of newline-delimited JSON; the next value begins without a comma.
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Discards the output but keeps the capacity, for the next response or the next chunk of a long one.
    ///
    /// The comma state is kept, so that one document can be sent in pieces.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }
}

extension JSONWriter {
    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func append(magnitude: UInt64, negative: Bool) {
        if negative { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        var rest = magnitude
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    /// Appends seven decimals without trailing zeros.
    private mutating func append(decimals: UInt64) {
        guard decimals > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var unit: UInt64 = 1_000_000
        var rest = decimals
        while rest > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(rest / unit))
            rest %= unit
            unit /= 10
        }
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let done: Void? = text.utf8.withContiguousStorageIfAvailable { escape($0) }
        if done == nil { Array(text.utf8).withUnsafeBufferPointer { escape($0) } }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends UTF-8, escaping quotation marks, backslashes and control characters (RFC 8259, section 7).
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var copied = 0
        for (index, byte) in text.enumerated()
        where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            bytes.append(contentsOf: text[copied..<index])
            copied = index + 1
            bytes.append(UInt8(ascii: "\\"))
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
            case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
            case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
            case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
            case 0x08: bytes.append(UInt8(ascii: "b"))
            case 0x0C: bytes.append(UInt8(ascii: "f"))
            default:
                bytes.append(contentsOf: "u00".utf8)
                bytes.append(JSONWriter.hexDigit(byte >> 4))
                bytes.append(JSONWriter.hexDigit(byte & 0xF))
            }
        }
        bytes.append(contentsOf: text[copied...])
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension JSONWriter {
    /// Writes a parsed value, with the members of objects sorted by name.
    public mutating func value(_ json: JSONValue) {
        switch json {
        case .null: null()
        case .bool(let flag): value(flag)
        case .number(let number):
            if let whole = Int(exactly: number) { value(whole) } else { value(number) }
        case .digits(let digits): raw(digits.utf8)
        case .string(let text): value(text)
        case .array(let items):
            beginArray()
            for item in items { value(item) }
            endArray()
        case .object(let members):
            beginObject()
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                key(name)
                value(member)
            }
            endObject()
        }
    }
}

extension JSONWriter {
    /// Writes a member of an object; a missing string is null.
    public mutating func member(_ name: String, _ text: String?) {
        key(name)
        value(text)
    }

    /// Writes a member of an object.
    public mutating func member(_ name: String, _ texts: [String]) {
        key(name)
        value(texts)
    }

    /// Writes a member of an object.
    public mutating func member(_ name: String, _ number: Int) {
        key(name)
        value(number)
    }

    /// Writes a member of an object; a missing number is null.
    public mutating func member(_ name: String, _ number: Double?) {
        key(name)
        if let number { value(number) } else { null() }
    }

    /// Writes a member of an object.
    public mutating func member(_ name: String, _ flag: Bool) {
        key(name)
        value(flag)
    }
}
