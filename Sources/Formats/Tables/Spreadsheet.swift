/// The first visible sheet of a workbook, as a table in CSV: Office Open XML (`.xlsx`) or OpenDocument (`.ods`).
///
/// Written here on top of the zip and XML readers, because the libraries that Debian packages for this are either C++
/// (OpenXLSX, ixion/orcus) or write only (libxlsxwriter); of both formats only cells, dates and sheet names matter here.
public struct Spreadsheet: Sendable {
    /// The reason a workbook could not be read.
    public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// The archive is damaged, or is compressed in an unsupported way.
        case archive(ZipReader.Failure)
        /// The archive is neither an `.xlsx` nor an `.ods` file.
        case notAWorkbook
        /// The archive is a text document (`.docx`).
        case textDocument
        /// A part of the workbook is missing or is not as the format says.
        case damaged(part: String)
        /// A part, or the sheet as text, has more bytes than allowed.
        case tooLarge(limit: Int)
        /// Every sheet is hidden or empty.
        case empty

        /// One sentence without a full stop.
        public var description: String {
            switch self {
            case .archive(let failure): failure.description
            case .notAWorkbook: "the file is a zip archive, but no workbook (.xlsx, .ods) and no KMZ; unpack it"
            case .textDocument:
                "the file is a text document; copy its table into a spreadsheet, and save that as .xlsx or .csv"
            case .damaged(let part): "the workbook is damaged: \(part) cannot be read; open it and save it again"
            case .tooLarge(let limit): "the sheet has more than \(limit) bytes; split it"
            case .empty: "no visible sheet of the workbook has cells with values"
            }
        }
    }

    /// The formats.
    public enum Kind: Sendable {
        /// Office Open XML.
        case xlsx
        /// OpenDocument.
        case ods
    }

    /// The format.
    public let kind: Kind
    /// The rows with values, in CSV with commas in UTF-8.
    public let csv: [UInt8]
    /// The row in the sheet of each record of ``csv``, starting at one.
    public let rows: [Int]
    /// The name of the sheet.
    public let name: String
    /// The names of other visible sheets, which are not read.
    public let otherNames: [String]
    /// The number of hidden rows among ``rows``.
    public let hiddenRows: Int
    /// Whether a value stands in a hidden column.
    public let hasHiddenColumns: Bool
    /// The cells that span several rows, of which only the first has the value.
    public let merges: [MergedCells]
    /// Comments on cells of the sheet, headers and footers of its pages, and the workbook's properties, such as keywords.
    package let notes: [FileNote]

    /// Reads a workbook.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - limit: the maximum size in bytes of each unpacked part, and of ``csv``.
    /// - Throws: ``Failure``.
    /// - Complexity: O(unpacked bytes).
    public init(_ bytes: [UInt8], limit: Int) throws(Failure) {
        let parts = try WorkbookParts(bytes, limit: limit)
        let sheet: SheetTable
        var properties = DocumentProperties()
        if parts.has("xl/workbook.xml") {
            kind = .xlsx
            (sheet, otherNames) = try OpenXMLWorkbook.sheet(of: parts)
            for name in ["docProps/core.xml", "docProps/custom.xml"] where parts.has(name) {
                try parts.read(name, into: &properties)
            }
        } else if parts.has("content.xml"), !parts.has("META-INF/container.xml") {
            kind = .ods
            (sheet, otherNames) = try OpenDocumentSheets.sheet(of: parts)
            if parts.has("meta.xml") { try parts.read("meta.xml", into: &properties) }
        } else {
            guard !parts.has("word/document.xml") else { throw .textDocument }
            throw .notAWorkbook
        }
        guard !sheet.rows.isEmpty else { throw .empty }
        (name, csv, rows, hiddenRows) = (sheet.name, sheet.csv, sheet.rows, sheet.hiddenRows)
        (hasHiddenColumns, merges) = (sheet.hasHiddenColumns, sheet.merges)
        notes = sheet.notes + properties.notes
    }
}

/// Cells of several rows that a spreadsheet shows as one.
public struct MergedCells: Hashable, Sendable {
    /// The cells as people name them: `E2:E5`.
    public let cells: String
    /// The first row, from one.
    public let first: Int
    /// The last row.
    public let last: Int
}

