/// The width of drawn text.
///
/// Measured for DejaVu Sans, with which pictures of pixels are made; browsers that lack it take Verdana, which has the
/// same widths. Both are wider than most, so a name takes rather less room than was kept for it.
enum TextWidth: Sendable {
    /// The fonts of the picture.
    static let fonts = "DejaVu Sans, Verdana, sans-serif"

    /// Hundredths of the font size from U+0020 to U+007E.
    private static let regular: [UInt8] = [
        32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34,
        84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99,
        69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52,
        39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
    ]
    private static let bold: [UInt8] = [
        35, 46, 52, 84, 70, 100, 87, 31, 46, 46, 52, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 40, 40,
        84, 84, 84, 58, 100, 77, 76, 73, 83, 68, 68, 82, 84, 37, 37, 77, 64, 100, 84, 85, 73, 85, 77, 72, 68, 81, 77,
        110, 77, 72, 73, 46, 37, 46, 84, 50, 50, 67, 72, 59, 72, 68, 44, 72, 71, 34, 34, 67, 34, 104, 71, 69, 72, 72,
        49, 60, 48, 71, 65, 92, 65, 65, 58, 71, 37, 71, 84,
    ]

    /// Returns the width of a text in one line, as a multiple of the font size.
    static func of(_ text: String, isBold: Bool = false) -> Double {
        let table = isBold ? bold : regular
        return text.unicodeScalars.reduce(0) { sum, scalar in
            switch scalar.value {
            case 0x20...0x7E: sum + Double(table[Int(scalar.value) - 0x20]) / 100
            case 0x300...0x36F: sum
            // Letters with marks are as wide as others; those of Chinese, Japanese and Korean are square.
            case 0...0x10FF: sum + (isBold ? 0.8 : 0.72)
            default: sum + 1
            }
        }
    }

    /// Breaks a text at blanks into lines of at most `width` font sizes; a longer word has a line of its own.
    static func lines(_ text: String, width: Double) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, of("\(last) \(word)") <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
