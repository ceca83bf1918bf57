/// Numbers as people and programs write them: decimal digits, a sign, a point, an exponent.
public enum DecimalText: Sendable {
    /// Reads a number; `nil` for anything else, hexadecimal digits, `nan` and `inf` among them, and beyond all range.
    public static func number(_ text: some StringProtocol) -> Double? {
        let isDecimal = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
        guard isDecimal, let number = Double(text), number.isFinite else { return nil }
        return number
    }
}
