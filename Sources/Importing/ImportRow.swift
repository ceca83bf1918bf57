import Stories

/// A row during validation: returns validated fields and records their problems.
struct ImportRow {
    /// The row with the problems found so far.
    var record: ImportRecord

    init(_ record: ImportRecord) {
        self.record = record
    }

    /// Whether there are errors.
    var isBad: Bool { record.problems.contains { $0.severity == .error } }

    /// Returns the warning of an address that is none of the web.
    static func notOfTheWeb(_ address: String) -> String {
        "\(shown(address)) is not an address beginning with https:// or http:// and is ignored"
    }

    /// Returns a value for a message, short and on one line.
    func shown(_ text: String) -> String { ImportRow.shown(text) }

    /// Returns a value for a message: short, on one line.
    static func shown(_ text: String) -> String {
        let line = ImportText.line(text)
        return "\"" + line.prefix(60) + (line.count > 60 ? "…\"" : "\"")
    }

    /// Returns a value as one line within a character limit, or `nil` if there is none.
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

    /// Returns the error for a text that is too long.
    private static func tooLong(_ text: String, limit: Int) -> String {
        let count = text.count
        guard count <= limit else { return "has \(count) characters, more than the limit of \(limit)" }
        let most = StoryLimits.mostBytes(characters: limit)
        return "has \(text.utf8.count) bytes, more than the limit of \(most) for \(limit) characters"
    }

    /// Returns the title, and its full text if it had to be shortened.
    ///
    /// Archives caption pictures in whole sentences, so a title slightly over the limit is shortened and its full text
    /// is kept in the story's text. A title over four times the limit is taken for a text in the wrong column.
    mutating func title() -> (title: String, full: String?) {
        let title = ImportText.line(record.values[.title] ?? "")
        let limit = StoryLimits.titleLength
        if StoryLimits.isBlank(title) { record.fail(.title, "is missing; every story needs a title") }
        guard !StoryLimits.fits(title, characters: limit) else { return (title, nil) }
        guard StoryLimits.fits(title, characters: StoryLimits.longestTitle) else {
            record.fail(.title, ImportRow.tooLong(title, limit: limit))
            return (title, nil)
        }
        record.warn(.title, "has more than \(limit) characters and is shortened; the text begins with the full title")
        return (ImportText.shortened(title, limit: limit), title)
    }

    /// Returns the text, preceded by the full title if that was shortened, and followed by further paragraphs if there is
    /// room for them.
    mutating func text(after title: String?) -> String? {
        let own = record.values[.text].map(ImportText.paragraphs) ?? ""
        let begin = [title ?? "", own].filter { !$0.isEmpty }
        let whole = begin + record.paragraphs.map(ImportText.paragraphs).filter { !$0.isEmpty }
        let limit = StoryLimits.textLength
        var text = whole.joined(separator: "\n\n")
        if whole.count > begin.count, !StoryLimits.fits(text, characters: limit) {
            text = begin.joined(separator: "\n\n")
            record.warn(.text, "would be too long with comments, summaries and links, which were left out")
        }
        guard !text.isEmpty else { return nil }
        if !StoryLimits.fits(text, characters: limit) {
            record.fail(.text, ImportRow.tooLong(text, limit: limit))
        }
        return text
    }

    /// Returns the privacy in the row, or `nil`; an unknown word is an error, so that nothing is published by mistake.
    mutating func privacy() -> Privacy? {
        guard let name = record.values[.privacy] else { return publicOrPrivate() }
        let normalized = ImportField.normalized(name)
        if let privacy = Privacy(rawValue: normalized == "family" ? "family_only" : normalized) {
            // Where two columns contradict each other, the stricter one counts.
            let other = record.values[.isPublic].flatMap(ImportRow.level)
            return other.map(privacy.stricter) ?? privacy
        }
        record.fail(.privacy, "\(shown(name)) is not a privacy level; use public, family_only or private")
        return nil
    }

    /// Returns the privacy that a column such as Omeka's `public` says; an empty cell is an error, because the default
    /// could publish what the others in the column are kept from.
    private mutating func publicOrPrivate() -> Privacy? {
        guard let value = record.values[.isPublic] else {
            if let field = record.audience {
                let levels = field == .privacy ? "public, family_only or private" : "yes or no"
                record.fail(field, "is empty; write \(levels), or give --privacy for such rows")
            }
            return nil
        }
        guard let level = ImportRow.level(value) else {
            record.fail(.isPublic, "\(shown(value)) does not say whether the story is public; write yes or no")
            return nil
        }
        return level
    }

