import Geometry

/// What a fence surrounds: a point, or a line or an area.
struct Site {
    let point: Coordinate
    let outline: Outline?

    /// Returns the distance in metres from a position, in steps of 0.01; zero in an area.
    func distance(to position: Coordinate) -> Double {
        guard let outline else { return LocalFrame(point).distance(to: position) }
        return LocalFrame.quantized(outline.distance(to: position))
    }
}

extension Fence {
    var site: Site { Site(point: coordinate, outline: outline) }
}

extension PlaceState {
    /// Returns what the fence of the place surrounds; outlines are not part of a state.
    func site(_ outline: Outline?) -> Site { Site(point: coordinate, outline: outline) }
}

extension Evaluation {
    /// Returns the fence of a place as the user sees it now, or `nil` if it is gone.
    func fence(of place: PlaceState) -> Fence? {
        let box = BoundingBox(place.coordinate).expanded(byMetres: 2)
        return fences.fences(in: box).first { $0.id == place.id }
    }

    /// Returns the outline of a place's fence, or `nil` if it has none.
    func outline(of place: PlaceState) -> Outline? {
        fences.hasOutlines ? fence(of: place)?.outline : nil
    }
}
