import Formats

/// Lines and areas in little memory: 8 bytes for each position and some 50 for each feature.
struct StreetShapes: Sendable {
    private struct Record: Sendable {
        var kind: Int32
        /// The lowest zoom that draws it.
        var zoom: Int8
        var isPolygon: Bool
        /// The number of its first part.
        var part: Int
        var west: Int32
        var south: Int32
        var east: Int32
        var north: Int32
    }

    private var nodes: [StreetNode] = []
    /// Where each part ends among the nodes.
    private var partEnds: [Int] = []
    private var records: [Record] = []
    private var kinds: [StreetKind] = []
    private var numbers: [StreetKind: Int32] = [:]

    /// The number of features.
    var count: Int { records.count }

    /// Adds a line, or an outer ring followed by its holes, and returns its number.
    mutating func add(_ parts: [[StreetNode]], isPolygon: Bool, as kind: StreetKind, zoom: Int) -> Int {
        let first = parts.joined().first
        var record = Record(
            kind: number(of: kind),
            zoom: Int8(clamping: zoom),
            isPolygon: isPolygon,
            part: partEnds.count,
            west: first?.longitude ?? 0,
            south: first?.latitude ?? 0,
            east: first?.longitude ?? 0,
            north: first?.latitude ?? 0
        )
        for part in parts {
            for node in part {
                (record.west, record.east) = (min(record.west, node.longitude), max(record.east, node.longitude))
                (record.south, record.north) = (min(record.south, node.latitude), max(record.north, node.latitude))
            }
            nodes += part
            partEnds.append(nodes.count)
        }
        records.append(record)
        return records.count - 1
    }

    /// The positions of the parts of a feature.
    func parts(of number: Int) -> [[WorldPoint]] {
        let end = number + 1 < records.count ? records[number + 1].part : partEnds.count
        return (records[number].part..<end)
            .map { part in
                let start = part == 0 ? 0 : partEnds[part - 1]
                return nodes[start..<partEnds[part]].map(\.point)
            }
    }

    /// The box around a feature.
    func box(of number: Int) -> WorldBox {
        let record = records[number]
        var box = WorldBox()
        for (longitude, latitude) in [(record.west, record.north), (record.east, record.south)] {
            box.add(WorldPoint(longitude: Double(longitude) / 1e7, latitude: Double(latitude) / 1e7))
        }
        return box
    }

    /// The lowest zoom that draws a feature.
    func zoom(of number: Int) -> Int { Int(records[number].zoom) }

    /// Returns features as the layers of tiles.
    func layers(of numbers: [Int]) -> [OutlineLayer] {
        let properties = kinds.map(\.properties)
        var shapes: [StreetLayer: [Shape]] = [:]
        for number in numbers {
            let (record, kind) = (records[number], Int(records[number].kind))
            let shape = Shape(
                parts(of: number),
                isPolygon: record.isPolygon,
                minimumZoom: Int(record.zoom),
                properties: properties[kind]
            )
            shapes[kinds[kind].layer, default: []].append(shape)
        }
        return StreetLayer.allCases.compactMap { layer in
            shapes[layer].map { OutlineLayer(name: layer.rawValue, shapes: $0) }
        }
    }

    private mutating func number(of kind: StreetKind) -> Int32 {
        if let known = numbers[kind] { return known }
        let number = Int32(clamping: kinds.count)
        numbers[kind] = number
        kinds.append(kind)
        return number
    }
}
