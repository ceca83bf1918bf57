import Geometry

extension Evaluation {
    /// Decides about every fence near an observation and every place in a phase other than outside, in the order of
    /// their ids.
    mutating func visit(_ observation: Observation) {
        let searched = searchBox(observation)
        var found: [Fence] = []
        if let searched { found = foundFences(in: searched) }
        let known = state.places
        if known.isEmpty, found.isEmpty { return }
        var places: [PlaceState] = []
        places.reserveCapacity(known.count)
        var next = 0
        for place in known {
            while next < found.count, found[next].id < place.id {
                if let place = arrive(observation, at: found[next]) { places.append(place) }
                next += 1
            }
            var place = place
            var outline: Outline?
            if next < found.count, found[next].id == place.id {
                place.coordinate = found[next].coordinate
                place.radius = found[next].radius
                outline = found[next].outline
                next += 1
            } else if place.phase == .candidate, searched?.contains(place.coordinate) ?? true {
                continue  // The fence is gone; nobody may be notified.
            } else {
                // A visit ends farther away than fences are searched for.
                outline = self.outline(of: place)
            }
            if let place = follow(observation, place, outline) { places.append(place) }
        }
        for fence in found[next...] {
            if let place = arrive(observation, at: fence) { places.append(place) }
        }
        state.places = places
    }

    /// Returns the box that contains the centre of every fence the observation can affect, and touches its outline.
    private func searchBox(_ observation: Observation) -> BoundingBox? {
        guard fences.largestRadius.isFinite, fences.largestRadius > 0 else { return nil }
        var reach = min(fences.largestRadius, Fence.radii.upperBound) * 1.01 + 10
        if options.explains { reach += 2.5 * observation.anchor.accuracy }
        var center = observation.anchor.coordinate
        if let segment = observation.segment {
            // A circle around the middle of the segment, which also works at the poles and on the antimeridian.
            let start = segment.start.coordinate
            let half = (segment.length + 0.01) / 2
            let bearing = GreatCircle.bearing(from: start, to: center)
            center = GreatCircle.destination(from: start, bearing: bearing, distance: half)
            reach += half
        }
        return BoundingBox(center).expanded(byMetres: reach)
    }

    /// Returns the fences in a box, sorted, one per place.
    private func foundFences(in box: BoundingBox) -> [Fence] {
        func key(_ fence: Fence) -> (PlaceID, Double, Double, Double) {
            (fence.id, fence.coordinate.latitude, fence.coordinate.longitude, fence.radius)
        }
        let found = fences.fences(in: box)
        guard found.count > 1 else { return found }
        var unique: [Fence] = []
        for fence in found.sorted(by: { key($0) < key($1) }) where unique.last?.id != fence.id {
            unique.append(fence)
        }
        return unique
    }

    /// Handles a place in phase outside: it may become a candidate or a visit, or have been passed.
    private mutating func arrive(_ observation: Observation, at fence: Fence) -> PlaceState? {
        let sight = Sight(observation, fence.site, fence.radius)
        var place = PlaceState(outside: fence, observation, sight)
        let options = options
        if isCoarse(sight) {
            guard sight.distance <= fence.radius else {
                explain(observation, sight, place, .outside, .outside, "coarse, beyond the radius")
                return nil
            }
            place.isCoarse = true
            explain(observation, sight, place, .outside, .candidate, "coarse, first fix within the radius")
            return place
        }
        if sight.probability >= options.certain, isLastChance(observation) {
            enter(&place, .entered, observation)
            explain(observation, sight, place, .outside, .inside, "P >= \(options.certain), sparse or fast")
            return place
        }
        if sight.probability >= observation.likely {
            place.deadline = observation.fix.received + options.candidatePatience
            explain(observation, sight, place, .outside, .candidate, "P >= \(observation.likely)")
            return place
        }
        if observation.stay == nil, let crossing = crossing(of: fence, observation) {
            place.confidence = crossing.probability
            place.distance = crossing.distance
            enter(&place, .passed, observation)
            place.phase = .leaving
            place.count = 1
            explain(observation, crossing, place, .outside, .leaving, "the path between two fixes passes through")
            return place
        }
        explain(observation, sight, place, .outside, .outside, "P < \(observation.likely)")
        return nil
    }

    /// Handles a place in phase candidate, inside or leaving; returns its new state, `nil` for outside.
    private mutating func follow(
        _ observation: Observation,
        _ place: PlaceState,
        _ outline: Outline?
    ) -> PlaceState? {
        var place = place
        let before = place.phase
        let site = place.site(outline)
        if place.phase == .candidate {
            let sight = Sight(observation, site, place.radius)
            if observation.breaksSilence {
                let fence = Fence(id: place.id, coordinate: place.coordinate, radius: place.radius, outline: outline)
                return arrive(observation, at: fence)
            }
            let why = weigh(&place, sight, observation)
            explain(observation, sight, place, before, place.phase, why)
            return place.phase == .outside ? nil : place
        }
        let ring = Sight(filtered: observation, site, options.exitRadius(place.radius))
        let why = depart(&place, ring, observation)
        if options.explains {
            let sight = Sight(observation, site, place.radius)
            explain(observation, sight, place, before, place.phase, why)
        }
        return place.phase == .outside ? nil : place
    }

