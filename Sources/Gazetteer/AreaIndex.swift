import Geometry

/// The layout of the records of areas and waters in a compiled gazetteer.
package enum AreaFormat: Sendable {
    /// Byte offsets inside the record of a unit: an area of either layer, US counties first.
    package enum Unit: Sendable {
        static let length = 24
        static let country = 0
        /// The group: a position is matched only with settlements of the same group; zero matches any group.
        static let group = 2
        static let admin1 = 4
        static let admin2 = 8
        static let name = 12
        static let nameLength = 16
        /// The length of the ISO 3166-2 code of the region, which follows the name in the texts; zero if unknown.
        static let codeLength = 18
        /// The flags; see ``hasCounties``.
        static let flags = 20

        /// The flag of a unit that has counties in the other layer.
        package static let hasCounties: UInt16 = 1
    }

    /// Byte offsets inside the record of a water.
    package enum Water: Sendable {
        static let length = 32
        static let west = 0
        static let south = 4
        static let east = 8
        static let north = 12
        static let points = 16
        static let pointCount = 20
        static let name = 24
        static let nameLength = 28
    }

    /// The value that represents no area.
    package static let none: UInt16 = .max
    /// The value of a one-degree cell shared by several waters.
    package static let mixed: UInt8 = 255
}

/// The area of a position, before any settlement is considered.
package struct AreaFinding: Sendable {
    /// The number of the unit.
    package var unit: Int?
    /// The distance in kilometres from the unit to the position; zero inside, infinite on its waters.
    var kilometresOff = 0.0

    /// Whether no land is near.
    var isAtSea: Bool { unit == nil || kilometresOff == .infinity }
}

/// Finds the land or water at a position.
package struct AreaIndex: Sendable {
    let counties: AreaGrid
    let regions: AreaGrid
    let units: ByteView
    /// The number of units that are counties; they come first.
    package let countyCount: Int
    let texts: ByteView
    let waters: ByteView
    let waterPoints: ByteView
    let waterCells: ByteView

    /// Reads the areas of a file.
    ///
    /// - Parameters:
    ///   - countyCount: the number of units that are counties, as stored in the file; clamped to the number of units,
    ///     in case the file is damaged.
    ///   - section: returns the section of a kind, which must consist of records of `unit` bytes.
    /// - Throws: any error of `section`.
    package init(
        countyCount: Int,
        section: (_ kind: GazetteerFormat.Section, _ unit: Int) throws -> ByteView
    ) rethrows {
        counties = AreaGrid(cells: try section(.countyCells, 4), lists: try section(.countyBorders, 4))
        regions = AreaGrid(cells: try section(.regionCells, 4), lists: try section(.regionBorders, 4))
        units = try section(.units, AreaFormat.Unit.length)
        self.countyCount = min(countyCount, units.count / AreaFormat.Unit.length)
        texts = try section(.areaTexts, 1)
        waters = try section(.waters, AreaFormat.Water.length)
        waterPoints = try section(.waterPoints, 8)
        waterCells = try section(.waterCells, 1)
    }

    /// Whether the index contains no areas.
    var isEmpty: Bool { units.count == 0 }

    /// Returns the unit of a position: its US county, or its region, or the nearest unit within
    /// ``AreaGridFormat/reach``.
    package func find(_ position: AreaPosition) -> AreaFinding {
        var isNearCounty = false
        switch counties.answer(position) {
        case .area(let area): return AreaFinding(unit: area)
        case .outside: isNearCounty = true
        case .nothing: break
        }
        switch regions.answer(position) {
        case .area(let area):
            let unit = area + countyCount
            guard hasCounties(area) else { return AreaFinding(unit: unit) }
            // The coarser map has land where the finer one has none: a lake, or a coastal strip.
            guard isNearCounty, let near = counties.nearest(position) else {
                return AreaFinding(unit: unit, kilometresOff: .infinity)
            }
            return AreaFinding(unit: near.area, kilometresOff: near.kilometres)
        case .nothing where !isNearCounty: return AreaFinding()
        default: return nearest(position, isNearCounty: isNearCounty)
        }
    }

    private func nearest(_ position: AreaPosition, isNearCounty: Bool) -> AreaFinding {
        let county = isNearCounty ? counties.nearest(position) : nil
        let region = regions.nearest(position)
        if let county, region.map({ hasCounties($0.area) || county.kilometres <= $0.kilometres }) ?? true {
            return AreaFinding(unit: county.area, kilometresOff: county.kilometres)
        }
        return region.map { AreaFinding(unit: $0.area + countyCount, kilometresOff: $0.kilometres) } ?? AreaFinding()
    }

    private func hasCounties(_ area: Int) -> Bool { flags(area + countyCount) & AreaFormat.Unit.hasCounties != 0 }

    private func flags(_ unit: Int) -> UInt16 {
        units.load(unit * AreaFormat.Unit.length + AreaFormat.Unit.flags)
    }

    /// Returns the group of a unit, or zero, which means any group, if `unit` is `nil`.
    @inline(__always)
    package func group(of unit: Int?) -> UInt16 {
        unit.map { units.load($0 * AreaFormat.Unit.length + AreaFormat.Unit.group) } ?? 0
    }

    /// Returns the number of the country of a unit.
    package func country(of unit: Int) -> Int {
        Int(units.load(unit * AreaFormat.Unit.length + AreaFormat.Unit.country, as: UInt16.self))
    }

    func admin1(of unit: Int) -> Int? { link(unit, AreaFormat.Unit.admin1) }
    func admin2(of unit: Int) -> Int? { link(unit, AreaFormat.Unit.admin2) }

    private func link(_ unit: Int, _ field: Int) -> Int? {
        let value: UInt32 = units.load(unit * AreaFormat.Unit.length + field)
        return value == GazetteerFormat.none ? nil : Int(value)
    }

    /// Returns the name of a unit, if stored: only units smaller than a region that are not counties in the gazetteer
    /// have one.
    func name(of unit: Int) -> String? {
        let record = unit * AreaFormat.Unit.length
        return text(units.load(record + AreaFormat.Unit.name), units.load(record + AreaFormat.Unit.nameLength))
    }

    /// Returns the ISO 3166-2 code of the region of a unit, if known.
    func code(of unit: Int) -> String? {
        let record = unit * AreaFormat.Unit.length
        let length: UInt16 = units.load(record + AreaFormat.Unit.nameLength)
        let start: UInt32 = units.load(record + AreaFormat.Unit.name)
        return text(start &+ UInt32(length), units.load(record + AreaFormat.Unit.codeLength))
    }

    /// Returns whether the ISO 3166-2 code of the region of a unit is known.
    @inline(__always)
    func hasCode(_ unit: Int) -> Bool {
        units.load(unit * AreaFormat.Unit.length + AreaFormat.Unit.codeLength, as: UInt16.self) != 0
    }

    private func text(_ start: UInt32, _ length: UInt16) -> String? {
        length == 0 ? nil : String(decoding: texts.part(offset: Int(start), length: Int(length)), as: UTF8.self)
    }
}

