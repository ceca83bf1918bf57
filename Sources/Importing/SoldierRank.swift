/// A rank behind a soldier's name: "Smith, John (Private)".
///
/// So may an interview be marked. Only a row that names a unit of an army has ranks.
enum SoldierRank {
    private static let mark = " (Private)"
    private static let units: Set<String> = [
        "infantry", "regiment", "regt", "battalion", "artillery", "cavalry", "brigade", "platoon", "grenadiers",
        "fusiliers",
    ]
    /// The number of characters of each field that are read.
    private static let start = 2_000

    /// Returns whether a title is a name with a rank, in a row that names a unit.
    static func isRank(_ title: String, in record: ImportRecord) -> Bool {
        guard title.hasSuffix(mark) else { return false }
        let names = title.dropLast(mark.count).split(separator: ",", omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy({ isName(String($0).trimmed) }) else { return false }
        return [.text, .tags, .collection].compactMap { record.values[$0] }
            .contains { PrivacyWords.words(String($0.prefix(start))).contains(where: units.contains) }
    }

    /// Returns whether a text is one to three words with capital letters.
    private static func isName(_ text: String) -> Bool {
        let words = text.split(separator: " ")
        return (1...3).contains(words.count)
            && words.allSatisfy { word in
                word.first?.isUppercase == true && word.allSatisfy { $0.isLetter || ".'’-".contains($0) }
            }
    }
}
