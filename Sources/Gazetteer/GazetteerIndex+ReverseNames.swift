import Geometry

// Names of the places at a position.
extension GazetteerIndex {
    /// Names the result of ``locate(_:options:)``, or returns `nil` if nothing was found.
    public func describe(_ point: ReversePoint) -> ReverseMatch? {
        var last = LastDescribed()
        return describe(point, &last)
    }

    /// Names a result; consecutive neighbours usually share the data cached in `last`.
    func describe(_ point: ReversePoint, _ last: inout LastDescribed) -> ReverseMatch? {
        let unit = point.unit == GazetteerFormat.none ? nil : Int(point.unit)
        let water = point.water == 0 ? nil : last.name(ofWater: Int(point.water) - 1, areas)
        let settlement = point.settlement == GazetteerFormat.none ? nil : place(Int(point.settlement))
        guard let settlement else {
            if unit == nil, let water { return last.match(forWater: water, at: point.coordinate, self) }
            return describe(point.coordinate, unit: unit, water: water)
        }
        let setting = setting(of: settlement, at: point)
        var match = last.match(for: settlement, self)
        match.admin2 = county(of: setting)
        if setting.isMoved { move(&match, to: setting, isNear: point.isNear) }
        let code = unit.flatMap { areas.code(of: $0) }
        let part = point.part == GazetteerFormat.none ? nil : place(Int(point.part)).map { name(of: $0) }
        let metres = GreatCircle.distance(settlement.coordinate, point.coordinate)
        let bearing = GreatCircle.bearing(from: settlement.coordinate, to: point.coordinate)
        var writer = ReverseLabelWriter(self)
        let label = writer.label(setting, at: point, water: water)
        match.confidence = Self.confidence(
            kilometres: metres / 1000,
            outside: Double(point.kilometresOutside),
            isNear: point.isNear
        )
        return ReverseMatch(
            place: match,
            isSettlement: true,
            neighbourhood: part == match.name ? nil : part,
            postcode: code == nil ? nil : postcode(at: point.coordinate, unit: unit),
            regionCode: code,
            water: water,
            distanceKilometres: metres / 1000,
            bearing: bearing,
            isNear: point.isNear,
            label: writer.text(label)
        )
    }

    /// Returns the probability that a position is named after a settlement, given the distances in kilometres to its
    /// centre and to its edge; `outside` is negative inside the settlement.
    ///
    /// The probability is the fraction of US ZIP codes, with centres at these distances, that are named after the
    /// settlement.
    static func confidence(kilometres: Double, outside: Double, isNear: Bool) -> Double {
        let least = 0.03
        guard !isNear else { return least }
        guard outside > 0 else {
            let radius = kilometres - outside
            return radius > 0 ? 0.99 - 0.17 * min(1, kilometres / radius) : 0.99
        }
        // Beyond the edge, the fraction falls by two thirds every 3.4 km.
        return max(least, 0.82 * Math.exponential(-outside / 3.4))
    }

    /// Replaces the surroundings in a settlement's match with those of the position.
    private func move(_ match: inout GazetteerMatch, to setting: ReverseSetting, isNear: Bool) {
        match.admin1 = place(setting.region).map { name(of: $0) }
        if let country = place(setting.country) {
            match.country = name(of: country)
            match.countryCode = countryCode(of: country)
        }
        // The label of a settlement that is only near the position keeps the settlement's own surroundings.
        if !isNear { match.label = Self.label(match.name, match.admin1, match.country) }
    }

    /// Names a position without a settlement: by region and country, or by the water.
    func describe(_ coordinate: Coordinate, unit: Int?, water: String?) -> ReverseMatch? {
        var match: GazetteerMatch
        if let unit, let record = place(areas.admin1(of: unit)) ?? countryRecord(areas.country(of: unit)) {
            match = describe(record)
            match.admin2 = place(areas.admin2(of: unit)).map { name(of: $0) } ?? areas.name(of: unit)
            match.label = Self.label(water ?? match.admin2 ?? match.name, match.name, match.country)
        } else if let water {
            match = self.match(forWater: water, at: coordinate)
        } else {
            return nil
        }
        return ReverseMatch(
            place: match,
            isSettlement: false,
            neighbourhood: nil,
            postcode: nil,
            regionCode: unit.flatMap { areas.code(of: $0) },
            water: water,
            distanceKilometres: 0,
            bearing: 0,
            isNear: false,
            label: match.label
        )
    }

    fileprivate func match(forWater name: String, at coordinate: Coordinate) -> GazetteerMatch {
        GazetteerMatch(
            name: name,
            kind: .water,
            coordinate: coordinate,
            confidence: 1,
            matchType: .exact,
            unmatched: [],
            isAmbiguous: false,
            importance: 0,
            admin1: nil,
            admin2: nil,
            country: nil,
            countryCode: nil,
            postcode: nil,
            label: name,
            boundingBox: nil,
            source: "waymark",
            id: "water:\(name)"
        )
    }

    func countryRecord(_ country: Int) -> PlaceRecord? {
        guard country < countries.count / GazetteerFormat.Country.length else { return nil }
        let record = country * GazetteerFormat.Country.length
        return place(Int(countries.load(record + GazetteerFormat.Country.place, as: UInt32.self)))
    }

    /// Returns the nearest ZIP code in the same state.
    private func postcode(at coordinate: Coordinate, unit: Int?) -> String? {
        let target = UnitVector(latitude: coordinate.latitude, longitude: coordinate.longitude)
        var search = PlaceTree.Search(target, group: areas.group(of: unit), limit: 50)
        search.run(postcodes)
        return search.node == nil ? nil : place(Int(search.place)).map { name(of: $0) }
    }

    /// Returns "near Sparks, Nevada, United States, 75 km north-east", preceded by the name of the water if there is
    /// one.
    static func label(near label: String, metres: Double, bearing: Double, water: String?) -> String {
        let near = "near \(label), \(Int((metres / 1000).rounded())) km \(direction(bearing))"
        return water.map { "\($0), \(near)" } ?? near
    }

    private static let directions = [
        "north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west",
    ]

    /// Returns the name of the compass direction nearest to `bearing`, which is in degrees clockwise from north.
    static func direction(_ bearing: Double) -> String { directions[Int((bearing / 45).rounded()) & 7] }
}

/// The most recently described result, for reuse.
struct LastDescribed {
    private var settlement: (number: Int, match: GazetteerMatch)?
    private var water: (number: Int, name: String?)?
    private var atSea: ReverseMatch?

    mutating func match(for place: PlaceRecord, _ index: GazetteerIndex) -> GazetteerMatch {
        if let settlement, settlement.number == place.number { return settlement.match }
        let match = index.describe(place)
        settlement = (place.number, match)
        return match
    }

    mutating func name(ofWater number: Int, _ areas: AreaIndex) -> String? {
        if let water, water.number == number { return water.name }
        let name = areas.name(ofWater: number)
        water = (number, name)
        return name
    }

    mutating func match(forWater name: String, at coordinate: Coordinate, _ index: GazetteerIndex) -> ReverseMatch? {
        if var match = atSea, match.water == name {
            match.place.coordinate = coordinate
            return match
        }
        atSea = index.describe(coordinate, unit: nil, water: name)
        return atSea
    }
}
