/// What playing a trace costs of somebody's units, see ``RateLimit``.
package enum TracePrice: Sendable {
    /// The radius in metres up to which only the number of points counts.
    private static let radius = 250.0
    /// How many points with such a radius one unit buys.
    private static let points = 200.0

    /// The price in units of so many points with the largest radius, in metres, of any fence.
    ///
    /// Twice the radius is twice the price. What a unit buys takes about two milliseconds of one core on a map with
    /// a few hundred places within the radius, as the default rate of 500 units a second supposes.
    package static func units(points: Int, radius: Double) -> Double {
        Double(max(0, points)) / TracePrice.points * max(1, radius / TracePrice.radius)
    }
}
