/// Turns the HTML of descriptions into plain text.
enum HTMLText {
    /// A description as plain text.
    struct Content {
        let text: String
        /// The text without the addresses of its links.
        let bareText: String
        /// The pictures and recordings that it shows or links, and every link that is none of the web.
        let links: [WebLink]
    }

    /// Returns the text without tags and with the letters that entities stand for.
    ///
    /// - Complexity: O(characters).
    static func plain(_ text: String) -> String { content(text).text }

    /// Returns the text without tags and with the letters that entities stand for, and where it leads to.
    ///
    /// A text without any known tag keeps its angle brackets and lines. Of the others, a `<` that begins no tag is text,
    /// as it is for browsers (HTML Living Standard, §13.2.5.6). A link to a page has its address behind its words.
    ///
    /// - Complexity: O(characters).
    static func content(_ text: String) -> Content {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
            return Content(text: text, bareText: text, links: [])
        }
        let bytes = Array(text.utf8)
        guard hasTags(bytes) else {
            let plain = HTMLEntity.decoded(text)
            return Content(text: plain, bareText: plain, links: [])
        }
        var scanner = HTMLScanner(bytes)
        scanner.read()
        let plain = finished(scanner.output)
        let bare = scanner.addresses.isEmpty ? plain : finished(scanner.outputWithoutAddresses)
        return Content(text: plain, bareText: bare, links: scanner.links)
    }

    private static func finished(_ bytes: [UInt8]) -> String {
        withoutEmptyLines(HTMLEntity.decoded(String(decoding: bytes, as: UTF8.self)))
    }

    private static func hasTags(_ bytes: [UInt8]) -> Bool {
        bytes.indices.contains { index in
            bytes[index] == UInt8(ascii: "<") && tags.contains { $0.stand(at: index, in: bytes) }
        }
    }

    private static let tags = [
        "<br", "<p>", "<p ", "</p", "<div", "<img", "<a ", "<b>", "<i>", "<table", "<span", "<ul", "<h", "<em>",
        "<strong>", "<u>", "<font", "<center", "<li>", "<ol>", "<!--", "<audio", "<video", "<iframe", "<script",
        "<style",
    ]
    .map { Array($0.utf8) }

    /// Puts at most one empty line between paragraphs.
    private static func withoutEmptyLines(_ text: String) -> String {
        var lines: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.allSatisfy(\.isWhitespace), lines.last?.allSatisfy(\.isWhitespace) ?? true { continue }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }
}

