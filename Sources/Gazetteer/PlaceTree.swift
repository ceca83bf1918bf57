import Geometry

/// Places as an implicit balanced k-d tree on the unit sphere: the middle of each range splits it by x, y and z in turn.
struct PlaceTree: Sendable {
    /// Byte offsets inside a node.
    enum Node: Sendable {
        static let length = 28
        static let x = 0
        static let y = 4
        static let z = 8
        static let radius = 12
        static let largestRadius = 16
        static let place = 20
        static let unit = 24
        static let group = 26
    }

    let nodes: ByteView

    /// A search for the place with the least distance less radius, branch and bound.
    struct Search {
        /// The place found, if any.
        private(set) var place: UInt32 = GazetteerFormat.none
        /// What it was chosen by: the distance to its edge in kilometres, and what lying in another unit costs.
        private(set) var score: Double
        /// The distance to its edge in kilometres, negative inside.
        private(set) var kilometresOutside = Double.infinity

        private let nodes: ByteView
        private let target: UnitVector
        private let group: UInt16
        private let unit: UInt16
        private let penalty: Double

        /// - Parameters:
        ///   - group: only places of this group; zero for all.
        ///   - unit: the unit of the position.
        ///   - penalty: kilometres that places of other units count as farther.
        ///   - limit: kilometres; nothing farther is found.
        init(
            _ target: UnitVector,
            in tree: PlaceTree,
            group: UInt16 = 0,
            unit: UInt16 = AreaTable.none,
            penalty: Double = 0,
            limit: Double
        ) {
            nodes = tree.nodes
            self.target = target
            self.group = group
            self.unit = unit
            self.penalty = penalty
            score = limit
        }

        mutating func run() {
            visit(0, nodes.count / Node.length, axis: 0, offX: 0, offY: 0, offZ: 0)
        }

        /// Looks at one node; a good guess spares most of the search.
        mutating func tryNode(_ number: Int) {
            guard number < nodes.count / Node.length else { return }
            consider(number * Node.length, number)
        }

        /// The node of the place found.
        private(set) var node: Int?

        @inline(__always)
        private mutating func consider(_ offset: Int, _ number: Int) {
            if group != 0, nodes.load(offset + Node.group, as: UInt16.self) != group { return }
            let dx = target.x - Double(nodes.loadFloat(offset + Node.x))
            let dy = target.y - Double(nodes.loadFloat(offset + Node.y))
            let dz = target.z - Double(nodes.loadFloat(offset + Node.z))
            let outside =
                UnitVector.kilometres(squaredChord: dx * dx + dy * dy + dz * dz)
                - Double(nodes.loadFloat(offset + Node.radius))
            guard outside <= score else { return }
            let isOther = penalty > 0 && nodes.load(offset + Node.unit, as: UInt16.self) != unit
            let found = isOther ? outside + penalty : outside
            let place: UInt32 = nodes.load(offset + Node.place)
            guard found < score || (found == score && place < self.place) else { return }
            score = found
            kilometresOutside = outside
            self.place = place
            node = number
        }

        /// Visits the nodes from `low` up to `high`, whose box is (offX, offY, offZ) away from the target.
        private mutating func visit(_ low: Int, _ high: Int, axis: Int, offX: Double, offY: Double, offZ: Double) {
            guard low < high else { return }
            let middle = (low + high) / 2
            let offset = middle * Node.length
            // An arc is longer than its chord, which is longer than the way to the box.
            let reach = score + Double(nodes.loadFloat(offset + Node.largestRadius))
            let chord = reach * 1000 / GreatCircle.earthRadius
            guard reach >= 0, offX * offX + offY * offY + offZ * offZ <= chord * chord else { return }
            consider(offset, middle)
            let difference = target[axis] - Double(nodes.loadFloat(offset + axis * 4))
            let next = axis == 2 ? 0 : axis + 1
            let farX = axis == 0 ? difference : offX
            let farY = axis == 1 ? difference : offY
            let farZ = axis == 2 ? difference : offZ
            if difference < 0 {
                visit(low, middle, axis: next, offX: offX, offY: offY, offZ: offZ)
                visit(middle + 1, high, axis: next, offX: farX, offY: farY, offZ: farZ)
            } else {
                visit(middle + 1, high, axis: next, offX: offX, offY: offY, offZ: offZ)
                visit(low, middle, axis: next, offX: farX, offY: farY, offZ: farZ)
            }
        }
    }
}

/// Orders places as a ``PlaceTree``.
struct PlaceTreeBuilder {
    struct Entry {
        var position: UnitVector
        var radius: Float
        var place: UInt32
        var unit: UInt16 = AreaTable.none
        var group: UInt16 = 0
        fileprivate var largestRadius: Float = 0

        init(position: UnitVector, radius: Double, place: Int, unit: UInt16 = AreaTable.none, group: UInt16 = 0) {
            self.position = position
            self.radius = Float(radius)
            self.place = UInt32(place)
            self.unit = unit
            self.group = group
        }
    }

    /// Returns the bytes of the section; the order of `entries` does not matter.
    static func bytes(_ entries: [Entry]) -> [UInt8] {
        var nodes = entries.sorted { $0.place < $1.place }
        _ = balance(&nodes, 0..<nodes.count, axis: 0)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(nodes.count * PlaceTree.Node.length)
        for node in nodes {
            for axis in 0..<3 { bytes.append(littleEndian: Float(node.position[axis]).bitPattern) }
            bytes.append(littleEndian: node.radius.bitPattern)
            bytes.append(littleEndian: node.largestRadius.bitPattern)
            bytes.append(littleEndian: node.place)
            bytes.append(littleEndian: node.unit)
            bytes.append(littleEndian: node.group)
        }
        return bytes
    }

    /// Orders a range and returns the largest radius in it.
    ///
    /// The depth of the recursion is the logarithm of the number of nodes.
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

    /// Moves the node that belongs at `target` there, smaller ones before it (quickselect; Hoare 1961).
    private static func select(_ nodes: inout [Entry], _ range: Range<Int>, _ target: Int, axis: Int) {
        var low = range.lowerBound
        var high = range.upperBound - 1
        while low < high {
            let pivot = nodes[(low + high) / 2].position[axis]
            var (left, right) = (low, high)
            while left <= right {
                while nodes[left].position[axis] < pivot { left += 1 }
                while nodes[right].position[axis] > pivot { right -= 1 }
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
