/// Says dates as people do: "1936", "May 1936", "4 May 1936", "1936 to 1941".
struct DateWords: Sendable {
    private let language: PageLanguage

    init(_ language: PageLanguage) { self.language = language }

    /// Returns a story's date in words; a text that is no such date unchanged, as it was written.
    func words(_ text: String) -> String {
        let ends = text.split(separator: "/", omittingEmptySubsequences: false).map { day(String($0)) }
        switch ends.count {
        case 1: return ends[0] ?? text
        case 2:
            guard let from = ends[0], let to = ends[1] else { return text }
            return from == to ? from : language.words(.dates(from: from, to: to))
        default: return text
        }
    }

    /// Returns a year, a month or a day in words, or `nil` for any other text.
    private func day(_ text: String) -> String? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let lengths = [4, 2, 2]
        let isPlain = zip(parts, lengths)
            .allSatisfy { part, length in
                part.utf8.count == length && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
        guard isPlain, (1...3).contains(parts.count) else { return nil }
        guard parts.count > 1 else { return text }
        guard let month = Int(parts[1]), (1...12).contains(month) else { return nil }
        let (name, year) = (language.words(.month(month)), String(parts[0]))
        guard parts.count == 3, let day = Int(parts[2]) else {
            return language.words(.monthOfYear(month: name, year: year))
        }
        return language.words(.dayOfMonth(day: day, month: name, year: year))
    }
}
