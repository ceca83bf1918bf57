/// The key under which a tag or the name of a person is the same, however it is written.
///
/// Case, accents and apostrophes do not count, and neither does the number of spaces. Other punctuation does: `C`, `C++`
/// and `C#` are three tags.
package enum TermFolding: Sendable {
    /// Returns the key of a tag or a name; equal for texts that match each other.
    package static func key(_ text: String) -> String {
        let table = FoldTable.standard
        var scalars = String.UnicodeScalarView()
        // A space is added once something follows it.
        var hasPendingSpace = false
        func add(_ scalar: Unicode.Scalar) {
            if hasPendingSpace, !scalars.isEmpty { scalars.append(" ") }
            hasPendingSpace = false
            scalars.append(scalar)
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "A"..."Z": add(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value) | 0x20))
            case "'", "`": break
            case _ where scalar.value <= 0x20: hasPendingSpace = true
            case _ where scalar.isASCII: add(scalar)
            default:
                if scalar.properties.isWhitespace {
                    hasPendingSpace = true
                } else if let digit = DecimalDigit.ascii(scalar) {
                    add(Unicode.Scalar(digit))
                } else if LetterComposition.isSecond(scalar.value), !hasPendingSpace, let last = scalars.last,
                    let value = LetterComposition.composed(last.value, scalar.value), let both = Unicode.Scalar(value)
                {
                    scalars.removeLast()
                    scalars.append(both)
                } else {
                    switch table.fold(scalar) {
                    case .dropped: break
                    case .itself, .separator: add(scalar)
                    case .text(let range):
                        for part in String(decoding: table.texts[range], as: UTF8.self).unicodeScalars {
                            if part == " " { hasPendingSpace = true } else { add(part) }
                        }
                    }
                }
            }
        }
        // Of a text that consists of nothing else, each character counts.
        return scalars.isEmpty ? text : String(scalars)
    }
}
