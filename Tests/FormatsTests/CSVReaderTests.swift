import Formats
import Geometry
import Testing

@Suite("CSV reader")
struct CSVReaderTests {
    private func records(_ text: String, delimiter: UInt8? = nil) throws -> [CSVRecord] {
        try records(Array(text.utf8), delimiter: delimiter)
    }

    private func records(_ bytes: [UInt8], delimiter: UInt8? = nil) throws -> [CSVRecord] {
        var reader = CSVReader(bytes, delimiter: delimiter)
        var records: [CSVRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    @Test(
        "Values and quotation marks",
        arguments: [
            ("a,b,c\n1,2,3", [["a", "b", "c"], ["1", "2", "3"]]),
            ("a,b\r\n\r\n1,\r\n", [["a", "b"], ["1", ""]]),
            ("a\rb\r", [["a"], ["b"]]),
            ("\"a,b\",\"c \"\"d\"\"\",\"\"\n", [["a,b", "c \"d\"", ""]]),
            ("\"two\nlines\",x", [["two\nlines", "x"]]),
            ("\u{FEFF}a,b", [["a", "b"]]),
            (",\n,", [["", ""], ["", ""]]),
            ("5\" pipe,x", [["5\" pipe", "x"]]),
            ("\"\"\"\"", [["\""]]),
            ("", []), ("\n\n", []),
        ]
    )
    func values(text: String, expected: [[String]]) throws {
        #expect(try records(text).map(\.fields) == expected)
    }

    @Test(
        "Excel's line sep= names the delimiter and is no record",
        arguments: ["sep=;\r\na,b;c\r\n", "SEP=;\na,b;c", "\"sep=;\"\na,b;c\n", "\u{FEFF}sep=;\na,b;c"]
    )
    func namedDelimiter(text: String) throws {
        let read = try records(text)
        #expect(read.map(\.fields) == [["a,b", "c"]] && read.map(\.line) == [2])
        #expect(try records("sep=|\na|b").map(\.fields) == [["a", "b"]])
        #expect(try records("sep=;;\na;b").map(\.fields) == [["sep=", "", ""], ["a", "b"]])
        #expect(try records("sep=;", delimiter: UInt8(ascii: ";")).map(\.fields) == [["sep=", ""]])
    }

    @Test("Records know the line on which they start")
    func lines() throws {
        let text = "h1,h2\r\n\r\n\"a\r\nb\nc\",1\n\"d\",2\r\"e\rf\",3\n4,5"
        #expect(try records(text).map(\.line) == [1, 3, 6, 7, 9])
    }

    @Test(
        "The delimiter is the most frequent one in the first record",
        arguments: [
            ("a;b;c\n1,2;3;4", UInt8(ascii: ";")), ("a\tb\n", UInt8(ascii: "\t")), ("a,b;c,d", UInt8(ascii: ",")),
            ("\"a;b;c;d\",e\n", UInt8(ascii: ",")), ("title\nx;y;z", UInt8(ascii: ",")),
            ("\n\na;b\n", UInt8(ascii: ";")), ("a|b|c\n1,2|3|4", UInt8(ascii: "|")), ("a,b|c\n", UInt8(ascii: ",")),
        ]
    )
    func delimiters(text: String, expected: UInt8) {
        #expect(CSVReader(Array(text.utf8)).delimiter == expected)
        #expect(CSVReader(Array(text.utf8), delimiter: UInt8(ascii: "|")).delimiter == UInt8(ascii: "|"))
    }

    @Test("An unclosed quotation mark names the line where it was opened")
    func unterminated() {
        let error = #expect(throws: CSVError.self) { try self.records("a,b\n1,\"x\ny\nz") }
        #expect(error?.line == 2)
        #expect(error?.description == "a quotation mark is opened and never closed (line 2)")
    }

    @Test("Text after a closing mark names its line")
    func trailing() {
        let error = #expect(throws: CSVError.self) { try self.records("a,b\n\"x\ny\"z,2") }
        #expect(error?.line == 3)
    }

    @Test("Bytes that are not UTF-8 are replaced and reported")
    func repaired() throws {
        let rows = try records(Array("a,b\n".utf8) + [0xE9, 0x2C, 0x22, 0xE9, 0x22, 0x22, 0x22] + Array("\nc,d".utf8))
        #expect(rows.map(\.isRepaired) == [false, true, false])
        #expect(rows[1].fields == ["\u{FFFD}", "\u{FFFD}\""])
    }

    @Test("Any table written according to the rules reads back unchanged", arguments: UInt64(0)..<100)
    func roundTrip(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let pieces = ["a", "é", ",", ";", "\"", "\n", "\r\n", " ", "日本", "\t"]
        let table = (0..<6)
            .map { _ in
                (0..<3)
                    .map { _ in
                        (0..<Int.random(in: 0...5, using: &generator))
                            .map { _ in
                                pieces[Int.random(in: pieces.indices, using: &generator)]
                            }
                            .joined()
                    }
            }
        let text =
            table.map { row in
                row.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: ",")
            }
            .joined(separator: "\r\n")
        #expect(try records(text, delimiter: UInt8(ascii: ",")).map(\.fields) == table)
    }

    @Test("REL-06 A line of ever more values ends at the most that a table may have, and costs no more")
    func wide() throws {
        let most = String(repeating: "a,", count: CSVReader.mostValues - 1)
        #expect(try records(most + "b\n1").map(\.fields.count) == [CSVReader.mostValues, 1])
        var reader = CSVReader(Array(("t\n" + most + String(repeating: ",", count: 1_000_000)).utf8))
        _ = try reader.next()
        let reason = "the line has more than 10000 columns; divide the table"
        #expect(throws: CSVError(line: 2, reason: reason)) { _ = try reader.next() }
        #expect(reader.position <= 2 * CSVReader.mostValues + 2)
    }

    @Test("Damaged tables never crash, and line numbers only increase", arguments: UInt64(0)..<200)
    func fuzz(seed: UInt64) {
        var mutator = Mutator(seed: seed)
        for _ in 0..<20 {
            let bytes = mutator.mutate(Array("a,b\r\n\"x\"\"y\",\"1\n2\"\r\n\u{FEFF}é,;\n".utf8))
            guard let rows = try? records(bytes) else { continue }
            #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.line < $1.line })
        }
    }
}
