/// The price of replaying a trace, in units of the rate limit.
package enum TracePrice: Sendable {
    /// The radius in metres up to which the price depends on the number of points only.
    private static let radius = 250.0
    /// The number of points per unit, up to that radius.
    private static let points = 200.0

    /// Returns the price in units of a trace with this many points, where `radius` is the largest radius of any fence
    /// in metres.
    ///
    /// Above 250 m, the price is proportional to the radius. One unit pays for about two milliseconds of one core on a
    /// map with a few hundred places within the radius, as the default rate of 500 units per second assumes.
    package static func units(points: Int, radius: Double) -> Double {
        Double(max(0, points)) / TracePrice.points * max(1, radius / TracePrice.radius)
    }
}
