import Geometry

/// A place in the index, whose fields are read in place.
struct PlaceRecord: Sendable {
    private typealias Layout = GazetteerFormat.Place

    /// The number of the place, which is also its rank.
    let number: Int
    private let view: ByteView
    private let offset: Int

    init?(_ number: Int, in view: ByteView) {
        guard number >= 0, number < view.count / Layout.length else { return nil }
        self.number = number
        self.view = view
        offset = number * Layout.length
    }

    var ident: UInt32 { view.load(offset + Layout.ident) }
    var source: PlaceSource? { PlaceSource(rawValue: view.load(offset + Layout.source)) }
    var kind: PlaceKind { PlaceKind(rawValue: view.load(offset + Layout.kind)) ?? .village }
    var country: Int { Int(view.load(offset + Layout.country, as: UInt16.self)) }
    var admin1: Int? { link(Layout.admin1) }
    var admin2: Int? { link(Layout.admin2) }
    var city: Int? { link(Layout.city) }
    var box: Int? { link(Layout.box) }
    var population: Int { Int(view.load(offset + Layout.population, as: UInt32.self)) }
    var nameOffset: Int { Int(view.load(offset + Layout.nameOffset, as: UInt32.self)) }
    var nameLength: Int { Int(view.load(offset + Layout.nameLength, as: UInt16.self)) }

    /// The weight of the place as a fraction of the largest, 0...1.
    var importance: Double { Double(view.load(offset + Layout.importance, as: UInt16.self)) / 65535 }

    /// The latitude in degrees, as stored; out of range in a damaged file.
    var latitude: Double { Double(view.load(offset + Layout.latitude, as: Int32.self)) / GazetteerFormat.degree }
    var longitude: Double { Double(view.load(offset + Layout.longitude, as: Int32.self)) / GazetteerFormat.degree }

    var coordinate: Coordinate { Coordinate(wrappingLatitude: latitude, longitude: longitude) }

    private func link(_ field: Int) -> Int? {
        let value: UInt32 = view.load(offset + field)
        return value == GazetteerFormat.none ? nil : Int(value)
    }
}

extension GazetteerIndex {
    /// Returns a place by number, or `nil` if there is none.
    func place(_ number: Int?) -> PlaceRecord? {
        number.flatMap { PlaceRecord($0, in: places) }
    }

    /// Returns the kind of a place, by its number.
    @inline(__always)
    func kind(of number: Int) -> PlaceKind {
        PlaceKind(rawValue: kinds.load(number, as: UInt8.self)) ?? .village
    }

    /// Returns the name of a place as entered.
    func name(of place: PlaceRecord) -> String {
        names.part(offset: place.nameOffset, length: place.nameLength)
            .withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the identifier of a place in its source: "geonames:4180439".
    func identifier(of place: PlaceRecord) -> String {
        guard let source = place.source else { return "unknown:\(place.ident)" }
        switch source {
        case .added:
            let length = Int(names.load(Int(place.ident), as: UInt8.self))
            return String(decoding: names.part(offset: Int(place.ident) + 1, length: length), as: UTF8.self)
        case .geonames:
            return "\(source.name):\(place.ident)"
        case .geonamesAdmin1, .community, .naturalEarth, .airport:
            let length = Int(names.load(Int(place.ident), as: UInt8.self))
            let text = names.part(offset: Int(place.ident) + 1, length: length)
            return "\(source.name):\(String(decoding: text, as: UTF8.self))"
        case .census, .zipcode:
            return "\(source.name):\(Self.fiveDigits(place.ident))"
        }
    }

    /// Returns a number padded with zeros to five digits.
    package static func fiveDigits(_ number: UInt32) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }

    /// Returns the box of a place, or `nil` if it has none.
    func boundingBox(of place: PlaceRecord) -> BoundingBox? {
        guard let number = place.box, number < boxes.count / 16 else { return nil }
        let edges = (0..<4).map { Double(boxes.load(number * 16 + $0 * 4, as: Int32.self)) / GazetteerFormat.degree }
        return BoundingBox(west: edges[0], south: edges[1], east: edges[2], north: edges[3])
    }

    /// Returns the place record of a place's country.
    func countryPlace(of place: PlaceRecord) -> PlaceRecord? { self.place(placeNumber(ofCountry: place.country)) }

    /// Returns the place number of a country, or `Int.max`, which no place has, if there is no such country.
    @inline(__always)
    func placeNumber(ofCountry country: Int) -> Int {
        guard country < countries.count / GazetteerFormat.Country.length else { return .max }
        let record = country * GazetteerFormat.Country.length
        return Int(countries.load(record + GazetteerFormat.Country.place, as: UInt32.self))
    }

    /// Returns the two-letter ISO 3166 code of a place's country in lower case; empty if unknown.
    func countryCode(of place: PlaceRecord) -> String {
        guard place.country < countries.count / GazetteerFormat.Country.length else { return "" }
        let code = countries.part(offset: place.country * GazetteerFormat.Country.length, length: 2)
        // An undamaged file contains only capital letters.
        return String(decoding: [code[0] | 0x20, code[1] | 0x20], as: UTF8.self)
    }

    /// Returns the number of a country by its two-letter code in any case, or `nil` if unknown.
    func countryNumber(code: String) -> Int? {
        let wanted = Array(code.utf8).map { $0 & 0xDF }
        guard wanted.count == 2 else { return nil }
        let target = UInt16(wanted[0]) << 8 | UInt16(wanted[1])
        var (low, high) = (0, countries.count / GazetteerFormat.Country.length)
        while low < high {
            let middle = (low + high) / 2
            let found = countries.load(middle * GazetteerFormat.Country.length, as: UInt16.self).byteSwapped
            if found == target { return middle }
            if found < target { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}

extension GazetteerIndex {
    /// Returns the first and last year of the name of a place, if known.
    ///
    /// - Complexity: O(log *n*) in the number of names with years.
    func years(of place: PlaceRecord) -> (from: Int?, to: Int?) {
        typealias Layout = GazetteerFormat.Years
        var (low, high) = (0, years.count / Layout.length)
        while low < high {
            let middle = (low + high) / 2
            let record = middle * Layout.length
            let found = Int(years.load(record + Layout.place, as: UInt32.self))
            if found == place.number {
                let from = Int(years.load(record + Layout.from, as: Int16.self))
                let to = Int(years.load(record + Layout.to, as: Int16.self))
                return (from == 0 ? nil : from, to == 0 ? nil : to)
            }
            if found < place.number { low = middle + 1 } else { high = middle }
        }
        return (nil, nil)
    }
}
