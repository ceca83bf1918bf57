public import Geometry

extension GazetteerIndex {
    /// Settlements of another county count as this much farther, in kilometres.
    static let otherUnitKilometres = 3.0
    /// Within this of its middle, in kilometres, a town's own country counts more than a coarse outline.
    static let middleKilometres = 0.5
    /// Only farther than this off a coast, in kilometres, a position is surely on the water: coasts are drawn coarsely.
    static let shoreKilometres = 1.5

    /// Names a position.
    ///
    /// Outlines tell country, region and US county; among the settlements in that region the one whose edge is nearest,
    /// or whose centre is deepest around it, is taken: the distance on the sphere less the radius a settlement of its
    /// population has. Poles and the antimeridian are nothing special. Returns `nil` where nothing is known at all.
    /// - Complexity: O(log *n*) on average.
    public func reverse(_ coordinate: Coordinate, options: ReverseOptions = ReverseOptions()) -> ReverseMatch? {
        describe(locate(coordinate, options: options))
    }

    /// Finds what lies at a position, without its names.
    public func locate(_ coordinate: Coordinate, options: ReverseOptions = ReverseOptions()) -> ReversePoint {
        var guess: Int?
        return locate(coordinate, options: options, guess: &guess)
    }

    /// Finds what lies at each of many positions: faster than one by one, and exactly the same.
    ///
    /// - Complexity: O(*n* log *n*).
    public func locate(_ coordinates: [Coordinate], options: ReverseOptions = ReverseOptions()) -> [ReversePoint] {
        var points = coordinates.map { ReversePoint(coordinate: $0) }
        var guess: Int?
        // Neighbours one after the other find each other's answer at hand.
        for index in Self.orderInSpace(coordinates) {
            points[index] = locate(coordinates[index], options: options, guess: &guess)
        }
        return points
    }

    /// Names many positions: faster than one by one, and exactly the same.
    public func reverse(_ coordinates: [Coordinate], options: ReverseOptions = ReverseOptions()) -> [ReverseMatch?] {
        let order = Self.orderInSpace(coordinates)
        return [ReverseMatch?](unsafeUninitializedCapacity: coordinates.count) { matches, count in
            guard let first = matches.baseAddress else { return }
            var guess: Int?
            var last = LastDescribed()
            // The order holds every index once, so that all of it is initialised.
            for index in order {
                let point = locate(coordinates[index], options: options, guess: &guess)
                (first + index).initialize(to: describe(point, &last))
            }
            count = coordinates.count
        }
    }

    private func locate(_ coordinate: Coordinate, options: ReverseOptions, guess: inout Int?) -> ReversePoint {
        var point = ReversePoint(coordinate: coordinate)
        // The antimeridian is one line, whichever way it is written.
        let longitude = coordinate.longitude == 180 ? -180 : coordinate.longitude
        let finding = areas.find(AreaPosition(latitude: coordinate.latitude, longitude: longitude))
        if let unit = finding.unit { point.unit = UInt32(unit) }
        if finding.unit == nil || finding.kilometresOff > Self.shoreKilometres,
            let water = areas.water(latitude: coordinate.latitude, longitude: longitude)
        {
            point.water = UInt16(clamping: water + 1)
        }
        let isAtSea = finding.isAtSea && !areas.isEmpty
        let limit = isAtSea ? options.farthestAtSeaKilometres : options.farthestKilometres
        let target = UnitVector(latitude: coordinate.latitude, longitude: coordinate.longitude)
        var search = PlaceTree.Search(
            target,
            group: areas.group(of: finding.unit),
            unit: finding.unit.flatMap { UInt16(exactly: $0) } ?? AreaTable.none,
            penalty: finding.unit == nil ? 0 : Self.otherUnitKilometres,
            limit: limit
        )
        search.run(largeSettlements)
        let large = search.place
        if let guess { search.tryNode(guess, of: settlements) }
        search.run(settlements)
        guard let node = search.node else { return point }
        if search.place != large { guess = node }
        point.settlement = search.place
        point.kilometresOutside = Float(search.kilometresOutside)
        point.score = Float(search.score)
        point.isNear = search.kilometresOutside > options.nearKilometres
        if let unit = finding.unit, unit >= areas.countyCount, let stray = stray(at: target, in: unit) {
            point.settlement = stray
            point.kilometresOutside = 0
            point.isNear = false
            return point
        }
        if !point.isNear {
            refine(&point, target, group: areas.group(of: finding.unit), isInUnit: !search.isElsewhere)
        }
        return point
    }

    /// The settlement that an outline wrongly leaves in another country, if the position lies in its very middle.
    ///
    /// The smallest countries are little more than that.
    private func stray(at target: UnitVector, in unit: Int) -> UInt32? {
        var search = PlaceTree.Search(target, limit: Self.middleKilometres)
        search.run(strays)
        guard let town = place(search.node == nil ? nil : Int(search.place)) else { return nil }
        return town.country == areas.country(of: unit) ? nil : search.place
    }

    /// Finds the part of a settlement a position lies in, and takes its city for the settlement.
    private func refine(_ point: inout ReversePoint, _ target: UnitVector, group: UInt16, isInUnit: Bool) {
        var search = PlaceTree.Search(target, group: group, limit: PartRule.reach)
        search.run(parts)
        guard let part = place(search.node == nil ? nil : Int(search.place)) else { return }
        var settlement = point.settlement
        // Who is in Harlem is in New York, however near the middle of another town may be; but in Flatbush in Brooklyn.
        if let whole = part.city, whole != settlement, !isInUnit || place(Int(settlement))?.city != whole {
            // The middle of a town is the town, also where a part of the city beside it is near.
            guard let own = place(Int(settlement)),
                UnitVector(latitude: own.latitude, longitude: own.longitude).kilometres(to: target)
                    > search.kilometresOutside
            else { return }
            settlement = UInt32(whole)
        }
        // The middle of a city is the city.
        guard let centre = place(Int(settlement)),
            UnitVector(latitude: centre.latitude, longitude: centre.longitude).kilometres(to: target)
                > search.kilometresOutside
        else { return }
        point.part = search.place
        if settlement != point.settlement {
            point.settlement = settlement
            point.kilometresOutside = min(0, point.kilometresOutside)
        }
    }

    /// Orders positions along a curve that fills the plane, in which neighbours are mostly near each other.
    private static func orderInSpace(_ coordinates: [Coordinate]) -> [Int] {
        var keys = [UInt64](repeating: 0, count: coordinates.count)
        for (index, coordinate) in coordinates.enumerated() {
            // A cell of about a tenth of a degree, then the number of the position.
            let x = UInt32((coordinate.longitude + 180) * (4095 / 360))
            let y = UInt32((coordinate.latitude + 90) * (4095 / 180))
            keys[index] = UInt64(spread(x) | spread(y) << 1) << 32 | UInt64(UInt32(truncatingIfNeeded: index))
        }
        keys.sort()
        return keys.map { Int($0 & 0xFFFF_FFFF) }
    }

    /// Puts a zero between any two of the lower 16 bits.
    @inline(__always)
    private static func spread(_ value: UInt32) -> UInt32 {
        var bits = value & 0xFFFF
        bits = (bits | bits << 8) & 0x00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333
        return (bits | bits << 1) & 0x5555_5555
    }
}
