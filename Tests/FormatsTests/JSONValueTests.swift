import Formats
import Foundation
import Geometry
import Testing

@Suite("JSON reader")
struct JSONValueTests {
    private func parse(_ text: String, limits: JSONValue.Limits = .init()) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), limits: limits)
    }

    @Test("Values of every kind")
    func values() throws {
        let value = try parse(#" {"a":[1,-2.5e3,true,false,null],"b":{"c":"x\u00e9\ud83d\ude00\n\/"},"b2":"é"} "#)
        #expect(value["a"]?[1]?.number == -2500)
        #expect(value["a"]?[0]?.integer == 1)
        #expect(value["a"]?[1]?.string == nil)
        #expect(value["a"]?[2]?.bool == true)
        #expect(value["a"]?[4]?.isNull == true)
        #expect(value["a"]?[5] == nil)
        #expect(value["b"]?["c"]?.string == "xé😀\n/")
        #expect(value["b2"]?.string == "é")
        #expect(value["missing"] == nil)
        #expect(try parse("\u{FEFF}1").number == 1)
        #expect(try parse(#"{"a":1,"a":2}"#)["a"]?.integer == 2)
    }

    @Test("Integers beyond 2^53 keep their digits, and are written as they were read")
    func digits() throws {
        for text in ["12345678901234567890", "-9007199254740993", "9007199254740993"] {
            let value = try parse(text)
            #expect(value == .digits(text) && value.number == Double(text) && value.plainText == text)
            #expect(value.typeName == "a number" && value.array == nil && value.string == nil)
            var writer = JSONWriter()
            writer.value(.array([value, .number(1)]))
            #expect(String(decoding: writer.bytes, as: UTF8.self) == "[\(text),1]")
        }
        for text in ["9007199254740991", "123456789012345", "1234567890123456.5", "1e20", "0.12345678901234567890"] {
            #expect(try parse(text) == .number(try #require(Double(text))))
        }
        #expect(try parse("[1,12345678901234567890]")[1]?.integer == nil)
    }

    @Test("Whole numbers that do not fit are not integers", arguments: ["1e19", "-1e300", "1.5"])
    func integers(text: String) throws {
        #expect(try parse(text).integer == nil)
    }

    @Test(
        "Input invalid under RFC 8259 is rejected with its position",
        arguments: [
            ("", "the text ends where a value was expected at line 1, column 1"),
            ("NaN", "found N where a value was expected at line 1, column 1"),
            ("[1,\n 2,]", "found ] where a value was expected at line 2, column 4"),
            ("{\"a\" 1}", "found 1 where a colon was expected at line 1, column 6"),
            ("{a:1}", "found a where the name of a member in quotation marks was expected at line 1, column 2"),
            ("01", "a number has a leading zero at line 1, column 2"),
            ("-", "the text ends where a digit was expected at line 1, column 2"),
            (
                "1e999",
                "a number is beyond the range of doubles; write one between -1e308 and 1e308 at line 1, column 1"
            ),
            ("[1] x", "there is text after the end of the value at line 1, column 5"),
            ("\"a\nb\"", "a string contains an unescaped control character at line 1, column 3"),
            ("\"abc", "a string has no closing quotation mark at line 1, column 1"),
            ("\"\\ud800\"", "a lone surrogate at line 1, column 2"),
            ("\"\\x\"", "a string contains an unknown escape at line 1, column 2"),
            ("[1 2]", "found 2 where a comma or ] was expected at line 1, column 4"),
            ("tru", "found t where a value was expected at line 1, column 1"),
            ("[Infinity]", "found I where a value was expected at line 1, column 2"),
        ]
    )
    func errors(text: String, expected: String) {
        let error = #expect(throws: JSONError.self) { try self.parse(text) }
        #expect(error?.description == expected)
    }

    @Test("Bytes that are not UTF-8 are rejected")
    func invalidText() {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0xC3, 0x28, 0x22]) }
    }

    @Test("Excessive nesting is an error", arguments: ["[", "{\"a\":"])
    func depth(opening: String) throws {
        let bomb = String(repeating: opening, count: 100_000)
        let limits = JSONValue.Limits(bytes: 1_000_000)
        let error = #expect(throws: JSONError.self) { try self.parse(bomb, limits: limits) }
        #expect(error?.reason == "the text is nested more than 32 levels deep")
        let deepest = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        #expect(try parse(deepest).array != nil)
        #expect(throws: JSONError.self) { try self.parse("[" + deepest + "]") }
    }

    @Test("A text exceeding the byte limit is rejected unread")
    func size() {
        let error = #expect(throws: JSONError.self) { try self.parse("[1,2,3]", limits: .init(bytes: 6)) }
        #expect(error?.reason == "the text has 7 bytes, more than the limit of 6")
    }

    @Test("Damaged texts never crash, and whatever is read, Foundation reads too", arguments: UInt64(0)..<200)
    func fuzz(seed: UInt64) throws {
        let source =
            #"{"type":"Feature","n":[0,-1.5e-3,1E5],"s":"a\u00e9\\\"\ud83d\ude00","t":true,"x":null,"o":{"é":[]}}"#
        var mutator = Mutator(seed: seed)
        for _ in 0..<20 {
            let bytes = mutator.mutate(Array(source.utf8))
            guard let value = try? JSONValue(parsing: bytes) else { continue }
            #expect(
                (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil,
                "\(value)"
            )
        }
    }
}
