import Geometry

extension PlaceState {
    /// A fence before anything is decided, at the first fix that may be inside.
    init(outside fence: Fence, _ observation: Observation, confidence: Double) {
        self.init(
            id: fence.id,
            coordinate: fence.coordinate,
            radius: fence.radius,
            phase: .candidate,
            since: observation.anchor.time,
            count: 1,
            isCoarse: false,
            deadline: nil,
            latest: observation.anchor.time,
            confidence: confidence,
            visit: 0,
            qualified: observation.fix.received,
            reportAt: nil
        )
    }
}

extension Evaluation {
    /// Opens a visit because of a fix, and reports it unless it has to last for a while first.
    mutating func enter(_ place: inout PlaceState, _ kind: FenceEntry.Kind, _ observation: Observation) {
        open(&place, received: observation.fix.received)
        if place.reportAt == nil { report(place, kind) }
    }

    /// Decides what the clock decides about a place: that a candidate stands, or that a visit has lasted.
    mutating func expire(placeAt index: Int) {
        var place = state.places[index]
        guard isStillThere(place) else {
            if place.phase == .candidate { state.places.remove(at: index) } else { state.places[index].reportAt = nil }
            return
        }
        if place.phase == .candidate {
            open(&place, received: place.deadline ?? now)
            place.since = place.latest
        } else {
            place.reportAt = nil
        }
        if place.reportAt == nil { report(place, .entered) }
        state.places[index] = place
    }

    private mutating func open(_ place: inout PlaceState, received: Int64) {
        state.visits = state.visits == .max ? 1 : state.visits + 1
        place.phase = .inside
        place.visit = state.visits
        place.deadline = nil
        place.count = 0
        place.isCoarse = false
        place.reportAt = options.minimumDwell == 0 ? nil : received + options.minimumDwell
    }

    private mutating func report(_ place: PlaceState, _ kind: FenceEntry.Kind) {
        let entry = FenceEntry(
            place: place.id,
            coordinate: place.coordinate,
            kind: kind,
            at: place.latest,
            decidedAt: now,
            qualifiedAt: place.qualified,
            confidence: place.confidence,
            visit: place.visit,
            speed: state.steadySpeed,
            isSimulated: state.last?.isSimulated ?? false
        )
        effects.append(.entered(entry))
    }

    /// Whether the fence is still among those the user may see.
    private func isStillThere(_ place: PlaceState) -> Bool {
        let box = BoundingBox(place.coordinate).expanded(byMetres: 2)
        return fences.fences(in: box).contains { $0.id == place.id }
    }
}
