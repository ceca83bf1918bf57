import Geometry

/// Parses two angles: decimal degrees, degrees and minutes, or degrees, minutes and seconds, with signs or letters.
enum AngleText: Sendable {
    private enum Item {
        case number(Double, hasPoint: Bool, isNegative: Bool)
        case hemisphere(Unicode.Scalar)
        /// °, ′ or ″ as level 0, 1 or 2.
        case unit(Int)
        case colon
        case comma
        case semicolon
        case latitude
        case longitude
    }

    /// One angle as entered.
    private struct Angle {
        var parts: [Double] = []
        var isNegative = false
        var hasPoint = false
        var hasUnit = false
        var hemisphere: Unicode.Scalar?

        /// The angle in degrees, or `nil` if minutes or seconds are out of range.
        var degrees: Double? {
            guard let first = parts.first, parts.count <= 3 else { return nil }
            guard parts.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
            // Only the last part may have a fraction.
            guard parts.dropLast().allSatisfy({ $0 == $0.rounded() }) else { return nil }
            let minutes = parts.count > 1 ? parts[1] : 0
            let seconds = parts.count > 2 ? parts[2] : 0
            let size = first + minutes / 60 + seconds / 3600
            return isNegative || hemisphere == "S" || hemisphere == "W" ? -size : size
        }

        var isLatitude: Bool { hemisphere == "N" || hemisphere == "S" }
        var isLongitude: Bool { hemisphere == "E" || hemisphere == "W" }
    }

    /// Returns the position, or `nil` if the text is anything else.
    ///
    /// Without a comma, letters or unit signs, both numbers need a decimal point, so that postal codes are not taken
    /// for degrees. The longitude may come first if letters or labels say so, or if the numbers are valid only in that
    /// order.
    static func parse(_ scalars: [Unicode.Scalar]) -> PositionReading? {
        let plain = items(scalars, decimalComma: false).flatMap(reading)
        if let plain, plain.coordinate != nil { return plain }
        guard scalars.contains(","), let items = items(scalars, decimalComma: true) else { return plain }
        let other = reading(items)
        return other?.coordinate == nil ? plain ?? other : other
    }

    private static func items(_ scalars: [Unicode.Scalar], decimalComma: Bool) -> [Item]? {
        var items: [Item] = []
        var rest = scalars[...]
        while let scalar = rest.first {
            guard items.count < 24 else { return nil }
            switch scalar {
            case " ", "\t", "\u{A0}", "(", ")", "[", "]", "=": rest.removeFirst()
            case "°", "\u{BA}", "\u{2DA}":
                items.append(.unit(0))
                rest.removeFirst()
            case "'", "\u{2032}", "\u{2019}", "\u{B4}", "`":
                rest.removeFirst()
                let isDouble = rest.first == scalar
                if isDouble { rest.removeFirst() }
                items.append(.unit(isDouble ? 2 : 1))
            case "\"", "\u{2033}", "\u{201D}", "\u{201C}":
                items.append(.unit(2))
                rest.removeFirst()
            case ":":
                items.append(.colon)
                rest.removeFirst()
            case ",":
                items.append(.comma)
                rest.removeFirst()
            case ";", "/", "|":
                items.append(.semicolon)
                rest.removeFirst()
            case "A"..."Z", "a"..."z":
                guard let item = word(&rest, after: items.last) else { return nil }
                items.append(item)
            default:
                guard let number = number(&rest, decimalComma) else { return nil }
                items.append(number)
            }
        }
        return items
    }

    private static func word(_ rest: inout ArraySlice<Unicode.Scalar>, after last: Item?) -> Item? {
        var letters = rest.prefix { ("A"..."Z").contains($0) || ("a"..."z").contains($0) }
        // "56sN": a unit sign and a letter.
        if letters.count == 2, isNumber(last) { letters = letters.prefix(1) }
        rest = rest.dropFirst(letters.count)
        let word = String(String.UnicodeScalarView(letters)).lowercased()
        switch word {
        case "n", "north": return .hemisphere("N")
        case "s" where isNumber(last) && (rest.first.map { "nsewNSEW".unicodeScalars.contains($0) } ?? false):
            return .unit(2)
        case "s", "south": return .hemisphere("S")
        case "e", "east": return .hemisphere("E")
        case "w", "west": return .hemisphere("W")
        case "lat", "latitude": return .latitude
        case "lon", "lng", "long", "longitude": return .longitude
        case "d", "deg", "degrees": return isNumber(last) ? .unit(0) : nil
        case "m", "min", "minutes": return isNumber(last) ? .unit(1) : nil
        case "sec", "seconds": return isNumber(last) ? .unit(2) : nil
        default: return nil
        }
    }

    private static func isNumber(_ item: Item?) -> Bool {
        if case .number? = item { return true }
        return false
    }

    private static func number(_ rest: inout ArraySlice<Unicode.Scalar>, _ decimalComma: Bool) -> Item? {
        var text = ""
        var digits = 0
        var hasPoint = false
        var isNegative = false
        loop: while let scalar = rest.first {
            switch scalar {
            case "0"..."9":
                digits += 1
                text.unicodeScalars.append(scalar)
            case ".",
                "," where decimalComma:
                // A comma that ends a number is a separator.
                let isInside = rest.dropFirst().first.map { ("0"..."9").contains($0) } ?? false
                guard scalar == "." || (isInside && !hasPoint) else { break loop }
                guard !hasPoint else { return nil }
                hasPoint = true
                text += "."
            case "+" where digits == 0 && !isNegative: break
            case "-" where digits == 0 && !isNegative, "\u{2212}" where digits == 0 && !isNegative,
                "\u{2013}" where digits == 0 && !isNegative:
                isNegative = true
            default: break loop
            }
            rest.removeFirst()
            guard digits < 20 else { return nil }
        }
        guard digits > 0, let value = Double(text) else { return nil }
        return .number(value, hasPoint: hasPoint, isNegative: isNegative)
    }

