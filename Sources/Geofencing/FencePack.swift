public import Geometry

/// The fences a device is to watch by itself, and the circle it has to stay in for them to be enough.
///
/// As long as the device is within ``refreshRadius`` of ``center`` it can enter no fence that is not among ``fences``;
/// when it leaves that circle it fetches the next pack.
public struct FencePack: Hashable, Sendable {
    /// Where the device was.
    public let center: Coordinate
    /// The fences to watch, the one with the nearest edge first; at most the limit less one.
    public let fences: [Fence]
    /// The radius in metres of the circle around ``center`` that has to be left before anything can be missed.
    ///
    /// Zero where more fences than the device can watch lie around its very position: then only its fixes can tell.
    public let refreshRadius: Double

    /// The farthest that is looked, in metres: the radius of the circle where there is nothing else to watch.
    public static let reach = 100_000.0

    /// What the edges of the fences are apart from where they are reckoned, in metres, at most.
    private static let margin = 1.0

    /// Chooses the fences with the nearest edges.
    ///
    /// - Parameters:
    ///   - center: where the device is.
    ///   - limit: how many regions the device can watch, that circle included; 20 on iOS, 100 on Android; at least 1.
    ///   - source: the fences of the device's user.
    /// - Complexity: that of looking a few times for the fences around, at worst within ``reach``.
    public init(around center: Coordinate, limit: Int, in source: some FenceSource) {
        self.center = center
        let most = max(0, limit - 1)
        let widest = source.largestRadius.isFinite ? max(0, min(source.largestRadius, Fence.radii.upperBound)) : 0
        var reach = 1_000.0
        while true {
            // Whoever's edge lies within the reach has its centre within the box.
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

    /// The fences by the distance in metres to their edge, negative inside; one per place.
    private static func sorted(_ fences: [Fence], around center: Coordinate) -> [(edge: Double, fence: Fence)] {
        var seen: Set<PlaceID> = []
        return fences.map { (edge: GreatCircle.distance(center, $0.coordinate) - $0.radius, fence: $0) }
            .sorted { ($0.edge, $0.fence.id) < ($1.edge, $1.fence.id) }
            .filter { seen.insert($0.fence.id).inserted }
    }
}
