/// How much each vertex of a line matters, so that a line can be drawn with fewer of them.
///
/// Douglas and Peucker (1973): a vertex matters as much as its distance from the straight line between the vertices
/// that matter more on either side. It is computed once, and each zoom keeps the vertices beyond its tolerance.
enum Simplification {
    /// Returns the square of the distance of each vertex, in units of the world squared; the ends are infinite.
    ///
    /// - Complexity: O(*n* log *n*) as a rule, O(*n*²) for lines made to be slow; without recursion.
    static func weights(of line: [WorldPoint]) -> [Float] {
        var weights = [Float](repeating: 0, count: line.count)
        guard line.count > 2 else { return weights.map { _ in .infinity } }
        weights[0] = .infinity
        weights[line.count - 1] = .infinity
        var spans = [(0, line.count - 1, Float.infinity)]
        while let (first, last, bound) = spans.popLast() {
            guard last - first > 1 else { continue }
            var (farthest, most) = (first + 1, -1.0)
            for index in (first + 1)..<last {
                let distance = squaredDistance(of: line[index], from: line[first], line[last])
                if distance > most { (farthest, most) = (index, distance) }
            }
            // Never more than that of the vertices on which it depends: they would otherwise go before it.
            let weight = min(bound, Float(most))
            weights[farthest] = weight
            spans.append((first, farthest, weight))
            spans.append((farthest, last, weight))
        }
        return weights
    }

    /// Returns the weights of a ring, which has no ends: it is cut at its first vertex and at the one farthest from it.
    static func weights(ofRing ring: [WorldPoint]) -> [Float] {
        guard ring.count > 3 else { return ring.map { _ in .infinity } }
        var (farthest, most) = (0, -1.0)
        for index in ring.indices {
            let (x, y) = (ring[index].x - ring[0].x, ring[index].y - ring[0].y)
            if x * x + y * y > most { (farthest, most) = (index, x * x + y * y) }
        }
        guard farthest > 0 else { return ring.map { _ in .infinity } }
        let there = weights(of: Array(ring[0...farthest]))
        let back = weights(of: Array(ring[farthest...]) + [ring[0]])
        return there.dropLast() + back.dropLast()
    }

    private static func squaredDistance(of point: WorldPoint, from start: WorldPoint, _ end: WorldPoint) -> Double {
        var (x, y) = (start.x, start.y)
        let (width, height) = (end.x - x, end.y - y)
        if width != 0 || height != 0 {
            let along = ((point.x - x) * width + (point.y - y) * height) / (width * width + height * height)
            if along > 1 {
                (x, y) = (end.x, end.y)
            } else if along > 0 {
                x += width * along
                y += height * along
            }
        }
        return (point.x - x) * (point.x - x) + (point.y - y) * (point.y - y)
    }
}
