public import Geometry

/// The name of a position, with the places that it is composed of.
public struct NamedSurroundings: Hashable, Sendable {
    /// The name of the position.
    public var match: ReverseMatch
    /// The places that contain it.
    public var places: Surroundings
}

extension PlaceSearch {
    /// The distance in kilometres within which an added postal code is used if the program has none.
    private static let postcodeReach = 10.0

    /// Names a position after the settlement that it belongs to, which may be an added one.
    public func reverse(_ coordinate: Coordinate, options: ReverseOptions = ReverseOptions()) -> ReverseMatch? {
        guard let addedPlaces else { return places.reverse(coordinate, options: options) }
        let point = places.locate(coordinate, options: options)
        return named(point, finding(at: point, in: addedPlaces, options), addedPlaces, options)
    }

    /// Names many positions, with the same results as naming each one separately.
    public func reverse(_ coordinates: [Coordinate], options: ReverseOptions = ReverseOptions()) -> [ReverseMatch?] {
        guard let addedPlaces else { return places.reverse(coordinates, options: options) }
        return places.locate(coordinates, options: options)
            .map { named($0, finding(at: $0, in: addedPlaces, options), addedPlaces, options) }
    }

    /// Names a position and returns the places that contain it, or `nil` if nothing is known.
    public func surroundings(
        of coordinate: Coordinate,
        options: ReverseOptions = ReverseOptions()
    ) -> NamedSurroundings? {
        let point = places.locate(coordinate, options: options)
        var around = places.surroundings(of: point)
        guard let addedPlaces else {
            return places.describe(point).map { NamedSurroundings(match: $0, places: around) }
        }
        let finding = finding(at: point, in: addedPlaces, options)
        guard let match = named(point, finding, addedPlaces, options) else { return nil }
        if finding.settlement != nil { (around.settlement, around.part) = (match.place, nil) }
        if let part = finding.part { around.part = addedPlaces.describe(part) }
        return NamedSurroundings(match: match, places: around)
    }

    /// Returns the names and codes by which something at a position can be searched for, one a line: of the part of the
    /// settlement, the settlement, the county, the region with its codes, and the country with its codes.
    ///
    /// With `isMiddle`, the position is only the middle of a country, or of a region or less with `hasRegion`: then
    /// nothing smaller is named.
    public func searchNames(at coordinate: Coordinate, isMiddle: Bool = false, hasRegion: Bool = true) -> String {
        let options = ReverseOptions()
        let point = places.locate(coordinate, options: options)
        var names: [String] = []
        if !isMiddle, !point.isNear {
            let added = addedPlaces.map { ($0, finding(at: point, in: $0, options)) }
            if let (index, found) = added {
                names += [found.part, found.settlement].compactMap { $0.map(index.name(of:)) }
            }
            names += places.settlementNames(of: point)
        }
        names += places.areaNames(of: point, hasCounty: !isMiddle, hasRegion: !isMiddle || hasRegion)
        return names.joined(separator: "\n")
    }

    /// Added places around a position that fit it better than the program's.
    private struct Finding {
        var settlement: PlaceRecord?
        var kilometresOutside = 0.0
        var part: PlaceRecord?
    }

    private func finding(at point: ReversePoint, in added: GazetteerIndex, _ options: ReverseOptions) -> Finding {
        let coordinate = point.coordinate
        let target = UnitVector(latitude: coordinate.latitude, longitude: coordinate.longitude)
        let unit = point.unit == GazetteerFormat.none ? nil : Int(point.unit)
        let group = places.areas.group(of: unit)
        let known = point.settlement == GazetteerFormat.none ? nil : places.place(Int(point.settlement))
        var finding = Finding()
        let farthest = point.water == 0 ? options.farthestKilometres : options.farthestAtSeaKilometres
        let least = known.map { score(of: $0, at: point, target) } ?? farthest
        var search = PlaceTree.Search(target, group: group, limit: least)
        search.run(added.largeSettlements)
        search.run(added.settlements)
        if let place = added.place(search.node == nil ? nil : Int(search.place)), !isKnown(place, of: added, as: known)
        {
            let own = places.areas.find(AreaPosition(latitude: place.latitude, longitude: place.longitude)).unit
            let isElsewhere = unit != nil && own != unit
            let cost = isElsewhere ? GazetteerIndex.otherUnitKilometres : 0
            if known == nil || search.score + cost < least {
                finding.settlement = place
                finding.kilometresOutside = search.kilometresOutside
            }
        }
        let isNear = finding.settlement == nil ? point.isNear : finding.kilometresOutside > options.nearKilometres
        if !isNear { finding.part = part(at: point, target, group, finding.settlement, in: added) }
        return finding
    }

    /// Returns the score of one of the program's settlements, comparable with that of an added one.
    private func score(of known: PlaceRecord, at point: ReversePoint, _ target: UnitVector) -> Double {
        let outside = Double(point.kilometresOutside)
        let centre = UnitVector(latitude: known.latitude, longitude: known.longitude)
        return PlaceTree.Search.depth(outside: outside, radius: max(0.001, centre.kilometres(to: target) - outside))
    }

