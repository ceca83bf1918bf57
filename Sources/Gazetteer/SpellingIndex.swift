/// The names of places by language, from an operator's files, to show places in the requested language.
///
/// Stored by place identifier, so that they also apply to the program's places.
public struct SpellingIndex: Sendable {
    enum Format: Sendable {
        static let records: UInt64 = 132
        static let texts: UInt64 = 133
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
        try GazetteerFile.check(bytes.view)
        guard let records = try GazetteerFile.part(Format.records, of: bytes.view),
            let texts = try GazetteerFile.part(Format.texts, of: bytes.view)
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

    /// Returns a code of at most eight lower-case ASCII letters as a number; `nil` for anything else.
    fileprivate static func code(of language: String) -> UInt64? {
        let letters = Array(language.lowercased().utf8)
        guard !letters.isEmpty, letters.count <= Format.languageLength else { return nil }
        guard letters.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-") })
        else {
            return nil
        }
        return letters.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Collects names of places by language in temporary storage.
public final class SpellingBuilder {
    private var records: [(id: UInt64, language: UInt64, offset: UInt32, length: UInt32)] = []
    private var texts: ScratchWriter
    private let space: ScratchSpace

    /// Creates an empty builder.
    ///
    /// - Throws: any error of `space`.
    public init(space: ScratchSpace = .memory) throws {
        self.space = space
        texts = try space.writer()
    }

    /// Adds a name; historic names and those without a language are never shown and so are skipped.
    public func add(_ name: AddedName, of id: String) throws {
        guard !name.isHistoric, let code = SpellingIndex.code(of: name.language) else { return }
        let text = Array(name.text.utf8.prefix(1000))
        guard !text.isEmpty, texts.count + text.count < Int(UInt32.max) else { return }
        let offset = UInt32(truncatingIfNeeded: texts.count)
        records.append((GazetteerFormat.hash(id.utf8), code, offset, UInt32(truncatingIfNeeded: text.count)))
        try texts.append(text)
    }

    /// Writes the sections to a file; of several names in a language, the first one added is shown.
    func write(to file: inout GazetteerFile) throws {
        guard !records.isEmpty else { return }
        records.sort { ($0.id, $0.language, $0.offset) < ($1.id, $1.language, $1.offset) }
        var writer = try space.writer()
        var previous: (UInt64, UInt64)?
        for record in records {
            if let previous, previous == (record.id, record.language) { continue }
            previous = (record.id, record.language)
            try writer.append(record.id)
            try writer.append(record.language)
            try writer.append(record.offset)
            try writer.append(record.length)
        }
        file.append(number: SpellingIndex.Format.records, try writer.finish())
        file.append(number: SpellingIndex.Format.texts, try texts.finish())
    }
}

@available(*, unavailable)
extension SpellingBuilder: Sendable {}
