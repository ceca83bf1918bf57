public import Geometry

extension GazetteerIndex {
    /// The extra distance in kilometres counted for settlements in another county.
    static let otherUnitKilometres = 4.5
    /// The distance in kilometres from a town's centre within which its own country overrides a coarse outline.
    package static let middleKilometres = 0.5
    /// The distance in kilometres outside a settlement within which its own record overrides coarse outlines; beyond
    /// it, a position in another region is only near the settlement.
    static let closeKilometres = 2.0
    /// The distance in kilometres off a coast beyond which a position is certainly on the water: coasts are drawn
    /// coarsely.
    static let shoreKilometres = 1.5

    /// Names a position.
    ///
    /// Outlines determine the country, region and US county. Then a settlement in that region is chosen: the one whose
    /// edge is nearest or, if the position lies inside several, the one in which it lies most centrally. A settlement
    /// is modelled as a disc whose radius follows from its population; the depth inside is a fraction of that radius,
    /// so that the centre of a town next to a city belongs to the town. Poles and the antimeridian need no special
    /// cases. Returns `nil` if nothing is known about the position.
    /// - Complexity: O(log *n*) on average.
    public func reverse(_ coordinate: Coordinate, options: ReverseOptions = ReverseOptions()) -> ReverseMatch? {
        describe(locate(coordinate, options: options))
    }

    /// Returns the places at many positions: faster than one by one, with the same results.
    ///
    /// - Complexity: O(*n* log *n*).
    public func locate(_ coordinates: [Coordinate], options: ReverseOptions = ReverseOptions()) -> [ReversePoint] {
        var points = coordinates.map { ReversePoint(coordinate: $0) }
        // In spatial order, consecutive positions can reuse cached data.
        for index in SpatialOrder.of(coordinates) {
            points[index] = locate(coordinates[index], options: options)
        }
        return points
    }

    /// Names many positions: faster than one by one, with the same results.
    public func reverse(_ coordinates: [Coordinate], options: ReverseOptions = ReverseOptions()) -> [ReverseMatch?] {
        let order = SpatialOrder.of(coordinates)
        return [ReverseMatch?](unsafeUninitializedCapacity: coordinates.count) { matches, count in
            guard let first = matches.baseAddress else { return }
            var last = LastDescribed()
            // The order contains every index once, so that everything is initialised.
            for index in order {
                let point = locate(coordinates[index], options: options)
                (first + index).initialize(to: describe(point, &last))
            }
            count = coordinates.count
        }
    }

