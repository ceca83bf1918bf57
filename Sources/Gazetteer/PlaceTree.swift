import Geometry

/// Places as an implicit balanced k-d tree on the unit sphere: the middle node of each range splits it by x, y and z in
/// turn.
package struct PlaceTree: @unchecked Sendable {
    // Safe to share: constants over memory that is never written, and that the index holding this tree keeps alive.
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

    private let base: UnsafeRawPointer?
    /// The number of nodes.
    package let count: Int

    /// Creates a tree of the whole nodes of a section; node numbers are checked against their count.
    package init(nodes: ByteView) {
        base = nodes.base
        count = nodes.count / Node.length
    }

    /// A branch-and-bound search for the place with the smallest distance minus radius, through one or more trees.
    package struct Search {
        /// The place found, if any.
        private(set) var place: UInt32 = GazetteerFormat.none
        /// The selection score: the distance to its edge in kilometres, plus the penalty for another unit.
        private(set) var score: Double
        /// The distance to its edge in kilometres, negative inside.
        package private(set) var kilometresOutside = Double.infinity
        /// Whether it lies in a different unit from the position.
        private(set) var isElsewhere = false
        /// The number of its node.
        package private(set) var node: Int?

        /// The maximum distance from the target to the centre of a better place, as a fraction of the radius of that
        /// place; used while ``score`` is negative.
        private var share = 1.0
        private let target: UnitVector
        private let group: UInt16
        private let unit: UInt16
        private let penalty: Double

        /// Starts a search.
        ///
        /// - Parameters:
        ///   - target: the position.
        ///   - group: the group to search; zero for all.
        ///   - unit: the unit of the position.
        ///   - penalty: the extra distance in kilometres for places in other units.
        ///   - limit: the maximum distance in kilometres.
        package init(
            _ target: UnitVector,
            group: UInt16 = 0,
            unit: UInt16 = AreaFormat.none,
            penalty: Double = 0,
            limit: Double
        ) {
            self.target = target
            self.group = group
            self.unit = unit
            self.penalty = penalty
            score = limit
        }

        /// Visits all places of a tree that may be better than the current result.
        package mutating func run(_ tree: PlaceTree) {
            guard let base = tree.base else { return }
            visit(base, 0, tree.count, axis: 0, offX: 0, offY: 0, offZ: 0)
        }

        /// Considers one node; a good guess saves most of the search.
        package mutating func tryNode(_ number: Int, of tree: PlaceTree) {
            guard let base = tree.base, (0..<tree.count).contains(number) else { return }
            consider(base + number * Node.length, number)
        }

        @inline(__always)
        private static func float(_ node: UnsafeRawPointer, _ field: Int) -> Double {
            Double(Float(bitPattern: word(node, field)))
        }

        @inline(__always)
        private static func word<T: FixedWidthInteger>(_ node: UnsafeRawPointer, _ field: Int) -> T {
            T(littleEndian: node.loadUnaligned(fromByteOffset: field, as: T.self))
        }

        @inline(__always)
        private mutating func consider(_ node: UnsafeRawPointer, _ number: Int) {
            let dx = target.x - Self.float(node, Node.x)
            let dy = target.y - Self.float(node, Node.y)
            let dz = target.z - Self.float(node, Node.z)
            let radius = Self.float(node, Node.radius)
            guard isWithinReach(dx, dy, dz, radius) else { return }
            if group != 0, Self.word(node, Node.group) as UInt16 != group { return }
            let distance = UnitVector.kilometres(squaredChord: dx * dx + dy * dy + dz * dz)
            let outside = distance - radius
            let isElsewhere = penalty > 0 && Self.word(node, Node.unit) as UInt16 != unit
            let depth = Self.depth(outside: outside, radius: radius)
            let found = isElsewhere ? depth + penalty : depth
            let place: UInt32 = Self.word(node, Node.place)
            guard found < score || (found == score && place < self.place) else { return }
            score = found
            share = 1 + found / Self.deepest
            kilometresOutside = outside
            self.isElsewhere = isElsewhere
            self.place = place
            self.node = number
        }

        /// The depth at the very centre of a place, in kilometres: the same for small and large places, so that the
        /// centre of a town beside a city belongs to the town.
        private static let deepest = 12.0

        /// Returns `outside`, the distance to the edge of a place in kilometres, or inside the place the negative
        /// depth, scaled to -``deepest`` at the centre.
        @inline(__always)
        static func depth(outside: Double, radius: Double) -> Double {
            outside < 0 ? outside / radius * deepest : outside
        }

        private static let fewNodes = 6
        private static let unitsPerKilometre = 1000 / GreatCircle.earthRadius

        /// Visits the nodes from `low` up to `high`, whose box is at the offset (offX, offY, offZ) from the target.
        private mutating func visit(
            _ base: UnsafeRawPointer,
            _ low: Int,
            _ high: Int,
            axis: Int,
            offX: Double,
            offY: Double,
            offZ: Double
        ) {
            // The last few are scanned linearly; they are adjacent in memory.
            guard high - low > Self.fewNodes else {
                for number in low..<max(low, high) { consider(base + number * Node.length, number) }
                return
            }
            let middle = (low + high) / 2
            let node = base + middle * Node.length
            let largest = Self.float(node, Node.largestRadius)
            guard isWithinReach(offX, offY, offZ, largest) else { return }
            consider(node, middle)
            let difference = target[axis] - Self.float(node, axis * 4)
            let next = axis == 2 ? 0 : axis + 1
            let farX = axis == 0 ? difference : offX
            let farY = axis == 1 ? difference : offY
            let farZ = axis == 2 ? difference : offZ
            if difference < 0 {
                visit(base, low, middle, axis: next, offX: offX, offY: offY, offZ: offZ)
                guard isWithinReach(farX, farY, farZ, largest) else { return }
                visit(base, middle + 1, high, axis: next, offX: farX, offY: farY, offZ: farZ)
            } else {
                visit(base, middle + 1, high, axis: next, offX: offX, offY: offY, offZ: offZ)
                guard isWithinReach(farX, farY, farZ, largest) else { return }
                visit(base, low, middle, axis: next, offX: farX, offY: farY, offZ: farZ)
            }
        }

        /// Returns whether a place of at most this radius, in a box at this offset, may be better than the current
        /// result.
        @inline(__always)
        private func isWithinReach(_ x: Double, _ y: Double, _ z: Double, _ radius: Double) -> Bool {
            // An arc is longer than its chord, which is longer than the distance to the box.
            let reach = (score < 0 ? radius * share : score + radius) * Self.unitsPerKilometre
            return reach >= 0 && x * x + y * y + z * z <= reach * reach
        }
    }
}
