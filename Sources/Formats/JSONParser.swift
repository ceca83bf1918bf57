/// Parses consecutive JSON values from bytes.
///
/// Recursion is limited to the given depth and every index is checked, so that malicious input can cause nothing worse
/// than an error. Implemented here because Foundation's decoder reports neither line nor column of an error in a user's
/// file, and cannot read the features of a large collection one by one.
struct JSONParser: Sendable {
    private let bytes: [UInt8]
    private let maximumDepth: Int
    private var depth = 0
    /// Whether an object may repeat a name; the last member then counts.
    var allowsRepeatedNames = true
    /// The position of the next byte.
    private(set) var position: Int

    /// Creates a parser that begins at the byte `start`; a byte order mark at the beginning of `bytes` is skipped.
    init(_ bytes: [UInt8], depth: Int, from start: Int = 0) {
        self.bytes = bytes
        maximumDepth = depth
        position = start
        if start == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Returns the next value.
    mutating func value() throws(JSONError) -> JSONValue {
        skipWhitespace()
        guard let byte = peek() else { throw unexpected() }
        switch byte {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw unexpected()
        }
    }

    /// Checks that only white space is left.
    mutating func end() throws(JSONError) {
        skipWhitespace()
        if position < bytes.count { throw error("there is text after the end of the value") }
    }

    /// Returns whether only white space is left.
    mutating func isAtEnd() -> Bool {
        skipWhitespace()
        return position >= bytes.count
    }

    private mutating func object() throws(JSONError) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        try open(UInt8(ascii: "{"))
        var first = true
        while let name = try nextKey(first: first) {
            if !allowsRepeatedNames, members[name] != nil {
                throw error("an object has the member \(JSONParser.shown(name)) twice")
            }
            members[name] = try value()
            first = false
        }
        return members
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        try open(UInt8(ascii: "["))
        while try hasNextElement(first: elements.isEmpty) { elements.append(try value()) }
        return elements
    }
}

// Traversal without building values, for files too large for memory.
extension JSONParser {
    /// Enters an array or object.
    mutating func open(_ bracket: UInt8) throws(JSONError) {
        skipWhitespace()
        guard peek() == bracket else { throw unexpected() }
        guard depth < maximumDepth else { throw error("the text is nested more than \(maximumDepth) levels deep") }
        depth += 1
        position += 1
    }

    /// Returns the name of the next member, skipping its colon, or `nil` at the end of the object.
    mutating func nextKey(first: Bool) throws(JSONError) -> String? {
        guard try hasNext(first: first, closing: UInt8(ascii: "}")) else { return nil }
        skipWhitespace()
        guard peek() == UInt8(ascii: "\"") else { throw unexpected(wanted: "the name of a member in quotation marks") }
        let name = try string()
        skipWhitespace()
        guard peek() == UInt8(ascii: ":") else { throw unexpected(wanted: "a colon") }
        position += 1
        return name
    }

    /// Returns whether another element follows, skipping the comma before it; `false` at the end of the array.
    mutating func hasNextElement(first: Bool) throws(JSONError) -> Bool {
        try hasNext(first: first, closing: UInt8(ascii: "]"))
    }

    /// Skips the next value.
    mutating func skip() throws(JSONError) {
        var first = true
        switch nextByte() {
        case UInt8(ascii: "{"):
            try open(UInt8(ascii: "{"))
            while try nextKey(first: first) != nil {
                try skip()
                first = false
            }
        case UInt8(ascii: "["):
            try open(UInt8(ascii: "["))
            while try hasNextElement(first: first) {
                try skip()
                first = false
            }
        default:
            _ = try value()
        }
    }

    /// Returns the first byte of the next value without consuming it, or `nil` at the end.
    mutating func nextByte() -> UInt8? {
        skipWhitespace()
        return peek()
    }

