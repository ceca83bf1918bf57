public import Geometry

/// A position as people write it in a table: degrees in any notation, `geo:`, plus codes, WKT points, links to maps.
public enum TypedPosition: Hashable, Sendable {
    /// The position; where the text does not say which number comes first, it is the latitude.
    case coordinate(Coordinate)
    /// The numbers are degrees only with the longitude first, though nothing in the text says so.
    case reversed
    /// The numbers are no degrees.
    case impossible

    /// Returns the meaning of a text, or `nil` if it is not written like a position.
    public static func read(_ text: String) -> TypedPosition? {
        guard let reading = CoordinateText.read(text) else { return nil }
        guard let coordinate = reading.coordinate else { return .impossible }
        return reading.sureness < 1 && reading.other == nil ? .reversed : .coordinate(coordinate)
    }
}