    /// Returns the place at a position, without its names.
    public func locate(_ coordinate: Coordinate, options: ReverseOptions = ReverseOptions()) -> ReversePoint {
        var point = ReversePoint(coordinate: coordinate)
        // The antimeridian may be written in two ways.
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
            unit: finding.unit.flatMap { UInt16(exactly: $0) } ?? AreaFormat.none,
            penalty: finding.unit == nil ? 0 : Self.otherUnitKilometres,
            limit: limit
        )
        let hint = hints.hint(latitude: coordinate.latitude, longitude: longitude)
        // In mid-ocean, nothing is near enough.
        guard hint.kilometres <= limit else { return point }
        search.tryNode(hint.large, of: largeSettlements)
        search.run(largeSettlements)
        let large = search.place
        let borough = search.isElsewhere ? GazetteerFormat.none : large
        search.tryNode(hint.settlement, of: settlements)
        search.run(settlements)
        guard search.node != nil else { return point }
        point.settlement = search.place
        point.kilometresOutside = Float(search.kilometresOutside)
        point.score = Float(search.score)
        point.isNear =
            search.kilometresOutside > options.nearKilometres
            || (search.isElsewhere && search.kilometresOutside > Self.closeKilometres
                && !isRegion(of: point.unit, that: search.place))
        if hint.hasStrays, let unit = finding.unit, unit >= areas.countyCount,
            let stray = stray(at: target, in: unit, besides: search.place)
        {
            point.settlement = stray
            point.kilometresOutside = 0
            point.isNear = false
            return point
        }
        if hint.hasParts, !point.isNear {
            refine(
                &point,
                target,
                group: areas.group(of: finding.unit),
                isInUnit: !search.isElsewhere,
                borough: borough
            )
        }
        return point
    }

    /// Returns the settlement that an outline wrongly places in another country, if the position is at its very centre.
    ///
    /// ``middleKilometres`` is so small because the smallest countries are not much larger.
    private func stray(at target: UnitVector, in unit: Int, besides found: UInt32) -> UInt32? {
        var search = PlaceTree.Search(target, limit: Self.middleKilometres)
        search.run(strays)
        guard let town = place(search.node == nil ? nil : Int(search.place)) else { return nil }
        let country = areas.country(of: unit)
        guard town.country != country else { return nil }
        // If the outline's country has a town with a nearer centre, outline and town agree.
        if let other = place(Int(found)), other.country == country,
            centre(of: other).kilometres(to: target) < search.score
        {
            return nil
        }
        return search.place
    }

    private func centre(of place: PlaceRecord) -> UnitVector {
        UnitVector(latitude: place.latitude, longitude: place.longitude)
    }

    /// Returns whether a settlement's record gives the same region, or at least the same country, as a unit.
    private func isRegion(of unit: UInt32, that settlement: UInt32) -> Bool {
        guard unit != GazetteerFormat.none, let settlement = place(Int(settlement)) else { return true }
        guard areas.country(of: Int(unit)) == settlement.country else { return false }
        guard let region = areas.admin1(of: Int(unit)), let own = settlement.admin1 else { return true }
        return region == own
    }

    /// Finds the part of a settlement that contains a position, and uses the city of that part as the settlement.
    private func refine(
        _ point: inout ReversePoint,
        _ target: UnitVector,
        group: UInt16,
        isInUnit: Bool,
        borough: UInt32
    ) {
        var search = PlaceTree.Search(target, group: group, limit: PartRule.reach)
        search.run(parts)
        guard let part = place(search.node == nil ? nil : Int(search.place)) else { return }
        var settlement = point.settlement
        // A position in Harlem is in New York, even if another town's centre is near; but one in Flatbush is in
        // Brooklyn.
        if let whole = part.city, whole != settlement, !isInUnit || place(Int(settlement))?.city != whole {
            guard isWhole(whole, of: part, in: point.unit), !isDeeper(target, in: settlement, than: search) else {
                return
            }
            settlement = place(Int(borough))?.city == whole ? borough : UInt32(whole)
        }
        // No part is named if the centre of the city is nearer than the part.
        guard let middle = place(Int(settlement)).map(centre(of:)),
            middle.kilometres(to: target) > search.kilometresOutside
        else { return }
        point.part = search.place
        if settlement != point.settlement {
            point.settlement = settlement
            point.kilometresOutside = min(0, point.kilometresOutside)
        }
    }

    /// Returns whether a city may be named as the settlement of its part: both must lie in the same state and country,
    /// which must also be those of the unit.
    private func isWhole(_ city: Int, of part: PlaceRecord, in unit: UInt32) -> Bool {
        guard let city = place(city), city.country == part.country, city.admin1 == part.admin1 else { return false }
        guard unit != GazetteerFormat.none else { return true }
        guard areas.country(of: Int(unit)) == city.country else { return false }
        return Int(unit) >= areas.countyCount || areas.admin1(of: Int(unit)) == city.admin1
    }

    /// Returns whether a position is nearer to the centre of a town, relative to the town's size, than to that of the
    /// part.
    private func isDeeper(_ target: UnitVector, in settlement: UInt32, than part: PlaceTree.Search) -> Bool {
        guard let town = place(Int(settlement)) else { return false }
        let radius = SettlementRadius.kilometres(population: town.population)
        return centre(of: town).kilometres(to: target) * PartRule.reach < part.kilometresOutside * radius
    }
}
