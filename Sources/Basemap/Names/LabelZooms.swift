/// Decides at which zoom each name appears, so that names do not crowd and none goes away as the map is enlarged.
enum LabelZooms: Sendable {
    /// The side of the squares in which room is counted, in pixels.
    private static let step = 16.0

    /// Returns the lowest zoom at which each label has room, in the order given; labels that never have are given the
    /// zoom after `maximumZoom`.
    ///
    /// The more important labels come first and get their room first; counties get what the settlements leave. A label
    /// that appears at a zoom keeps its room at all deeper ones, down to its ceiling.
    /// - Complexity: O(*n* · zooms).
    static func assign(_ labels: [MapLabel], maximumZoom: Int) -> [Int] {
        var zooms = [Int](repeating: maximumZoom + 1, count: labels.count)
        // Names of areas last: they have more places to go than the name of a town.
        var waiting = labels.indices.filter { labels[$0].kind != .county }
        waiting += labels.indices.filter { labels[$0].kind == .county }
        for zoom in 0...maximumZoom {
            var room = LabelRoom(zoom: zoom)
            for (label, appeared) in zip(labels, zooms) where appeared < zoom && label.ceiling >= zoom {
                room.take(label)
            }
            waiting.removeAll { index in
                let label = labels[index]
                guard label.floor <= zoom, label.ceiling >= zoom, room.isFree(for: label) else { return false }
                room.take(label)
                zooms[index] = zoom
                return true
            }
        }
        return zooms
    }

    /// The squares of the world that names take at one zoom.
    private struct LabelRoom {
        private let pixels: Double
        private let columns: Int
        private var taken: Set<Int> = []

        init(zoom: Int) {
            pixels = 512 * Double(1 << zoom)
            columns = Int(pixels / step) + 1
        }

        func isFree(for label: MapLabel) -> Bool { squares(of: label).allSatisfy { !taken.contains($0) } }

        mutating func take(_ label: MapLabel) { taken.formUnion(squares(of: label)) }

        private func squares(of label: MapLabel) -> [Int] {
            let (x, y) = (label.position.x * pixels, label.position.y * pixels)
            let across = columns(from: x - label.width / 2, to: x + label.width / 2)
            let down = columns(from: y - label.height / 2, to: y + label.height / 2)
            return down.flatMap { row in across.map { row * columns + $0 } }
        }

        private func columns(from low: Double, to high: Double) -> ClosedRange<Int> {
            let first = Int(min(pixels, max(0, low)) / step)
            let last = Int(min(pixels, max(0, high)) / step)
            return first...max(first, last)
        }
    }
}
