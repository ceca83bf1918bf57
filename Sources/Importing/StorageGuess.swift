import Formats

/// Whether a column `location` says where objects are kept, and not where stories happened.
///
/// Catalogues of museums have such a column. Its shelves would be shown as the places of the stories, and would tell thieves
/// where to look.
struct StorageGuess {
    private var values = 0
    private var shelves = 0
    private var first: String?

    /// What looks like the place of an object if a number or a letter follows, or stands alone.
    private static let containers: Set<String> = [
        "shelf", "shelves", "shelving", "box", "folder", "drawer", "cabinet", "vault", "rack", "aisle", "bay", "bin",
        "tray",
        "cupboard", "crate", "storage", "stacks", "regal", "fach", "kiste", "schrank", "schublade", "karton", "magazin",
        "depot",
        "étagère", "boîte", "carton", "tiroir", "armoire", "rayon", "réserve", "estante", "caja", "cajón", "armario",
        "gaveta",
        "caixa",
    ]

    /// Returns the column to look at: one called `location` that the operator did not choose.
    static func column(of header: [String], _ meanings: [ColumnPlan.Meaning]) -> Int? {
        zip(header, meanings).enumerated()
            .first { _, column in
                guard case .field(.place, let rank) = column.1, rank >= 0 else { return false }
                return ["location", "location_name"].contains(ImportField.normalized(column.0))
            }
            .map(\.offset)
    }

    /// Whether most values so far are places in a building.
    var isLikely: Bool { shelves > 0 && shelves * 2 >= values }

    /// The first of them, for a message.
    var example: String { "\"\(ImportText.shortened(ImportText.line(first ?? ""), limit: 40))\"" }

    /// Looks at the value of a row.
    mutating func see(_ value: String) {
        guard !value.isEmpty else { return }
        values += 1
        guard StorageGuess.isShelf(value) else { return }
        shelves += 1
        if first == nil { first = value }
    }

    /// Returns whether a value is a shelf: "Shelf B-12", "Vault 2, Box 14", "Storage", but not "Box Elder, Utah".
    private static func isShelf(_ value: String) -> Bool {
        guard value.utf8.count <= 200 else { return false }
        let words = value.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        return words.indices.contains { index in
            guard containers.contains(words[index]) else { return false }
            guard words.indices.contains(index + 1) else { return words.count == 1 }
            let next = words[index + 1]
            return next.count == 1 || next.contains(where: \.isNumber)
        }
    }
}
