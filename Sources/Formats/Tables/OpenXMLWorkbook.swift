/// Reads the first visible sheet of an `.xlsx` file (ECMA-376).
enum OpenXMLWorkbook {
    static func sheet(of parts: WorkbookParts) throws(Spreadsheet.Failure) -> (SheetTable, others: [String]) {
        var book = Book()
        try parts.read("xl/workbook.xml", into: &book)
        var relations = Relations()
        try parts.read("xl/_rels/workbook.xml.rels", into: &relations)
        var shared = SharedStrings(limit: parts.limit)
        if let name = relations.target(ofType: "/sharedStrings") { try parts.read(name, into: &shared) }
        var styles = Styles()
        if let name = relations.target(ofType: "/styles") { try parts.read(name, into: &styles) }
        let visible = book.sheets.filter { !$0.isHidden }
        for sheet in visible {
            // A chart or a macro sheet has no cells.
            guard let target = relations.targets[sheet.relation], target.type.hasSuffix("/worksheet") else { continue }
            var reader = SheetReader(
                table: SheetTable(name: sheet.name, limit: parts.limit),
                strings: shared.strings,
                styles: styles.cells,
                from1904: book.from1904
            )
            try parts.read(target.path, into: &reader)
            if reader.table.rows.isEmpty { continue }
            let table = try commented(reader.table, target.path, parts)
            return (table, visible.map(\.name).filter { $0 != sheet.name })
        }
        throw .empty
    }

    /// Returns the table of a sheet with the comments on its cells.
    private static func commented(
        _ table: SheetTable,
        _ path: String,
        _ parts: WorkbookParts
    ) throws(Spreadsheet.Failure) -> SheetTable {
        let name = path.split(separator: "/").last ?? ""
        let folder = path.dropLast(name.count)
        let list = "\(folder)_rels/\(name).rels"
        guard parts.has(list) else { return table }
        var relations = Relations(folder: String(folder))
        try parts.read(list, into: &relations)
        var comments = OpenXMLComments(table: table)
        for type in ["/comments", "/threadedComment"] {
            if let path = relations.target(ofType: type), parts.has(path) { try parts.read(path, into: &comments) }
        }
        return comments.table
    }
}

/// The list of sheets.
private struct Book: XMLElementHandler {
    struct Sheet {
        let name: String
        let relation: String
        let isHidden: Bool
    }

    var sheets: [Sheet] = []
    var from1904 = false

    mutating func start(_ name: String, attributes: [String: String], line: Int) {
        switch name {
        case "workbookPr": from1904 = ["1", "true"].contains(attributes["date1904"])
        case "sheet" where sheets.count < 10_000:
            let relation = attributes.first { $0.key == "id" || $0.key.hasSuffix(":id") }?.value ?? ""
            let state = attributes["state"] ?? "visible"
            sheets.append(Sheet(name: attributes["name"] ?? "", relation: relation, isHidden: state != "visible"))
        default: break
        }
    }

    mutating func end(_ name: String, text: String, line: Int) {}
}

/// Which part is meant by which id.
private struct Relations: XMLElementHandler {
    var targets: [String: (type: String, path: String)] = [:]
    private let folder: String

    /// Creates the relations of a part in a folder, which ends with a slash.
    init(folder: String = "xl/") { self.folder = folder }

    func target(ofType ending: String) -> String? {
        targets.values.filter { $0.type.hasSuffix(ending) }.map(\.path).min()
    }

    mutating func start(_ name: String, attributes: [String: String], line: Int) {
        guard name == "Relationship", let id = attributes["Id"], let target = attributes["Target"] else { return }
        targets[id] = (attributes["Type"] ?? "", path(target))
    }

    mutating func end(_ name: String, text: String, line: Int) {}
}

extension Relations {
    /// Returns the path in the archive of a target such as `../comments1.xml`.
    private func path(_ target: String) -> String {
        if target.hasPrefix("/") { return String(target.dropFirst()) }
        var folders = folder.split(separator: "/")
        var rest = target[...]
        while rest.hasPrefix("../") {
            rest = rest.dropFirst(3)
            _ = folders.popLast()
        }
        return (folders + [rest]).joined(separator: "/")
    }
}

/// The texts that cells refer to by number.
private struct SharedStrings: XMLElementHandler {
    let limit: Int
    var strings: [String] = []
    private var text = ""
    private var bytes = 0
    private var phonetic = 0

    init(limit: Int) { self.limit = limit }

    mutating func start(_ name: String, attributes: [String: String], line: Int) {
        if name == "si" { text = "" }
        if name == "rPh" { phonetic += 1 }
    }

