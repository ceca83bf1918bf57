/// The stateless id of a point on the map: its cell of 1e-5 degrees (about one metre), packed into 64 bits.
///
/// A function of the published point only, so it reveals nothing else about the place and survives restarts.
public struct PlaceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The row of the cell counted from the south pole in the upper 32 bits, the column from -180 degrees in the lower.
    public let rawValue: UInt64

    private static let cellsPerDegree = 100_000.0
    private static let columns: UInt64 = 36_000_000

    /// Creates the id of a coordinate's cell; the meridians +180 and -180 are the same.
    public init(_ coordinate: Coordinate) {
        let row = UInt64(((coordinate.latitude + 90) * PlaceID.cellsPerDegree).rounded())
        let column = UInt64(((coordinate.longitude + 180) * PlaceID.cellsPerDegree).rounded()) % PlaceID.columns
        rawValue = row << 32 | column
    }

    /// Parses ``description``; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 14, let first = text.first, first == "p" else { return nil }
        guard let value = UInt64(text.dropFirst(), radix: 36) else { return nil }
        guard value >> 32 <= 18_000_000, value & 0xFFFF_FFFF < PlaceID.columns else { return nil }
        rawValue = value
        guard description == text else { return nil }
    }

    /// Creates the id with a ``rawValue``, or `nil` if there is no such cell.
    public init?(rawValue: UInt64) {
        guard rawValue >> 32 <= 18_000_000, rawValue & 0xFFFF_FFFF < PlaceID.columns else { return nil }
        self.rawValue = rawValue
    }

    /// The centre of the cell.
    public var coordinate: Coordinate {
        Coordinate(
            wrappingLatitude: Double(rawValue >> 32) / PlaceID.cellsPerDegree - 90,
            longitude: Double(rawValue & 0xFFFF_FFFF) / PlaceID.cellsPerDegree - 180
        )
    }

    /// `p` followed by the raw value in base 36.
    public var description: String { "p" + String(rawValue, radix: 36) }

    /// Orders cells from south to north, then from west to east.
    public static func < (a: PlaceID, b: PlaceID) -> Bool { a.rawValue < b.rawValue }
}