    /// Returns whether an added settlement is the same place as one of the program's.
    private func isKnown(_ place: PlaceRecord, of added: GazetteerIndex, as known: PlaceRecord?) -> Bool {
        guard let known else { return false }
        guard places.isNear(known, place, kilometres: 5) else { return false }
        return FoldedText(places.name(of: known)).wholeKey == FoldedText(added.name(of: place)).wholeKey
    }

    /// Returns the added neighbourhood, street or landmark at a position.
    private func part(
        at point: ReversePoint,
        _ target: UnitVector,
        _ group: UInt16,
        _ settlement: PlaceRecord?,
        in added: GazetteerIndex
    ) -> PlaceRecord? {
        if let site = site(at: target, group, in: added) { return site }
        var search = PlaceTree.Search(target, group: group, limit: PartRule.reach)
        search.run(added.parts)
        guard let part = added.place(search.node == nil ? nil : Int(search.place)) else { return nil }
        if settlement == nil, let own = places.place(point.part == GazetteerFormat.none ? nil : Int(point.part)) {
            let known = UnitVector(latitude: own.latitude, longitude: own.longitude).kilometres(to: target)
            let isFormer = places.years(of: own).to != nil
            let counted = known + PartRule.distance(of: own.kind, isFormer: isFormer)
            guard search.kilometresOutside < counted, !isKnown(part, of: added, as: own) else { return nil }
        }
        // No part is named if the centre of the city is nearer than the part.
        guard let centre = settlement ?? places.place(Int(point.settlement)) else { return part }
        let middle = UnitVector(latitude: centre.latitude, longitude: centre.longitude).kilometres(to: target)
        return middle > search.kilometresOutside ? part : nil
    }

    /// Returns the street or landmark from the operator's list at a position; it takes precedence over all other parts.
    private func site(at target: UnitVector, _ group: UInt16, in added: GazetteerIndex) -> PlaceRecord? {
        let farthest = PartRule.landmarkDistance + PartRule.siteReach
        // The penalty puts all other places out of reach.
        var search = PlaceTree.Search(target, group: group, unit: PartRule.ownSite, penalty: 1e6, limit: farthest)
        search.run(added.parts)
        guard let site = added.place(search.node == nil ? nil : Int(search.place)) else { return nil }
        let away = UnitVector(latitude: site.latitude, longitude: site.longitude).kilometres(to: target)
        return away <= PartRule.siteReach ? site : nil
    }

    private func named(
        _ point: ReversePoint,
        _ finding: Finding,
        _ added: GazetteerIndex,
        _ options: ReverseOptions
    ) -> ReverseMatch? {
        var match = places.describe(point)
        if let settlement = finding.settlement {
            match = named(point, settlement, finding.kilometresOutside, match, in: added, options)
        }
        if let part = finding.part, var named = match, named.isSettlement {
            let name = added.name(of: part)
            if name != named.place.name {
                named.neighbourhood = name
                named.label = GazetteerIndex.label(name, named.place.name, named.place.admin1 ?? named.place.country)
            }
            match = named
        }
        if match?.postcode == nil, match?.isSettlement == true { match?.postcode = postcode(at: point, in: added) }
        return match
    }

    /// Names a position after an added settlement, using the program's more reliable data for its surroundings.
    private func named(
        _ point: ReversePoint,
        _ settlement: PlaceRecord,
        _ kilometresOutside: Double,
        _ known: ReverseMatch?,
        in added: GazetteerIndex,
        _ options: ReverseOptions
    ) -> ReverseMatch {
        var match = added.describe(settlement)
        if let around = known?.place, match.countryCode == nil || match.countryCode == around.countryCode {
            match.admin1 = match.admin1 ?? around.admin1
            match.admin2 = around.admin2
            match.country = match.country ?? around.country
            match.countryCode = match.countryCode ?? around.countryCode
        }
        let metres = GreatCircle.distance(settlement.coordinate, point.coordinate)
        let bearing = GreatCircle.bearing(from: settlement.coordinate, to: point.coordinate)
        let isNear = kilometresOutside > options.nearKilometres
        var label = GazetteerIndex.label(match.name, match.admin1, match.country)
        match.label = label
        match.confidence = GazetteerIndex.confidence(
            kilometres: metres / 1000,
            outside: kilometresOutside,
            isNear: isNear
        )
        if isNear {
            label = GazetteerIndex.label(near: label, metres: metres, bearing: bearing, water: known?.water)
        }
        return ReverseMatch(
            place: match,
            isSettlement: true,
            neighbourhood: nil,
            postcode: known?.postcode,
            regionCode: known?.regionCode,
            water: known?.water,
            distanceKilometres: metres / 1000,
            bearing: bearing,
            isNear: isNear,
            label: label
        )
    }

    private func postcode(at point: ReversePoint, in added: GazetteerIndex) -> String? {
        let target = UnitVector(latitude: point.coordinate.latitude, longitude: point.coordinate.longitude)
        let group = places.areas.group(of: point.unit == GazetteerFormat.none ? nil : Int(point.unit))
        guard group != 0 else { return nil }
        var search = PlaceTree.Search(target, group: group, limit: Self.postcodeReach)
        search.run(added.postcodes)
        return added.place(search.node == nil ? nil : Int(search.place)).map { added.name(of: $0) }
    }
}