    mutating func end(_ name: String, text run: String, line: Int) throws {
        switch name {
        // Pronunciations are no part of the text.
        case "rPh": phonetic -= 1
        case "t" where phonetic == 0: text += ExcelEscapes.decoded(run)
        case "si":
            bytes += text.utf8.count
            guard bytes <= limit else { throw Spreadsheet.Failure.tooLarge(limit: limit) }
            strings.append(text)
        default: break
        }
    }
}

/// The number formats of cells by the number of their style.
private struct Styles: XMLElementHandler {
    var cells: [SheetNumber.Style] = []
    private var codes: [Int: SheetNumber.Style] = [:]
    private var isInCells = false

    mutating func start(_ name: String, attributes: [String: String], line: Int) {
        switch name {
        case "numFmt":
            guard let id = attributes["numFmtId"].flatMap({ Int($0) }) else { return }
            codes[id] = SheetNumber.style(code: attributes["formatCode"] ?? "")
        case "cellXfs": isInCells = true
        case "xf" where isInCells:
            let id = attributes["numFmtId"].flatMap { Int($0) } ?? 0
            cells.append(codes[id] ?? SheetNumber.style(builtIn: id))
        default: break
        }
    }

    mutating func end(_ name: String, text: String, line: Int) {
        if name == "cellXfs" { isInCells = false }
    }
}

/// The cells of one sheet.
private struct SheetReader: XMLElementHandler {
    var table: SheetTable
    let strings: [String]
    let styles: [SheetNumber.Style]
    let from1904: Bool
    private var row = 0
    private var isHidden = false
    private var column = -1
    private var type = ""
    private var style = SheetNumber.Style.plain
    private var value = ""
    private var inline = ""
    private var phonetic = 0

    init(table: SheetTable, strings: [String], styles: [SheetNumber.Style], from1904: Bool) {
        self.table = table
        self.strings = strings
        self.styles = styles
        self.from1904 = from1904
    }

    mutating func start(_ name: String, attributes: [String: String], line: Int) {
        switch name {
        case "row":
            // A row without its number follows the one before.
            row = attributes["r"].flatMap { Int($0) }.map { min(max($0, 1), 1 << 30) } ?? row + 1
            isHidden = ["1", "true"].contains(attributes["hidden"])
            column = -1
        case "c":
            column = attributes["r"].flatMap(SheetReader.column) ?? min(column, SheetTable.columns) + 1
            type = attributes["t"] ?? "n"
            let index = attributes["s"].flatMap { Int($0) } ?? -1
            style = styles.indices.contains(index) ? styles[index] : .plain
            (value, inline) = ("", "")
        case "rPh": phonetic += 1
        case "col" where ["1", "true"].contains(attributes["hidden"]):
            let ends = ["min", "max"].compactMap { attributes[$0].flatMap { Int($0) } }
            if ends.count == 2, ends[0] >= 1, ends[0] <= ends[1] { table.hide(ends[0] - 1...ends[1] - 1) }
        case "mergeCell": merge(attributes["ref"] ?? "")
        default: break
        }
    }

    private mutating func merge(_ cells: String) {
        let rows = cells.split(separator: ":").map { Int($0.drop { !$0.isNumber }) }
        guard rows.count == 2, let first = rows[0], let last = rows[1] else { return }
        table.merge(MergedCells(cells: String(cells.prefix(30)), first: first, last: last))
    }

    mutating func end(_ name: String, text: String, line: Int) throws {
        switch name {
        case "v": value = text
        case "t" where phonetic == 0: inline += ExcelEscapes.decoded(text)
        case "rPh": phonetic -= 1
        case "c": table.set(try content(), column: column)
        case "row": try table.endRow(number: row, isHidden: isHidden)
        case _ where OpenXMLPageText.elements.contains(name):
            table.note("the text of printed pages", OpenXMLPageText.words(text))
        default: break
        }
    }

    private func content() throws -> String {
        switch type {
        case "s":
            if value.isEmpty { return "" }
            guard let index = Int(value), strings.indices.contains(index) else {
                throw Spreadsheet.Failure.damaged(part: "a shared text")
            }
            return strings[index]
        case "inlineStr": return inline
        case "str": return ExcelEscapes.decoded(value)
        case "e", "d": return value
        case "b": return value == "1" ? "true" : value == "0" ? "false" : value
        default: return SheetNumber.text(value, style: style, from1904: from1904)
        }
    }

    /// Returns the column of a cell such as `AB12`, starting at zero; `nil` if it is none that Excel has.
    private static func column(of cell: String) -> Int? {
        var column = 0
        for byte in cell.utf8.prefix(4) {
            guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) else { break }
            column = column * 26 + Int(byte - UInt8(ascii: "A")) + 1
        }
        return (1...SheetTable.columns).contains(column) ? column - 1 : nil
    }
}
