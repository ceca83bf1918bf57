package import Stories
package import StoryMap

extension Story {
    /// The further places that stand on the map: those that their owner has confirmed (LOC-10, LOC-11).
    package var placesOnMap: [FurtherPlace] {
        guard !places.isEmpty else { return [] }
        return places.filter(\.isConfirmed)
            .map { place in
                let seconds = place.seconds.map { " \($0)" } ?? ""
                return FurtherPlace(
                    id: place.id,
                    location: place.location,
                    shape: place.shape,
                    shown: place.role.rawValue + seconds,
                    isExtent: place.role == .extent
                )
            }
    }
}
