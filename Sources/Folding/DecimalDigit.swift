/// Decimal digits of non-Latin scripts: Arabic, Devanagari, Thai, full-width and more.
package enum DecimalDigit: Sendable {
    /// The zeros of scripts with consecutive digits, sorted.
    private static let zeros: [UInt32] = [
        0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50,
        0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0xFF10,
    ]

    /// Returns the ASCII digit for a character, or `nil` if it is not one of these digits.
    package static func ascii(_ scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.value >= 0x0660, scalar.value <= 0xFF19 else { return nil }
        for zero in zeros where scalar.value >= zero && scalar.value < zero + 10 {
            return UInt8(ascii: "0") + UInt8(truncatingIfNeeded: scalar.value - zero)
        }
        return nil
    }

    /// Returns a text with such digits, and the separators of Arabic and full-width numbers, converted to ASCII.
    package static func plain(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        scalars.map { scalar in
            guard scalar.value >= 0x80 else { return scalar }
            switch scalar.value {
            case 0x066B, 0xFF0E: return "."
            case 0x060C, 0xFF0C: return ","
            case 0xFF0D: return "-"
            case 0xFF0B: return "+"
            default: return ascii(scalar).map { Unicode.Scalar($0) } ?? scalar
            }
        }
    }
}
