public import Geometry

/// The names of many positions in compact form: the labels in one byte array, everything else as numbers.
///
/// Created by ``GazetteerIndex/names(of:options:)``, and as fast as finding the places alone; ``match(_:)`` returns the
/// full data of single rows.
public struct ReverseTable: Sendable {
    private struct Row {
        var point: ReversePoint
        var start: Int
        var length: Int
    }

    private let index: GazetteerIndex
    private let rows: [Row]
    private let labels: [UInt8]

    /// The number of positions.
    public var count: Int { rows.count }

    /// Returns the label of a position as UTF-8, empty if nothing is known: "Sweet Auburn, Atlanta, Georgia".
    ///
    /// - Precondition: `row` is at least 0 and less than ``count``.
    public func labelBytes(_ row: Int) -> ArraySlice<UInt8> {
        let (start, length) = (rows[row].start, rows[row].length)
        return labels[start..<(start + length)]
    }

    /// Returns the label of a position, or `nil` if nothing is known.
    ///
    /// - Precondition: `row` is at least 0 and less than ``count``.
    public func label(_ row: Int) -> String? {
        rows[row].length == 0 ? nil : String(decoding: labelBytes(row), as: UTF8.self)
    }

    /// Returns the full name of a position, or `nil` if nothing is known.
    ///
    /// - Precondition: `row` is at least 0 and less than ``count``.
    public func match(_ row: Int) -> ReverseMatch? { index.describe(rows[row].point) }

    /// Returns the look-up result of a position.
    ///
    /// - Precondition: `row` is at least 0 and less than ``count``.
    public func point(_ row: Int) -> ReversePoint { rows[row].point }

    /// Names positions in spatial order.
    init(_ coordinates: [Coordinate], options: ReverseOptions, index: GazetteerIndex) {
        var writer = ReverseLabelWriter(index, remembered: 4_096)
        var others: [UInt64: Range<Int>] = [:]
        rows = [Row](unsafeUninitializedCapacity: coordinates.count) { rows, count in
            // The order contains every position once, so that everything is initialised.
            for number in SpatialOrder.of(coordinates) {
                let point = index.locate(coordinates[number], options: options)
                let range = Self.label(of: point, index, &writer, &others)
                rows.initializeElement(
                    at: number,
                    to: Row(point: point, start: range.lowerBound, length: range.count)
                )
            }
            count = coordinates.count
        }
        labels = writer.bytes
        self.index = index
    }

    private static func label(
        of point: ReversePoint,
        _ index: GazetteerIndex,
        _ writer: inout ReverseLabelWriter,
        _ others: inout [UInt64: Range<Int>]
    ) -> Range<Int> {
        if point.settlement != GazetteerFormat.none, let settlement = index.place(Int(point.settlement)) {
            let water = point.water == 0 || !point.isNear ? nil : index.areas.name(ofWater: Int(point.water) - 1)
            return writer.label(index.setting(of: settlement, at: point), at: point, water: water)
        }
        // Seas and regions without settlements are few.
        let key = UInt64(point.unit) << 16 | UInt64(point.water)
        if let known = others[key] { return known }
        let range = writer.label(index.describe(point)?.label ?? "")
        others[key] = range
        return range
    }
}

extension GazetteerIndex {
    /// Names many positions using little memory; the labels equal those of ``reverse(_:options:)-7f1cj``.
    ///
    /// - Complexity: O(*n* log *n*).
    public func names(of coordinates: [Coordinate], options: ReverseOptions = ReverseOptions()) -> ReverseTable {
        ReverseTable(coordinates, options: options, index: self)
    }
}

/// An order of positions along a space-filling curve, in which neighbours are usually near each other.
enum SpatialOrder: Sendable {
    /// Returns the indices of positions, sorted along the curve.
    ///
    /// - Complexity: O(*n*).
    static func of(_ coordinates: [Coordinate]) -> [Int] {
        // Sorts the numbers of cells of about a tenth of a degree in two passes of 12 bits each, the lower bits first
        // (radix sort).
        let cells = coordinates.map { coordinate in
            let x = UInt32((coordinate.longitude + 180) * (4095 / 360))
            let y = UInt32((coordinate.latitude + 90) * (4095 / 180))
            return spread(x) | spread(y) << 1
        }
        var order = Array(coordinates.indices)
        guard coordinates.count > 1 else { return order }
        for shift in [UInt32(0), 12] {
            var starts = [Int](repeating: 0, count: 4_097)
            for cell in cells { starts[Int(cell >> shift & 4_095) + 1] += 1 }
            for digit in 1...4_096 { starts[digit] += starts[digit - 1] }
            var next = order
            for number in order {
                let digit = Int(cells[number] >> shift & 4_095)
                next[starts[digit]] = number
                starts[digit] += 1
            }
            order = next
        }
        return order
    }

    /// Inserts a zero between adjacent bits of the lower 16.
    @inline(__always)
    private static func spread(_ value: UInt32) -> UInt32 {
        var bits = value & 0xFFFF
        bits = (bits | bits << 8) & 0x00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333
        return (bits | bits << 1) & 0x5555_5555
    }
}
