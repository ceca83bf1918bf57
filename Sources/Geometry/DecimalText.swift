/// The one place where a number that somebody wrote is read.
///
/// Decimal digits with a sign, a point and a power of ten: "-33.75", "+.5", "1e3". What else the language would read,
/// such as "0x10", "inf" and "nan", is nothing that people write for a number.
public enum DecimalText: Sendable {
    /// The number a text is, or `nil` when it is none or too large for a `Double`.
    ///
    /// - Complexity: O(*n*) in the length of the text.
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
