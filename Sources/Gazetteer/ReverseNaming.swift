/// The settlement that a position belongs to, and the region, country and county around it as numbers, from which
/// names are composed.
struct ReverseSetting: Sendable {
    /// The settlement.
    let settlement: PlaceRecord
    /// The place of the region, if any.
    var region: Int?
    /// The place of the country.
    var country: Int
    /// The number of the unit whose county is named, if it has one.
    var countyUnit: Int?
    /// Whether the settlement's own county is named if ``countyUnit`` has none.
    var hasOwnCounty = true
    /// Whether outlines place the settlement elsewhere than its record does.
    var isMoved = false
}

extension GazetteerIndex {
    /// Returns a settlement's surroundings according to the outlines, unless its own record is more reliable.
    @inline(__always)
    func setting(of settlement: PlaceRecord, at point: ReversePoint) -> ReverseSetting {
        var setting = ReverseSetting(
            settlement: settlement,
            region: settlement.admin1,
            country: placeNumber(ofCountry: settlement.country)
        )
        guard point.unit != GazetteerFormat.none else { return setting }
        let unit = Int(point.unit)
        let country = areas.country(of: unit)
        let isForeign = country != settlement.country
        let isClose = point.kilometresOutside <= Float(Self.closeKilometres)
        let isExact = areas.hasCode(unit)
        // A coarse outline may place a border town in the wrong country.
        if isForeign && isClose && !isExact { return setting }
        setting.countyUnit = unit
        setting.hasOwnCounty = !isForeign
        let region = areas.admin1(of: unit).flatMap { place($0)?.number }
        guard isForeign || (region != nil && region != settlement.admin1) else { return setting }
        // Regions outside the USA are also drawn coarsely.
        guard isForeign || !isClose || isExact || settlement.admin1 == nil else { return setting }
        setting.region = region
        if isForeign { setting.country = placeNumber(ofCountry: country) }
        // The outlines disagree with the settlement's record.
        setting.isMoved = true
        return setting
    }

    /// Returns the name of the county of a setting.
    func county(of setting: ReverseSetting) -> String? {
        let own = setting.hasOwnCounty ? place(setting.settlement.admin2).map { name(of: $0) } : nil
        guard let unit = setting.countyUnit else { return own }
        return place(areas.admin2(of: unit)).map { name(of: $0) } ?? areas.name(of: unit) ?? own
    }

    /// Returns the bytes of the name of a place; none if there is no such place.
    @inline(__always)
    func nameBytes(_ number: Int?) -> UnsafeRawBufferPointer {
        guard let place = place(number) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return names.part(offset: place.nameOffset, length: place.nameLength)
    }
}