    private static func reading(_ items: [Item]) -> PositionReading? {
        guard let cut = angles(items), let a = cut.first.degrees, let b = cut.second.degrees else { return nil }
        let (first, second) = (cut.first, cut.second)
        let hasLetters = first.hemisphere != nil && second.hemisphere != nil
        guard (first.hemisphere == nil) == (second.hemisphere == nil) else { return nil }
        let isExact = (first.hasUnit && second.hasUnit) || (first.hasPoint && second.hasPoint)
        guard cut.isSplit || hasLetters || isExact else { return nil }
        if hasLetters {
            if first.isLatitude, second.isLongitude { return PositionReading(Coordinate(latitude: a, longitude: b)) }
            guard first.isLongitude, second.isLatitude else { return nil }
            return PositionReading(Coordinate(latitude: b, longitude: a))
        }
        if cut.isReversed { return PositionReading(Coordinate(latitude: b, longitude: a)) }
        if cut.isLabelled { return PositionReading(Coordinate(latitude: a, longitude: b)) }
        let swapped = Coordinate(latitude: b, longitude: a)
        guard let plain = Coordinate(latitude: a, longitude: b) else {
            return PositionReading(swapped, sureness: isExact ? 0.8 : 0.5)
        }
        return PositionReading(plain, sureness: isExact || first.hasPoint || second.hasPoint ? 1 : 0.8, other: swapped)
    }

    /// Two angles, and whether their order and separation are certain.
    private struct Cut {
        let first: Angle
        let second: Angle
        /// Whether there was a separator between them.
        let isSplit: Bool
        /// Whether labels identify them, and whether the longitude comes first.
        let isLabelled: Bool
        let isReversed: Bool
    }

    /// Splits the items into two angles.
    private static func angles(_ items: [Item]) -> Cut? {
        var items = items
        var isReversed = false
        var hasLabels = false
        if let label = items.firstIndex(where: { if case .longitude = $0 { true } else { false } }) {
            guard let other = items.firstIndex(where: { if case .latitude = $0 { true } else { false } }) else {
                return nil
            }
            isReversed = label < other
            hasLabels = true
            let second = max(label, other)
            items[second] = .semicolon
            items.remove(at: min(label, other))
            // "lat: 33.7, lon: -84.4": the comma before a label is dropped, because the label itself separates the
            // angles.
            items = withoutRepeatedMarks(items)
        }
        let middle: Int
        let next: Int
        let separators = items.indices.filter { if case .semicolon = items[$0] { true } else { false } }
        let commas = items.indices.filter { if case .comma = items[$0] { true } else { false } }
        if separators.count == 1, commas.isEmpty {
            (middle, next) = (separators[0], separators[0] + 1)
        } else if separators.isEmpty, commas.count == 1 {
            (middle, next) = (commas[0], commas[0] + 1)
        } else if separators.isEmpty, commas.isEmpty, let half = half(items) {
            (middle, next) = (half, half)
        } else {
            return nil
        }
        guard let first = angle(items[..<middle]), let second = angle(items[next...]) else { return nil }
        return Cut(
            first: first,
            second: second,
            isSplit: hasLabels || !separators.isEmpty || !commas.isEmpty,
            isLabelled: hasLabels,
            isReversed: isReversed
        )
    }

    /// Drops colons after labels, and commas before the semicolon that represents the second label.
    private static func withoutRepeatedMarks(_ items: [Item]) -> [Item] {
        var kept: [Item] = []
        for item in items {
            switch item {
            case .colon:
                if kept.isEmpty { continue }
                if case .semicolon? = kept.last { continue }
            case .semicolon:
                if case .comma? = kept.last { kept.removeLast() }
            default: break
            }
            kept.append(item)
        }
        return kept
    }

    /// Returns the start of the second angle if there is no separator.
    private static func half(_ items: [Item]) -> Int? {
        let letters = items.indices.filter { if case .hemisphere = items[$0] { true } else { false } }
        if letters.count == 2 {
            // Letters come either before or after their angles.
            return letters[0] == 0 ? letters[1] : letters[0] + 1
        }
        let numbers = items.indices.filter { isNumber(items[$0]) }
        guard letters.isEmpty, numbers.count % 2 == 0, (2...6).contains(numbers.count) else { return nil }
        // Without units, only pairs of decimals are unambiguous.
        return numbers[numbers.count / 2]
    }

    private static func angle(_ items: ArraySlice<Item>) -> Angle? {
        var angle = Angle()
        var isOpen = false
        for item in items {
            switch item {
            case .number(let value, let hasPoint, let isNegative):
                guard angle.parts.count < 3, !isNegative || angle.parts.isEmpty else { return nil }
                angle.parts.append(value)
                if isNegative { angle.isNegative = true }
                angle.hasPoint = hasPoint
                isOpen = true
            case .unit(let level):
                guard isOpen, level == angle.parts.count - 1 else { return nil }
                angle.hasUnit = true
                isOpen = false
            case .colon:
                guard isOpen else { return nil }
                angle.hasUnit = true
                isOpen = false
            case .hemisphere(let letter):
                guard angle.hemisphere == nil else { return nil }
                angle.hemisphere = letter
            case .comma, .semicolon, .latitude, .longitude: return nil
            }
        }
        // Angles without units need a letter or must be plain degrees.
        guard !angle.parts.isEmpty, angle.parts.count == 1 || angle.hasUnit || angle.hemisphere != nil else {
            return nil
        }
        return angle
    }
}
