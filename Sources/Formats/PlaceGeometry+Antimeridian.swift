// Lines across the antimeridian as many programs write them: 179, then -179.
extension PlaceGeometry {
    /// Returns a geometry whose lines step over more than 180 degrees of longitude with longitudes that continue beyond
    /// 180 instead, so that each step goes the short way round the globe; `nil` if no line does.
    ///
    /// A step of a whole turn stays, as the edge of a map has it. A line or an area begins between -180 and 180, and a hole
    /// is on the same turn as the ring around it. What is damaged stays as it is.
    ///
    /// - Complexity: O(positions).
    public static func unwrapped(_ geometry: JSONValue) -> JSONValue? {
        guard var members = geometry.object, let type = members["type"]?.string else { return nil }
        if type == "GeometryCollection" {
            guard let parts = members["geometries"]?.array else { return nil }
            guard let found = replaced(parts, by: { unwrapped($0) }) else { return nil }
            members["geometries"] = .array(found)
            return .object(members)
        }
        guard let coordinates = members["coordinates"]?.array else { return nil }
        let found: [JSONValue]?
        switch type {
        case "LineString": found = Turns.unwrapped([.array(coordinates)])?.first?.array
        case "Polygon": found = Turns.unwrapped(coordinates)
        case "MultiLineString": found = replaced(coordinates) { Turns.unwrapped([$0])?.first }
        case "MultiPolygon":
            found = replaced(coordinates) { rings in
                rings.array.flatMap { Turns.unwrapped($0) }.map { JSONValue.array($0) }
            }
        default: found = nil
        }
        guard let continued = found else { return nil }
        members["coordinates"] = .array(continued)
        return .object(members)
    }

    /// Returns the values with those replaced for which there is another; `nil` if there is none.
    private static func replaced(
        _ values: [JSONValue],
        by other: (JSONValue) -> JSONValue?
    ) -> [JSONValue]? {
        let others = values.map(other)
        guard others.contains(where: { $0 != nil }) else { return nil }
        return zip(values, others).map { $1 ?? $0 }
    }
}

/// The longitudes of lines that belong together, each on the turn round the globe on which it meets the one before.
private enum Turns {
    /// Returns the lines of one line or area with other longitudes; `nil` if they stay as they are.
    static func unwrapped(_ lines: [JSONValue]) -> [JSONValue]? {
        guard lines.contains(where: isAcross) else { return nil }
        var (given, continued) = ([[Double]](), [[Double]]())
        for line in lines {
            guard let longitudes = longitudes(of: line) else { return nil }
            given.append(longitudes)
            continued.append(Turns.continued(longitudes))
        }
        guard let first = continued.first, let west = first.min(), let east = first.max() else { return nil }
        for index in continued.indices.dropFirst() {
            shift(&continued[index], by: turn(of: continued[index], into: west...east))
        }
        // What only goes on beyond 180 degrees begins as it was given.
        if given[0] != first || given.dropFirst() != continued.dropFirst() {
            let turns = ((west + 180) / 360).rounded(.down) * -360
            for index in continued.indices { shift(&continued[index], by: turns) }
        }
        guard given != continued else { return nil }
        return zip(lines, continued).map { JSONValue.array(positions($0, $1)) }
    }

    /// Whether a step is more than half a turn, and less than a whole one.
    private static func isLong(_ step: Double) -> Bool { abs(step) > 180 && abs(step) < 360 }

    /// Whether a line has a long step, or a longitude beyond 180 degrees.
    private static func isAcross(_ line: JSONValue) -> Bool {
        var last: Double?
        for position in line.array ?? [] {
            guard let longitude = position[0]?.number else { return false }
            if longitude > 180 || last.map({ isLong(longitude - $0) }) ?? false { return true }
            last = longitude
        }
        return false
    }

    /// Returns the longitudes of a line; `nil` if one is missing, or no longitude.
    private static func longitudes(of line: JSONValue) -> [Double]? {
        guard let positions = line.array, !positions.isEmpty else { return nil }
        var longitudes: [Double] = []
        longitudes.reserveCapacity(positions.count)
        for position in positions {
            guard let longitude = position[0]?.number, abs(longitude) <= 540 else { return nil }
            longitudes.append(longitude)
        }
        return longitudes
    }

    private static func continued(_ longitudes: [Double]) -> [Double] {
        var (turn, last) = (0.0, longitudes.first ?? 0)
        return longitudes.map { longitude in
            let step = longitude - last
            if isLong(step) { turn += step > 0 ? -360 : 360 }
            last = longitude
            return longitude + turn
        }
    }

    /// Returns by how much a hole is moved to lie within the longitudes of the ring around it; 0 if it lies there, or
    /// nowhere.
    private static func turn(of hole: [Double], into ring: ClosedRange<Double>) -> Double {
        guard let west = hole.min(), let east = hole.max() else { return 0 }
        return [0.0, 360, -360].first { ring.contains(west + $0) && ring.contains(east + $0) } ?? 0
    }

    private static func shift(_ longitudes: inout [Double], by turn: Double) {
        guard turn != 0 else { return }
        for index in longitudes.indices { longitudes[index] += turn }
    }

    private static func positions(_ line: JSONValue, _ longitudes: [Double]) -> [JSONValue] {
        zip(line.array ?? [], longitudes)
            .map { position, longitude in
                JSONValue.array([.number(longitude)] + (position.array ?? []).dropFirst())
            }
    }
}
