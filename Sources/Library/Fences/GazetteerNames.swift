package import Gazetteer
package import Geometry
package import Notifications

/// Names points where stories are told by the gazetteer: by the neighbourhood, else the settlement.
package struct GazetteerNames: PlaceNaming, Sendable {
    package let gazetteer: PlaceSearch?

    /// Creates a value from its parts.
    package init(gazetteer: PlaceSearch?) {
        self.gazetteer = gazetteer
    }

    package func label(of point: Coordinate, isExact: Bool) -> PlaceLabel? {
        guard let match = gazetteer?.reverse(point), let settlement = match.settlementName else { return nil }
        // The middle of a cell lies in some neighbourhood, which is not where the story happened.
        guard isExact else { return PlaceLabel(name: settlement) }
        let metres = match.distanceKilometres * 1_000
        if match.isNear { return PlaceLabel(name: PlaceLabel.distance(metres, bearing: match.bearing, of: settlement)) }
        return PlaceLabel(
            name: match.neighbourhood ?? settlement,
            detail: PlaceLabel.distance(metres, bearing: match.bearing, of: "the centre of \(settlement)")
        )
    }
}
