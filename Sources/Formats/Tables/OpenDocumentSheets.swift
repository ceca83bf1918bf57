/// Reads the first visible sheet of an `.ods` file (OpenDocument 1.3).
enum OpenDocumentSheets {
    static func sheet(of parts: WorkbookParts) throws(Spreadsheet.Failure) -> (SheetTable, others: [String]) {
        var reader = ContentReader(limit: parts.limit)
        try parts.read("content.xml", into: &reader)
        guard let table = reader.found else { throw .empty }
        return (table, reader.names.filter { $0 != table.name })
    }
}

private struct ContentReader: XMLElementHandler {
    let limit: Int
    /// The first visible sheet with values.
    var found: SheetTable?
    /// The names of all visible sheets.
    var names: [String] = []
    private var hiddenStyles: Set<String> = []
    private var style = ""
    private var table: SheetTable?
    private var row = 0
    private var rowCount = 1
    private var isHidden = false
    private var column = 0
    /// The number of columns declared so far.
    private var columns = 0
    private var columnCount = 1
    private var attributes: [String: String] = [:]
    private var paragraphs: [String] = []
    private var paragraph: String?
    /// The number of blanks so far that the file has as counts.
    private var spaces = 0
    /// The number of open elements of a cell's comment, whose text does not belong to the cell.
    private var comment = 0
    private var commentText = ""
    /// Whether a paragraph of a comment is open; its writer and date stand beside it.
    private var isInCommentText = false

    /// The rows of a sheet, at most; also bounds the repetition of one row.
    private static let rows = 1 << 20

    init(limit: Int) { self.limit = limit }

    mutating func start(_ name: String, attributes: [String: String], line: Int) throws {
        switch name {
        case "style": style = attributes["style:name"] ?? ""
        case "table-properties": if attributes["table:display"] == "false" { hiddenStyles.insert(style) }
        case "table": begin(attributes)
        case "table-row":
            rowCount = Self.count(attributes["table:number-rows-repeated"], most: Self.rows)
            isHidden = (attributes["table:visibility"] ?? "visible") != "visible"
            column = 0
        case "table-cell", "covered-table-cell":
            columnCount = Self.count(attributes["table:number-columns-repeated"], most: SheetTable.columns)
            self.attributes = attributes
            paragraphs = []
            let span = Self.count(attributes["table:number-rows-spanned"], most: Self.rows)
            table?
                .merge(
                    MergedCells(
                        cells: "in column \(column + 1), rows \(row + 1) to \(row + span),",
                        first: row + 1,
                        last: row + span
                    )
                )
        case "table-column":
            let count = Self.count(attributes["table:number-columns-repeated"], most: SheetTable.columns)
            if (attributes["table:visibility"] ?? "visible") != "visible" {
                table?.hide(columns...(columns + count - 1))
            }
            columns += count
        case "annotation":
            comment += 1
            commentText = ""
        case "p" where comment == 0: paragraph = ""
        case "p": isInCommentText = true
        case "s" where comment == 0:
            let count = Self.count(attributes["text:c"], most: 1_000)
            // A few bytes of the file stand for many of the sheet.
            spaces += count
            guard spaces <= limit else { throw Spreadsheet.Failure.tooLarge(limit: limit) }
            paragraph? += String(repeating: " ", count: count)
        case "tab" where comment == 0: paragraph? += "\t"
        case "line-break" where comment == 0: paragraph? += "\n"
        default: break
        }
    }

    mutating func mixed(_ text: String) {
        if comment == 0 { paragraph? += text } else if isInCommentText { commentText += text }
    }

    mutating func end(_ name: String, text: String, line: Int) throws {
        if comment == 0 { paragraph? += text }
        if isInCommentText { commentText += text }
        switch name {
        case "annotation":
            comment -= 1
            table?.note("the comment in row \(row + 1), column \(column + 1)", commentText)
        case "p" where comment > 0:
            isInCommentText = false
            commentText += " "
        case "p" where comment == 0:
            if let paragraph { paragraphs.append(paragraph) }
            paragraph = nil
        case "table-cell", "covered-table-cell":
            let value = value()
            if table != nil, !value.isEmpty {
                let room = min(columnCount, SheetTable.columns - column)
                for index in 0..<room { table?.set(value, column: column + index) }
            }
            column = min(column + columnCount, SheetTable.columns)
        case "table-row":
            try table?.endRow(number: row + 1, count: rowCount, isHidden: isHidden)
            row = min(row + rowCount, Self.rows)
        case "table":
            if found == nil, let table, !table.rows.isEmpty { found = table }
            table = nil
        default: break
        }
    }

    private mutating func begin(_ attributes: [String: String]) {
        guard !hiddenStyles.contains(attributes["table:style-name"] ?? "") else { return }
        let name = attributes["table:name"] ?? ""
        if names.count < 10_000 { names.append(name) }
        (row, column, columns) = (0, 0, 0)
        if found == nil { table = SheetTable(name: name, limit: limit) }
    }

    private func value() -> String {
        switch attributes["office:value-type"] {
        case "float", "percentage", "currency": SheetNumber.plain(attributes["office:value"] ?? "")
        case "date": Self.date(attributes["office:date-value"] ?? "")
        case "boolean": attributes["office:boolean-value"] ?? ""
        default: attributes["office:string-value"] ?? paragraphs.joined(separator: "\n")
        }
    }

    /// Returns a date without the midnight that some programs add.
    private static func date(_ text: String) -> String {
        text.hasSuffix("T00:00:00") ? String(text.dropLast(9)) : text
    }

    private static func count(_ text: String?, most: Int) -> Int {
        text.flatMap { Int($0) }.map { min(max($0, 1), most) } ?? 1
    }
}
