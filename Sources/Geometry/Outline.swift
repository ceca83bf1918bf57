/// A line or an area, prepared for measuring distances to it.
///
/// Its edges are straight in degrees of longitude and latitude, as in GeoJSON (RFC 7946). Distances up to 5 km are within
/// 0.1 m of those on the sphere, distances up to 100 km within 1 % (below 60 degrees of latitude, 0.02 %); greater ones
/// are only roughly right.
public final class Outline: Sendable {
    /// The longest side in metres of the box around an outline.
    public static let span = 200_000.0
    /// The greatest latitude of an outline, in degrees north or south.
    public static let latitude = 85.0

    /// A box that contains the outline.
    public let box: BoundingBox
    private let parts: [Part]

    /// Creates an outline from the corners of a line, or of the rings of an area, as longitude and latitude in degrees.
    ///
    /// Longitudes continue beyond 180 where the outline crosses the antimeridian. A position is in an area if it lies in
    /// an odd number of its rings, so that holes are left out. Returns `nil` for fewer than two corners, and for an
    /// outline that does not fit; see ``fits(_:)``.
    public init?(lines: [[SIMD2<Double>]], isArea: Bool) {
        guard let part = Part(lines: lines, isArea: isArea), let box = part.box, Outline.fits(box) else { return nil }
        self.box = box
        parts = [part]
    }

    private init(_ parts: [Part], box: BoundingBox) {
        self.parts = parts
        self.box = box
    }

    /// Returns whether distances to an outline in a box can be measured: if it is at most ``span`` wide and high, and
    /// not beyond ``latitude``.
    public static func fits(_ box: BoundingBox) -> Bool {
        guard box.south >= -latitude, box.north <= latitude else { return false }
        let isAtEquator = box.south <= 0 && box.north >= 0
        let lowest = isAtEquator ? 0 : min(abs(box.south), abs(box.north))
        let width = box.width * GreatCircle.metresPerDegree * Math.cosine(Math.radians(lowest))
        return width <= span && box.height * GreatCircle.metresPerDegree <= span
    }

    /// Returns what several outlines have in common, to which the distance is the greatest of those to them; `nil` for no
    /// outlines.
    public static func common(to outlines: some Sequence<Outline>) -> Outline? {
        var parts: [Part] = []
        var box: BoundingBox?
        for outline in outlines {
            box = box ?? outline.box
            for part in outline.parts where !parts.contains(part) { parts.append(part) }
        }
        return box.map { Outline(parts, box: $0) }
    }

    /// Returns the distance in metres from a position, zero in an area.
    ///
    /// - Complexity: O(*n*) at worst for *n* corners; in practice about a sixteenth of that.
    public func distance(to position: Coordinate) -> Double {
        let latitude = Math.radians(position.latitude)
        let (sine, cosine) = (Math.sine(latitude), Math.cosine(latitude))
        var squared = 0.0
        for part in parts {
            // The turn round the globe on which the position is nearest.
            let turn = ((part.middle - position.longitude) / 360).rounded()
            let eye = Eye(
                place: SIMD2(position.longitude + 360 * turn, position.latitude),
                sine: sine,
                cosine: cosine
            )
            squared = max(squared, part.squaredDistance(from: eye))
        }
        return squared.squareRoot() * GreatCircle.metresPerDegree
    }

    /// The number of corners.
    public var cornerCount: Int { parts.reduce(0) { $0 + $1.corners.count } }
}

extension Outline: Hashable {
    /// Returns whether two outlines are the same lines or areas.
    public static func == (a: Outline, b: Outline) -> Bool { a === b || a.parts == b.parts }

    /// Hashes the size and the position.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(box)
        hasher.combine(cornerCount)
    }
}

/// A position from which distances are measured, in degrees.
private struct Eye {
    let place: SIMD2<Double>
    let sine: Double
    let cosine: Double

    /// Returns the square of the distance to an edge, in degrees of a great circle.
    ///
    /// The nearest point is found in a plane in which a degree of longitude is as long as at the position; its distance
    /// is measured with the length at the latitude halfway.
    @inline(__always)
    func squaredDistance(from start: SIMD2<Double>, to end: SIMD2<Double>) -> Double {
        let from = start - place
        let way = end - start
        let scale = SIMD2(cosine * cosine, 1)
        let length = (way * way * scale).sum()
        let share = length > 0 ? min(1, max(0, -(from * way * scale).sum() / length)) : 0
        let nearest = from + way * share
        let half = Math.radians(nearest.y) / 2
        let across = nearest.x * (cosine * (1 - half * half / 2) - sine * half)
        return across * across + nearest.y * nearest.y
    }

