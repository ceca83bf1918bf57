/// Says dates as people do: "1936", "May 1936", "4 May 1936", "1936 to 1941".
struct DateWords: Sendable {
    private let language: PageLanguage

    init(_ language: PageLanguage) { self.language = language }

    /// Returns a story's date in words; a text that is no such date unchanged.
    func words(_ text: String) -> String {
        let ends = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard ends.count == 2, ends[0] != ends[1] else { return day(ends.count == 2 ? ends[0] : text) }
        return language.words(.dates(from: day(ends[0]), to: day(ends[1])))
    }

    private func day(_ text: String) -> String {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let lengths = [4, 2, 2]
        let isPlain = zip(parts, lengths)
            .allSatisfy { part, length in
                part.utf8.count == length && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
        guard isPlain, (2...3).contains(parts.count), let month = Int(parts[1]), (1...12).contains(month) else {
            return text
        }
        let (name, year) = (language.words(.month(month)), String(parts[0]))
        guard parts.count == 3, let day = Int(parts[2]) else {
            return language.words(.monthOfYear(month: name, year: year))
        }
        return language.words(.dayOfMonth(day: day, month: name, year: year))
    }
}