    private mutating func hasNext(first: Bool, closing: UInt8) throws(JSONError) -> Bool {
        skipWhitespace()
        if peek() == closing {
            position += 1
            depth -= 1
            return false
        }
        if first { return true }
        let mark = closing == UInt8(ascii: "]") ? "a comma or ]" : "a comma or }"
        guard peek() == UInt8(ascii: ",") else { throw unexpected(wanted: mark) }
        position += 1
        return true
    }
}

// Scalars.
extension JSONParser {
    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipWhitespace() {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position += 1
        }
    }

    private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        let matches = end <= bytes.count && word.withUTF8Buffer { bytes[position..<end].elementsEqual($0) }
        guard matches else { throw unexpected() }
        position = end
        return value
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        if peek() == UInt8(ascii: "-") { position += 1 }
        if peek() == UInt8(ascii: "0") {
            position += 1
            if peek()?.decimalDigit != nil { throw error("a number has a leading zero") }
        } else {
            try digits()
        }
        let wholeEnd = position
        if peek() == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
            position += 1
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let number = Double(text), number.isFinite else {
            throw error("a number is beyond the range of doubles; write one between -1e308 and 1e308", offset: start)
        }
        // Numbers of fewer digits are below 2^53, and this one itself may be a rounded one.
        let isLong = position == wholeEnd && position - start > 15
        return isLong && abs(number) >= 0x1p53 ? .digits(text) : .number(number)
    }

    private mutating func digits() throws(JSONError) {
        guard peek()?.decimalDigit != nil else { throw unexpected(wanted: "a digit") }
        while peek()?.decimalDigit != nil { position += 1 }
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        while let byte = peek() {
            if byte == UInt8(ascii: "\"") {
                let text = try decode(bytes[start..<position], offset: start)
                position += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            if byte < 0x20 { throw error("a string contains an unescaped control character") }
            position += 1
        }
        throw error("a string has no closing quotation mark", offset: start - 1)
    }

    /// Returns the string that begins at `start` and has its first backslash at the current position.
    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var text = Array(bytes[start..<position])
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return try decode(text[...], offset: start)
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &text)
            case 0..<0x20:
                throw error("a string contains an unescaped control character")
            default:
                text.append(byte)
                position += 1
            }
        }
        throw error("a string has no closing quotation mark", offset: start - 1)
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard let byte = peek() else { throw unexpected() }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try escapedScalar())).utf8)
        default: throw error("a string contains an unknown escape", offset: position - 2)
        }
    }

    /// Returns the scalar of one `\uXXXX` or of a surrogate pair.
    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
        let start = position - 2
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, peek() == UInt8(ascii: "\\") else { throw error("a lone surrogate", offset: start) }
        position += 1
        guard peek() == UInt8(ascii: "u") else { throw error("a lone surrogate", offset: start) }
        position += 1
        let second = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error("a lone surrogate", offset: start) }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw unexpected(wanted: "four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private func decode(_ text: ArraySlice<UInt8>, offset: Int) throws(JSONError) -> String {
        guard let string = String(validating: text, as: UTF8.self) else {
            throw error("a string is not valid UTF-8", offset: offset)
        }
        return string
    }
}

// Errors.
extension JSONParser {
    /// Creates an error at a byte, by default the next one.
    func error(_ reason: String, offset: Int? = nil) -> JSONError {
        let place = min(offset ?? position, bytes.count)
        let before = bytes[..<place]
        let line = before.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return JSONError(reason: reason, offset: place, line: line, column: place - start + 1)
    }

    /// Returns `name` for an error message: in quotation marks, shortened, with control characters replaced.
    private static func shown(_ name: String) -> String {
        let short = name.unicodeScalars.prefix(60)
        let plain = short.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        return "\"" + String(String.UnicodeScalarView(plain)) + (short.endIndex < name.endIndex ? "…\"" : "\"")
    }

    private func unexpected(wanted: String = "a value") -> JSONError {
        guard let byte = peek() else { return error("the text ends where \(wanted) was expected") }
        let shown = (0x21...0x7E).contains(byte) ? "\(Character(Unicode.Scalar(byte)))" : "byte \(byte)"
        return error("found \(shown) where \(wanted) was expected")
    }
}
