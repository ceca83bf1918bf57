import Geometry

/// Reads angles as people and programs write them: `N33.75`, `33,75 N`, `N33°45'0"` and `N 33 45 0`.
enum DegreesText {
    /// Reads an angle.
    ///
    /// - Parameters:
    ///   - text: degrees, or degrees with minutes and seconds, with a letter for the side or a sign.
    ///   - positive: the letter of the side that counts up, a capital.
    ///   - negative: the letter of the other side.
    /// - Returns: the angle in degrees; `nil` for anything else.
    static func number(_ text: String, positive: Character, negative: Character) -> Double? {
        guard text.utf8.count <= longest else { return nil }
        // The sign of ordinals, which is a letter, stands where a keyboard has no degrees.
        let text = text.replacing("º", with: "°")
        let letters = text.uppercased().filter(\.isLetter)
        // A letter stands before or behind the number.
        let plain = text[...].trimmingBlanks.drop(while: \.isLetter).reversed().drop(while: \.isLetter).reversed()
        guard letters.count <= 1, letters.allSatisfy({ $0 == positive || $0 == negative }),
            !plain.contains(where: \.isLetter)
        else { return nil }
        let digits = String(plain)[...].trimmingBlanks
        let isSigned = digits.hasPrefix("-")
        guard let size = size(isSigned ? String(digits.dropFirst()) : digits) else { return nil }
        return (letters.first == negative) != isSigned ? -size : size
    }

    private static let longest = 60
    private static let marks: Set<Character> = ["°", "'", "\"", "′", "″", "’", "”", "´", ":", " ", "\u{A0}"]

    /// Reads degrees, minutes and seconds, of which only the last may have a fraction.
    private static func size(_ text: String) -> Double? {
        // A comma is that of a fraction, unless points are.
        guard !text.contains("-"), text.count(where: { $0 == "," }) <= 1, !(text.contains(",") && text.contains("."))
        else {
            return nil
        }
        let parts = text.replacing(",", with: ".").split { marks.contains($0) }
        let numbers = parts.compactMap { DecimalText.number($0) }
        guard (1...3).contains(parts.count), numbers.count == parts.count,
            numbers.dropFirst().allSatisfy({ $0 < 60 }), numbers.dropLast().allSatisfy({ $0 == $0.rounded() })
        else { return nil }
        let degrees = zip(numbers, [1.0, 60, 3_600]).reduce(0) { $0 + $1.0 / $1.1 }
        // Seven decimals, as everywhere; degrees alone stay as they are written.
        return numbers.count == 1 ? degrees : (degrees * 1e7).rounded() / 1e7
    }
}
