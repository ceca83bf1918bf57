/// Receives the elements of an XML document.
protocol XMLElementHandler {
    /// Called at the start of an element.
    ///
    /// `name` is without its namespace prefix; attribute names include theirs.
    mutating func start(_ name: String, attributes: [String: String], line: Int) throws

    /// Called before the start of an element with the text between the previous tag and this one, if there is any.
    ///
    /// Only formats whose text contains elements need it.
    mutating func mixed(_ text: String)

    /// Called at the end of an element.
    ///
    /// `text` is the text between the previous tag and this one; empty if it is only white space.
    mutating func end(_ name: String, text: String, line: Int) throws
}

extension XMLElementHandler {
    mutating func mixed(_ text: String) {}
}

/// The reason a document is rejected.
enum XMLFailure: Error, Hashable {
    /// The document violates a rule of XML.
    case malformed(line: Int, words: String)
    /// Elements are nested deeper than allowed.
    case tooDeep(line: Int)
    /// The document declares a document type or an entity.
    case declaresDocumentType(line: Int)
}

/// Parses XML 1.0 without document types: elements, attributes, text, CDATA, comments and instructions.
///
/// Implemented here because Foundation's XMLParser crashes on some damaged documents, returns "true" after a truncated
/// one, silently drops an undeclared entity, fails above 10 MB of text, and takes its errors and limits from the
/// machine's libxml2 (observed with Swift 6.3.1 and libxml2 2.9.14). This parser expands only predefined entities and
/// character references, fetches nothing and does not recurse. It is more lenient than XML where that is harmless: the
/// exact letters of names, `--` in comments, undeclared prefixes.
struct XMLScanner {
    private let bytes: [UInt8]
    private let maximumDepth: Int
    private var position = 0
    private var line = 1
    /// The qualified names of the open elements, as ranges of `bytes`.
    private var open: [Range<Int>] = []
    private var text: [UInt8] = []

    private static let maximumAttributes = 256

