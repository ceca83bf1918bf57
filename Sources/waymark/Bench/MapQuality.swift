import Geometry
import Stories
import StoryMap

/// Measures how well markers represent their stories: overlaps, distances, nesting, and stability when panning.
struct MapQuality {
    let snapshot: MapSnapshot
    /// The viewports at each zoom.
    let viewports: (_ zoom: Int) -> [BoundingBox]

    private static let zooms = 1...15
    private let query = StoryQuery(viewer: .anonymous)

    /// The counts.
    private struct Tally {
        var markers = 0
        var under30 = 0
        var under40 = 0
        var points = 0
        var pixels = 0.0
        var clusters = 0
        var nestedClusters = 0
        var nestedPoints = 0
        var grouped = 0
        var panned = 0
        var same = 0
    }

    /// Runs all measurements; `remark` announces each one.
    func run(remark: (String) -> Void) -> [BenchRow] {
        var tally = Tally()
        for zoom in MapQuality.zooms {
            remark("Quality at zoom \(zoom) …")
            for box in viewports(zoom) {
                measureMarkers(box, zoom, &tally)
                measureNesting(box, zoom, &tally)
                measurePan(box, zoom, &tally)
            }
        }
        func share(_ part: Int, _ whole: Int) -> Double { whole == 0 ? 0 : 100 * Double(part) / Double(whole) }
        return [
            BenchRow("markers", Double(tally.markers), unit: ""),
            BenchRow("markers less than 30 pixels from another", share(tally.under30, tally.markers), unit: "%"),
            BenchRow("markers less than 40 pixels from another", share(tally.under40, tally.markers), unit: "%"),
            BenchRow("from a story to its marker, mean", tally.pixels / Double(max(1, tally.points)), unit: "px"),
            BenchRow(
                "clusters inside one marker a zoom further out",
                share(tally.nestedClusters, tally.clusters),
                unit: "%"
            ),
            BenchRow("stories that stay with their marker", share(tally.nestedPoints, tally.grouped), unit: "%"),
            BenchRow("markers the same after panning", share(tally.same, tally.panned), unit: "%"),
        ]
    }

    /// Returns a position in pixels at a zoom.
    private static func pixel(_ coordinate: Coordinate, zoom: Int) -> (x: Double, y: Double) {
        let unit = MercatorPoint(coordinate)
        let size = Double(1 << (23 - zoom))
        return (Double(unit.x) / size, Double(unit.y) / size)
    }

    private func measureMarkers(_ box: BoundingBox, _ zoom: Int, _ tally: inout Tally) {
        let markers = snapshot.markers(in: box, zoom: zoom, query)
        let pixels = markers.map { MapQuality.pixel($0.position, zoom: zoom) }
        for (index, pixel) in pixels.enumerated() {
            var nearest = Double.infinity
            for (other, place) in pixels.enumerated() where other != index {
                let (x, y) = (pixel.x - place.x, pixel.y - place.y)
                nearest = min(nearest, (x * x + y * y).squareRoot())
            }
            tally.markers += 1
            if nearest < 30 { tally.under30 += 1 }
            if nearest < 40 { tally.under40 += 1 }
        }
        let places = Dictionary(uniqueKeysWithValues: zip(markers.map(\.clusterID), pixels))
        let points = snapshot.points(in: box, query)
        for (point, id) in zip(points, snapshot.markerIDs(of: points, zoom: zoom, query)) {
            // Markers slightly outside the viewport are unknown here, so their stories are skipped.
            guard let id, let place = places[id] else { continue }
            let pixel = MapQuality.pixel(point, zoom: zoom)
            let (x, y) = (pixel.x - place.x, pixel.y - place.y)
            tally.points += 1
            tally.pixels += (x * x + y * y).squareRoot()
        }
    }

    private func measureNesting(_ box: BoundingBox, _ zoom: Int, _ tally: inout Tally) {
        let points = snapshot.points(in: box, query)
        let inner = snapshot.markerIDs(of: points, zoom: zoom, query)
        let outer = snapshot.markerIDs(of: points, zoom: zoom - 1, query)
        var groups: [ClusterID: [ClusterID: Int]] = [:]
        for (inner, outer) in zip(inner, outer) {
            if let inner, let outer { groups[inner, default: [:]][outer, default: 0] += 1 }
        }
        for group in groups.values {
            let sum = group.values.reduce(0, +)
            // A single story is always inside one marker.
            guard sum > 1 else { continue }
            tally.clusters += 1
            if group.count == 1 { tally.nestedClusters += 1 }
            tally.grouped += sum
            tally.nestedPoints += group.values.max() ?? 0
        }
    }

    /// Compares the markers of two views of the same map that share no cached results, as after panning.
    private func measurePan(_ box: BoundingBox, _ zoom: Int, _ tally: inout Tally) {
        guard box.width < 300, !box.crossesAntimeridian else { return }
        let step = box.width * 0.137
        guard let moved = BoundingBox(west: box.west + step, south: box.south, east: box.east + step, north: box.north),
            let both = BoundingBox(west: moved.west, south: box.south, east: box.east, north: box.north),
            moved.east < 180
        else { return }
        var fresh = query
        fresh.except = [StoryID(high: UInt64(zoom), low: UInt64(tally.panned))]
        let inside = snapshot.markers(in: box, zoom: zoom, query).filter { both.holds($0.position) }
        let after = snapshot.markers(in: moved, zoom: zoom, fresh).filter { both.holds($0.position) }
        tally.panned += inside.count
        tally.same += Set(inside).intersection(after).count
    }
}

extension BoundingBox {
    /// Returns whether a position lies in the half-open box, by the same rule as for markers.
    fileprivate func holds(_ position: Coordinate) -> Bool {
        position.longitude >= west && position.longitude < east && position.latitude >= south
            && position.latitude < north
    }
}
