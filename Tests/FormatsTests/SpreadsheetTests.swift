import Formats
import Testing

@Suite("Spreadsheets")
struct SpreadsheetTests {
    static func zip(_ parts: [(String, String)]) throws -> [UInt8] {
        let writer = ZipWriter()
        for (name, text) in parts {
            try writer.begin(name)
            try writer.write(Array(text.utf8))
        }
        try writer.finish()
        return writer.takeOutput()
    }

    private static let relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

    /// A workbook as Excel writes it, with formats 1 `14`, 2 `yyyy`, 3 German, 4 `22`, 5 `17`, 6 `#,##0.00`, 7 `[h]:mm`.
    static func xlsx(
        _ rows: String,
        strings: String = "",
        sheets: String = #"<sheet name="Stories" r:id="r1"/>"#,
        properties: String = ""
    ) throws -> [UInt8] {
        try zip([
            (
                "xl/workbook.xml",
                "<?xml version=\"1.0\"?><workbook><workbookPr \(properties)/><sheets>\(sheets)</sheets></workbook>"
            ),
            (
                "xl/_rels/workbook.xml.rels",
                """
                <Relationships><Relationship Id="r1" Type="\(relations)/worksheet" Target="worksheets/sheet1.xml"/>\
                <Relationship Id="r2" Type="\(relations)/worksheet" Target="/xl/worksheets/sheet2.xml"/>\
                <Relationship Id="r3" Type="\(relations)/styles" Target="styles.xml"/>\
                <Relationship Id="r4" Type="\(relations)/sharedStrings" Target="sharedStrings.xml"/></Relationships>
                """
            ),
            (
                "xl/styles.xml",
                #"""
                <styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy"/>\#
                <numFmt numFmtId="165" formatCode="[$-407]d\.\ mmm\ yyyy;@"/><numFmt numFmtId="166" formatCode="[h]:mm"/>\#
                </numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>\#
                <xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="22"/><xf numFmtId="17"/><xf numFmtId="4"/>\#
                <xf numFmtId="166"/></cellXfs></styleSheet>
                """#
            ),
            ("xl/sharedStrings.xml", "<sst>\(strings)</sst>"),
            ("xl/worksheets/sheet1.xml", "<worksheet><sheetData>\(rows)</sheetData></worksheet>"),
            ("xl/worksheets/sheet2.xml", "<worksheet><sheetData/></worksheet>"),
        ])
    }

    static func ods(_ tables: String) throws -> [UInt8] {
        try zip([
            ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
            (
                "content.xml",
                """
                <office:document-content><office:automatic-styles><style:style style:name="off"><style:table-properties \
                table:display="false"/></style:style></office:automatic-styles><office:body><office:spreadsheet>\(tables)\
                </office:spreadsheet></office:body></office:document-content>
                """
            ),
        ])
    }

    private func values(_ sheet: Spreadsheet) throws -> [[String]] {
        var reader = CSVReader(sheet.csv, delimiter: UInt8(ascii: ","))
        var rows: [[String]] = []
        while let row = try reader.next() { rows.append(row.fields) }
        return rows
    }

    @Test("XLSX: shared, inline and rich texts, numbers without binary digits, booleans; rows keep their numbers")
    func cells() throws {
        let strings = """
            <si><t>title</t></si><si><r><t>Rich </t></r><r><t>text</t></r><rPh sb="0"><t>PHON</t></rPh></si>
            """
        let rows = """
            <row r="2"><c r="A2" t="s"><v>0</v></c><c r="C2" t="inlineStr"><is><t>x, "y"
            z</t></is></c></row><row r="4"/><row r="9" hidden="1"><c t="s"><v>1</v></c><c><v>33.749000000000002</v></c>\
            <c t="b"><v>1</v></c><c t="str"><v>A &amp; B</v></c><c><v>1936</v></c><c t="e"><v>#REF!</v></c></row>
            """
        let sheet = try Spreadsheet(try Self.xlsx(rows, strings: strings), limit: 1 << 20)
        #expect(
            try values(sheet) == [
                ["title", "", "x, \"y\"\nz"], ["Rich text", "33.749", "true", "A & B", "1936", "#REF!"],
            ]
        )
        #expect(sheet.rows == [2, 9] && sheet.hiddenRows == 1 && sheet.kind == .xlsx && sheet.name == "Stories")
    }

    @Test(
        "XLSX: dates are written as far as their format shows them",
        arguments: [
            (1, "13274", "1936-05-04"), (2, "13274", "1936"), (3, "43589.5", "2019-05-04"),
            (4, "43589.5", "2019-05-04T12:00:00"),
            (5, "43589", "2019-05"), (6, "43589", "43589"), (7, "1.5", "1.5"), (1, "1", "1900-01-01"),
            (1, "59", "1900-02-28"),
            (1, "60", "60"), (1, "61", "1900-03-01"), (1, "-5", "-5"), (1, "1e300", "1e+300"), (9, "13274", "13274"),
            // The least integer has no positive counterpart.
            (0, "-9223372036854775808", "-9.223372036854776e+18"),
        ]
    )
    func dates(style: Int, serial: String, shown: String) throws {
        let sheet = try Spreadsheet(try Self.xlsx("<row><c s=\"\(style)\"><v>\(serial)</v></c></row>"), limit: 1 << 20)
        #expect(try values(sheet) == [[shown]])
        let old = try Self.xlsx("<row><c s=\"1\"><v>0</v></c></row>", properties: "date1904=\"1\"")
        #expect(try values(try Spreadsheet(old, limit: 1 << 20)) == [["1904-01-01"]])
    }

    @Test("Hidden sheets are never read; others are named")
    func sheets() throws {
        let row = #"<row><c t="str"><v>x</v></c></row>"#
        let hidden = #"<sheet name="Secret" state="veryHidden" r:id="r1"/>"#
        let two = try Self.xlsx(row, sheets: #"<sheet name="A" r:id="r2"/><sheet name="B" r:id="r1"/>"#)
        let read = try Spreadsheet(two, limit: 1 << 20)
        #expect(read.name == "B" && read.otherNames == ["A"])
        #expect(throws: Spreadsheet.Failure.empty) {
            try Spreadsheet(try Self.xlsx(row, sheets: hidden), limit: 1 << 20)
        }
        let cell = "<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>"
        let tables = "<table:table table:name=\"S\" table:style-name=\"off\">\(cell)</table:table>"
        #expect(throws: Spreadsheet.Failure.empty) { try Spreadsheet(try Self.ods(tables), limit: 1 << 20) }
    }

    @Test("ODS: mixed text, dates, numbers, comments left out, repeated rows and cells")
    func openDocument() throws {
        let sheet = try Spreadsheet(
            try Self.ods(
                """
                <table:table table:name="S"><table:table-row><table:table-cell><text:p>Hello <text:span>big</text:span> \
                world<text:s text:c="2"/>x</text:p><text:p>Two</text:p></table:table-cell><table:table-cell \
                office:value-type="date" office:date-value="1936-05-04T00:00:00"><text:p>4.5.36</text:p></table:table-cell>\
                <table:table-cell office:value-type="float" office:value="33.75"><office:annotation><text:p>NO</text:p>\
                </office:annotation><text:p>33,75</text:p></table:table-cell><table:table-cell \
                table:number-columns-repeated="16380"/></table:table-row><table:table-row table:number-rows-repeated="2">\
                <table:table-cell table:number-columns-repeated="2"><text:p>a</text:p></table:table-cell></table:table-row>\
                <table:table-row table:number-rows-repeated="1048573"><table:table-cell \
                table:number-columns-repeated="16384"/></table:table-row></table:table>
                """
            ),
            limit: 1 << 20
        )
        #expect(try values(sheet) == [["Hello big world  x\nTwo", "1936-05-04", "33.75"], ["a", "a"], ["a", "a"]])
        #expect(sheet.rows == [1, 2, 3] && sheet.kind == .ods)
    }

    @Test("Sheets that grow without end, entities and strange archives are refused")
    func bombs() throws {
        let cell = "<table:table-cell table:number-columns-repeated=\"16384\"><text:p>x</text:p></table:table-cell>"
        let ods = "<table:table table:name=\"S\"><table:table-row table:number-rows-repeated=\"1048576\">\(cell)"
        let bomb = try Self.ods(ods + "</table:table-row></table:table>")
        #expect(throws: Spreadsheet.Failure.tooLarge(limit: 100_000)) { try Spreadsheet(bomb, limit: 100_000) }
        let blanks = String(repeating: "<text:s text:c=\"1000\"/>", count: 101)
        let cellOfBlanks = "<table:table-cell><text:p>\(blanks)</text:p></table:table-cell>"
        let wide = try Self.ods(
            "<table:table table:name=\"S\"><table:table-row>\(cellOfBlanks)</table:table-row></table:table>"
        )
        #expect(throws: Spreadsheet.Failure.tooLarge(limit: 100_000)) { try Spreadsheet(wide, limit: 100_000) }
        let long = "<si><t>" + String(repeating: "x", count: 20_000) + "</t></si>"
        let cells = "<row>" + String(repeating: "<c t=\"s\"><v>0</v></c>", count: 20) + "</row>"
        let shared = try Self.xlsx(cells, strings: long)
        #expect(throws: Spreadsheet.Failure.tooLarge(limit: 100_000)) { try Spreadsheet(shared, limit: 100_000) }
        let packed = try Self.xlsx(String(repeating: " ", count: 200_000))
        #expect(throws: Spreadsheet.Failure.tooLarge(limit: 100_000)) { try Spreadsheet(packed, limit: 100_000) }
        let entity = try Self.zip([("xl/workbook.xml", "<!DOCTYPE x [<!ENTITY a \"b\">]><workbook>&a;</workbook>")])
        #expect(throws: Spreadsheet.Failure.damaged(part: "xl/workbook.xml")) {
            try Spreadsheet(entity, limit: 1 << 20)
        }
        let other = try Self.zip([("readme.txt", "x")])
        #expect(throws: Spreadsheet.Failure.notAWorkbook) { try Spreadsheet(other, limit: 1 << 20) }
        let wrong = try Self.xlsx("<row><c t=\"s\"><v>7</v></c></row>")
        #expect(throws: Spreadsheet.Failure.damaged(part: "a shared text")) { try Spreadsheet(wrong, limit: 1 << 20) }
    }

    @Test("Damaged workbooks never crash")
    func fuzz() throws {
        var mutator = Mutator(seed: 22)
        let rows = "<row r=\"1\"><c r=\"A1\" s=\"1\"><v>13274</v></c><c r=\"XFD1\" t=\"b\"><v>1</v></c></row>"
        let workbook = try Self.xlsx(rows, strings: "<si><t>a</t></si>")
        for _ in 0..<150 { _ = try? Spreadsheet(mutator.mutate(workbook), limit: 1 << 20) }
        // Damage inside the parts, behind the checks of the archive.
        for _ in 0..<100 {
            let damaged = String(decoding: mutator.mutate(Array(rows.utf8)), as: UTF8.self)
            _ = try? Spreadsheet(try Self.xlsx(damaged, strings: "<si><t>a</t></si>"), limit: 1 << 20)
            _ = try? Spreadsheet(try Self.ods("<table:table table:name=\"S\">\(damaged)</table:table>"), limit: 1 << 20)
        }
    }

    @Test("Cells of several rows and values in hidden columns are noticed")
    func mergesAndHiddenColumns() throws {
        let cell = #"<c r="A1" t="inlineStr"><is><t>x</t></is></c>"#
        let merges =
            #"</sheetData><mergeCells><mergeCell ref="B2:B3"/><mergeCell ref="A1:C1"/></mergeCells><sheetData>"#
        let plain = try Spreadsheet(try Self.xlsx("<row r=\"1\">\(cell)</row>" + merges), limit: 1 << 20)
        #expect(
            plain.merges.map(\.cells) == ["B2:B3"] && plain.merges.map(\.first) == [2]
                && plain.merges.map(\.last) == [3]
        )
        #expect(!plain.hasHiddenColumns)
        let hidden = #"</sheetData><cols><col min="1" max="1" hidden="1"/></cols><sheetData>"#
        let sheet = try Spreadsheet(try Self.xlsx(hidden + "<row r=\"1\">\(cell)</row>"), limit: 1 << 20)
        #expect(sheet.hasHiddenColumns && sheet.merges.isEmpty)
        let open = #"<table:table table:name="A"><table:table-column table:visibility="collapse"/><table:table-row>"#
        let spanned = #"<table:table-cell table:number-rows-spanned="2"><text:p>x</text:p></table:table-cell>"#
        let book = try Spreadsheet(try Self.ods(open + spanned + "</table:table-row></table:table>"), limit: 1 << 20)
        #expect(book.hasHiddenColumns && book.merges.map(\.last) == [2])
    }

    @Test("Comments, printed headers and the properties of a workbook are noted")
    func notes() throws {
        let parts = [
            ("xl/workbook.xml", #"<workbook><sheets><sheet name="S" r:id="a"/></sheets></workbook>"#),
            (
                "xl/_rels/workbook.xml.rels",
                #"<Relationships><Relationship Id="a" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#
            ),
            (
                "xl/worksheets/sheet1.xml",
                #"<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>x</t></is></c></row></sheetData>"#
                    + #"<headerFooter><oddHeader>&amp;C&amp;"Arial,Bold"&amp;12Not for &amp;KFF0000publication</oddHeader>"#
                    + "<oddFooter>&amp;P</oddFooter></headerFooter></worksheet>"
            ),
            (
                "xl/worksheets/_rels/sheet1.xml.rels",
                #"<Relationships><Relationship Id="b" Type="x/comments" Target="../comments1.xml"/></Relationships>"#
            ),
            (
                "xl/comments1.xml",
                #"<comments><commentList><comment ref="B2"><text><r><t>Family </t></r><r><t>only</t></r></text></comment>"#
                    + "</commentList></comments>"
            ),
            ("docProps/core.xml", "<cp:coreProperties><cp:keywords>restricted</cp:keywords></cp:coreProperties>"),
            (
                "docProps/custom.xml",
                #"<Properties><property name="Label"><vt:lpwstr>Internal</vt:lpwstr></property></Properties>"#
            ),
        ]
        let book = try Spreadsheet(try Self.zip(parts), limit: 1 << 20)
        #expect(
            book.notes.map { [$0.name, $0.value] } == [
                ["the text of printed pages", "Not for publication"], ["the comment on B2", "Family only"],
                ["the property keywords of the workbook", "restricted"],
                ["the property Label of the workbook", "Internal"],
            ]
        )
        let comment =
            "<office:annotation><dc:creator>Jane</dc:creator><text:p>Family <text:span>only</text:span></text:p></office:annotation>"
        let cell = "<table:table-cell>\(comment)<text:p>x</text:p></table:table-cell>"
        let table = "<table:table table:name=\"A\"><table:table-row>\(cell)</table:table-row></table:table>"
        let sheet = try Spreadsheet(try Self.ods(table), limit: 1 << 20)
        #expect(sheet.notes.map { $0.value.split(separator: " ").joined(separator: " ") } == ["Family only"])
        #expect(String(decoding: sheet.csv, as: UTF8.self) == "x\r\n")
    }
}
