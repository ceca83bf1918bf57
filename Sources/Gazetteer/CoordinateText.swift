import Folding
import Geometry

/// Parses a position in any common notation: degrees in many forms, `geo:` and `geohash:`, plus codes, WKT and URLs of
/// web maps.
enum CoordinateText: Sendable {
    /// The maximum length of a text in bytes of UTF-8: URLs of maps are long.
    private static let longest = 2_048

    /// Returns the position in a text, or `nil` if the text is not written like a position.
    static func read(_ text: String) -> PositionReading? {
        guard let first = text.unicodeScalars.first(where: { $0 != " " }), text.utf8.count <= longest else {
            return nil
        }
        // Rejects names first, because most queries are names; a text that starts with a non-ASCII character is always
        // parsed.
        guard first.value >= 0x80 || !isNameLike(text) else { return nil }
        let scalars = DecimalDigit.plain(Array(text.unicodeScalars))
        if let colon = scalars.firstIndex(of: ":"), (2...8).contains(colon) {
            let rest = scalars[(colon + 1)...]
            let named: Coordinate??
            switch String(String.UnicodeScalarView(scalars[..<colon])).lowercased() {
            case "geo": named = .some(geoAddress(rest))
            case "geohash": named = .some(Geohash.decode(rest))
            case "http", "https": named = .some(MapAddress.parse(scalars))
            case "pluscode": named = .some(PlusCode.decode(rest))
            default: named = nil
            }
            if let named { return named.map { PositionReading($0) } }
        }
        guard scalars.count <= 128 else { return nil }
        if let point = wellKnownPoint(scalars) { return PositionReading(point) }
        if let position = PlusCode.decode(scalars[...]) { return PositionReading(position) }
        return AngleText.parse(scalars)
    }

    /// Returns whether a text looks like a name: it has no digits and no colon, or only one group of digits and neither
    /// a plus sign nor a colon.
    private static func isNameLike(_ text: String) -> Bool {
        var digits = 0
        var groups = 0
        var isDigit = false
        var hasPlus = false
        for byte in text.utf8 {
            let digit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if digit { digits += 1 }
            if digit, !isDigit { groups += 1 }
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: ":") { hasPlus = true }
            isDigit = digit
        }
        return digits == 0 ? !text.utf8.contains(UInt8(ascii: ":")) : groups < 2 && !hasPlus
    }

    /// Parses the part after `geo:` (RFC 5870); a query appended by some programs may contain the position instead.
    private static func geoAddress(_ scalars: ArraySlice<Unicode.Scalar>) -> Coordinate? {
        let path = scalars.prefix { $0 != ";" && $0 != "?" }
        let position = pair(path)
        guard let question = scalars.firstIndex(of: "?"),
            position == nil || position == Coordinate(latitude: 0, longitude: 0)
        else { return position }
        return MapAddress.query(scalars[(question + 1)...]) ?? position
    }

    /// Parses "LATITUDE,LONGITUDE"; a third part, the height, is ignored.
    static func pair(_ scalars: ArraySlice<Unicode.Scalar>) -> Coordinate? {
        let parts = scalars.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 else { return nil }
        let numbers = parts.prefix(2).compactMap(number)
        guard numbers.count == 2 else { return nil }
        return Coordinate(latitude: numbers[0], longitude: numbers[1])
    }

    /// Parses a plain decimal number: no exponent, no words.
    static func number(_ scalars: ArraySlice<Unicode.Scalar>) -> Double? {
        let text = scalars.drop { $0 == " " || $0 == "+" }
        guard !text.isEmpty, text.count <= 24 else { return nil }
        var plain = ""
        for scalar in text {
            switch scalar {
            case "0"..."9", ".": plain.unicodeScalars.append(scalar)
            case "-", "\u{2212}":
                guard plain.isEmpty else { return nil }
                plain = "-"
            case " ": continue
            default: return nil
            }
        }
        return plain.contains { $0.isNumber } ? Double(plain) : nil
    }

    /// Parses "POINT(LONGITUDE LATITUDE)".
    private static func wellKnownPoint(_ scalars: [Unicode.Scalar]) -> Coordinate? {
        let text = String(String.UnicodeScalarView(scalars)).uppercased()
        guard text.hasPrefix("POINT"), let open = scalars.firstIndex(of: "("), scalars.last == ")" else { return nil }
        let numbers = scalars[(open + 1)...].dropLast().split(separator: " ").compactMap(number)
        guard numbers.count == 2 else { return nil }
        return Coordinate(latitude: numbers[1], longitude: numbers[0])
    }
}

