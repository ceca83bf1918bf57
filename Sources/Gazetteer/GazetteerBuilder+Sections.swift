import Geometry

// Writing the places, their boxes and names, the countries and the tree.
extension GazetteerBuilder {
    /// Writes all records that are found by number.
    func writePlaces(_ ranks: [Int], to file: inout GazetteerFile) {
        var order = [Int](repeating: 0, count: ranks.count)
        for (draft, rank) in ranks.enumerated() { order[rank] = draft }
        var places: [UInt8] = []
        places.reserveCapacity(order.count * GazetteerFormat.Place.length)
        var boxes: [UInt8] = []
        var names = NamePool()
        func number(_ draft: Int?) -> UInt32 { draft.map { UInt32(ranks[$0]) } ?? GazetteerFormat.none }
        for index in order {
            let draft = drafts[index]
            let name = names.place(draft.name)
            places.append(littleEndian: draft.identText.map { names.place($0, measured: true).offset } ?? draft.ident)
            places.append(draft.source.rawValue)
            places.append(draft.kind.rawValue)
            places.append(littleEndian: draft.country)
            places.append(littleEndian: number(draft.admin1))
            places.append(littleEndian: number(draft.admin2))
            places.append(littleEndian: Self.fixed(draft.latitude))
            places.append(littleEndian: Self.fixed(draft.longitude))
            places.append(littleEndian: UInt32(clamping: draft.population))
            places.append(littleEndian: name.offset)
            places.append(littleEndian: name.length)
            let importance = min(1, max(0, draft.weight / GazetteerFormat.fullImportance))
            places.append(littleEndian: UInt16((importance * 65535).rounded()))
            if let box = draft.box {
                places.append(littleEndian: UInt32(boxes.count / 16))
                for edge in box { boxes.append(littleEndian: Self.fixed(edge)) }
            } else {
                places.append(littleEndian: GazetteerFormat.none)
            }
            places.append(littleEndian: number(draft.city))
        }
        file.append(.places, bytes: places)
        file.append(.kinds, bytes: order.map { drafts[$0].kind.rawValue })
        file.append(.boxes, bytes: boxes)
        file.append(.names, bytes: names.bytes)
        file.append(.countries, bytes: countryRecords(ranks))
    }

    private func countryRecords(_ ranks: [Int]) -> [UInt8] {
        var bytes: [UInt8] = []
        for country in countries {
            var codes = Array(country.code.utf8.prefix(2)) + Array(country.code3.utf8.prefix(3))
            while codes.count < GazetteerFormat.Country.place { codes.append(0) }
            bytes.append(contentsOf: codes)
            bytes.append(littleEndian: UInt32(ranks[country.place]))
        }
        return bytes
    }

    private static func fixed(_ degrees: Double) -> Int32 {
        Int32((degrees * GazetteerFormat.degree).rounded())
    }

    /// Writes the settlements as a balanced tree: the middle of each range splits it by x, y and z in turn.
    func writeTree(_ ranks: [Int], to file: inout GazetteerFile) {
        var nodes: [TreeNode] = []
        for (index, draft) in drafts.enumerated() where draft.kind.isSettlement {
            nodes.append(
                TreeNode(
                    position: UnitVector(latitude: draft.latitude, longitude: draft.longitude),
                    radius: Float(SettlementRadius.kilometres(population: draft.population)),
                    place: UInt32(ranks[index])
                )
            )
        }
        nodes.sort { $0.place < $1.place }
        _ = Self.balance(&nodes, 0..<nodes.count, axis: 0)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(nodes.count * GazetteerFormat.Node.length)
        for node in nodes {
            for axis in 0..<3 { bytes.append(littleEndian: Float(node.position[axis]).bitPattern) }
            bytes.append(littleEndian: node.radius.bitPattern)
            bytes.append(littleEndian: node.largestRadius.bitPattern)
            bytes.append(littleEndian: node.place)
        }
        file.append(.tree, bytes: bytes)
    }

    private struct TreeNode {
        var position: UnitVector
        var radius: Float
        var largestRadius: Float = 0
        var place: UInt32
    }

    /// Orders a range and returns the largest radius in it.
    ///
    /// The depth of the recursion is the logarithm of the number of nodes.
    private static func balance(_ nodes: inout [TreeNode], _ range: Range<Int>, axis: Int) -> Float {
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
    private static func select(_ nodes: inout [TreeNode], _ range: Range<Int>, _ target: Int, axis: Int) {
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

/// Names as written, each stored once.
private struct NamePool {
    var bytes: [UInt8] = []
    private var known: [String: UInt32] = [:]

    /// Returns where a name lies; `measured` names are preceded by their length in one byte.
    mutating func place(_ name: String, measured: Bool = false) -> (offset: UInt32, length: UInt16) {
        let text = Array(name.utf8.prefix(measured ? 255 : 60_000))
        let length = UInt16(text.count)
        if !measured, let offset = known[name] { return (offset, length) }
        let offset = UInt32(truncatingIfNeeded: bytes.count)
        if measured { bytes.append(UInt8(truncatingIfNeeded: text.count)) }
        bytes.append(contentsOf: text)
        if !measured { known[name] = offset }
        return (offset, length)
    }
}