// Waters.
extension AreaIndex {
    private typealias Layout = AreaFormat.Water

    /// Returns the number of the smallest sea, lake or ocean whose outline contains a position, or `nil`.
    ///
    /// Outlines extend over the coast: use only for positions that are not on land.
    func water(latitude: Double, longitude: Double) -> Int? {
        let column = min(359, max(0, Int((longitude + 180).rounded(.down))))
        let row = min(179, max(0, Int((latitude + 90).rounded(.down))))
        let cell: UInt8 = waterCells.load(row * 360 + column)
        guard cell == AreaFormat.mixed else { return cell == 0 ? nil : Int(cell) - 1 }
        // The middle of a square of one step, never on the edge of the map.
        let x = min(1_799_999, (longitude * Double(AreaGridFormat.degree)).rounded(.down)) + 0.5
        let y = min(899_999, (latitude * Double(AreaGridFormat.degree)).rounded(.down)) + 0.5
        return (0..<min(Int(AreaFormat.mixed), waters.count / Layout.length)).first { isInside($0, x: x, y: y) }
    }

    private func isInside(_ number: Int, x: Double, y: Double) -> Bool {
        let record = number * Layout.length
        func value(_ field: Int) -> Double { Double(waters.load(record + field, as: Int32.self)) }
        guard x >= value(Layout.west), x <= value(Layout.east), y >= value(Layout.south), y <= value(Layout.north)
        else { return false }
        let first = Int(waters.load(record + Layout.points, as: UInt32.self))
        // Limits the count to the existing points, in case the record is damaged.
        let count = min(
            Int(waters.load(record + Layout.pointCount, as: UInt32.self)),
            max(0, waterPoints.count / 8 - first)
        )
        guard count > 2 else { return false }
        func point(_ index: Int) -> (x: Double, y: Double) {
            let offset = (first + index) * 8
            return (
                Double(waterPoints.load(offset, as: Int32.self)), Double(waterPoints.load(offset + 4, as: Int32.self))
            )
        }
        var isInside = false
        var last = point(count - 1)
        for index in 0..<count {
            let next = point(index)
            if (last.y > y) != (next.y > y), x < (next.x - last.x) * (y - last.y) / (next.y - last.y) + last.x {
                isInside.toggle()
            }
            last = next
        }
        return isInside
    }

    func name(ofWater number: Int) -> String? {
        let record = number * Layout.length
        return text(waters.load(record + Layout.name), waters.load(record + Layout.nameLength))
    }
}
