import Gazetteer

// Reads districts of the world, and places without inhabitants: waters, mountains, parks, airports.
extension GazetteerBuilder {
    /// Reads the second-level districts outside the USA; places refer to them as their county.
    mutating func readDistricts(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        let columns = ["id", "name", "country", "admin1", "lat", "lon", "west", "south", "east", "north", "names"]
        try TabbedTable(file: "districts.tsv", columns: columns, bytes: bytes)
            .forEachRow { row in
                let number = drafts.count
                var draft = Draft(
                    ident: 0,
                    source: .naturalEarth,
                    kind: .county,
                    name: row.text(1),
                    latitude: try row.latitude(4),
                    longitude: try row.degrees(5)
                )
                draft.identText = row.text(0)
                draft.country = try country(row.text(2), row)
                draft.admin1 = regionNumbers["\(row.text(2)).\(row.text(3))"]
                draft.box = try row.box(6)
                drafts.append(draft)
                countyNumbers[row.text(0)] = number
                enterNames(row.list(10), [], for: number)
            }
    }

    /// The prominence of a sea or a great lake, equal to the population of a large city.
    private static let prominenceOfWater = 300_000

    /// Adds the waters used to name positions, so that they can also be found by name.
    mutating func addWaters(_ waters: [AreaTable.Water]) {
        var known: Set<String> = []
        // Some waters are drawn in several pieces, of which the first is the main one.
        for water in waters where water.outline.count > 2 && known.insert(water.name).inserted {
            let middle = Self.middle(of: water)
            var draft = Draft(
                ident: 0,
                source: .community,
                kind: .water,
                name: water.name,
                latitude: middle.latitude,
                longitude: middle.longitude
            )
            draft.identText = "water-\(NameFolding.key(of: water.name))"
            draft.prominence = water.name.hasSuffix("Ocean") ? 50_000_000 : Self.prominenceOfWater
            drafts.append(draft)
            enterNames([], [], for: drafts.count - 1)
        }
    }

    /// Returns the middle of a water in degrees: the centroid of its outline, by the shoelace formula.
    private static func middle(of water: AreaTable.Water) -> (latitude: Double, longitude: Double) {
        let points = water.outline.map {
            (x: Double($0.x) / AreaTable.unitsPerDegree, y: Double($0.y) / AreaTable.unitsPerDegree)
        }
        var (area, x, y) = (0.0, 0.0, 0.0)
        for (a, b) in zip(points, points.dropFirst() + points.prefix(1)) {
            let part = a.x * b.y - b.x * a.y
            area += part
            x += (a.x + b.x) * part
            y += (a.y + b.y) * part
        }
        guard abs(area) > 1e-9 else { return (points[0].y, points[0].x) }
        return (min(90, max(-90, y / (3 * area))), min(180, max(-180, x / (3 * area))))
    }

    /// Reads rivers, lakes, islands, mountains, parks, landmarks and airports.
    mutating func readLandforms(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        let columns = [
            "source", "id", "name", "kind", "lat", "lon", "country", "admin1", "county", "city", "prominence", "names",
            "abbreviations",
        ]
        try TabbedTable(file: "landforms.tsv", columns: columns, bytes: bytes)
            .forEachRow { row in
                var draft = Draft(
                    ident: 0,
                    source: row.text(0) == PlaceSource.airport.name ? .airport : .community,
                    kind: try row.kind(3),
                    name: row.text(2),
                    latitude: try row.latitude(4),
                    longitude: try row.degrees(5)
                )
                draft.identText = row.text(1)
                if !row.fields[6].isEmpty { draft.country = try country(row.text(6), row) }
                draft.admin1 = regionNumbers["\(row.text(6)).\(row.text(7))"]
                draft.admin2 = countyNumbers[row.text(8)]
                if !row.fields[9].isEmpty { draft.city = placeNumbers[UInt32(try row.integer(9))] }
                draft.prominence = try row.integer(10)
                drafts.append(draft)
                enterNames(row.list(11), row.list(12), for: drafts.count - 1)
            }
    }
}
