package import Gazetteer
import Stories
package import StoryMap

/// The names by which words find places, as the gazetteer knows them: a neighbourhood, a county, the code of a state, a
/// country.
package enum SearchedNames: Sendable {
    /// Returns what returns these names; without a gazetteer there are none.
    ///
    /// Whether a viewer may search the names around a point is decided as for those that a story itself gives its place.
    package static func reading(_ places: PlaceSearch?) -> PlaceNames {
        guard let places else { return { _, _ in "" } }
        return { coordinate, extent in
            places.searchNames(at: coordinate, isMiddle: extent != .point, hasRegion: extent != .country)
        }
    }
}
