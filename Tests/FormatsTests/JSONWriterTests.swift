import Formats
import Foundation
import Geometry
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    @Test("Commas, keys and nesting are written as one line of JSON")
    func structure() throws {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.key("type")
        writer.value("Feature")
        writer.key("empty")
        writer.beginArray()
        writer.endArray()
        writer.key("nested" + " key\"")
        writer.beginArray()
        writer.value(1)
        writer.beginObject()
        writer.endObject()
        writer.null()
        writer.value(true)
        writer.value(["a", "b"])
        writer.value(nil as String?)
        writer.raw("[2,3]".utf8)
        writer.endArray()
        writer.key("at")
        writer.coordinates(try #require(Coordinate(latitude: 33.7554, longitude: -84.3736)))
        writer.endObject()
        let expected = #"""
            {"type":"Feature","empty":[],"nested key\"":[1,{},null,true,["a","b"],null,[2,3]],"at":[-84.3736,33.7554]}
            """#
        #expect(writer.text == expected)
    }

    @Test("A position in degrees has at most seven decimals, any other all its digits")
    func positions() {
        var writer = JSONWriter(capacity: 256)
        writer.beginArray()
        writer.coordinates(longitude: -84.373_612_345_6, latitude: 33.7554)
        writer.position(-84.373_612_345_6, 33.7554)
        writer.endArray()
        #expect(writer.text == "[[-84.3736123,33.7554],[-84.3736123456,33.7554]]")
    }

    @Test(
        "Numbers are short and read back unchanged",
        arguments: [
            (0.0, "0"), (-0.0, "0"), (1, "1"), (-2.5, "-2.5"), (1e300, "1e+300"), (1e-7, "1e-07"), (0.1, "0.1"),
            (.nan, "null"), (.infinity, "null"), (1_234_567_890_123, "1234567890123"),
        ]
    )
    func numbers(number: Double, expected: String) {
        var writer = JSONWriter()
        writer.value(number)
        #expect(writer.text == expected)
    }

    @Test("Integers of all sizes", arguments: [0, -1, 42, Int.max, Int.min])
    func integers(number: Int) {
        var writer = JSONWriter()
        writer.value(number)
        #expect(writer.text == String(number))
    }

    @Test(
        "Degrees have at most seven decimals and no trailing zeros",
        arguments: [
            (33.7554, "33.7554"), (-84.0, "-84"), (-0.5, "-0.5"), (0.00000004, "0"), (0.00000006, "0.0000001"),
            (179.99999999, "180"), (-0.0000001, "-0.0000001"), (12.3456789, "12.3456789"), (10.01, "10.01"),
        ]
    )
    func degrees(number: Double, expected: String) {
        var writer = JSONWriter()
        writer.degrees(number)
        #expect(writer.text == expected)
    }

    @Test("Any text reads back unchanged with Foundation's parser", arguments: UInt64(0)..<50)
    func escaping(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let scalars = (0..<40)
            .compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(in: 0..<(Bool.random(using: &generator) ? 0x80 : 0x11_0000), using: &generator)
                )
            }
        let text = String(String.UnicodeScalarView(scalars))
        var writer = JSONWriter()
        writer.beginArray()
        writer.value(text)
        writer.endArray()
        let read = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String]
        #expect(read?.first?.unicodeScalars.elementsEqual(scalars) == true)
        #expect(try JSONValue(parsing: writer.bytes) == .array([.string(text)]))
    }

    @Test("A document can be written in pieces, and lines start without commas")
    func pieces() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.value(1)
        var sent = writer.text
        writer.removeAll()
        writer.value(2)
        writer.endArray()
        writer.endLine()
        writer.value("next")
        sent += writer.text
        #expect(sent == "[1,2]\n\"next\"")
    }
}