    /// Returns the privacy that an answer to "Is it public?" means; `nil` for anything but yes and no.
    private static func level(_ answer: String) -> Privacy? {
        switch answer.lowercased() {
        case "1", "true", "yes", "t", "y", "public": .public
        case "0", "false", "no", "f", "n", "private": .private
        default: nil
        }
    }

    /// Returns the date, of which the words are kept even if they cannot be parsed, with a warning.
    mutating func date(
        of kind: StoryKind,
        notAfter today: CalendarDay?,
        habit: inout DateHabit
    ) -> (date: StoryDate?, isAmbiguous: Bool) {
        guard let text = record.values[.date].map(ImportText.line), !text.isEmpty else { return (nil, false) }
        if let exact = StoryDate(text) {
            habit.note(exact: text)
            return (isFuture(exact, kind, today) ? nil : exact, false)
        }
        guard StoryLimits.fits(text, characters: StoryLimits.dateLength) else {
            record.fail(.date, ImportRow.tooLong(text, limit: StoryLimits.dateLength))
            return (nil, false)
        }
        let isAmbiguous = habit.note(text)
        let reading = DateReading(text)
        let date = reading.date(of: text)
        switch reading {
        case .date(let date): warnOfSign(date)
        case .unknown: warnOfYearZero(text)
        case .partial:
            record.warn(.date, "part of \(shown(text)) is not a date and is ignored; the rest was read")
        case .outOfRange:
            let years = "\(CalendarDay.years.lowerBound) to \(CalendarDay.years.upperBound)"
            record.warn(.date, "\(shown(text)) is outside of the years \(years); only its words are kept")
        case .unreadable where DateReading.hasSign(text.trimmed):
            record.warn(
                .date,
                "\(shown(text)) is not a year as EDTF writes it; only its words are kept. Write \"500 BC\" for a year before "
                    + "Christ, or \"until 1950\" if only the end is known"
            )
        case .unreadable:
            let problem = StoryDate.isWellFormed(text) ? StoryDate.noSuchDay : "is not a date"
            record.warn(.date, "\(shown(text)) \(problem); only its words are kept. Write YYYY, YYYY-MM or YYYY-MM-DD")
        }
        return (date.flatMap { isFuture($0, kind, today) ? nil : $0 }, isAmbiguous)
    }

    /// Warns of `-1950`, which means 1951 BC but may have been written for a span without a beginning.
    private mutating func warnOfSign(_ date: StoryDate) {
        guard date.text.hasPrefix("-"), let year = date.first?.components.year, year <= -1_000 else { return }
        record.warn(
            .date,
            "\(shown(date.text)) is read as \(1 - year) BC, as EDTF says; write \"until \(-year)\" if only the end is known"
        )
    }

    /// Warns of the year 0000, which in most archives stands for an unknown one; `0000-00-00` always does.
    private mutating func warnOfYearZero(_ text: String) {
        let hasMore = text.utf8.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
        guard text.hasPrefix("0000"), hasMore || text.utf8.count == 4 else { return }
        record.warn(
            .date,
            "\(shown(text)) is taken for an unknown year; only its words are kept. Write \"1 BC\" if it is meant"
        )
    }

    /// Returns whether a date is in the future, which is an error.
    private mutating func isFuture(_ date: StoryDate, _ kind: StoryKind, _ today: CalendarDay?) -> Bool {
        guard let today, StoryLimits.isFuture(date, of: kind, on: today) else { return false }
        record.fail(.date, "\(shown(date.text)) is in the future; only a story of the kind event may lie ahead")
        return true
    }

    /// Returns a list without duplicates, from a list or a text with items separated by `;`, `|` or `,`.
    mutating func list(_ field: ImportField) -> [String] {
        guard let text = record.values[field] else { return [] }
        let parts =
            record.lists[field] ?? ImportText.array(text)
            ?? ImportText.parts(text, splitsAtCommas: field != .people && field != .mentions)
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

    /// Returns a web URL; anything else is dropped with a warning, because it would be a dead or dangerous link.
    mutating func url(_ field: ImportField) -> String? {
        guard let url = line(field, limit: StoryLimits.urlLength) else { return nil }
        // A file from elsewhere cannot refer to a path on the service itself.
        if StoryLimits.isWebAddress(url), !url.hasPrefix("/") { return url }
        record.warn(field, ImportRow.notOfTheWeb(url))
        return nil
    }
}
