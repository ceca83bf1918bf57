import Gazetteer

// Writes the areas: their grids, records and names.
extension GazetteerBuilder {
    /// Writes the sections for areas and waters.
    ///
    /// Returns an index of them and the bytes it refers to, which must stay alive as long as the index is used.
    func writeAreas(_ table: AreaTable, _ ranks: [Int], to file: inout GazetteerFile) -> (AreaIndex, [GazetteerBytes]) {
        var sections: [GazetteerFormat.Section: [UInt8]] = [:]
        for (layer, cells, lists) in [
            (table.layers[0], GazetteerFormat.Section.countyCells, GazetteerFormat.Section.countyBorders),
            (table.layers[1], GazetteerFormat.Section.regionCells, GazetteerFormat.Section.regionBorders),
        ] {
            let grid = layer.lines.isEmpty ? nil : AreaGridBuilder(layer)
            var bytes: [UInt8] = []
            for word in grid?.cells ?? [] { bytes.append(littleEndian: word) }
            sections[cells] = bytes
            sections[lists] = grid?.lists ?? []
        }
        var texts = TextPool()
        var units: [UInt8] = []
        let divided = Set(table.layers[0].areas.map(\.country))
        for area in table.layers[0].areas + table.layers[1].areas {
            writeUnit(area, hasCounties: divided.contains(area.country), ranks, to: &units, &texts)
        }
        sections[.units] = units
        writeWaters(table.waters, to: &sections, &texts)
        sections[.areaTexts] = texts.bytes
        for kind in GazetteerFormat.Section.allCases {
            if let bytes = sections[kind] { file.append(kind, bytes: bytes) }
        }
        let countyCount = table.layers[0].areas.count
        file.append(.areaCounts, [UInt32(countyCount)])
        let held = sections.mapValues(GazetteerBytes.init)
        let index = AreaIndex(countyCount: countyCount) { kind, _ in held[kind]?.view ?? .empty }
        return (index, Array(held.values))
    }

    private func writeUnit(
        _ area: AreaTable.Area,
        hasCounties: Bool,
        _ ranks: [Int],
        to units: inout [UInt8],
        _ texts: inout TextPool
    ) {
        func rank(_ draft: Int?) -> UInt32 { draft.map { UInt32(ranks[$0]) } ?? GazetteerFormat.none }
        let isState = area.country == "US" && !area.region.isEmpty
        let name = texts.place(area.name, followedBy: isState ? "US-\(area.region)" : "")
        units.append(littleEndian: countryNumbers[area.country].map { UInt16($0) } ?? .max)
        units.append(littleEndian: PlaceGroups.number(country: area.country, region: area.region))
        units.append(littleEndian: rank(regionNumbers["\(area.country).\(area.region)"]))
        units.append(littleEndian: rank(countyNumbers[area.county]))
        units.append(littleEndian: name.start)
        units.append(littleEndian: name.length)
        units.append(littleEndian: name.codeLength)
        units.append(littleEndian: hasCounties ? AreaFormat.Unit.hasCounties : 0)
        units.append(littleEndian: UInt16(0))
    }

    private func writeWaters(
        _ waters: [AreaTable.Water],
        to sections: inout [GazetteerFormat.Section: [UInt8]],
        _ texts: inout TextPool
    ) {
        var records: [UInt8] = []
        var points: [UInt8] = []
        // A cell can refer to only this many waters.
        let waters = waters.prefix(Int(AreaFormat.mixed) - 1).filter { $0.outline.count > 2 }
        for water in waters {
            let name = texts.place(water.name)
            records.append(littleEndian: water.outline.map(\.x).min() ?? 0)
            records.append(littleEndian: water.outline.map(\.y).min() ?? 0)
            records.append(littleEndian: water.outline.map(\.x).max() ?? 0)
            records.append(littleEndian: water.outline.map(\.y).max() ?? 0)
            records.append(littleEndian: UInt32(points.count / 8))
            records.append(littleEndian: UInt32(water.outline.count))
            records.append(littleEndian: name.start)
            records.append(littleEndian: name.length)
            records.append(littleEndian: UInt16(0))
            for point in water.outline {
                points.append(littleEndian: point.x)
                points.append(littleEndian: point.y)
            }
        }
        sections[.waters] = records
        sections[.waterPoints] = points
        sections[.waterCells] = waters.isEmpty ? [] : Self.waterCells(waters)
    }

