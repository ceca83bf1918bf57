import Formats

/// A table in CSV with flat columns that imports recognise.
struct TableForm: TextForm {
    private let columns: [ExportColumn]

    init(_ options: ExportOptions) { columns = ExportColumn.table(options) }

    var head: [UInt8] { CSVWriter.row(columns.map(\.name)) }

    func bytes(of story: ExportedStory) -> [UInt8]? { CSVWriter.row(columns.map { $0.value(story).text }) }
}
