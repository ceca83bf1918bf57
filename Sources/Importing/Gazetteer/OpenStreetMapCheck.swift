/// Checks an XML extract (`.osm`) for elements without required attributes.
///
/// The library that reads extracts assumes that every tag has a key and a value, and crashes if one is missing.
package struct OpenStreetMapCheck: Sendable {
    /// The current context: text, the start of an element, a quotation in it, or a skipped part.
    private enum State {
        case text
        case element
        case quotation(UInt8)
        case passed(until: [UInt8])
    }

    private static let needed: [String: Set<String>] = [
        "tag": ["k", "v"], "nd": ["ref"], "member": ["type", "ref", "role"],
    ]
    private static let longest = 1 << 20

    private var state = State.text
    /// The element so far, with the contents of all quotations removed.
    private var element: [UInt8] = []
    /// The last bytes of the skipped part.
    private var recent: [UInt8] = []

    /// Begins checking a file.
    package init() {}

    /// Checks the next bytes.
    ///
    /// - Throws: ``GazetteerFileProblem`` if an element lacks a required attribute.
    package mutating func take(_ bytes: [UInt8]) throws {
        for byte in bytes {
            switch state {
            case .text:
                if byte == UInt8(ascii: "<") {
                    state = .element
                    element.removeAll(keepingCapacity: true)
                }
            case .element: try takeInElement(byte)
            case .quotation(let mark):
                guard byte == mark else { continue }
                element.append(mark)
                state = .element
            case .passed(let end):
                recent.append(byte)
                if recent.count > end.count { recent.removeFirst() }
                if recent == end { state = .text }
            }
        }
    }

    private mutating func takeInElement(_ byte: UInt8) throws {
        switch byte {
        case UInt8(ascii: ">"):
            try check()
            state = .text
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            element.append(byte)
            state = .quotation(byte)
        case 0...0x20 where element.last.map({ $0 <= 0x20 }) ?? false: return
        default:
            // XML also allows spaces before the equals sign.
            if byte == UInt8(ascii: "="), element.last.map({ $0 <= 0x20 }) ?? false { element.removeLast() }
            element.append(byte)
            guard element.count < Self.longest else { throw GazetteerFileProblem("an element is too long") }
            if element.elementsEqual("!--".utf8) { pass("-->") }
            if element.elementsEqual("![CDATA[".utf8) { pass("]]>") }
        }
    }

    private mutating func pass(_ end: String) {
        recent.removeAll(keepingCapacity: true)
        state = .passed(until: Array(end.utf8))
    }

    private func check() throws {
        guard let first = element.first, (UInt8(ascii: "m")...UInt8(ascii: "t")).contains(first) else { return }
        // The contents of quotations were removed, so spaces and quotation marks separate the words.
        let words = element.split { $0 <= 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
            .map { String(decoding: $0, as: UTF8.self) }
        guard let name = words.first, let needed = Self.needed[name.last == "/" ? String(name.dropLast()) : name] else {
            return
        }
        let given = Set(words.dropFirst().filter { $0.hasSuffix("=") }.map { String($0.dropLast()) })
        guard given.isSuperset(of: needed) else {
            let missing = needed.subtracting(given).sorted().joined(separator: " and ")
            throw GazetteerFileProblem("an element <\(name)> has no \(missing)")
        }
    }
}
