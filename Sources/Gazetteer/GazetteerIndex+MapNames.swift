public import Geometry

/// A place as a map names it.
public struct MapName: Hashable, Sendable {
    /// The name as entered.
    public let text: String
    /// The kind of the place.
    public let kind: PlaceKind
    /// The position of the name.
    public let coordinate: Coordinate
    /// The population; 0 if unknown.
    public let population: Int

    /// Creates a name from its parts.
    public init(text: String, kind: PlaceKind, coordinate: Coordinate, population: Int) {
        self.text = text
        self.kind = kind
        self.coordinate = coordinate
        self.population = population
    }
}

extension GazetteerIndex {
    /// Returns the name of a place by its number in `0..<placeCount`, the best known first; `nil` past the last.
    ///
    /// - Complexity: O(1).
    public func mapName(_ number: Int) -> MapName? {
        guard let place = place(number) else { return nil }
        return MapName(
            text: name(of: place),
            kind: place.kind,
            coordinate: place.coordinate,
            population: place.population
        )
    }
}
