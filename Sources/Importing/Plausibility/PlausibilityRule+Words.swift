import Gazetteer
import Geometry
import Stories

// Rows that contradict their own words.
extension PlausibilityRule {
    /// Finds rows that lie far from where their words say: single ones if nothing else explains it, and those at sea if
    /// they are more than a few; none of those of which more is known.
    func elsewhere(_ left: [Int], except known: Set<Int>) -> PlausibilityFinding? {
        let rows = (contradictions(left) + contradictedSettlements() + atSea(left))
            .filter { !known.contains($0) && !hasNamesake($0) }
            .sorted { items[$0].row < items[$1].row }
        guard let first = rows.first, let place = (expected(first).sure + expected(first).possible).first else {
            return nil
        }
        let named = rows.prefix(Self.mostNamed).map { "\(items[$0].row)" }
        let more = rows.count > named.count ? " and \(rows.count - named.count) more" : ""
        let which = rows.count == 1 ? ": in" : " (rows \(named.joined(separator: ", "))\(more)): the first in"
        let message =
            "\(count(rows)) \(verb(rows)) far from where \(rows.count == 1 ? "its" : "their") words say\(which) "
            + "\(regions[first].name), and not in \(place.label); compare positions and names"
        return PlausibilityFinding(kind: .elsewhere, count: rows.count, row: items[first].row, message: message)
    }

    /// More rows than that are not named one by one.
    private static let mostNamed = 5

    /// Returns rows at sea that lie far from where their words say, if they are more than a few: one may be a ship.
    private func atSea(_ left: [Int]) -> [Int] {
        let far = left.filter { index in
            guard let coordinate = items[index].coordinate, !regions[index].isLand else { return false }
            let places = expected(index).sure
            return !places.isEmpty && places.allSatisfy { $0.isFar(coordinate) }
        }
        let worded = items.indices.count { !expected($0).sure.isEmpty }
        return far.count >= 3 && far.count * 50 >= worded ? far : []
    }

    /// Returns the rows on land that clearly lie elsewhere than their words say.
    private func contradictions(_ left: [Int]) -> [Int] {
        left.filter { index in
            let places = expected(index)
            guard regions[index].isLand, let coordinate = items[index].coordinate, !places.sure.isEmpty else {
                return false
            }
            return places.sure.allSatisfy { isContradicted($0, at: coordinate, in: regions[index], places.words) }
        }
    }

    /// Returns whether a place is clearly not where a position is.
    private func isContradicted(
        _ place: PlaceCandidate,
        at coordinate: Coordinate,
        in region: MapRegion,
        _ words: PlaceWords
    ) -> Bool {
        guard let code = place.countryCode, place.kind != .area, place.kind != .water else { return false }
        if code != region.country, Territories.areRelated(code, region.country) { return false }
        let isSameState = code == region.country && place.names[.state] == region.state
        if !isSameState, region.isNamed(by: words, otherThan: code) { return false }
        switch place.extent {
        case .country: return code != region.country && !isAround(coordinate, within: 300_000) { $0.country == code }
        case .state:
            let state = place.names[.state]
            if isSameState || Territories.areRelated(states: state, region.state) { return false }
            return !place.isNear(coordinate)
                && !isAround(coordinate, within: 150_000) { $0.country == code && $0.state == state }
        default:
            // A village may have a namesake that nobody knows, in its state or its country; a city has none.
            let isOutside = words.state.isEmpty ? code != region.country : !isSameState
            return place.isFar(coordinate) && (isOutside || place.kind == .city)
        }
    }

    /// Returns whether a row names only a settlement, and one of that name lies where the row does: a village that shares
    /// the name of a city far away.
    func hasNamesake(_ index: Int) -> Bool {
        let places = expected(index)
        var words = places.words
        guard words.state.isEmpty, !words.city.isEmpty, let coordinate = items[index].coordinate,
            let state = regions[index].state
        else { return false }
        words.state = state
        words.country = regions[index].country ?? words.country
        let found = locator?.candidates(for: words, limit: 5) ?? []
        return found.contains { $0.isNear(coordinate) && $0.extent < .state }
    }

    /// Returns whether any of the regions around a position is the one that is looked for.
    private func isAround(_ coordinate: Coordinate, within reach: Double, _ isMeant: (MapRegion) -> Bool) -> Bool {
        let circles = [reach / 3, reach * 2 / 3, reach]
        let around = circles.flatMap { distance in
            (0..<16).map { GreatCircle.destination(from: coordinate, bearing: Double($0) * 22.5, distance: distance) }
        }
        return outlines.regions(of: around).contains(where: isMeant)
    }

    /// Returns the rows whose column of cities names a city far away, if nearly all other rows lie where it says.
    ///
    /// Without a state or a country only such a column proves that it is the place of the stories.
    private func contradictedSettlements() -> [Int] {
        var near = 0
        var named = 0
        var far: [Int] = []
        for index in items.indices {
            let places = expected(index).possible
            guard let first = places.first, let coordinate = items[index].coordinate else { continue }
            named += 1
            if places.contains(where: { $0.isNear(coordinate) }) {
                near += 1
            } else if first.kind == .city, first.confidence >= 0.9, regions[index].isLand,
                places.allSatisfy({ $0.isFar(coordinate) })
            {
                far.append(index)
            }
        }
        return near >= 5 && near * 5 >= named * 4 ? far : []
    }
}

extension MapRegion {
    /// Returns whether the state of a row, or else its country, names the region: "CA" may be Canada, and Georgia is a
    /// country.
    fileprivate func isNamed(by words: PlaceWords, otherThan code: String) -> Bool {
        if words.state.isEmpty, code == country { return false }
        let word = (words.state.isEmpty ? words.country : words.state).lowercased()
        let names = [state, country, name.split(separator: ", ").last.map(String.init)]
        return names.contains { $0?.lowercased() == word }
    }
}
