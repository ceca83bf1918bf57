import Geometry

/// A fence as seen from a position.
struct Sight {
    let time: Int64
    let accuracy: Double
    /// Metres, in steps of 0.01.
    let distance: Double
    let radius: Double
    let deviation: Double
    /// In steps of 0.0001.
    let probability: Double

    init(_ observation: Observation, _ center: Coordinate, _ radius: Double) {
        let (distance, probability) = observation.outlook.view(of: center, radius: radius)
        self.init(observation, distance, radius, observation.deviation, probability)
    }

    init(_ observation: Observation, distance: Double, radius: Double, deviation: Double) {
        let probability = Inside.probability(distance: distance, radius: radius, deviation: deviation)
        self.init(observation, distance, radius, deviation, probability)
    }

    private init(
        _ observation: Observation,
        _ distance: Double,
        _ radius: Double,
        _ deviation: Double,
        _ probability: Double
    ) {
        time = observation.anchor.time
        accuracy = observation.anchor.accuracy
        self.distance = distance
        self.radius = radius
        self.deviation = deviation
        self.probability = probability
    }
}
