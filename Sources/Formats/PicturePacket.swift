/// What photo managers write about a picture into its XMP packet (ISO 16684-1).
package struct PicturePacket: Equatable, Sendable {
    /// The keywords: `dc:subject`, and those of managers that keep them as trees.
    package private(set) var keywords: [String] = []
    /// The description (`dc:description`), in the first language that it has, or `nil`.
    package private(set) var caption: String?
    /// Other words about the picture: further descriptions, titles, headlines and comments.
    package private(set) var texts: [String] = []
    /// How the picture may be used: `photoshop:Instructions`, `xmpRights:UsageTerms`, `dc:rights` and the like.
    package private(set) var terms: [String] = []

    private static let marks = ["x:xmpmeta", "rdf:RDF"]
    /// The maximum nesting of elements in a packet.
    private static let depth = 64
    /// The maximum number of values that are read.
    private static let most = 1_000

    /// Reads the packet among these bytes of a picture; empty without one, or if it is damaged.
    ///
    /// - Complexity: O(bytes).
    package init(in picture: [UInt8]) {
        guard let found = PicturePacket.marks.lazy.compactMap({ PicturePacket.element($0, in: picture) }).first else {
            return
        }
        var reader = Reader()
        guard let packet = try? XMLText.prepared(Array(found)),
            (try? XMLScanner.read(packet, depth: PicturePacket.depth, into: &reader)) != nil
        else { return }
        self = reader.packet
    }

    private init() {}

    private mutating func add(_ name: String, _ text: String) {
        guard keywords.count + texts.count + terms.count < PicturePacket.most else { return }
        let text = text[...].trimmingBlanks
        guard !text.isEmpty else { return }
        switch name {
        case "subject", "hierarchicalSubject", "TagsList", "LastKeywordXMP": keywords.append(text)
        case "description" where caption == nil: caption = text
        case "description", "title", "Headline", "UserComment", "ImageDescription": texts.append(text)
        default: terms.append(text)
        }
    }

    /// The names of the properties that are read; the meaning of prefixes is irrelevant.
    private static let names: Set<String> = [
        "subject", "hierarchicalSubject", "TagsList", "LastKeywordXMP", "description", "title", "Headline",
        "UserComment", "ImageDescription", "Instructions", "UsageTerms", "rights", "accessRights", "Copyright",
    ]

    /// Returns an element with its tags, from its first start to its first end.
    private static func element(_ name: String, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let ending = Array("</\(name)>".utf8)
        guard let start = index(of: Array("<\(name)".utf8), in: bytes[...]) else { return nil }
        return index(of: ending, in: bytes[start...]).map { bytes[start..<$0 + ending.count] }
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
        var packet = PicturePacket()
        /// The property that is being read.
        private var property: String?

        mutating func start(_ name: String, attributes: [String: String], line: Int) {
            if property == nil, names.contains(name) { property = name }
            guard name == "Description" else { return }
            // Values without parts may stand as attributes (§7.9.2.2).
            for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
                let local = name.drop { $0 != ":" }.dropFirst()
                if names.contains(String(local)) { packet.add(String(local), value) }
            }
        }

        mutating func end(_ name: String, text: String, line: Int) {
            guard let property else { return }
            if name == property || name == "li" || name == "value" { packet.add(property, text) }
            if name == property { self.property = nil }
        }
    }
}
