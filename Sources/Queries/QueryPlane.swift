package import Geometry

/// The reference system in which a condition gives its positions.
package struct QueryPlane: Sendable {
    /// Two numbers in the order of the system's axes.
    package typealias Position = (first: Double, second: Double)

    /// Whether its positions are degrees of longitude and latitude, in either order, so that a box stays one.
    package let isInDegrees: Bool
    /// Returns the coordinates of positions, `nil` where the system has none.
    package let coordinates: @Sendable (_ positions: [Position]) -> [Coordinate?]

    /// Creates a system.
    package init(
        isInDegrees: Bool,
        coordinates: @escaping @Sendable (_ positions: [Position]) -> [Coordinate?]
    ) {
        self.isInDegrees = isInDegrees
        self.coordinates = coordinates
    }

    /// Longitude and latitude on WGS 84, in this order.
    package static let degrees = QueryPlane(isInDegrees: true) { positions in
        positions.map { Coordinate(latitude: $0.second, longitude: $0.first) }
    }

    /// Returns the shape of the box between two corners; `nil` if it is none.
    ///
    /// The edges of a box of another system are curves here, so they are divided.
    package func box(from low: Position, to high: Position) -> QueryShape? {
        let (first, last) = (low, high)
        guard !isInDegrees else {
            let corners = coordinates([first, last])
            guard let least = corners[0], let most = corners[1],
                let box = BoundingBox(
                    west: least.longitude,
                    south: least.latitude,
                    east: most.longitude,
                    north: most.latitude
                )
            else { return nil }
            return .box(box)
        }
        guard low.first <= high.first, low.second <= high.second else { return nil }
        let corners: [Position] = [low, (high.first, low.second), high, (low.first, high.second), low]
        var ring: [Position] = []
        for (a, b) in zip(corners, corners.dropFirst()) {
            for step in 0..<QueryPlane.steps {
                let part = Double(step) / Double(QueryPlane.steps)
                ring.append((a.first + (b.first - a.first) * part, a.second + (b.second - a.second) * part))
            }
        }
        ring.append(low)
        let points = coordinates(ring).compactMap(\.self)
        return points.count == ring.count ? .polygons([[points]]) : nil
    }

    /// The number of pieces of an edge.
    private static let steps = 32
}
