import Geometry

extension PlaceState {
    /// Creates the state of a fence before any decision, at the first fix that may be inside.
    init(outside fence: Fence, _ observation: Observation, _ sight: Sight) {
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
            confidence: sight.probability,
            distance: sight.distance,
            visit: 0,
            qualified: observation.fix.received,
            opened: observation.anchor.time,
            reportAt: nil,
            isHushed: false
        )
    }
}

extension Evaluation {
    /// Opens a visit because of a fix, and reports it unless a minimum dwell applies or the device was too fast.
    mutating func enter(_ place: inout PlaceState, _ kind: FenceEntry.Kind, _ observation: Observation) {
        open(&place, at: observation.anchor.time, received: observation.fix.received)
        if place.reportAt == nil { report(&place, kind, on: kind == .passed ? observation.segment : nil) }
    }

    /// Reports a visit that was withheld because of the device's speed, once the device is inside and slow enough;
    /// returns whether the visit was reported.
    mutating func reportSlowed(_ place: inout PlaceState, _ sight: Sight, _ observation: Observation) -> Bool {
        let isInside = isCoarse(sight) ? sight.distance <= place.radius : sight.probability >= options.likely
        guard place.isHushed, isInside, !isTooFast(on: nil), isStillThere(place) else { return false }
        place.confidence = sight.probability
        place.distance = sight.distance
        place.qualified = observation.fix.received
        report(&place, .entered, on: nil)
        return true
    }

    /// Reports a visit that has lasted long enough by the device's own times; returns whether it has.
    ///
    /// Fixes that arrive together after the device was offline can show a stay that was never seen on the receiver's
    /// clock.
    mutating func reportLasted(_ place: inout PlaceState) -> Bool {
        guard place.reportAt != nil, place.latest - place.opened >= options.minimumDwell else { return false }
        place.reportAt = nil
        if isStillThere(place) { report(&place, .entered, on: nil) }
        return true
    }

    /// Makes the decision due by the clock: a candidate is confirmed, or a visit has lasted long enough.
    mutating func expire(placeAt index: Int) {
        var place = state.places[index]
        guard isStillThere(place) else {
            if place.phase == .candidate { state.places.remove(at: index) } else { state.places[index].reportAt = nil }
            return
        }
        if place.phase == .candidate {
            open(&place, at: place.latest, received: place.deadline ?? now)
            place.since = place.latest
        } else {
            place.reportAt = nil
        }
        if place.reportAt == nil { report(&place, .entered, on: nil) }
        state.places[index] = place
    }

    private mutating func open(_ place: inout PlaceState, at time: Int64, received: Int64) {
        state.visits = state.visits == .max ? 1 : state.visits + 1
        place.phase = .inside
        place.visit = state.visits
        place.deadline = nil
        place.count = 0
        place.isCoarse = false
        place.opened = time
        place.reportAt = options.minimumDwell == 0 ? nil : received + options.minimumDwell
    }

    /// Reports a visit, unless the device is too fast; `way` is the segment on which the place was passed.
    private mutating func report(_ place: inout PlaceState, _ kind: FenceEntry.Kind, on way: Segment?) {
        place.isHushed = isTooFast(on: way)
        guard !place.isHushed else { return }
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
            distance: place.distance,
            isSimulated: state.last?.isSimulated ?? false
        )
        effects.append(.entered(entry))
    }

    /// Returns whether the device is faster than the notification limit; `false` while its speed is unknown.
    private func isTooFast(on way: Segment?) -> Bool {
        guard let limit = options.maximumSpeed else { return false }
        return max(state.pace ?? 0, way?.speed ?? 0) > limit
    }

    /// Returns whether the fence is still visible to the user.
    private func isStillThere(_ place: PlaceState) -> Bool { fence(of: place) != nil }
}
