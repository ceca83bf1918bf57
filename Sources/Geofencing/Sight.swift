import Geometry

/// A fence as seen from a position.
struct Sight {
    let site: Site
    let time: Int64
    let accuracy: Double
    /// The distance in metres, in steps of 0.01.
    let distance: Double
    let radius: Double
    let deviation: Double
    /// The probability of being inside, in steps of 0.0001.
    let probability: Double

    /// Creates the sight from the mean position of the stay if there is one, otherwise from the filter's estimate.
    init(_ observation: Observation, _ site: Site, _ radius: Double) {
        guard let stay = observation.stay, let deviation = observation.stayDeviation else {
            self.init(filtered: observation, site, radius)
            return
        }
        let distance = LocalFrame.quantized(site.distance(to: stay.mean))
        self.init(observation, site, distance: distance, radius: radius, deviation: deviation)
    }

    /// Creates the sight from the filter's estimate.
    init(filtered observation: Observation, _ site: Site, _ radius: Double) {
        let (distance, probability) = observation.outlook.view(of: site, radius: radius)
        self.init(observation, site, distance, radius, observation.deviation, probability)
    }

    init(_ observation: Observation, _ site: Site, distance: Double, radius: Double, deviation: Double) {
        let probability = Inside.probability(distance: distance, radius: radius, deviation: deviation)
        self.init(observation, site, distance, radius, deviation, probability)
    }

    private init(
        _ observation: Observation,
        _ site: Site,
        _ distance: Double,
        _ radius: Double,
        _ deviation: Double,
        _ probability: Double
    ) {
        self.site = site
        time = observation.anchor.time
        accuracy = observation.anchor.accuracy
        self.distance = distance
        self.radius = radius
        self.deviation = deviation
        self.probability = probability
    }
}
