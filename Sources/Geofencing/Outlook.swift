import Geometry

/// All hypotheses about a position, prepared for queries about fences.
struct Outlook {
    private let frame: LocalFrame
    private let suppositions: [Supposition]
    private let leastDeviation: Double

    init(_ track: Track, leastDeviation: Double) {
        frame = LocalFrame(track.origin)
        suppositions = track.suppositions
        self.leastDeviation = leastDeviation
    }

    /// Returns the distance in metres from the likeliest position to a place, in steps of 0.01, and the probability of
    /// being within a radius of it, in steps of 0.0001.
    func view(of site: Site, radius: Double) -> (distance: Double, probability: Double) {
        let center = frame.vector(to: site.point)
        var nearest = 0.0
        var probability = 0.0
        for (index, supposition) in suppositions.enumerated() {
            let distance =
                site.outline == nil
                ? LocalFrame.quantized((supposition.position - center).length)
                : site.distance(to: frame.coordinate(supposition.position))
            if index == 0 { nearest = distance }
            let deviation = max(leastDeviation, supposition.deviation)
            probability +=
                supposition.weight * Inside.unrounded(distance: distance, radius: radius, deviation: deviation)
        }
        return (nearest, min(1, (probability * 10_000).rounded() / 10_000))
    }
}
