import Geometry
import Testing

@Suite("Numbers as people write them")
struct DecimalTextTests {
    @Test(
        "Decimal numbers are parsed",
        arguments: [("0", 0.0), ("-33.75", -33.75), ("+.5", 0.5), ("1e3", 1000), ("7.", 7)]
    )
    func numbers(text: String, value: Double) {
        #expect(DecimalText.number(text) == value)
    }

    @Test(
        "GEO-02 Other number formats of the language are rejected",
        arguments: [
            "", "0x10", "0x1p4", "inf", "-inf", "infinity", "nan", "NaN", "1e999", "1_000", "1,5", "e", "-", "--1", "１",
            "١",
        ]
    )
    func others(text: String) {
        #expect(DecimalText.number(text) == nil)
        #expect(Coordinate(parsing: "\(text),1") == nil)
        #expect(throws: BoundingBox.ParsingError.self) { try BoundingBox(parsing: "\(text),1,2,3") }
    }
}
