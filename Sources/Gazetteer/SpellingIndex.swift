/// The names of places by language, from an operator's files, to show places in the requested language.
///
/// Stored by place identifier, so that they also apply to the program's places.
public struct SpellingIndex: Sendable {
    /// The kinds of the sections, and the layout of a record.
    package enum Format: Sendable {
        /// Records sorted by the hash of the identifier and the language.
        package static let records: UInt64 = 132
        /// The names.
        package static let texts: UInt64 = 133
        static let length = 24
        static let language = 8
        static let text = 16
        static let textLength = 20
        static let languageLength = 8
    }

    private let storage: GazetteerBytes
    private let records: ByteView
    private let texts: ByteView

    /// The number of names.
    public var count: Int { records.count / Format.length }

    /// Opens the names in a compiled file, or returns `nil` if it contains none.
    ///
    /// - Throws: ``GazetteerError`` if the bytes are not a compiled gazetteer of this version, or are damaged.
    public init?(bytes: GazetteerBytes) throws {
        try GazetteerFormat.check(bytes.view)
        guard let records = try GazetteerFormat.part(Format.records, of: bytes.view),
            let texts = try GazetteerFormat.part(Format.texts, of: bytes.view)
        else { return nil }
        guard records.count % Format.length == 0 else {
            throw GazetteerError(.damaged, "The names by language of the gazetteer are damaged")
        }
        storage = bytes
        self.records = records
        self.texts = texts
    }

    /// Returns the name of a place in a language (ISO 639, such as "es"), if known.
    ///
    /// - Complexity: O(log *n*).
    public func name(of id: String, language: String) -> String? {
        guard let code = Self.code(of: language) else { return nil }
        let wanted = (GazetteerFormat.hash(id.utf8), code)
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if key(middle) < wanted { low = middle + 1 } else { high = middle }
        }
        guard low < count, key(low) == wanted else { return nil }
        let record = low * Format.length
        let text = texts.part(
            offset: Int(records.load(record + Format.text, as: UInt32.self)),
            length: Int(records.load(record + Format.textLength, as: UInt32.self))
        )
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    /// Returns a match with its name in a language, if known.
    public func localized(_ match: GazetteerMatch, language: String) -> GazetteerMatch {
        guard let name = name(of: match.id, language: language), name != match.name else { return match }
        var match = match
        if match.label.hasPrefix(match.name) { match.label = name + match.label.dropFirst(match.name.count) }
        match.name = name
        return match
    }

    private func key(_ number: Int) -> (UInt64, UInt64) {
        let record = number * Format.length
        return (records.load(record), records.load(record + Format.language))
    }

    /// Returns a language code of at most eight ASCII letters and hyphens, in any case, as a number; `nil` for anything
    /// else.
    package static func code(of language: String) -> UInt64? {
        let letters = Array(language.lowercased().utf8)
        guard !letters.isEmpty, letters.count <= Format.languageLength else { return nil }
        guard letters.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-") })
        else {
            return nil
        }
        return letters.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
