import Geometry

/// A position on the grids of UTM: a zone with easting and northing, or MGRS (NGA.STND.0037).
///
/// Written here because PROJ converts from UTM but reads neither zones nor MGRS, and Debian packages no library for it.
struct GridPosition: Hashable, Sendable {
    /// A UTM zone and its hemisphere.
    struct Zone: Hashable, Sendable {
        /// 1...60.
        let number: Int
        let isSouth: Bool

        /// Returns the EPSG name of the zone on a datum; `nil` if there is none.
        func name(on datum: Datum) -> String? {
            switch datum {
            case .wgs84: "EPSG:\((isSouth ? 32_700 : 32_600) + number)"
            case .nad83: isSouth || number > 23 ? nil : "EPSG:\(26_900 + number)"
            case .nad27: isSouth || number > 22 ? nil : "EPSG:\(26_700 + number)"
            }
        }
    }

    /// The datums in which UTM is common in archives.
    enum Datum: Sendable {
        case wgs84, nad83, nad27
    }

    /// Why a text names no zone.
    enum ZoneProblem: Error {
        case unreadable
        /// `17S` means the southern hemisphere to some and the band 32°–40° north to others.
        case ambiguous
    }

    let zone: Zone
    let easting: Double
    let northing: Double
    /// The side of the square that the text names, in metres; zero for an exact point.
    let size: Double
}

extension GridPosition.Zone {
    /// Parses `18N`, `18 T` or `zone 18 south`.
    init(_ text: String) throws(GridPosition.ZoneProblem) {
        var words = text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        if words.first == "utm" { words.removeFirst() }
        if words.first == "zone" { words.removeFirst() }
        let joined = words.joined()
        let digits = joined.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), (1...60).contains(number), digits.count <= 2 else { throw .unreadable }
        switch joined.dropFirst(digits.count) {
        case "n", "north": self.init(number: number, isSouth: false)
        case "south": self.init(number: number, isSouth: true)
        case "s": throw .ambiguous
        case let band where band.count == 1:
            // The bands C to M lie south of the equator, N to X north of it.
            guard let letter = band.utf8.first, "cdefghjklmnpqrstuvwx".utf8.contains(letter) else { throw .unreadable }
            self.init(number: number, isSouth: letter < UInt8(ascii: "n"))
        default: throw .unreadable
        }
    }
}

extension GridPosition {
    /// Parses easting and northing with their zone in one text: `18N 583960 4507523`, `583960mE 4507523mN 18T`.
    ///
    /// Returns `nil` for a text that is not written like this.
    static func utm(_ text: String) throws(ZoneProblem) -> GridPosition? {
        var numbers: [Double] = []
        var zone: [Substring] = []
        for word in text.split(whereSeparator: { $0.isWhitespace || $0 == "," || $0 == ";" }).prefix(8) {
            let digits = word.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            let unit = word.dropFirst(digits.count).lowercased()
            if digits.prefix(while: { $0 != "." }).count >= 5, ["", "m", "e", "n", "me", "mn"].contains(unit),
                let number = DecimalText.number(digits)
            {
                numbers.append(number)
            } else {
                zone.append(word)
            }
        }
        guard numbers.count == 2, !zone.isEmpty, zone.count <= 3 else { return nil }
        guard (100_000...900_000).contains(numbers[0]), (0...10_000_000).contains(numbers[1]) else { return nil }
        let read = try Zone(zone.joined(separator: " "))
        return GridPosition(zone: read, easting: numbers[0], northing: numbers[1], size: 0)
    }

    /// Parses MGRS or USNG with 0 to 10 digits: `18TWL8396007523`, `18T WL 83960 07523`.
    static func mgrs(_ text: String) -> GridPosition? {
        let plain = Array(text.uppercased().utf8.filter { $0 > 0x20 })
        let digits = plain.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...2).contains(digits.count), let zone = Int(String(decoding: digits, as: UTF8.self)),
            (1...60).contains(zone), plain.count >= digits.count + 3
        else { return nil }
        let letters = plain[digits.count..<(digits.count + 3)]
        let band = Array("CDEFGHJKLMNPQRSTUVWX".utf8).firstIndex(of: letters[digits.count])
        let column = Array("ABCDEFGHJKLMNPQRSTUVWXYZ".utf8).firstIndex(of: letters[digits.count + 1])
        let row = Array("ABCDEFGHJKLMNPQRSTUV".utf8).firstIndex(of: letters[digits.count + 2])
        let rest = plain[(digits.count + 3)...]
        guard let band, let column, let row, rest.count <= 10, rest.count.isMultiple(of: 2),
            column / 8 == (zone - 1) % 3
        else { return nil }
        let half = rest.count / 2
        let size = [100_000.0, 10_000, 1_000, 100, 10, 1][half]
        guard let east = half == 0 ? 0 : Int(String(decoding: rest.prefix(half), as: UTF8.self)),
            let north = half == 0 ? 0 : Int(String(decoding: rest.suffix(half), as: UTF8.self))
        else { return nil }
        let easting = Double(column % 8 + 1) * 100_000 + Double(east) * size
        var northing = Double((row + (zone.isMultiple(of: 2) ? 15 : 0)) % 20) * 100_000
        // The rows repeat every 2,000 km; the band tells which.
        while northing < lowest[band] { northing += 2_000_000 }
        let middle = half == 5 ? 0 : size / 2
        return GridPosition(
            zone: Zone(number: zone, isSouth: band < 10),
            easting: easting + middle,
            northing: northing + Double(north) * size + middle,
            size: half == 5 ? 0 : size
        )
    }

    /// The lowest northing in each band, down to 100 km, from C to X.
    private static let lowest: [Double] = [
        1_100_000, 2_000_000, 2_800_000, 3_700_000, 4_600_000, 5_500_000, 6_400_000, 7_300_000, 8_200_000, 9_100_000,
        0, 800_000, 1_700_000, 2_600_000, 3_500_000, 4_400_000, 5_300_000, 6_200_000, 7_000_000, 7_900_000,
    ]
}
