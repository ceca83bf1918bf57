public import Geometry

/// The places that contain a position, each with its own point and box; `nil` if unknown.
public struct Surroundings: Hashable, Sendable {
    /// A part of the settlement.
    public var part: GazetteerMatch?
    /// The settlement.
    public var settlement: GazetteerMatch?
    /// The county.
    public var county: GazetteerMatch?
    /// The state, province or region.
    public var region: GazetteerMatch?
    /// The country.
    public var country: GazetteerMatch?
}

extension GazetteerIndex {
    /// Returns the places that contain a position, from the result of ``locate(_:options:)``.
    public func surroundings(of point: ReversePoint) -> Surroundings {
        let around = records(around: point)
        return Surroundings(
            part: around.part.map(describe),
            settlement: around.settlement.map(describe),
            county: around.county.map(describe),
            region: around.region.map(describe),
            country: around.country.map(describe)
        )
    }

    /// The records of the places that contain a position.
    private struct Records {
        var part: PlaceRecord?
        var settlement: PlaceRecord?
        var county: PlaceRecord?
        var region: PlaceRecord?
        var country: PlaceRecord?
        /// Whether country and region are those of the settlement's record instead of the outline's.
        var isForeign = false
    }

    private func records(around point: ReversePoint) -> Records {
        let unit = point.unit == GazetteerFormat.none ? nil : Int(point.unit)
        let settlement = point.settlement == GazetteerFormat.none ? nil : place(Int(point.settlement))
        // The record of a settlement across a coarse border is the most reliable source of its country.
        let isForeign = unit.map { settlement?.country != areas.country(of: $0) } ?? true
        let own = settlement.flatMap { isForeign && !point.isNear ? $0 : nil }
        return Records(
            part: point.part == GazetteerFormat.none ? nil : place(Int(point.part)),
            settlement: settlement,
            county: own != nil ? place(own?.admin2) : place(unit.flatMap { areas.admin2(of: $0) }),
            region: own != nil
                ? place(own?.admin1) : place(unit.flatMap { areas.admin1(of: $0) } ?? settlement?.admin1),
            country: own.flatMap { countryPlace(of: $0) } ?? unit.flatMap { countryRecord(areas.country(of: $0)) },
            isForeign: own != nil
        )
    }

    /// Returns the names of the settlement and of its part at a position.
    func settlementNames(of point: ReversePoint) -> [String] {
        let around = records(around: point)
        return [around.part, around.settlement].compactMap { $0.map(name(of:)) }
    }

    /// Returns the names and codes of county, region and country at a position: "Fulton County", "Georgia", "US-GA",
    /// "United States", "US", "USA".
    func areaNames(of point: ReversePoint, hasCounty: Bool, hasRegion: Bool) -> [String] {
        let around = records(around: point)
        var names: [String] = []
        if hasCounty, let county = around.county { names.append(name(of: county)) }
        if hasRegion, let region = around.region {
            names.append(name(of: region))
            // The outline's code is that of another region if the settlement's record counts.
            if !around.isForeign, point.unit != GazetteerFormat.none, let code = areas.code(of: Int(point.unit)) {
                names.append(code)
            }
        }
        if let country = around.country {
            let code = countryCode(of: country)
            names += [name(of: country), code, longCode(ofCountry: code) ?? ""]
        }
        return names
    }

    /// Returns the ISO 3166-2 code of the region around a position, if known: "US-GA".
    public func regionCode(at coordinate: Coordinate) -> String? {
        areas.find(AreaPosition(latitude: coordinate.latitude, longitude: coordinate.longitude)).unit
            .flatMap { areas.code(of: $0) }
    }

    /// Returns the two-letter ISO 3166 code of a country by its three-letter code in any case: "US".
    public func shortCode(ofCountry code: String) -> String? {
        let wanted = Array(code.uppercased().utf8)
        guard wanted.count == 3 else { return nil }
        for number in 0..<countries.count / GazetteerFormat.Country.length {
            let letters = countries.part(offset: number * GazetteerFormat.Country.length, length: 5)
            if letters.dropFirst(2).elementsEqual(wanted) { return String(decoding: letters.prefix(2), as: UTF8.self) }
        }
        return nil
    }

    /// Returns the two-letter ISO 3166 code, in capitals, of a country by its name in any language that the gazetteer
    /// knows, or by such a code itself; `nil` if there is no such country.
    public func code(ofCountryNamed name: String) -> String? {
        if countryNumber(code: name) != nil { return name.uppercased() }
        let folded = FoldedText(name, limit: 200)
        guard !folded.tokens.isEmpty, let postings = postings(for: folded.wholeKey) else { return nil }
        for number in postings.prefix(64) {
            let posting = posting(number)
            guard kind(of: posting.place) == .country, let place = place(posting.place) else { continue }
            return countryCode(of: place).uppercased()
        }
        return nil
    }

    /// Returns the three-letter ISO 3166 code of a country by its two-letter code in any case: "USA".
    public func longCode(ofCountry code: String) -> String? {
        guard let number = countryNumber(code: code) else { return nil }
        let letters = countries.part(offset: number * GazetteerFormat.Country.length + 2, length: 3)
        return letters.contains(0) ? nil : String(decoding: letters, as: UTF8.self)
    }
}
