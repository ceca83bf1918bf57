import Gazetteer

/// Arranges places as a ``PlaceTree``.
struct PlaceTreeBuilder {
    struct Entry {
        var x: Float
        var y: Float
        var z: Float
        var radius: Float
        var place: UInt32
        var unit: UInt16 = AreaFormat.none
        var group: UInt16 = 0
        fileprivate var largestRadius: Float = 0

        init(position: UnitVector, radius: Double, place: Int, unit: UInt16 = AreaFormat.none, group: UInt16 = 0) {
            x = Float(position.x)
            y = Float(position.y)
            z = Float(position.z)
            self.radius = Float(radius)
            self.place = UInt32(truncatingIfNeeded: place)
            self.unit = unit
            self.group = group
        }

        @inline(__always)
        fileprivate func along(_ axis: Int) -> Float { axis == 0 ? x : axis == 1 ? y : z }
    }

    /// Writes the section; the same entries in the same order give the same bytes.
    static func write(_ entries: inout [Entry], _ space: ScratchSpace) throws -> any Scratch {
        _ = balance(&entries, 0..<entries.count, axis: 0)
        var writer = try space.writer()
        for node in entries {
            for value in [node.x, node.y, node.z, node.radius, node.largestRadius] {
                try writer.append(value.bitPattern)
            }
            try writer.append(node.place)
            try writer.append(node.unit)
            try writer.append(node.group)
        }
        return try writer.finish()
    }

    /// Arranges a range and returns the largest radius in it.
    ///
    /// The recursion depth is the logarithm of the number of nodes.
    private static func balance(_ nodes: inout [Entry], _ range: Range<Int>, axis: Int) -> Float {
        guard !range.isEmpty else { return 0 }
        let middle = (range.lowerBound + range.upperBound) / 2
        select(&nodes, range, middle, axis: axis)
        let next = (axis + 1) % 3
        let below = balance(&nodes, range.lowerBound..<middle, axis: next)
        let above = balance(&nodes, (middle + 1)..<range.upperBound, axis: next)
        nodes[middle].largestRadius = max(nodes[middle].radius, max(below, above))
        return nodes[middle].largestRadius
    }

    /// Partially sorts a range along `axis`, so that the node at `target` is in its sorted position, with no greater
    /// node before it (quickselect; Hoare 1961).
    private static func select(_ nodes: inout [Entry], _ range: Range<Int>, _ target: Int, axis: Int) {
        var low = range.lowerBound
        var high = range.upperBound - 1
        while low < high {
            let pivot = nodes[(low + high) / 2].along(axis)
            var (left, right) = (low, high)
            while left <= right {
                while nodes[left].along(axis) < pivot { left += 1 }
                while nodes[right].along(axis) > pivot { right -= 1 }
                if left <= right {
                    nodes.swapAt(left, right)
                    left += 1
                    right -= 1
                }
            }
            if target <= right {
                high = right
            } else if target >= left {
                low = left
            } else {
                return
            }
        }
    }
}
