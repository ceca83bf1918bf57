/// The names of places by language, as an operator's files have them, to show places in the language that is asked for.
///
/// Kept by the identifier of the place, so that they also serve the places of the program.
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

    /// Opens the names of a compiled file, or returns `nil` when it holds none.
    ///
    /// - Throws: ``GazetteerError`` when the bytes are no compiled gazetteer of this version, or damaged.
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

    /// Returns the name of a place in a language (ISO 639, such as "es"), if it is known.
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

    /// Returns a match with its name in a language, where that is known.
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

    /// A code of at most eight small ASCII letters as a number; `nil` for anything else.
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

/// Gathers names of places by language; their texts are put aside.
public final class SpellingBuilder {
    private var records: [(id: UInt64, language: UInt64, offset: UInt32, length: UInt32)] = []
    private var texts: ScratchWriter
    private let space: ScratchSpace

    /// Creates an empty builder.
    ///
    /// - Throws: what `space` throws.
    public init(space: ScratchSpace = .memory) throws {
        self.space = space
        texts = try space.writer()
    }

    /// Adds a name; those of another time and those without a language are not shown and so left out.
    public func add(_ name: AddedName, of id: String) throws {
        guard !name.isHistoric, let code = SpellingIndex.code(of: name.language) else { return }
        let text = Array(name.text.utf8.prefix(1000))
        guard !text.isEmpty, texts.count + text.count < Int(UInt32.max) else { return }
        let offset = UInt32(truncatingIfNeeded: texts.count)
        records.append((GazetteerFormat.hash(id.utf8), code, offset, UInt32(truncatingIfNeeded: text.count)))
        try texts.append(text)
    }

    /// Adds the parts to a file; of several names in a language the first that was added is shown.
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
