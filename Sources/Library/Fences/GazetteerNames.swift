package import Gazetteer
package import Geometry
package import Notifications

/// Names points from the gazetteer: exact points by neighbourhood, otherwise by settlement.
package struct GazetteerNames: PlaceNaming, Sendable {
    package let gazetteer: PlaceSearch?

    /// Creates a value from its parts.
    package init(gazetteer: PlaceSearch?) {
        self.gazetteer = gazetteer
    }

    package func label(of point: Coordinate, isExact: Bool) -> PlaceLabel? {
        guard let match = gazetteer?.reverse(point), let settlement = match.settlementName else { return nil }
        // An inexact point is the centre of a cell; the story may have happened in another neighbourhood of the cell.
        guard isExact else { return PlaceLabel(name: settlement) }
        let metres = match.distanceKilometres * 1_000
        if match.isNear { return PlaceLabel(name: PlaceLabel.distance(metres, bearing: match.bearing, of: settlement)) }
        return PlaceLabel(
            name: match.neighbourhood ?? settlement,
            detail: PlaceLabel.distance(metres, bearing: match.bearing, of: "the centre of \(settlement)")
        )
    }
}
