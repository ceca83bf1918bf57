import Geometry

/// The cells used to sort fences: 0.0025 degrees, a few streets each; the meridians +180 and -180 are the same.
enum FenceCells {
    private static let cellsPerDegree = 400.0

    /// The number of rows from pole to pole.
    static let rows = 180 * 400 + 1

    /// Returns the row of a coordinate's cell in the upper 32 bits, the column in the lower.
    static func key(_ coordinate: Coordinate) -> UInt64 {
        row(coordinate.latitude) << 32 | (coordinate.longitude == 180 ? 0 : column(coordinate.longitude))
    }

    /// Calls `body` with the row, the columns and the part of the box for every run of cells that a box touches.
    @inline(__always)
    static func forEachRun(
        in box: BoundingBox,
        _ body: (_ row: UInt64, _ columns: ClosedRange<UInt64>, _ part: BoundingBox) -> Void
    ) {
        for part in box.parts {
            let columns = column(part.west)...column(part.east)
            // Points on the antimeridian are stored in column 0; if the box crosses it, the second part of the box
            // covers that column.
            let touchesAntimeridian = part.east == 180 && !box.crossesAntimeridian && columns.lowerBound > 0
            for row in row(part.south)...row(part.north) {
                body(row, columns, part)
                if touchesAntimeridian { body(row, 0...0, part) }
            }
        }
    }

    private static func row(_ latitude: Double) -> UInt64 { UInt64((latitude + 90) * cellsPerDegree) }

    private static func column(_ longitude: Double) -> UInt64 { UInt64((longitude + 180) * cellsPerDegree) }
}
