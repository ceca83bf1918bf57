public import Geometry

extension GazetteerIndex {
    /// Settlements of another county count as this much farther, in kilometres.
    static let otherUnitKilometres = 4.5
    /// Within this of its middle, in kilometres, a town's own country counts more than a coarse outline.
    static let middleKilometres = 0.5
    /// So near to a settlement, in kilometres outside of it, its own record counts more than coarse outlines do; farther
    /// off a position in another region is only near it.
    static let closeKilometres = 2.0
    /// Only farther than this off a coast, in kilometres, a position is surely on the water: coasts are drawn coarsely.
    static let shoreKilometres = 1.5

    /// Names a position.
    ///
    /// Outlines tell country, region and US county; among the settlements in that region the one whose edge is nearest,
    /// or whose centre is deepest around it, is taken: the distance on the sphere less the radius a settlement of its
    /// population has, inside as a share of that radius, so that the middle of a town beside a city is the town's. Poles and the antimeridian are nothing special. Returns `nil` where nothing is known at all.
    /// - Complexity: O(log *n*) on average.
    public func reverse(_ coordinate: Coordinate, options: ReverseOptions = ReverseOptions()) -> ReverseMatch? {
        describe(locate(coordinate, options: options))
    }

    /// Finds what lies at each of many positions: faster than one by one, and exactly the same.
    ///
    /// - Complexity: O(*n* log *n*).
    public func locate(_ coordinates: [Coordinate], options: ReverseOptions = ReverseOptions()) -> [ReversePoint] {
        var points = coordinates.map { ReversePoint(coordinate: $0) }
        // Neighbours one after the other find each other's answer at hand.
        for index in SpatialOrder.of(coordinates) {
            points[index] = locate(coordinates[index], options: options)
        }
        return points
    }

    /// Names many positions: faster than one by one, and exactly the same.
    public func reverse(_ coordinates: [Coordinate], options: ReverseOptions = ReverseOptions()) -> [ReverseMatch?] {
        let order = SpatialOrder.of(coordinates)
        return [ReverseMatch?](unsafeUninitializedCapacity: coordinates.count) { matches, count in
            guard let first = matches.baseAddress else { return }
            var last = LastDescribed()
            // The order holds every index once, so that all of it is initialised.
            for index in order {
                let point = locate(coordinates[index], options: options)
                (first + index).initialize(to: describe(point, &last))
            }
            count = coordinates.count
        }
    }

    /// Finds what lies at a position, without its names.
    public func locate(_ coordinate: Coordinate, options: ReverseOptions = ReverseOptions()) -> ReversePoint {
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
        let hint = hints.hint(latitude: coordinate.latitude, longitude: longitude)
        // Out on the oceans nothing is near enough.
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

    /// The settlement that an outline wrongly leaves in another country, if the position lies in its very middle.
    ///
    /// The smallest countries are little more than that.
    private func stray(at target: UnitVector, in unit: Int, besides found: UInt32) -> UInt32? {
        var search = PlaceTree.Search(target, limit: Self.middleKilometres)
        search.run(strays)
        guard let town = place(search.node == nil ? nil : Int(search.place)) else { return nil }
        let country = areas.country(of: unit)
        guard town.country != country else { return nil }
        // Where the country of the outline has a town whose middle is nearer, outline and town agree.
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

    /// Whether a settlement says that it lies in the region, or at least the country, that a unit belongs to.
    private func isRegion(of unit: UInt32, that settlement: UInt32) -> Bool {
        guard unit != GazetteerFormat.none, let settlement = place(Int(settlement)) else { return true }
        guard areas.country(of: Int(unit)) == settlement.country else { return false }
        guard let region = areas.admin1(of: Int(unit)), let own = settlement.admin1 else { return true }
        return region == own
    }

    /// Finds the part of a settlement a position lies in, and takes its city for the settlement.
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
        // Who is in Harlem is in New York, however near the middle of another town may be; but in Flatbush in Brooklyn.
        if let whole = part.city, whole != settlement, !isInUnit || place(Int(settlement))?.city != whole {
            guard isWhole(whole, of: part, in: point.unit), !isDeeper(target, in: settlement, than: search) else {
                return
            }
            settlement = place(Int(borough))?.city == whole ? borough : UInt32(whole)
        }
        // The middle of a city is the city.
        guard let middle = place(Int(settlement)).map(centre(of:)),
            middle.kilometres(to: target) > search.kilometresOutside
        else { return }
        point.part = search.place
        if settlement != point.settlement {
            point.settlement = settlement
            point.kilometresOutside = min(0, point.kilometresOutside)
        }
    }

    /// Whether a city may be told for a part of it in a unit: no city is in another state or country than what it holds.
    private func isWhole(_ city: Int, of part: PlaceRecord, in unit: UInt32) -> Bool {
        guard let city = place(city), city.country == part.country, city.admin1 == part.admin1 else { return false }
        guard unit != GazetteerFormat.none else { return true }
        guard areas.country(of: Int(unit)) == city.country else { return false }
        return Int(unit) >= areas.countyCount || areas.admin1(of: Int(unit)) == city.admin1
    }

    /// Whether a position lies nearer to the middle of a town, for the size of either, than to that of the part found.
    private func isDeeper(_ target: UnitVector, in settlement: UInt32, than part: PlaceTree.Search) -> Bool {
        guard let town = place(Int(settlement)) else { return false }
        let radius = SettlementRadius.kilometres(population: town.population)
        return centre(of: town).kilometres(to: target) * PartRule.reach < part.kilometresOutside * radius
    }
}
