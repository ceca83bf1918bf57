import Stories

/// A row being judged: gives out its fields checked and notes what is wrong with them.
struct ImportRow {
    /// The row with the problems found so far.
    var record: ImportRecord

    init(_ record: ImportRecord) {
        self.record = record
    }

    /// Whether an error was found.
    var isBad: Bool { record.problems.contains { $0.severity == .error } }

    /// A value for a message: short, on one line.
    func shown(_ text: String) -> String {
        let line = ImportText.line(text)
        return "\"" + line.prefix(60) + (line.count > 60 ? "…\"" : "\"")
    }

    /// A value as one line within a limit of characters, or `nil` when there is none.
    mutating func line(_ field: ImportField, limit: Int) -> String? {
        guard let value = record.values[field] else { return nil }
        let line = ImportText.line(value)
        guard !line.isEmpty else { return nil }
        guard StoryLimits.fits(line, characters: limit) else {
            record.fail(field, ImportRow.tooLong(line, limit: limit))
            return nil
        }
        return line
    }

    /// What is wrong with a text that is too long.
    private static func tooLong(_ text: String, limit: Int) -> String {
        let count = text.count
        guard count <= limit else { return "has \(count) characters, more than the limit of \(limit)" }
        let most = StoryLimits.mostBytes(characters: limit)
        return "has \(text.utf8.count) bytes, more than the limit of \(most) for \(limit) characters"
    }

    /// The title, and its full wording when it had to be shortened.
    ///
    /// Archives caption pictures in whole sentences, so a title somewhat over the limit is shortened and keeps its full
    /// wording in the text; one four times as long is a text in the wrong column.
    mutating func title() -> (title: String, full: String?) {
        let title = ImportText.line(record.values[.title] ?? "")
        let limit = StoryLimits.titleLength
        if title.isEmpty { record.fail(.title, "is missing; every story needs a title") }
        guard !StoryLimits.fits(title, characters: limit) else { return (title, nil) }
        guard StoryLimits.fits(title, characters: StoryLimits.longestTitle) else {
            record.fail(.title, ImportRow.tooLong(title, limit: limit))
            return (title, nil)
        }
        record.warn(.title, "has more than \(limit) characters; it is shortened, the text begins with its full wording")
        return (ImportText.shortened(title, limit: limit), title)
    }

    /// The text, after the full wording of a title that was shortened.
    mutating func text(after title: String?) -> String? {
        let own = record.values[.text].map(ImportText.paragraphs) ?? ""
        let text = [title ?? "", own].filter { !$0.isEmpty }.joined(separator: "\n\n")
        guard !text.isEmpty else { return nil }
        let limit = StoryLimits.textLength
        if !StoryLimits.fits(text, characters: limit) {
            record.fail(.text, ImportRow.tooLong(text, limit: limit))
        }
        return text
    }

    /// The privacy the row names, or `nil`; a name that is none is an error, so that nothing is published by mistake.
    mutating func privacy() -> Privacy? {
        guard let name = record.values[.privacy] else { return nil }
        let normalized = ImportField.normalized(name)
        if let privacy = Privacy(rawValue: normalized == "family" ? "family_only" : normalized) { return privacy }
        record.fail(.privacy, "\(shown(name)) is none of public, family_only, private")
        return nil
    }

    /// When it happened; `nil` with a warning when that cannot be read.
    mutating func date(notAfter today: CalendarDay?) -> StoryDate? {
        guard let text = record.values[.date].map(ImportText.line), !text.isEmpty else { return nil }
        let date: StoryDate
        switch DateReading(text) {
        case .date(let read): date = read
        case .partial(let read):
            record.warn(.date, "part of \(shown(text)) is no date; the rest was read")
            date = read
        case .unknown: return nil
        case .unreadable:
            let problem =
                StoryDate.isWellFormed(text)
                ? "\(shown(text)) \(StoryDate.noSuchDay); the story comes in undated"
                : "\(shown(text)) is no date; the story comes in undated. Write YYYY, YYYY-MM or YYYY-MM-DD"
            record.warn(.date, problem)
            return nil
        }
        if let today, StoryLimits.isFuture(date, on: today) {
            record.fail(.date, "\(shown(text)) lies in the future")
            return nil
        }
        return date
    }

    /// A list without repeats, from a list or a text with `;`, `|` or `,` between its parts.
    mutating func list(_ field: ImportField) -> [String] {
        guard let text = record.values[field] else { return [] }
        let parts =
            record.lists[field] ?? ImportText.parts(text, splitsAtCommas: field != .people && field != .mentions)
        var seen: Set<String> = []
        let items = parts.map(ImportText.line).filter { !$0.isEmpty && seen.insert($0).inserted }
        if items.count > StoryLimits.listLength {
            record.fail(field, "has \(items.count) entries, more than the limit of \(StoryLimits.listLength)")
        }
        if items.contains(where: { !StoryLimits.fits($0, characters: StoryLimits.nameLength) }) {
            record.fail(field, "has an entry of more than \(StoryLimits.nameLength) characters")
        }
        return items
    }

    /// A web address; anything else is left out with a warning, as it would be a dead or dangerous link.
    mutating func url(_ field: ImportField) -> String? {
        guard let url = line(field, limit: StoryLimits.urlLength) else { return nil }
        // A path on the service itself cannot be meant by a file from elsewhere.
        if StoryLimits.isWebAddress(url), !url.hasPrefix("/") { return url }
        record.warn(field, "\(shown(url)) is no address beginning with https:// or http://; it is left out")
        return nil
    }
}
