/// The only parser of user-supplied numbers.
///
/// Accepts decimal digits with a sign, a point and a power of ten: "-33.75", "+.5", "1e3". Other forms that Swift
/// accepts, such as "0x10", "inf" and "nan", are rejected.
public enum DecimalText: Sendable {
    /// Returns the number in a text, or `nil` if it is invalid or too large for a `Double`.
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