    /// Returns a number below which the square of the distance to anything in a box is not.
    @inline(__always)
    func leastSquaredDistance(_ low: SIMD2<Double>, _ high: SIMD2<Double>) -> Double {
        let east = max(0, low.x - place.x, place.x - high.x) * cosine
        let north = max(0, low.y - place.y, place.y - high.y)
        // Nearer to the pole, degrees of longitude are shorter than at the position.
        return 0.5 * (east * east + north * north)
    }
}

/// The corners of one line or area, in runs of edges with a box each.
private struct Part: Hashable, Sendable {
    /// Consecutive edges of one line.
    private struct Run: Hashable, Sendable {
        /// The corners, of which the last is the first of the next run.
        let corners: ClosedRange<Int>
        let low: SIMD2<Double>
        let high: SIMD2<Double>
    }

    private static let runLength = 16

    let isArea: Bool
    /// The corners of all lines, one line after the other.
    let corners: [SIMD2<Double>]
    /// The longitude in the middle.
    let middle: Double
    private let runs: [Run]
    private let low: SIMD2<Double>
    private let high: SIMD2<Double>

    init?(lines given: [[SIMD2<Double>]], isArea: Bool) {
        // What lies wholly beyond the antimeridian does not cross it.
        let west = given.joined().map(\.x).min() ?? 0
        let turn = SIMD2(west > 180 ? 360.0 : 0, 0)
        let lines = given.map { line in line.map { $0 - turn } }
        var corners: [SIMD2<Double>] = []
        var runs: [Run] = []
        for line in lines {
            guard line.count >= 2 else { return nil }
            let base = corners.count
            corners += line
            for start in stride(from: base, to: corners.count - 1, by: Part.runLength) {
                let range = start...min(start + Part.runLength, corners.count - 1)
                let (low, high) = Part.extent(corners[range])
                runs.append(Run(corners: range, low: low, high: high))
            }
        }
        let (low, high) = Part.extent(corners[...])
        // Numbers that are not finite fail these comparisons.
        guard !corners.isEmpty, low.x >= -180, low.x <= 180, high.x - low.x <= 360, low.y >= -90, high.y <= 90 else {
            return nil
        }
        guard corners.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return nil }
        self.isArea = isArea
        self.corners = corners
        self.runs = runs
        self.low = low
        self.high = high
        middle = low.x + (high.x - low.x) / 2
    }

    private static func extent(_ corners: ArraySlice<SIMD2<Double>>) -> (low: SIMD2<Double>, high: SIMD2<Double>) {
        var (low, high) = (SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity))
        for corner in corners {
            low = pointwiseMin(low, corner)
            high = pointwiseMax(high, corner)
        }
        return (low, high)
    }

    var box: BoundingBox? {
        guard high.x - low.x < 360 else { return nil }
        return BoundingBox(west: low.x, south: low.y, east: high.x > 180 ? high.x - 360 : high.x, north: high.y)
    }

    /// Returns the square of the distance in degrees of a great circle, zero in an area.
    func squaredDistance(from eye: Eye) -> Double {
        if isArea, holds(eye.place) { return 0 }
        var best = Double.infinity
        for run in runs where eye.leastSquaredDistance(run.low, run.high) < best {
            for index in run.corners.lowerBound..<run.corners.upperBound {
                best = min(best, eye.squaredDistance(from: corners[index], to: corners[index + 1]))
            }
        }
        return best
    }

    /// Returns whether a place lies in an odd number of rings, by the edges east of it.
    private func holds(_ place: SIMD2<Double>) -> Bool {
        guard place.x >= low.x, place.x <= high.x, place.y >= low.y, place.y <= high.y else { return false }
        var isInside = false
        for run in runs where run.high.x >= place.x && run.high.y > place.y && run.low.y <= place.y {
            if run.low.x > place.x {
                // All of it is east: only whether it ends on the other side matters.
                let ends = (corners[run.corners.lowerBound], corners[run.corners.upperBound])
                if (ends.0.y > place.y) != (ends.1.y > place.y) { isInside.toggle() }
                continue
            }
            for index in run.corners.lowerBound..<run.corners.upperBound {
                let (a, b) = (corners[index], corners[index + 1])
                guard (a.y > place.y) != (b.y > place.y) else { continue }
                if a.x + (place.y - a.y) / (b.y - a.y) * (b.x - a.x) > place.x { isInside.toggle() }
            }
        }
        return isInside
    }
}
