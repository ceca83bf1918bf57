/// The keywords of a picture, as photo managers write them into its XMP packet (ISO 16684-1, `dc:subject`).
package enum PictureKeywords {
    private static let opening = Array("<x:xmpmeta".utf8)
    private static let ending = Array("</x:xmpmeta>".utf8)
    /// The maximum nesting of elements in a packet.
    private static let depth = 64
    /// The maximum number of keywords that are read.
    private static let most = 1_000

    /// Returns the keywords in the packet among these bytes of a picture; empty without one, or if it is damaged.
    ///
    /// - Complexity: O(bytes).
    package static func all(in picture: [UInt8]) -> [String] {
        guard let start = index(of: opening, in: picture[...]) else { return [] }
        guard let end = index(of: ending, in: picture[start...]) else { return [] }
        var reader = Reader()
        guard let packet = try? XMLText.prepared(Array(picture[start..<end + ending.count])),
            (try? XMLScanner.read(packet, depth: depth, into: &reader)) != nil
        else { return [] }
        return reader.keywords
    }

    private static func index(of text: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        var rest = bytes
        while let first = rest.firstIndex(of: text[0]) {
            rest = rest[first...]
            if rest.starts(with: text) { return first }
            rest = rest.dropFirst()
        }
        return nil
    }

    private struct Reader: XMLElementHandler {
        var keywords: [String] = []
        private var isInSubject = false

        mutating func start(_ name: String, attributes: [String: String], line: Int) {
            if name == "subject" { isInSubject = true }
        }

        mutating func end(_ name: String, text: String, line: Int) {
            if name == "subject" { isInSubject = false }
            if name == "li", isInSubject, !text.isEmpty, keywords.count < most { keywords.append(text) }
        }
    }
}
