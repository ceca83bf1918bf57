/// Reads the comments on the cells of an `.xlsx` sheet: the older kind, and threads of them.
struct OpenXMLComments: XMLElementHandler {
    var table: SheetTable
    private var cell = ""
    private var words = ""

    init(table: SheetTable) { self.table = table }

    mutating func start(_ name: String, attributes: [String: String], line: Int) {
        guard name == "comment" || name == "threadedComment" else { return }
        (cell, words) = (String((attributes["ref"] ?? "").prefix(10)), "")
    }

    mutating func end(_ name: String, text: String, line: Int) {
        switch name {
        case "t", "text": words += text
        case "comment", "threadedComment": table.note("the comment on \(cell)", words)
        default: break
        }
    }
}

/// The header and the footer of printed pages in an `.xlsx` sheet (ECMA-376, 18.3.1.46).
enum OpenXMLPageText {
    static let elements: Set<String> = [
        "oddHeader", "evenHeader", "firstHeader", "oddFooter", "evenFooter", "firstFooter",
    ]

    /// Returns the words of a header or footer without its codes: `&C` for the middle, `&"Arial,Bold"`, `&12`, `&P`.
    static func words(_ text: String) -> String {
        var words = ""
        var rest = text[...]
        while let code = rest.firstIndex(of: "&") {
            words += rest[..<code]
            rest = rest[code...].dropFirst()
            if rest.first == "\"" {
                rest = rest.dropFirst().drop { $0 != "\"" }.dropFirst()
            } else if rest.first?.isNumber == true {
                rest = rest.drop { $0.isNumber }
            } else if rest.first == "K" {
                rest = rest.dropFirst(7)
            } else {
                words += rest.first == "&" ? "&" : " "
                rest = rest.dropFirst()
            }
        }
        words += rest
        return words.split(separator: " ").joined(separator: " ")
    }
}

/// What a workbook says about itself: keywords, category, status, and properties that its writers added, such as the label
/// of confidentiality by an office program.
struct DocumentProperties: XMLElementHandler {
    private(set) var notes: [FileNote] = []
    private var property = ""

    /// Elements of `docProps/core.xml` and of `meta.xml`.
    private static let elements: Set<String> = [
        "description", "keywords", "keyword", "category", "contentStatus",
    ]

    mutating func start(_ name: String, attributes: [String: String], line: Int) {
        if name == "property" { property = attributes["name"] ?? "" }
        if name == "user-defined" { property = attributes["meta:name"] ?? "" }
    }

    mutating func end(_ name: String, text: String, line: Int) {
        let isOwn = ["lpwstr", "lpstr", "bool", "user-defined"].contains(name)
        guard isOwn || Self.elements.contains(name), !text.isEmpty, notes.count < 1_000 else { return }
        notes.append(FileNote(name: "the property \(isOwn ? property : name) of the workbook", value: text))
    }
}
