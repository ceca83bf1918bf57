import Geometry

// The line or the area of a story's own location: a further place of the role `extent` (LOC-10).
extension Story {
    /// Makes the extents follow a change of the location: hiding, moving or removing a location affects all of it.
    ///
    /// Extents are shown no more exactly than a location that is now shown less exactly, and go with a location that is
    /// removed or moved out of them. An extent that the same change touches stays as given.
    public mutating func settleExtents(replacing old: Story) {
        guard location != old.location, let before = old.location else { return }
        places = places.compactMap { place in
            guard place.role == .extent, old.places.contains(place) else { return place }
            guard let location, place.holds(location.coordinate, movedFrom: before.coordinate) else { return nil }
            let isNarrowed =
                location.precision != before.precision || location.familySeesExact != before.familySeesExact
            guard isNarrowed, location.precision != .exact else { return place }
            var narrowed = place
            narrowed.narrow(to: location)
            return narrowed
        }
    }

    /// Lets the extents follow a location that another program may have changed: what it was before is not known, so they
    /// are shown no more exactly, and hidden if there is none, or one elsewhere.
    public mutating func holdExtents() {
        for index in places.indices where places[index].role == .extent {
            let place = places[index]
            if let location, place.holds(location.coordinate, movedFrom: place.location.coordinate) {
                if location.precision != .exact { places[index].narrow(to: location) }
            } else {
                (places[index].location.precision, places[index].location.familySeesExact) = (.hidden, false)
            }
        }
    }

    /// Returns whether a place is an extent that no rule keeps coarser than the location, with which its owner decides on
    /// the times shown.
    ///
    /// A hidden location covers none: coarse times would tell everybody whether there is one.
    func isCovered(_ place: StoryPlace) -> Bool {
        guard place.role == .extent, let location, location.published != .hidden else { return false }
        let extent = place.location
        return TimePrecision(beside: extent.published) <= TimePrecision(beside: location.published)
            && TimePrecision(beside: extent.floor) <= TimePrecision(beside: location.floor)
    }
}

extension StoryPlace {
    /// Shows the place no more exactly than a location.
    public mutating func narrow(to other: StoryLocation) {
        location.precision = location.precision.stricter(other.precision)
        location.familySeesExact = location.familySeesExact && other.familySeesExact
    }

    /// Returns whether a location that moved is still that of the extent: corrected a little, or within its box.
    fileprivate func holds(_ point: Coordinate, movedFrom before: Coordinate) -> Bool {
        if point == before || GreatCircle.distance(point, before) <= StoryLocation.correction { return true }
        return shape?.box.contains(point) ?? false
    }
}
