import Formats
import Stories

extension ImportRecord {
    /// Fills the fields of addresses that are still empty; every other link, with its words, becomes a paragraph of the
    /// text.
    ///
    /// A recording comes first where a story has one address, then a picture beside that of the small one, then a page, as
    /// in a column `link`.
    mutating func fill(from links: [WebLink]) {
        var seen = Set([ImportField.mediaURL, .thumbnailURL].compactMap { values[$0] })
        var rest: [WebLink] = []
        var said = SaidWords([values[.title], values[.text]].compactMap(\.self) + paragraphs)
        for link in links where seen.insert(link.url ?? link.address).inserted {
            guard link.isWeb else {
                let words = link.words.map { ", with its words \(ImportRow.shown($0))" } ?? ""
                warn(.mediaURL, ImportRow.notOfTheWeb(link.address) + words)
                continue
            }
            if !(link.form == .picture && take(link, as: .thumbnailURL, beside: &said)) { rest.append(link) }
        }
        for form in [WebLink.Form.recording, .picture, .page] where values[.mediaURL] == nil {
            guard let index = rest.firstIndex(where: { $0.form == form && $0.url != nil }) else { continue }
            take(rest.remove(at: index), as: .mediaURL, beside: &said)
        }
        for link in rest where !said.contains(link.address) { add(link.inWords, to: &said) }
    }

    /// Fills an empty field with the address of a link, and keeps its words; `false` if the address cannot be there.
    @discardableResult
    private mutating func take(_ link: WebLink, as field: ImportField, beside said: inout SaidWords) -> Bool {
        guard values[field] == nil, let url = link.url else { return false }
        values[field] = url
        guard let words = link.words, !said.contains(words), !url.hasSuffix("/" + words) else { return true }
        if link.form == .picture, values[.alt] == nil, StoryLimits.fits(words, characters: StoryLimits.altLength) {
            values[.alt] = words
        } else if link.inWords != link.address {
            add(link.inWords, to: &said)
        }
        return true
    }

    private mutating func add(_ paragraph: String, to said: inout SaidWords) {
        paragraphs.append(paragraph)
        said.add(paragraph)
    }
}

/// What a row says so far, in which words are looked for whatever the ends of its lines.
private struct SaidWords {
    private var bytes: [UInt8] = []

    init(_ texts: [String]) {
        for text in texts { add(text) }
    }

    mutating func add(_ text: String) {
        bytes += text.split(whereSeparator: \.isWhitespace).joined(separator: " ").utf8
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Returns whether the words stand anywhere.
    ///
    /// - Complexity: O(bytes), whatever a file says (Knuth, Morris and Pratt 1977).
    func contains(_ words: String) -> Bool {
        let words = Array(words.utf8)
        guard !words.isEmpty else { return true }
        // For each start of the words, the length of the longest shorter start with which it ends.
        var borders = [0]
        func matched(_ length: Int, and byte: UInt8) -> Int {
            var length = length
            while length > 0, words[length] != byte { length = borders[length - 1] }
            return words[length] == byte ? length + 1 : 0
        }
        var length = 0
        for byte in words.dropFirst() {
            length = matched(length, and: byte)
            borders.append(length)
        }
        length = 0
        for byte in bytes {
            length = matched(length, and: byte)
            if length == words.count { return true }
        }
        return false
    }
}
