import Geofencing
import Geometry
import Testing

@Suite("Fences for devices that monitor them themselves")
struct FencePackTests {
    @Test("NTF-11 Nothing is missed before the refresh fence is left", arguments: UInt64(0)..<24)
    func nothingIsMissed(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let latitudes = [0.0, 33.7, -69, 89.99, -89.9999, 85]
        let longitudes = [0.0, 180, -179.999, 12]
        let plane = Plane(
            Coordinate(wrappingLatitude: latitudes[Int(seed) % 6], longitude: longitudes[Int(seed) % 4])
        )
        let spread = [300.0, 2_000, 30_000][Int(seed) % 3]
        let fences = (0..<400)
            .map { _ in
                let point = SIMD2(2 * random.unit() - 1, 2 * random.unit() - 1) * spread
                return Fence(plane.coordinate(point), radius: 75 + 200 * random.unit())
            }
        let source = FenceList(fences)
        for limit in [1, 2, 20, 100, 500] {
            let center = plane.coordinate(SIMD2(2 * random.unit() - 1, 2 * random.unit() - 1) * spread)
            let pack = FencePack(around: center, limit: limit, in: source)
            #expect(pack.fences.count < limit && pack.refreshRadius >= 0)
            let watched = Set(pack.fences.map(\.id))
            let others = fences.filter { !watched.contains($0.id) }
            // Brute force: no other fence reaches into the circle.
            if pack.refreshRadius == 0 {
                let around = fences.count { GreatCircle.distance(center, $0.coordinate) - $0.radius <= 1 }
                #expect(around >= limit)
                continue
            }
            for fence in others {
                let gap = GreatCircle.distance(center, fence.coordinate) - fence.radius
                #expect(gap >= pack.refreshRadius, "limit \(limit)")
            }
            // And those watched are the nearest ones.
            let edges = pack.fences.map { GreatCircle.distance(center, $0.coordinate) - $0.radius }
            #expect(edges == edges.sorted())
            #expect(pack.fences.count == min(limit - 1, Set(fences.map(\.id)).count))
        }
    }

    @Test("NTF-11 The refresh circle is wide without fences, and zero if all of them lie at one point")
    func extremes() {
        let anchor = Coordinate(wrappingLatitude: 10, longitude: 20)
        let none = FencePack(around: anchor, limit: 20, in: FenceList([]))
        #expect(none.fences.isEmpty && none.refreshRadius > 99_000)
        let plane = Plane(anchor)
        let crowd = (0..<50).map { Fence(plane.coordinate(SIMD2(Double($0), 0)), radius: 150) }
        let pack = FencePack(around: anchor, limit: 20, in: FenceList(crowd))
        #expect(pack.fences.count == 19 && pack.refreshRadius == 0)
        #expect(FencePack(around: anchor, limit: 0, in: FenceList(crowd)).fences.isEmpty)
    }

    @Test("An index gives each user their own fences", arguments: UInt64(0)..<12)
    func index(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let points = (0..<600)
            .map { number in
                let isEdge = number < 60
                return Coordinate(
                    wrappingLatitude: isEdge ? [90, -90, 0][number % 3] : 180 * random.unit() - 90,
                    longitude: isEdge ? [180, -180, 179.9999][number % 3] : 360 * random.unit() - 180
                )
            }
        let index = FenceIndex(points)
        let all = Dictionary(points.map { (PlaceID($0), $0) }) { first, _ in first }
        #expect(index.count == all.count)
        let special = PlaceID(points[100])
        let muted = PlaceID(points[101])
        let fences = index.fences(radius: 200, radii: [special: 700], muted: [muted])
        #expect(fences.largestRadius == 700)
        for _ in 0..<30 {
            let center = Coordinate(
                wrappingLatitude: 180 * random.unit() - 90,
                longitude: random.unit() < 0.3 ? 180 : 360 * random.unit() - 180
            )
            let box = BoundingBox(center).expanded(byMetres: 2_000_000 * random.unit())
            let found = fences.fences(in: box).sorted { $0.id < $1.id }
            let expected = all.filter { box.contains($0.value) && $0.key != muted }.keys.sorted()
            #expect(found.map(\.id) == expected)
            #expect(found.allSatisfy { $0.radius == ($0.id == special ? 700 : 200) })
        }
    }
}
