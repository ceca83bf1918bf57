import Foundation
public import Gazetteer
import Geometry
package import Storage
public import Stories
public import StoryMap

/// Answers what a viewer finds on the map and in lists of stories, and names places.
///
/// What it finds is in the index in memory; the stories themselves are read from the database as the viewer may see them
/// at that moment.
public final class MapService: Sendable {
    package let context: StoreContext
    /// Records who received exact points.
    package let accesses: AccessLog
    /// The index in memory.
    public let index: MapIndex
    /// The texts, for searches of words.
    package let textSearch: TextSearch
    /// What was found for words lately.
    let wordSearches = WordSearches()
    /// The places and their names, with the places and addresses that the operator added; `nil` where no gazetteer could
    /// be loaded.
    public let placeSearch: PlaceSearch?

    /// Creates a service whose index is empty.
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
        textSearch = TextSearch(store: context.store, key: key)
        // Merging large parts takes a second: no thread that answers requests does it.
        let merging = DispatchQueue(label: "waymark.map", qos: .utility)
        index = MapIndex(digestKey: key) { work in merging.async(execute: work) }
    }

    /// Follows a commit: what is searched before what is shown, so that no search misses what the map has.
    package func follow(_ change: StoreChange) {
        textSearch.follow(change)
        index.apply(change.stories)
    }

    /// Takes stories off the map and out of searches that nothing else changes any more, before their rows are gone.
    func remove(_ ids: [StoryID]) {
        textSearch.note(ids)
        index.apply(ids.map { .remove($0) })
    }

    /// Fills the missing names of a location from the gazetteer and marks them as derived (LOC-03): city, state and country,
    /// the part of the town as its name, and the address where an added street is known there.
    public func derivingNames(_ location: StoryLocation) -> StoryLocation {
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