    /// Returns a value for each cell of one degree: ``AreaFormat/mixed`` if the outlines must be checked, otherwise the
    /// number of the water that covers the cell, plus one, or zero for none.
    private static func waterCells(_ waters: [AreaTable.Water]) -> [UInt8] {
        // For each cell, the first water whose outline crosses it, and the first that contains its centre.
        var touching = [Int](repeating: .max, count: 360 * 180)
        var holding = [Int](repeating: .max, count: 360 * 180)
        for (number, water) in waters.enumerated().reversed() {
            let ends = zip(water.outline, water.outline.dropFirst() + water.outline.prefix(1))
            for (start, end) in ends {
                let lows = (cell(min(start.x, end.x), 180, 359), cell(min(start.y, end.y), 90, 179))
                let highs = (cell(max(start.x, end.x), 180, 359), cell(max(start.y, end.y), 90, 179))
                for row in lows.1...highs.1 {
                    for column in lows.0...highs.0
                    where isTouched(column: column, row: row, by: start, end) { touching[row * 360 + column] = number }
                }
            }
            for row in 0..<180 {
                let y = Double(row) - 89.5
                let crossings =
                    zip(water.outline, water.outline.dropFirst() + water.outline.prefix(1))
                    .compactMap { start, end -> Double? in
                        let (ay, by) = (degrees(start.y), degrees(end.y))
                        guard (ay > y) != (by > y) else { return nil }
                        let (ax, bx) = (degrees(start.x), degrees(end.x))
                        return (bx - ax) * (y - ay) / (by - ay) + ax
                    }
                    .sorted()
                for (west, east) in zip(crossings, crossings.dropFirst()).enumerated()
                    .filter({ $0.offset % 2 == 0 }).map(\.element)
                {
                    let first = max(0, Int((west + 179.5).rounded(.up)))
                    let last = min(359, Int((east + 179.5).rounded(.down)))
                    if first <= last { for column in first...last { holding[row * 360 + column] = number } }
                }
            }
        }
        return zip(touching, holding)
            .map { touch, hold in
                if touch <= hold, touch != .max { return AreaFormat.mixed }
                return hold == .max ? 0 : UInt8(hold + 1)
            }
    }

    private static func degrees(_ steps: Int32) -> Double { Double(steps) / Double(AreaGridFormat.degree) }

    private static func cell(_ steps: Int32, _ offset: Int, _ last: Int) -> Int {
        min(last, max(0, (Int(steps) + offset * AreaGridFormat.degree) / AreaGridFormat.degree))
    }

    /// Returns whether a line may cross a cell: whether the corners of the cell, with a small margin, are not all on
    /// one side of the line.
    private static func isTouched(column: Int, row: Int, by start: GridPoint, _ end: GridPoint) -> Bool {
        let (ax, ay, bx, by) = (degrees(start.x), degrees(start.y), degrees(end.x), degrees(end.y))
        let (west, south) = (Double(column) - 180.001, Double(row) - 90.001)
        let corners = [(0.0, 0.0), (1.002, 0), (0, 1.002), (1.002, 1.002)]
        let sides = corners.map { (bx - ax) * (south + $0.1 - ay) - (by - ay) * (west + $0.0 - ax) }
        return !(sides.allSatisfy { $0 > 0 } || sides.allSatisfy { $0 < 0 })
    }
}

/// Assigns numbers to the groups by which places are matched with positions; a group is a US state or a country.
///
/// The numbers are derived from the codes, so that they are the same in every file.
struct PlaceGroups: Sendable {
    private let stateCodes: [Int: String]
    private let countryCodes: [String]

    init(_ builder: GazetteerBuilder) {
        countryCodes = builder.countries.map(\.code)
        var codes: [Int: String] = [:]
        for (ident, number) in builder.regionNumbers where ident.hasPrefix("US.") {
            codes[number] = String(ident.dropFirst(3))
        }
        stateCodes = codes
    }

    /// Returns the group of a country, or of a state in the USA; zero for none.
    static func number(country: String, region: String) -> UInt16 {
        if country == "US", let state = number(of: region) { return 1_000 + state }
        return number(of: country) ?? 0
    }

    private static func number(of code: String) -> UInt16? {
        let letters = code.utf8.map { $0 &- UInt8(ascii: "A") }
        guard letters.count == 2, letters.allSatisfy({ $0 < 26 }) else { return nil }
        return 1 + UInt16(letters[0]) * 26 + UInt16(letters[1])
    }

    /// Returns the group according to a place's record, from the number of its country and the draft of its region.
    func number(country: UInt16, region: Int?) -> UInt16 {
        guard Int(country) < countryCodes.count else { return 0 }
        return Self.number(country: countryCodes[Int(country)], region: region.flatMap { stateCodes[$0] } ?? "")
    }

    func number(of draft: GazetteerBuilder.Draft) -> UInt16 { number(country: draft.country, region: draft.admin1) }
}

/// Names of areas and waters, each stored once, some followed by a code.
private struct TextPool {
    private(set) var bytes: [UInt8] = []
    private var known: [String: UInt32] = [:]

    mutating func place(
        _ name: String,
        followedBy code: String = ""
    ) -> (start: UInt32, length: UInt16, codeLength: UInt16) {
        let (first, second) = (Array(name.utf8.prefix(1000)), Array(code.utf8.prefix(16)))
        let key = name + "\u{0}" + code
        let start = known[key] ?? UInt32(bytes.count)
        if known[key] == nil {
            bytes += first + second
            known[key] = start
        }
        return (start, UInt16(first.count), UInt16(second.count))
    }
}
