public import Geometry

// What a position lies in, by the gazetteer of the program: added places have no outlines.
extension PlaceSearch {
    /// Finds what a position lies in.
    public func locate(_ coordinate: Coordinate, options: ReverseOptions = ReverseOptions()) -> ReversePoint {
        places.locate(coordinate, options: options)
    }

    /// Names what was found for a position, or returns `nil` when it is nothing.
    public func describe(_ point: ReversePoint) -> ReverseMatch? { places.describe(point) }

    /// Returns the places that a position lies in.
    public func surroundings(of point: ReversePoint) -> Surroundings { places.surroundings(of: point) }

    /// Returns the ISO 3166-2 code of the region around a position, where it is known.
    public func regionCode(at coordinate: Coordinate) -> String? { places.regionCode(at: coordinate) }

    /// Returns the ISO 3166 code of two letters of a country, by that of three.
    public func shortCode(ofCountry code: String) -> String? { places.shortCode(ofCountry: code) }

    /// Returns the ISO 3166 code of three letters of a country, by that of two.
    public func longCode(ofCountry code: String) -> String? { places.longCode(ofCountry: code) }
}
