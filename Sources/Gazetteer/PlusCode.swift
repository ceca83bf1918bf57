import Geometry

/// Open Location Codes, "865QQJX6+C8" (specification of the Open Location Code project, version 1).
enum PlusCode: Sendable {
    private static let digits = Array("23456789CFGHJMPQRVWX".utf8)
    /// The position of the plus sign in a full code.
    private static let separator = 8
    /// The number of digits that form pairs; each further digit selects a cell in a grid of 4 by 5.
    private static let paired = 10
    private static let longest = 15

    /// Decodes a full code; `nil` for anything else.
    static func decode(_ scalars: ArraySlice<Unicode.Scalar>) -> Coordinate? {
        guard let code = codes(scalars.drop { $0 == " " }), code.plus == separator else { return nil }
        return centre(code.digits)
    }

    /// A short code with the locality in the text around it: "QJX6+C8 Atlanta".
    struct Short: Sendable {
        fileprivate let digits: [Int]
        /// The number of digits missing at its start.
        fileprivate let missing: Int
        /// The locality.
        let locality: String
    }

    /// Finds a short code as the first or last word of a text; `nil` if there is no short code, or no other text.
    static func short(in text: String) -> Short? {
        guard text.utf8.count <= 300, text.utf8.contains(UInt8(ascii: "+")) else { return nil }
        var words = text.split { $0 == " " || $0 == "," }
        guard words.count > 1 else { return nil }
        for position in [words.startIndex, words.endIndex - 1] {
            guard let code = codes(Array(words[position].unicodeScalars)[...]), code.plus < separator, code.plus >= 2,
                code.plus % 2 == 0
            else { continue }
            words.remove(at: position)
            return Short(digits: code.digits, missing: separator - code.plus, locality: words.joined(separator: " "))
        }
        return nil
    }

    /// Returns the centre of the full code nearest to `reference` that ends with a short code; `nil` if it is invalid.
    static func recover(_ short: Short, near reference: Coordinate) -> Coordinate? {
        let prefix = encode(reference, count: short.missing)
        guard let centre = centre(prefix + short.digits) else { return nil }
        let step = Math.power(20, 2 - Double(short.missing) / 2)
        var (latitude, longitude) = (centre.latitude, centre.longitude)
        if reference.latitude + step / 2 < latitude, latitude - step >= -90 { latitude -= step }
        if reference.latitude - step / 2 > latitude, latitude + step <= 90 { latitude += step }
        if reference.longitude + step / 2 < longitude { longitude -= step }
        if reference.longitude - step / 2 > longitude { longitude += step }
        return Coordinate(wrappingLatitude: latitude, longitude: longitude)
    }

    /// Returns the digits of a code and the position of its plus sign.
    private static func codes(_ scalars: ArraySlice<Unicode.Scalar>) -> (digits: [Int], plus: Int)? {
        guard scalars.count <= longest + 1 else { return nil }
        var digits: [Int] = []
        var plus: Int?
        var padding = 0
        for scalar in scalars {
            if scalar == "+" {
                guard plus == nil, digits.count + padding <= separator else { return nil }
                plus = digits.count + padding
            } else if scalar == "0", plus == nil {
                padding += 1
            } else {
                guard padding == 0, scalar.value < 0x80 else { return nil }
                let letter = UInt8(truncatingIfNeeded: scalar.value)
                let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) ? letter & 0xDF : letter
                guard let digit = Self.digits.firstIndex(of: upper) else { return nil }
                digits.append(digit)
            }
        }
        guard let plus, digits.count >= 2, digits.count != plus + 1 else { return nil }
        guard padding == 0 || (padding % 2 == 0 && plus == separator && digits.count + padding == separator) else {
            return nil
        }
        return (digits, plus)
    }

    private static func centre(_ digits: [Int]) -> Coordinate? {
        guard digits.count >= 2, digits.count <= longest else { return nil }
        var (south, west) = (-90.0, -180.0)
        var (height, width) = (400.0, 400.0)
        for (index, digit) in digits.enumerated() {
            if index < paired {
                if index % 2 == 0 {
                    height /= 20
                    south += Double(digit) * height
                } else {
                    width /= 20
                    west += Double(digit) * width
                }
            } else {
                height /= 5
                width /= 4
                south += Double(digit / 4) * height
                west += Double(digit % 4) * width
            }
        }
        return Coordinate(latitude: min(90, south + height / 2), longitude: west + width / 2)
    }

    /// Returns the first `count` digits of the code of a position; `count` must be even.
    private static func encode(_ position: Coordinate, count: Int) -> [Int] {
        var latitude = min(position.latitude, 89.999_999) + 90
        var longitude = (position.longitude == 180 ? -180 : position.longitude) + 180
        var digits: [Int] = []
        var size = 400.0
        while digits.count < count {
            size /= 20
            let (row, column) = (min(19, Int(latitude / size)), min(19, Int(longitude / size)))
            digits += [row, column]
            latitude -= Double(row) * size
            longitude -= Double(column) * size
        }
        return digits
    }
}

/// Geohashes (Niemeyer 2008).
enum Geohash: Sendable {
    private static let digits = Array("0123456789bcdefghjkmnpqrstuvwxyz".unicodeScalars)

    /// Returns the centre of a geohash, or `nil` if it is invalid.
    static func decode(_ scalars: ArraySlice<Unicode.Scalar>) -> Coordinate? {
        guard (1...24).contains(scalars.count) else { return nil }
        var (south, north, west, east) = (-90.0, 90.0, -180.0, 180.0)
        var isEast = true
        for scalar in scalars {
            let small = ("A"..."Z").contains(scalar) ? Unicode.Scalar(scalar.value | 0x20) ?? scalar : scalar
            guard let digit = digits.firstIndex(of: small) else { return nil }
            for bit in (0..<5).reversed() {
                let isUpper = digit >> bit & 1 == 1
                if isEast {
                    let middle = (west + east) / 2
                    if isUpper { west = middle } else { east = middle }
                } else {
                    let middle = (south + north) / 2
                    if isUpper { south = middle } else { north = middle }
                }
                isEast.toggle()
            }
        }
        return Coordinate(latitude: (south + north) / 2, longitude: (west + east) / 2)
    }
}
