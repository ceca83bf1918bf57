/// Rows with a position that leave open how exactly it is shown, beside rows that limit it.
///
/// The default shows the exact point, which may not be what was meant.
struct PrecisionGaps {
    private var firstBlank: Int?
    private var isLimited = false

    /// Looks at a row as it was read.
    mutating func see(_ record: ImportRecord) {
        if let word = record.values[.precision] {
            if !isLimited { isLimited = ["approximate", "hidden"].contains(ImportField.normalized(word)) }
        } else if firstBlank == nil, record.values[.cell] == nil, record.givesPosition {
            firstBlank = record.row
        }
    }

    /// A remark on the first such row, after the last row of a file; `nil` if there is none.
    func remark(_ file: ImportFile) -> ImportProblem? {
        guard isLimited, let firstBlank else { return nil }
        return file.warning(
            "is empty, so that the exact place is shown, while other rows say approximate or hidden; write exact if that is meant",
            row: firstBlank,
            field: ImportField.precision.title
        )
    }
}