/// Takes the tags out of HTML, and notes where they lead.
private struct HTMLScanner {
    private let bytes: [UInt8]
    /// The text so far, with its entities.
    private(set) var output: [UInt8] = []
    /// Where addresses were added to the text.
    private(set) var addresses: [Range<Int>] = []
    private(set) var links: [WebLink] = []
    /// The address of the open link, and where its words begin.
    private var anchor: (address: String, start: Int)?
    /// The addresses of pages that have no words, which stand behind the text: its beginning says most about it.
    private var wordless: [String] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        output.reserveCapacity(bytes.count)
    }

    mutating func read() {
        var index = 0
        // Behind the last ">" nothing is a tag; it is looked for once.
        let last = bytes.lastIndex(of: UInt8(ascii: ">")) ?? 0
        while index < bytes.count {
            if bytes[index] != UInt8(ascii: "<") {
                output.append(bytes[index])
                index += 1
            } else if bytes[index...].starts(with: "<!--".utf8) {
                index = endOfComment(from: index)
            } else if index < last, HTMLScanner.isTagStart(bytes[index + 1]), let end = end(from: index) {
                let tag = HTMLTag(bytes[(index + 1)..<end])
                readTag(tag)
                index = tag.isCode ? endOfCode(tag.name, from: end + 1) : end + 1
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        endAnchor()
        for address in wordless { add("\n" + address, at: output.count) }
    }

    /// The text as it is without the addresses.
    var outputWithoutAddresses: [UInt8] {
        var bare: [UInt8] = []
        var start = 0
        for range in addresses {
            bare += output[start..<range.lowerBound]
            start = range.upperBound
        }
        return bare + output[start...]
    }

    private mutating func add(_ address: String, at index: Int) {
        output.insert(contentsOf: address.utf8, at: index)
        addresses.append(index..<(index + address.utf8.count))
    }

    private mutating func readTag(_ tag: HTMLTag) {
        switch tag.name {
        case "br", "p", "div", "tr", "li", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "dt", "dd",
            "pre",
            "blockquote", "option", "textarea", "section", "article", "figcaption":
            output.append(UInt8(ascii: "\n"))
        case "td", "th": output.append(UInt8(ascii: " "))
        case "a":
            endAnchor()
            if !tag.isEnd { anchor = tag.value("href").map { ($0, output.count) } }
        case "img": note(tag, as: .picture)
        case "audio", "video", "source": note(tag, as: .recording)
        case "iframe":
            // What a page shows in a frame is a link with no words.
            guard let address = tag.value("src") else { return }
            endAnchor()
            anchor = (address, output.count)
            endAnchor()
        default: break
        }
    }

    private mutating func note(_ tag: HTMLTag, as form: WebLink.Form) {
        guard let address = tag.value("src") else { return }
        let words = tag.value("alt").map(HTMLEntity.decoded)
        add(WebLink(HTMLEntity.decoded(address), words: words, as: form, of: "description"))
    }

    /// Adds a link, unless it leads to another part of its page.
    private mutating func add(_ link: WebLink) {
        if !link.address.isEmpty, link.address.first != "#" { links.append(link) }
    }

    private mutating func endAnchor() {
        guard let (address, start) = anchor else { return }
        anchor = nil
        let words = HTMLEntity.decoded(String(decoding: output[start...], as: UTF8.self))
        let link = WebLink(HTMLEntity.decoded(address), words: words, of: "description")
        guard link.isWeb, link.form == .page else { return add(link) }
        guard !WebLink.isSame(link.words ?? "", link.address) else { return }
        // An entity of the address is decoded with the text.
        let whole = address.hasPrefix("//") ? "https:" + address : address
        let shown = whole.split(whereSeparator: \.isWhitespace).joined(separator: "%20")
        guard link.words != nil else { return wordless.append(shown) }
        // Before the end of a line that the words may have.
        let tail = output[start...].reversed().prefix(while: \.isBlank).count
        add(" (\(shown))", at: output.count - tail)
    }

    /// Returns the index of the `>` that ends a tag; one in a quoted value does not, unless the value never ends.
    private func end(from start: Int) -> Int? {
        var quote: UInt8?
        var isBehindEqualsSign = false
        for index in start..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: ">") {
                return index
            } else if isBehindEqualsSign, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            if !byte.isBlank { isBehindEqualsSign = byte == UInt8(ascii: "=") && quote == nil }
        }
        return bytes[start...].firstIndex(of: UInt8(ascii: ">"))
    }

    /// Returns the index behind a comment, which may contain tags; one that never ends hides the rest, as in browsers.
    private func endOfComment(from start: Int) -> Int {
        bytes[start...].dropFirst(4).firstRange(of: Array("-->".utf8))?.upperBound ?? bytes.count
    }

    /// Returns the index of the tag that ends a script or a style sheet, which is no text.
    private func endOfCode(_ name: String, from start: Int) -> Int {
        let end = Array("</\(name)".utf8)
        return (start..<bytes.count).first { end.stand(at: $0, in: bytes) } ?? bytes.count
    }

    private static func isTagStart(_ byte: UInt8) -> Bool {
        let letter = byte | 0x20
        return (0x61...0x7A).contains(letter) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "!")
    }
}

/// What stands between `<` and `>`.
private struct HTMLTag {
    private let bytes: ArraySlice<UInt8>
    let isEnd: Bool
    /// The name in lower case, at most its first letters.
    let name: String
    /// Whether code follows, which nobody reads.
    var isCode: Bool { !isEnd && (name == "script" || name == "style") }

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        isEnd = bytes.first == UInt8(ascii: "/")
        let start = String(decoding: bytes.prefix(12), as: UTF8.self).lowercased()
        name = String(start.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber })
    }

    /// Returns the value of an attribute, with its entities; `nil` if the tag has none of that name.
    func value(_ name: String) -> String? {
        var rest = bytes.drop { !HTMLTag.isBetween($0) }
        while true {
            rest = rest.drop(while: HTMLTag.isBetween)
            guard !rest.isEmpty else { return nil }
            let key = rest.prefix { !HTMLTag.isBetween($0) && $0 != UInt8(ascii: "=") }
            rest = rest[key.endIndex...].drop(while: \.isBlank)
            // Without a value.
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: \.isBlank)
            let value: ArraySlice<UInt8>
            if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                value = rest.dropFirst().prefix { $0 != quote }
                rest = rest[value.endIndex...].dropFirst()
            } else {
                value = rest.prefix { !$0.isBlank }
                rest = rest[value.endIndex...]
            }
            if String(decoding: key, as: UTF8.self).lowercased() == name {
                return String(decoding: value, as: UTF8.self)
            }
        }
    }

    private static func isBetween(_ byte: UInt8) -> Bool { byte.isBlank || byte == UInt8(ascii: "/") }
}

extension [UInt8] {
    /// Returns whether these lowercase letters, and other ASCII, stand at an index of a text, in whatever case.
    fileprivate func stand(at start: Int, in text: [UInt8]) -> Bool {
        guard text.count - start >= count else { return false }
        return indices.allSatisfy { index in
            let byte = text[start + index]
            return byte == self[index] || ((0x41...0x5A).contains(byte) && byte | 0x20 == self[index])
        }
    }
}
