import Gazetteer

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

    /// Writes the sections to a file; if a place has several names in a language, the first one added is shown.
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
