import Geometry

/// Reads a position typed as two decimal numbers: "33.749, -84.388", "33.749N 84.388W", "-84.388 E, 33.749 N".
enum CoordinateText: Sendable {
    private struct Number {
        var value: Double
        var hemisphere: Unicode.Scalar?
        var hasPoint: Bool
    }

    /// Returns the position, or `nil` when the text is anything else.
    ///
    /// Without a comma or letters both numbers need a decimal point, so that no postal codes are taken for degrees.
    static func parse(_ text: String) -> Coordinate? {
        guard text.utf8.count <= 64 else { return nil }
        var numbers: [Number] = []
        var hasComma = false
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.first {
            switch scalar {
            case " ", "\t", "°", "\u{BA}":
                scalars.removeFirst()
            case ",", ";":
                guard numbers.count == 1, !hasComma else { return nil }
                hasComma = true
                scalars.removeFirst()
            case "N", "S", "E", "W", "n", "s", "e", "w":
                guard var last = numbers.popLast(), last.hemisphere == nil else { return nil }
                last.hemisphere = Unicode.Scalar(scalar.value & 0xDF)
                numbers.append(last)
                scalars.removeFirst()
            default:
                guard numbers.count < 2, let number = takeNumber(&scalars) else { return nil }
                numbers.append(number)
            }
        }
        guard numbers.count == 2 else { return nil }
        let isClear = hasComma || numbers.allSatisfy { $0.hasPoint } || numbers.allSatisfy { $0.hemisphere != nil }
        return isClear ? coordinate(numbers[0], numbers[1]) : nil
    }

    private static func takeNumber(_ scalars: inout ArraySlice<Unicode.Scalar>) -> Number? {
        var text = ""
        var digits = 0
        while let scalar = scalars.first, digits < 20 {
            switch scalar {
            case "0"..."9":
                digits += 1
                text.unicodeScalars.append(scalar)
            case ".":
                text.unicodeScalars.append(scalar)
            case "+" where text.isEmpty:
                break
            case "-" where text.isEmpty, "\u{2212}" where text.isEmpty:
                text = "-"
            default:
                return number(text, digits)
            }
            scalars.removeFirst()
        }
        return number(text, digits)
    }

    private static func number(_ text: String, _ digits: Int) -> Number? {
        guard digits > 0, digits < 20, let value = Double(text) else { return nil }
        return Number(value: value, hemisphere: nil, hasPoint: text.contains("."))
    }

    private static func coordinate(_ first: Number, _ second: Number) -> Coordinate? {
        let isReversed =
            first.hemisphere == "E" || first.hemisphere == "W" || second.hemisphere == "N" || second.hemisphere == "S"
        let (latitude, longitude) = isReversed ? (second, first) : (first, second)
        if latitude.hemisphere == "E" || latitude.hemisphere == "W" { return nil }
        if longitude.hemisphere == "N" || longitude.hemisphere == "S" { return nil }
        let north = latitude.hemisphere == "S" ? -latitude.value : latitude.value
        let east = longitude.hemisphere == "W" ? -longitude.value : longitude.value
        if let coordinate = Coordinate(latitude: north, longitude: east) { return coordinate }
        // Longitude first, as some maps write it, when only that makes sense.
        guard latitude.hemisphere == nil, longitude.hemisphere == nil else { return nil }
        return Coordinate(latitude: east, longitude: north)
    }
}