/// URLs of places on web maps: Google, OpenStreetMap, Apple, Bing and similar ones.
enum MapAddress: Sendable {
    /// Returns the position in a URL, or `nil` if it contains none.
    static func parse(_ scalars: [Unicode.Scalar]) -> Coordinate? {
        let text = decoded(scalars)
        // Google: prefers the place itself (!3d LATITUDE !4d LONGITUDE) to the centre of the view (@LAT,LON,ZOOM).
        if let position = marked(text) { return position }
        if let question = text.firstIndex(of: "?") {
            let end = text[question...].firstIndex(of: "#") ?? text.endIndex
            if let position = query(text[(question + 1)..<end]) { return position }
        }
        if let at = text.firstIndex(of: "@") {
            let parts = text[(at + 1)...].prefix { $0 != "/" }.split(separator: ",")
            if parts.count >= 2, let position = CoordinateText.pair(joined(parts[0], parts[1])) { return position }
        }
        return fragment(text)
    }

    /// Parses the position in the query of a URL: "q=LAT,LON", "mlat=LAT&mlon=LON", "cp=LAT~LON".
    static func query(_ text: ArraySlice<Unicode.Scalar>) -> Coordinate? {
        var fields: [String: ArraySlice<Unicode.Scalar>] = [:]
        for field in text.prefix(2_048).split(separator: "&").prefix(40) {
            guard let equals = field.firstIndex(of: "=") else { continue }
            let name = String(String.UnicodeScalarView(field[..<equals])).lowercased()
            if fields[name] == nil { fields[name] = field[(equals + 1)...] }
        }
        for (latitude, longitude) in [("mlat", "mlon"), ("lat", "lon"), ("lat", "lng")] {
            guard let north = fields[latitude].flatMap(CoordinateText.number),
                let east = fields[longitude].flatMap(CoordinateText.number)
            else { continue }
            return Coordinate(latitude: north, longitude: east)
        }
        for name in ["q", "query", "ll", "coordinate", "daddr", "destination", "center", "cp", "sll"] {
            guard let value = fields[name] else { continue }
            let pair = value.prefix { $0 != "(" }.map { $0 == "~" ? "," : $0 == "+" ? " " : $0 }
            if let position = CoordinateText.pair(pair[...]) { return position }
        }
        return nil
    }

    /// Parses "#map=ZOOM/LAT/LON" and similar fragments.
    private static func fragment(_ text: [Unicode.Scalar]) -> Coordinate? {
        guard let hash = text.lastIndex(of: "#") else { return nil }
        let path = text[(hash + 1)...].prefix { $0 != "&" }
        let numbers = path.split { $0 == "/" || $0 == "=" }.compactMap(CoordinateText.number)
        guard numbers.count >= 3 else { return nil }
        return Coordinate(latitude: numbers[1], longitude: numbers[2])
    }

    private static func marked(_ text: [Unicode.Scalar]) -> Coordinate? {
        func value(after letters: [Unicode.Scalar]) -> Double? {
            guard text.count > letters.count else { return nil }
            for start in 0..<(text.count - letters.count)
            where text[start..<(start + letters.count)].elementsEqual(letters) {
                return CoordinateText.number(text[(start + letters.count)...].prefix { $0 != "!" && $0 != "?" })
            }
            return nil
        }
        guard let north = value(after: ["!", "3", "d"]), let east = value(after: ["!", "4", "d"]) else { return nil }
        return Coordinate(latitude: north, longitude: east)
    }

    private static func joined(
        _ first: ArraySlice<Unicode.Scalar>,
        _ second: ArraySlice<Unicode.Scalar>
    ) -> ArraySlice<Unicode.Scalar> {
        (Array(first) + [","] + Array(second))[...]
    }

    /// Decodes percent-encoded ASCII such as "%2C".
    private static func decoded(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        var index = 0
        while index < scalars.count {
            if scalars[index] == "%", index + 2 < scalars.count,
                let code = UInt8(String(String.UnicodeScalarView(scalars[(index + 1)...(index + 2)])), radix: 16),
                code < 0x80
            {
                result.append(Unicode.Scalar(code))
                index += 3
            } else {
                result.append(scalars[index])
                index += 1
            }
        }
        return result
    }
}