    /// Handles a candidate: a second fix confirms or contradicts it.
    private mutating func weigh(_ place: inout PlaceState, _ sight: Sight, _ observation: Observation) -> String {
        let span = observation.anchor.time - place.since
        if isCoarse(sight) {
            guard sight.distance <= place.radius else {
                place.phase = .outside
                return "coarse, beyond the radius"
            }
            place.count += 1
            place.latest = observation.anchor.time
            place.qualified = observation.fix.received
            place.confidence = max(place.confidence, sight.probability)
            place.distance = sight.distance
            guard place.count >= options.coarseFixes, span >= options.coarseSpan else {
                return "coarse, fix \(place.count) within the radius"
            }
            let count = place.count
            enter(&place, .entered, observation)
            return "coarse, \(count) fixes within the radius over \(span / 1000) s"
        }
        guard sight.probability >= observation.likely else {
            place.phase = .outside
            return "P < \(observation.likely), contradicted"
        }
        if place.isCoarse {
            // The first precise fix starts the wait.
            place.isCoarse = false
            place.since = observation.anchor.time
            place.qualified = observation.fix.received
        }
        // If a suspect removed the deadline, the candidate qualifies only with this fix.
        if place.deadline == nil { place.qualified = observation.fix.received }
        place.latest = observation.anchor.time
        place.confidence = sight.probability
        place.distance = sight.distance
        let waited = observation.anchor.time - place.since
        let isCertain =
            sight.probability >= options.certain && (waited >= options.certainSpan || isLastChance(observation))
        if isCertain || waited >= options.likelySpan {
            enter(&place, .entered, observation)
            return "P >= \(isCertain ? options.certain : observation.likely), confirmed after \(waited / 1000) s"
        }
        if place.deadline == nil { place.deadline = observation.fix.received + options.candidatePatience }
        return "P >= \(observation.likely), waiting"
    }

    /// Handles a place in phase inside or leaving: a visit ends once the device has been outside the ring for a while.
    private mutating func depart(_ place: inout PlaceState, _ ring: Sight, _ observation: Observation) -> String {
        let isOutside = ring.probability <= 1 - options.likelyOutside
        guard isOutside else {
            if place.phase == .leaving {
                place.phase = .inside
                place.since = observation.anchor.time
                place.count = 0
                place.reportAt = place.reportAt.map { max($0, observation.fix.received) }
            }
            place.latest = observation.anchor.time
            if reportLasted(&place) { return "within the exit ring, for \(options.minimumDwell / 1000) s" }
            if place.reportAt != nil { return "within the exit ring, but not yet for \(options.minimumDwell / 1000) s" }
            guard place.isHushed else { return "within the exit ring" }
            let sight = Sight(observation, ring.site, place.radius)
            return reportSlowed(&place, sight, observation) ? "inside and now slow enough" : "within the exit ring"
        }
        if place.phase == .inside {
            place.phase = .leaving
            place.since = observation.anchor.time
            place.count = 0
        }
        place.count = min(place.count, .max - 1) + 1
        let span = observation.anchor.time - place.since
        if observation.breaksSilence || (span >= options.exitSpan && place.count >= 2) {
            place.phase = .outside
            let exit = FenceExit(
                place: place.id,
                coordinate: place.coordinate,
                at: observation.anchor.time,
                visit: place.visit
            )
            if place.isReported { effects.append(.left(exit)) }
            return "outside the exit ring" + (observation.breaksSilence ? " after a silence" : " for \(span / 1000) s")
        }
        return "outside the exit ring, waiting"
    }

    /// Returns whether the position is so uncertain that it would not be likely inside even at the centre of the fence.
    func isCoarse(_ sight: Sight) -> Bool {
        let best = Inside.probability(distance: 0, radius: sight.radius, deviation: sight.deviation)
        return best < options.likely
    }

    /// Returns whether the device reports so rarely or moves so fast that there may be no second fix inside.
    private func isLastChance(_ observation: Observation) -> Bool {
        if let speed = observation.speed, speed >= options.fastEntry { return true }
        return observation.interval.map { Double($0) > options.denseInterval * 1000 } ?? false
    }

    private mutating func explain(
        _ observation: Observation,
        _ sight: Sight,
        _ place: PlaceState,
        _ before: FencePhase,
        _ after: FencePhase,
        _ why: @autoclosure () -> String
    ) {
        guard options.explains else { return }
        let fix = observation.fix
        let limit = place.isHushed ? options.maximumSpeed : nil
        let explanation = FenceExplanation(
            place: place.id,
            time: sight.time,
            distance: LocalFrame.quantized(
                sight.site.outline?.distance(to: fix.coordinate)
                    ?? GreatCircle.distance(fix.coordinate, place.coordinate)
            ),
            radius: sight.radius,
            accuracy: LocalFrame.quantized(options.effectiveAccuracy(fix.accuracy.flatMap { $0 == 0 ? nil : $0 })),
            likelyDistance: sight.distance,
            likelyAccuracy: LocalFrame.quantized(sight.accuracy),
            probability: sight.probability,
            before: before,
            after: after,
            why: why() + (limit.map { "; not announced above \($0) m/s" } ?? "")
        )
        effects.append(.explained(explanation))
    }
}
