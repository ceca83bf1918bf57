import Foundation
public import Gazetteer
import Geometry
package import Storage
public import Stories
public import StoryMap

/// Finds stories on the map and in lists, as a viewer may see them, and names places.
///
/// Searches use the index in memory. The stories found are read from the database as the viewer may see them at that
/// moment.
public final class MapService: Sendable {
    package let context: StoreContext
    /// Records who received exact points.
    package let accesses: AccessLog
    /// The index in memory.
    public let index: MapIndex
    /// Searches the texts of stories.
    package let textSearch: TextSearch
    /// The results of recent word searches.
    let wordSearches = WordSearches()
    /// The gazetteer with the places and addresses added by the operator; `nil` if no gazetteer could be loaded.
    public let placeSearch: PlaceSearch?

    /// Creates a service with an empty index.
    package init(
        _ context: StoreContext,
        accesses: AccessLog,
        gazetteer: GazetteerIndex?,
        additions: GazetteerAdditions?
    ) {
        self.context = context
        self.accesses = accesses
        placeSearch = gazetteer.map { PlaceSearch(places: $0, additions: additions) }
        let (high, low) = context.store.keys.integers(.versions)
        let key = DigestKey(high: high, low: low)
        textSearch = TextSearch(store: context.store, key: key, names: SearchedNames.reading(placeSearch))
        // Merging large parts takes a second, so it does not run on threads that answer requests.
        let merging = DispatchQueue(label: "waymark.map", qos: .utility)
        index = MapIndex(
            digestKey: key,
            background: { work in merging.async(execute: work) },
            further: { $0.placesOnMap }
        )
    }

    /// Follows a commit: first the text search, then the map, so that no search misses a story on the map.
    package func follow(_ change: StoreChange) {
        textSearch.follow(change)
        index.apply(change.stories)
    }

    /// Removes stories from the map and the text search before their rows are deleted.
    ///
    /// Nothing else may change these stories any more.
    func remove(_ ids: [StoryID]) {
        textSearch.note(ids)
        index.apply(ids.map { .remove($0) })
    }

    /// Fills in the missing names of a location from the gazetteer and marks them as derived (LOC-03).
    ///
    /// The names are the city, the state and the country; the neighbourhood becomes the location's name. On a known
    /// added street, the address is derived instead of the name.
    public func derivingNames(_ location: StoryLocation) -> StoryLocation {
        // It has the names of the place that was found. Its point is a middle: around that of a county lies some town.
        if location.source == .geocoded { return location }
        var location = location
        for name in location.derived { location.names[name] = nil }
        location.derived = []
        guard let placeSearch, LocationName.allCases.contains(where: { location.names[$0] == nil }),
            let match = placeSearch.reverse(location.coordinate)
        else { return location }
        let part = match.neighbourhood.flatMap { _ in placeSearch.surroundings(of: location.coordinate)?.places.part }
        let isStreet = part?.kind == .street || part?.kind == .address
        let found: [(LocationName, String?)] = [
            (.name, isStreet ? nil : match.neighbourhood), (.address, isStreet ? part?.name : nil),
            (.city, match.isNear ? nil : match.settlementName), (.state, match.place.admin1),
            (.country, match.place.country),
        ]
        for (name, value) in found where location.names[name] == nil {
            guard let value, !value.isEmpty else { continue }
            location.names[name] = value
            location.derived.insert(name)
        }
        return location
    }
}