    private init(_ bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    /// Reports every element of a UTF-8 document, as prepared by ``XMLText``, to `handler`.
    ///
    /// - Throws: ``XMLFailure``, or any error of the handler.
    /// - Complexity: O(bytes).
    static func read(_ document: [UInt8], depth: Int, into handler: inout some XMLElementHandler) throws {
        var scanner = XMLScanner(document, maximumDepth: depth)
        var sawRoot = false
        while scanner.position < scanner.bytes.count {
            if scanner.bytes[scanner.position] != UInt8(ascii: "<") {
                try scanner.characters()
            } else if try scanner.markup(sawRoot: sawRoot, &handler) {
                sawRoot = true
            }
        }
        guard sawRoot, scanner.open.isEmpty else {
            let trailing = document.reversed().prefix { $0.isBlank }.count { $0 == UInt8(ascii: "\n") }
            throw XMLFailure.malformed(line: scanner.line - trailing, words: "it ends before all elements are closed")
        }
    }

    /// Parses markup that begins with `<`; returns whether it was the start of an element.
    private mutating func markup(sawRoot: Bool, _ handler: inout some XMLElementHandler) throws -> Bool {
        if follows("</") {
            try endTag(&handler)
        } else if follows("<?") {
            _ = try passed(through: "?>", after: 2)
        } else if follows("<!--") {
            _ = try passed(through: "-->", after: 4)
        } else if follows("<![CDATA[") {
            guard !open.isEmpty else { throw malformed("there is text outside the outermost element") }
            text.append(contentsOf: bytes[try passed(through: "]]>", after: 9)])
        } else if follows("<!") {
            throw XMLFailure.declaresDocumentType(line: line)
        } else {
            guard !sawRoot || !open.isEmpty else { throw malformed("there is content after the outermost element") }
            try startTag(&handler)
            return true
        }
        return false
    }

    private mutating func startTag(_ handler: inout some XMLElementHandler) throws {
        let start = line
        position += 1
        let name = try name()
        let attributes = try attributes()
        let isEmpty = follows("/>")
        guard isEmpty || follows(">") else { throw malformed("a \">\" is missing") }
        position += isEmpty ? 2 : 1
        guard open.count < maximumDepth else { throw XMLFailure.tooDeep(line: start) }
        open.append(name)
        if !text.isEmpty { handler.mixed(String(decoding: text, as: UTF8.self)) }
        text.removeAll(keepingCapacity: true)
        try handler.start(localName(name), attributes: attributes, line: start)
        if isEmpty { try close(name, &handler) }
    }

    private mutating func endTag(_ handler: inout some XMLElementHandler) throws {
        position += 2
        let name = try name()
        skipBlanks()
        guard follows(">") else { throw malformed("a \">\" is missing") }
        guard let last = open.last, bytes[last] == bytes[name] else {
            throw malformed("an end tag does not match its start tag")
        }
        position += 1
        try close(name, &handler)
    }

    private mutating func close(_ name: Range<Int>, _ handler: inout some XMLElementHandler) throws {
        let content = text.allSatisfy(\.isBlank) ? "" : String(decoding: text, as: UTF8.self)
        open.removeLast()
        text.removeAll(keepingCapacity: true)
        try handler.end(localName(name), text: content, line: line)
    }

    private mutating func attributes() throws -> [String: String] {
        var attributes: [String: String] = [:]
        while true {
            let hadBlank = skipBlanks()
            guard position < bytes.count else { throw malformed("it ends before all elements are closed") }
            if follows(">") || follows("/>") { return attributes }
            guard hadBlank else { throw malformed("a space is missing between attributes") }
            guard attributes.count < XMLScanner.maximumAttributes else {
                throw malformed("an element has more than \(XMLScanner.maximumAttributes) attributes")
            }
            let name = String(decoding: bytes[try name()], as: UTF8.self)
            skipBlanks()
            guard follows("=") else { throw malformed("an attribute has no value") }
            position += 1
            skipBlanks()
            guard attributes.updateValue(try attributeValue(), forKey: name) == nil else {
                throw malformed("an attribute is repeated")
            }
        }
    }

    private mutating func attributeValue() throws -> String {
        guard follows("\"") || follows("'") else { throw malformed("an attribute's value is not in quotes") }
        let quote = bytes[position]
        position += 1
        var value: [UInt8] = []
        while position < bytes.count, bytes[position] != quote {
            guard bytes[position] != UInt8(ascii: "<") else { throw malformed("an attribute contains \"<\"") }
            try character(into: &value)
        }
        guard position < bytes.count else { throw malformed("an attribute's value is not closed") }
        position += 1
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func characters() throws {
        let isOutside = open.isEmpty
        // The buffer is moved out so that it can be written while `self` is mutated.
        var text = text
        self.text = []
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") {
            guard !isOutside || bytes[position].isBlank else {
                throw malformed("there is text outside the outermost element")
            }
            try character(into: &text)
        }
        self.text = text
    }

    /// Parses one byte of text, or a whole reference.
    private mutating func character(into text: inout [UInt8]) throws {
        let byte = bytes[position]
        if byte == UInt8(ascii: "&") { return text.append(contentsOf: try reference()) }
        guard byte >= 0x20 || byte.isBlank else { throw malformed("a character is not allowed in XML") }
        if byte == UInt8(ascii: "\n") { line += 1 }
        position += 1
        // XML normalises every line end to a line feed.
        let endsLine = byte == UInt8(ascii: "\r")
        if endsLine, position < bytes.count, bytes[position] == UInt8(ascii: "\n") { return }
        text.append(endsLine ? UInt8(ascii: "\n") : byte)
    }

    /// Parses `&name;` for the five predefined names, or `&#number;`.
    private mutating func reference() throws -> [UInt8] {
        let rest = bytes[(position + 1)...].prefix(40)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else {
            throw malformed("a \"&\" does not begin an entity")
        }
        let name = String(decoding: rest[..<end], as: UTF8.self)
        position = end + 1
        switch name {
        case "amp": return [UInt8(ascii: "&")]
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default: break
        }
        guard name.hasPrefix("#") else { throw malformed("an entity is not declared") }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(number),
            number >= 0x20 || [0x09, 0x0A, 0x0D].contains(number), number != 0xFFFE, number != 0xFFFF
        else { throw malformed("a character is not allowed in XML") }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func name() throws -> Range<Int> {
        let start = position
        while position < bytes.count, bytes[position].isPartOfXMLName { position += 1 }
        guard start < position, bytes[start].isStartOfXMLName else {
            throw malformed(position < bytes.count ? "a name is missing" : "it ends before all elements are closed")
        }
        return start..<position
    }

    /// Returns the part of a name after its prefix; the meaning of prefixes is irrelevant to all our formats.
    private func localName(_ name: Range<Int>) -> String {
        let start = bytes[name].firstIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? name.lowerBound
        return String(decoding: bytes[start..<name.upperBound], as: UTF8.self)
    }

    @discardableResult
    private mutating func skipBlanks() -> Bool {
        let start = position
        while position < bytes.count, bytes[position].isBlank {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
        return position > start
    }

    /// Skips `opening` bytes, advances past the next `end`, and returns the range between the two.
    private mutating func passed(through end: StaticString, after opening: Int) throws -> Range<Int> {
        let start = position + opening
        position = start
        while position < bytes.count, !follows(end) {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
        guard position < bytes.count else { throw malformed("a comment, CDATA or instruction is not closed") }
        defer { position += end.utf8CodeUnitCount }
        return start..<position
    }

    /// Returns whether the next bytes are `mark`, which must be ASCII.
    private func follows(_ mark: StaticString) -> Bool {
        guard bytes.count - position >= mark.utf8CodeUnitCount else { return false }
        return mark.withUTF8Buffer { buffer in
            for (offset, byte) in buffer.enumerated() where bytes[position + offset] != byte { return false }
            return true
        }
    }

    private func malformed(_ words: String) -> XMLFailure {
        .malformed(line: line, words: words)
    }
}

extension UInt8 {
    /// Whether the byte can begin a name: every non-ASCII byte counts, because the exact letters do not matter here.
    fileprivate var isStartOfXMLName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...0xFF:
            true
        default: false
        }
    }

    fileprivate var isPartOfXMLName: Bool {
        isStartOfXMLName || decimalDigit != nil || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
    }
}
