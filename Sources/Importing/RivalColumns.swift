import Geometry

/// Columns that were not read in some rows, because a preferred one gives the same field there.
struct RivalColumns {
    private var rows: [String: (preferred: String, count: Int)] = [:]

    /// More columns than that are not remembered.
    private static let most = 100
    /// The number of columns that a remark names.
    private static let mostNamed = 5

    /// Takes note of a value that was left out beside the one that was read; not of an equal one, nor of a second id.
    mutating func note(
        _ name: String,
        _ value: String,
        besides preferred: String,
        _ read: String,
        as field: ImportField
    ) {
        guard field != .id, !value.isEmpty, value != read, !RivalColumns.isSameNumber(value, read) else { return }
        guard let known = rows[name] else {
            if rows.count < RivalColumns.most { rows[name] = (preferred, 1) }
            return
        }
        rows[name] = (known.preferred, known.count + 1)
    }

    /// A remark that names the columns; `nil` if nothing was left out.
    func remark(_ file: ImportFile) -> ImportProblem? {
        guard !rows.isEmpty else { return nil }
        let names = rows.sorted { $0.key < $1.key }
            .prefix(RivalColumns.mostNamed)
            .map { name, other in
                let count = other.count == 1 ? "1 row" : "\(other.count) rows"
                return "\(name.prefix(40)) (\(count), beside \(other.preferred.prefix(40)))"
            }
        let more = rows.count > RivalColumns.mostNamed ? " and \(rows.count - RivalColumns.mostNamed) more" : ""
        return file.warning(
            "values were left out where another column gives the same field: \(names.joined(separator: ", "))\(more); write them "
                + "into one column, or choose it with --map"
        )
    }

    /// Returns whether two texts are the same number, as far as positions need it.
    private static func isSameNumber(_ first: String, _ second: String) -> Bool {
        guard let first = DecimalText.number(first), let second = DecimalText.number(second) else { return false }
        return abs(first - second) < 0.00001
    }
}
