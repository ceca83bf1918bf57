public import Geometry

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

// How an extent is shown beside its location.
extension Story {
    /// Whether an extent shows others more than the location does: who sees the line or the area knows roughly where the
    /// location is.
    public var hasTellingExtent: Bool {
        guard let location, privacy != .private else { return false }
        return places.contains { place in
            guard place.role == .extent, place.isConfirmed else { return false }
            let extent = place.location
            return extent.published.isMoreExact(than: location.published)
                || extent.shownToFamily.isMoreExact(than: location.shownToFamily)
        }
    }

    /// Returns a further place as shown to non-owners who see it at one precision and the location at another; `nil` if
    /// it is hidden from them.
    func shownPlace(
        _ place: StoryPlace,
        at precision: LocationPrecision,
        beside own: LocationPrecision
    ) -> StoryPlace? {
        var shown = place.shown(precision)
        if place.role == .extent, let cell = cellOfLocation(at: precision, beside: own) {
            shown?.location.coordinate = cell
        }
        return shown
    }

    /// Returns the precision at which the location is shown to those non-owners to whom a further place is shown: to
    /// everybody, unless the family sees the place more exactly.
    func precision(beside place: StoryPlace, forFamily isFamily: Bool) -> LocationPrecision {
        guard let location else { return .hidden }
        return isFamily && place.location.familySeesExact ? location.shownToFamily : location.published
    }

    /// Returns the placements of a further place on the maps of its layers, and its point for everybody.
    public func placements(
        of place: StoryLocation,
        isExtent: Bool
    ) -> (published: Coordinate?, placements: [MapPlacement]) {
        func point(_ precision: LocationPrecision, beside own: LocationPrecision?) -> Coordinate? {
            let cell = isExtent ? cellOfLocation(at: precision, beside: own ?? .hidden) : nil
            return cell ?? place.point(shown: precision)
        }
        let published = point(place.published, beside: location?.published)
        let trusted = point(place.floor, beside: location?.shownToFamily)
        return (published, placements(of: place, published: published, trusted: trusted))
    }

    /// Returns the centre of the location's cell, as which an extent is shown that shows no more than the location; `nil`
    /// if it shows more by its owner's choice, or is not shown as a cell.
    ///
    /// Of a location that was moved within its extent, the cell of the extent's own point would be a second one: from
    /// both together, others could tell where between them the location is.
    private func cellOfLocation(at precision: LocationPrecision, beside own: LocationPrecision) -> Coordinate? {
        guard let location, let cell = precision.cell, !precision.isMoreExact(than: own) else { return nil }
        return cell.center(of: location.coordinate)
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
