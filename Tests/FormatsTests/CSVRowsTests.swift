import Formats
import Geometry
import Testing

@Suite("Rows of tables, byte for byte")
struct CSVRowsTests {
    private func split(_ bytes: [UInt8], pieces: Int) -> [CSVRow] {
        var splitter = CSVRowSplitter(delimiter: UInt8(ascii: ","))
        var rows: [CSVRow] = []
        var held: [UInt8] = []
        var position = 0
        while position < bytes.count || !held.isEmpty {
            held += bytes[position..<min(bytes.count, position + pieces)]
            position = min(bytes.count, position + pieces)
            let (more, length) = splitter.rows(in: held, isAtEnd: position == bytes.count)
            held.removeFirst(length)
            rows += more
        }
        return rows
    }

    @Test("Rows contain all bytes in order, in chunks of any size", arguments: UInt64(0)..<20)
    func wholeness(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let alphabet: [UInt8] = Array("a,\"\"\r\n\n ;é".utf8) + [0xE9, 0xFF]
        let bytes = (0..<300).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
        let rows = split(bytes, pieces: 300)
        #expect(rows.flatMap { Array($0.bytes) + Array($0.ending) } == bytes)
        for pieces in [1, 2, 7, 64] {
            #expect(
                split(bytes, pieces: pieces).map { [Array($0.bytes), Array($0.ending)] }
                    == rows.map { [Array($0.bytes), Array($0.ending)] }
            )
        }
        #expect(split(bytes, pieces: 3).map(\.line) == rows.map(\.line))
    }

    @Test("Quotations may contain line ends, empty lines are rows, and lines are counted")
    func rows() throws {
        let text = "a,b\r\n\"x\ny\",1\r\n\n5\" pipe,2\rlast"
        let rows = split(Array(text.utf8), pieces: 4)
        #expect(
            rows.map { String(decoding: $0.bytes, as: UTF8.self) } == ["a,b", "\"x\ny\",1", "", "5\" pipe,2", "last"]
        )
        #expect(rows.map(\.line) == [1, 2, 4, 5, 6])
        #expect(rows.map { Array($0.ending) } == [[13, 10], [13, 10], [10], [13], []])
        #expect(
            try rows.map { try $0.fields(delimiter: UInt8(ascii: ",")) } == [
                ["a", "b"], ["x\ny", "1"], [""], ["5\" pipe", "2"], ["last"],
            ]
        )
    }

    @Test("An unclosed quotation is rejected with its line")
    func openQuotation() {
        let rows = split(Array("a\nb\n\"c\nd".utf8), pieces: 100)
        #expect(rows.count == 3)
        #expect(throws: CSVError.self) { try rows[2].fields(delimiter: UInt8(ascii: ",")) }
        do { _ = try rows[2].fields(delimiter: UInt8(ascii: ",")) } catch { #expect(error.line == 3) }
    }
}
