import Formats

/// Finds remnants of spreadsheets in tables: errors of formulas, and rows of totals.
enum SheetRemnant {
    /// The errors of Excel in English, German, French and Spanish, and of LibreOffice.
    private static let errors: Set<String> = [
        "#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#SPILL!", "#CALC!", "#GETTING_DATA", "#NV",
        "#BEZUG!",
        "#WERT!", "#ZAHL!", "#VALEUR!", "#NOM?", "#NOMBRE!", "#NUL!", "#N/D", "#¡REF!", "#¡VALOR!", "#¡DIV/0!",
        "#¿NOMBRE?",
        "#¡NUM!", "#¡NULO!",
    ]
    /// The fields whose error is not read as empty, because their value restricts what is shown.
    static let strict: Set<ImportField> = [
        .privacy, .isPublic, .family, .precision, .cell, .familySeesExact, .locationSource, .locationConfirmed,
    ]

    /// Returns whether a value is the error of a formula, which is then reported and read as empty.
    static func isError(_ value: String, of field: ImportField, _ record: inout ImportRecord) -> Bool {
        guard let first = value.utf8.first, first == UInt8(ascii: "#") || first == UInt8(ascii: "E") else {
            return false
        }
        guard errors.contains(value) || isErrorNumber(value), !strict.contains(field) else { return false }
        record.warn(field, "\(value) is the error of a formula and is read as empty")
        return true
    }

    /// Returns whether a value is an error of LibreOffice: `Err:502`.
    private static func isErrorNumber(_ value: String) -> Bool {
        value.utf8.count == 7 && value.hasPrefix("Err:5") && value.dropFirst(4).allSatisfy(\.isNumber)
    }

    private static let sums: Set<String> = [
        "total", "totals", "grand total", "subtotal", "sum", "count", "gesamt", "summe", "gesamtsumme", "zwischensumme",
        "anzahl",
        "somme", "total général", "suma", "total general", "totale", "soma",
    ]
    private static let nouns: Set<String> = ["records", "rows", "items", "entries", "stories", "objects"]

    /// Warns of a row that has the title of a sum and nothing that a story has.
    static func warnOfTotals(_ record: inout ImportRecord) {
        guard let title = record.values[.title], record.values[.text] == nil, record.values[.date] == nil,
            record.values[.latitude] == nil, record.values[.position] == nil
        else { return }
        let texts = [title, record.values[.id] ?? ""]
        guard let sum = texts.first(where: { $0.utf8.count <= 40 && isSum($0.lowercased()) }) else { return }
        record.warn(
            .title,
            "\"\(sum)\" looks like a row of totals and becomes a story; if it is none, remove the row"
        )
    }

    /// The first and the last words of all such titles, by which the others are put aside quickly.
    private static let ends = Set(
        (sums.union(nouns))
            .flatMap { title in
                let words = title.split(separator: " ")
                return [words.first, words.last].compactMap { $0.map(String.init) }
            }
    )

    /// Returns whether a title is "Total", "Total: 245" or "245 records".
    private static func isSum(_ title: String) -> Bool {
        let (first, last) = (title.prefix { $0.isLetter }, title.reversed().prefix { $0.isLetter }.reversed())
        guard ends.contains(String(first)) || ends.contains(String(last)) else { return false }
        let words = title.split { $0 == " " || $0 == ":" || $0 == "=" }.map(String.init)
        let rest = words.filter { $0.contains { !$0.isNumber && $0 != "," && $0 != "." } }.joined(separator: " ")
        return sums.contains(rest) || (words.count == 2 && rest != title && nouns.contains(rest))
    }
}