/// The parts of a workbook's archive.
struct WorkbookParts {
    let limit: Int
    private let archive: ZipReader

    /// The maximum nesting of elements; workbooks need about ten.
    static let depth = 64

    /// How much larger than its archive a workbook may become; real ones stay far below.
    private static let expansion = 200
    private static let always = 64 << 20

    init(_ bytes: [UInt8], limit: Int) throws(Spreadsheet.Failure) {
        self.limit = min(limit, Self.always + bytes.count * Self.expansion)
        do {
            archive = try ZipReader(bytes)
        } catch {
            throw Spreadsheet.Failure(error)
        }
    }

    func has(_ name: String) -> Bool { archive.entries.contains { $0.name == name } }

    /// Returns a part unpacked, or `nil` if there is none with this name.
    func part(_ name: String) throws(Spreadsheet.Failure) -> [UInt8]? {
        guard let entry = archive.entries.first(where: { $0.name == name }) else { return nil }
        do {
            return try archive.bytes(of: entry, limit: limit)
        } catch {
            throw Spreadsheet.Failure(error, limit: limit)
        }
    }

    /// Reads a part that must be there.
    func read(_ name: String, into handler: inout some XMLElementHandler) throws(Spreadsheet.Failure) {
        guard let part = try part(name) else { throw .damaged(part: name) }
        do {
            try XMLScanner.read(try XMLText.prepared(part), depth: Self.depth, into: &handler)
        } catch let failure as Spreadsheet.Failure {
            throw failure
        } catch {
            throw .damaged(part: name)
        }
    }
}

extension Spreadsheet.Failure {
    fileprivate init(_ error: any Error, limit: Int = 0) {
        switch error {
        case ZipReader.Failure.tooLarge: self = .tooLarge(limit: limit)
        case let failure as ZipReader.Failure: self = .archive(failure)
        default: self = .archive(.damaged)
        }
    }
}

/// Collects the rows of a sheet as CSV.
struct SheetTable {
    let name: String
    private let limit: Int
    private(set) var csv: [UInt8] = []
    private(set) var rows: [Int] = []
    private(set) var hiddenRows = 0
    private(set) var hasHiddenColumns = false
    private(set) var merges: [MergedCells] = []
    private(set) var notes: [FileNote] = []
    private var hiddenColumns: [ClosedRange<Int>] = []
    private var cells: [String] = []

    /// The maximum number of columns, as in Excel.
    static let columns = 16_384

    init(name: String, limit: Int) {
        self.name = name
        self.limit = limit
    }

    /// Sets a cell of the current row; cells come in the order of their columns.
    mutating func set(_ text: String, column: Int) {
        guard !text.isEmpty, (0..<Self.columns).contains(column) else { return }
        if !hasHiddenColumns { hasHiddenColumns = hiddenColumns.contains { $0.contains(column) } }
        while cells.count < column { cells.append("") }
        if cells.count == column { cells.append(text) } else { cells[column] = text }
    }

    /// Notes hidden columns, by their numbers from zero.
    mutating func hide(_ columns: ClosedRange<Int>) {
        if hiddenColumns.count < 100 { hiddenColumns.append(columns) }
    }

    /// Notes cells that are one; those of a single row are left out, because a table has its names in one row.
    mutating func merge(_ cells: MergedCells) {
        if cells.last > cells.first, merges.count < 1_000 { merges.append(cells) }
    }

    /// Notes a text beside the cells; an empty one is left out.
    mutating func note(_ name: String, _ text: String) {
        if !text.isEmpty, notes.count < 1_000 { notes.append(FileNote(name: name, value: text)) }
    }

    /// Ends the current row, which stands in the sheet `count` times; a row without values is left out.
    mutating func endRow(number: Int, count: Int = 1, isHidden: Bool = false) throws(Spreadsheet.Failure) {
        defer { cells.removeAll(keepingCapacity: true) }
        guard !cells.isEmpty else { return }
        let record = CSVWriter.row(cells)
        for index in 0..<max(1, count) {
            guard csv.count + record.count <= limit else { throw .tooLarge(limit: limit) }
            csv += record
            rows.append(number + index)
            if isHidden { hiddenRows += 1 }
        }
    }
}
