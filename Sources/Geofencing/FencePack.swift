public import Geometry

/// The fences a device monitors by itself, and the circle within which they are sufficient.
///
/// As long as the device is within ``refreshRadius`` of ``center``, it can enter no fence outside ``fences``; when it
/// leaves that circle, it fetches the next pack.
///
/// Devices monitor circles, so a fence with an outline stands for the circle around its point, which lies within it: a
/// device notices such a place near that point only, and never where it is not.
public struct FencePack: Hashable, Sendable {
    /// The position of the device.
    public let center: Coordinate
    /// The fences to monitor, sorted by the distance to their edge; at most one fewer than the limit.
    public let fences: [Fence]
    /// The radius in metres of the circle around ``center`` outside which an entry can be missed.
    ///
    /// Zero if more fences than the device can monitor contain its position or are at most a metre away: then entries
    /// can be detected only from its fixes.
    public let refreshRadius: Double

    /// The maximum search radius in metres, which also limits ``refreshRadius``.
    public static let reach = 100_000.0

    /// The maximum error in the calculated edges of fences, in metres.
    private static let margin = 1.0

    /// Selects the fences with the nearest edges.
    ///
    /// - Parameters:
    ///   - center: the position of the device.
    ///   - limit: the number of regions the device can monitor, including the circle around `center`; 20 on iOS, 100 on
    ///   Android; at least 1.
    ///   - source: the fences of the device's user.
    /// - Complexity: that of a few searches for the surrounding fences, at worst within ``reach``.
    public init(around center: Coordinate, limit: Int, in source: some FenceSource) {
        self.center = center
        let most = max(0, limit - 1)
        let widest = source.largestRadius.isFinite ? max(0, min(source.largestRadius, Fence.radii.upperBound)) : 0
        var reach = 1_000.0
        while true {
            // A fence whose edge lies within the reach has its centre within the box.
            let box = BoundingBox(center).expanded(byMetres: (reach + widest) * 1.01 + 10)
            let near = FencePack.sorted(source.fences(in: box), around: center)
            let known = near.prefix { $0.edge <= reach }
            if known.count > most || reach >= FencePack.reach {
                fences = known.prefix(most).map(\.fence)
                let next = known.count > most ? known[most].edge : reach
                refreshRadius = max(0, next - FencePack.margin)
                return
            }
            reach = min(FencePack.reach, 4 * reach)
        }
    }

    /// Returns the fences sorted by the distance to their edge in metres, negative inside; one per place.
    private static func sorted(_ fences: [Fence], around center: Coordinate) -> [(edge: Double, fence: Fence)] {
        var seen: Set<PlaceID> = []
        // Of a fence with an outline, the circle around its point counts.
        return fences.map { (edge: GreatCircle.distance(center, $0.coordinate) - $0.radius, fence: $0) }
            .sorted { ($0.edge, $0.fence.id) < ($1.edge, $1.fence.id) }
            .filter { seen.insert($0.fence.id).inserted }
    }
}
