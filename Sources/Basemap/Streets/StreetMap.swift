import Formats
import Geometry

/// How much of an extract is drawn, and what could not be.
public struct StreetCounts: Equatable, Sendable {
    /// Roads, rails and other lines.
    public var lines = 0
    /// Areas, without buildings.
    public var areas = 0
    /// Buildings.
    public var buildings = 0
    /// Names, each as often as it is written.
    public var names = 0
    /// Lines and outlines with a part outside of the extract; what is inside of it is drawn of lines.
    public var incomplete = 0
    /// Areas whose outlines do not close, have no extent or are too intricate.
    public var broken = 0

    /// Creates counts.
    package init(
        lines: Int = 0,
        areas: Int = 0,
        buildings: Int = 0,
        names: Int = 0,
        incomplete: Int = 0,
        broken: Int = 0
    ) {
        (self.lines, self.areas, self.buildings, self.names) = (lines, areas, buildings, names)
        (self.incomplete, self.broken) = (incomplete, broken)
    }
}

/// Collects the features of an extract and draws them in vector tiles.
///
/// All features are held in memory, in little of it; shapes that can be cut exist for one zone of the map at a time.
public struct StreetMap: Sendable {
    /// The zooms of the tiles; a map enlarges the deepest further.
    public static let zooms = 9...14
    /// The zoom of the zones that are drawn one by one: below it come the tiles of ``zooms`` without small features.
    private static let zoneZoom = 12
    /// The maximum number of zones of a feature: an area of about 1,900 by 1,900 km.
    private static let mostZones = 65_536
    /// The smallest extent of an area at the lowest zoom that shows it, in square pixels.
    private static let smallestArea = 12.0

    /// How much has been added so far.
    public private(set) var counts = StreetCounts()
    private var shapes = StreetShapes()
    private var labels: [StreetLabel] = []
    /// The numbers of the lines of each road or river that has a name.
    private var named: [StreetFeature: [Int]] = [:]
    private var box = WorldBox()

    /// Creates an empty map.
    public init() {}

    /// Whether nothing has been added.
    public var isEmpty: Bool { box.isEmpty }

    /// Adds a line; positions that are missing divide it.
    public mutating func addLine(_ nodes: [StreetNode?], as feature: StreetFeature) {
        let parts = nodes.split(whereSeparator: { $0 == nil }).map { $0.compactMap { $0 } }.filter { $0.count >= 2 }
        if nodes.contains(nil) { counts.incomplete += 1 }
        guard !parts.isEmpty else { return }
        counts.lines += 1
        let number = add(parts, isPolygon: false, as: feature.kind, zoom: feature.kind.floor)
        if !feature.name.isEmpty { named[feature.withoutDetails, default: []].append(number) }
    }

    /// Adds an area bounded by lines, which may be parts of rings.
    ///
    /// A ring that does not close or misses positions is left out with what it would bound.
    public mutating func addArea(_ lines: [[StreetNode?]], as feature: StreetFeature) {
        if lines.contains(where: { $0.contains(nil) }) { counts.incomplete += 1 }
        let whole = lines.filter { !$0.contains(nil) }.map { $0.compactMap { $0 } }
        let chains = RingAssembly.joined(whole)
        let rings = chains.filter { $0.count >= 4 && $0.first == $0.last }.map { Array($0.dropLast()) }
            .filter { RingAssembly.signedArea($0.map(\.point)) != 0 }
        if rings.count < chains.count { counts.broken += 1 }
        guard !rings.isEmpty else { return }
        guard let polygons = RingAssembly.polygons(of: rings.map { $0.map(\.point) }) else {
            counts.broken += 1
            return
        }
        if feature.kind.layer == .building { counts.buildings += 1 } else { counts.areas += 1 }
        for polygon in polygons {
            let area = abs(RingAssembly.signedArea(rings[polygon[0]].map(\.point)))
            let zoom = StreetMap.zoom(ofArea: area, floor: feature.kind.floor)
            _ = add(polygon.map { rings[$0] }, isPolygon: true, as: feature.kind, zoom: zoom)
        }
        // The first polygon is the largest.
        guard !feature.name.isEmpty, let largest = polygons.first else { return }
        if let label = StreetLabels.inside(largest.map { rings[$0].map(\.point) }, of: feature) { labels.append(label) }
    }

    /// Adds a name at a position.
    public mutating func addPoint(_ node: StreetNode, as feature: StreetFeature) {
        guard let layer = feature.kind.names, !feature.name.isEmpty else { return }
        box.add(node.point)
        labels.append(
            StreetLabel(
                layer: layer,
                name: feature.name,
                kind: feature.kind.nameClass,
                position: node.point,
                zoom: feature.kind.floor
            )
        )
    }

    /// Counts an area of whose outlines some are missing.
    public mutating func addMissing() { counts.incomplete += 1 }

    private mutating func add(_ parts: [[StreetNode]], isPolygon: Bool, as kind: StreetKind, zoom: Int) -> Int {
        let number = shapes.add(parts, isPolygon: isPolygon, as: kind, zoom: zoom)
        box.add(shapes.box(of: number))
        return number
    }

    /// The lowest zoom at which an area is large enough to be drawn.
    private static func zoom(ofArea area: Double, floor: Int) -> Int {
        let deepest = zooms.upperBound
        return (floor...max(floor, deepest))
            .first { zoom in
                let pixels = 512 * Double(1 << zoom)
                return area * pixels * pixels >= smallestArea
            } ?? deepest
    }

    /// West, south, east and north of what has been added, in degrees; `nil` if nothing has.
    public var bounds: [Double]? {
        guard !box.isEmpty else { return nil }
        func latitude(_ y: Double) -> Double { Math.degrees(Math.arcTangent(Math.hyperbolicSine(.pi * (1 - 2 * y)))) }
        return [box.west * 360 - 180, latitude(box.south), box.east * 360 - 180, latitude(box.north)]
    }

    /// Writes names along roads and rivers; call it once, when all features have been added.
    public mutating func placeNames() {
        for (feature, lines) in named.sorted(by: { $0.key.isBefore($1.key) }) {
            labels += StreetLabels.along(lines.flatMap(shapes.parts), of: feature)
        }
        named = [:]
        counts.names = labels.count
    }

    /// Passes each tile that has something in it to `body`, with its bytes, uncompressed.
    public func forEach(_ body: (_ tile: TileAddress, _ bytes: [UInt8]) throws -> Void) rethrows {
        guard !box.isEmpty else { return }
        var names = nameTiles()
        let (least, most) = (StreetMap.zooms.lowerBound, StreetMap.zooms.upperBound)
        for (zoom, deepest) in [(least, StreetMap.zoneZoom - 1), (StreetMap.zoneZoom, most)] {
            for (tile, numbers) in zones(at: zoom, to: deepest) {
                try OutlineTiles(layers: shapes.layers(of: numbers), maximumZoom: most)
                    .forEach(within: tile, to: deepest) { tile, bytes in
                        try body(tile, bytes + (names.removeValue(forKey: tile) ?? []))
                    }
            }
        }
        for (tile, bytes) in names.sorted(by: { $0.key.number < $1.key.number }) { try body(tile, bytes) }
    }

    /// The tiles of a zoom with the features that they and the tiles in them draw down to `deepest`.
    private func zones(at zoom: Int, to deepest: Int) -> [(tile: TileAddress, features: [Int])] {
        var zones: [TileAddress: [Int]] = [:]
        for number in 0..<shapes.count where shapes.zoom(of: number) <= deepest {
            let tiles = tiles(of: shapes.box(of: number), at: zoom)
            guard tiles.columns.count * tiles.rows.count <= StreetMap.mostZones else { continue }
            for column in tiles.columns {
                for row in tiles.rows { zones[TileAddress(z: zoom, x: column, y: row), default: []].append(number) }
            }
        }
        return zones.sorted { $0.key.number < $1.key.number }.map { ($0.key, $0.value) }
    }

    /// The tiles that draw something of a box, also beyond their sides.
    private func tiles(of box: WorldBox, at zoom: Int) -> (columns: ClosedRange<Int>, rows: ClosedRange<Int>) {
        let side = 1 << zoom
        func range(_ low: Double, _ high: Double) -> ClosedRange<Int> {
            let first = Int(max(0, low * Double(side) - OutlineTiles.buffer))
            let last = Int(min(Double(side - 1), high * Double(side) + OutlineTiles.buffer))
            return min(first, last)...last
        }
        return (range(box.west, box.east), range(box.north, box.south))
    }

    /// The layers of names of each tile.
    private func nameTiles() -> [TileAddress: [UInt8]] {
        var tiles: [TileAddress: [UInt8]] = [:]
        for zoom in StreetMap.zooms {
            let side = 1 << zoom
            var members: [TileAddress: [StreetLabel]] = [:]
            for label in labels where label.zoom <= zoom || zoom == StreetMap.zooms.upperBound {
                let column = min(side - 1, Int(label.position.x * Double(side)))
                let row = min(side - 1, Int(label.position.y * Double(side)))
                members[TileAddress(z: zoom, x: column, y: row), default: []].append(label)
            }
            for (tile, labels) in members { tiles[tile] = StreetMap.draw(labels, in: tile) }
        }
        return tiles
    }

    private static func draw(_ labels: [StreetLabel], in tile: TileAddress) -> [UInt8] {
        let scale = Double(1 << tile.z) * Double(VectorTile.extent)
        return StreetLayer.allCases.flatMap { layer -> [UInt8] in
            var drawing = VectorTile(name: layer.rawValue)
            for label in labels where label.layer == layer {
                drawing.addPoint(
                    x: Int(label.position.x * scale) - tile.x * VectorTile.extent,
                    y: Int(label.position.y * scale) - tile.y * VectorTile.extent,
                    properties: [
                        ("class", .text(label.kind)), ("name", .text(label.name)), ("min_zoom", .integer(label.zoom)),
                    ] + (label.angle.map { [("angle", .integer($0))] } ?? [])
                )
            }
            return drawing.bytes
        }
    }

    /// The layers of the tiles with the types of their fields, as TileJSON lists them.
    public static var layers: [(id: String, fields: [String: String])] {
        StreetLayer.allCases.map { layer in
            let fields: [String: String] =
                switch layer {
                case .place, .poi: ["class": "String", "name": "String", "min_zoom": "Number"]
                case .waterNames, .roadNames:
                    ["class": "String", "name": "String", "min_zoom": "Number", "angle": "Number"]
                case .landcover: ["class": "String", "subclass": "String"]
                case .transportation:
                    ["class": "String", "subclass": "String", "brunnel": "String", "ramp": "Number"]
                case .waterway: ["class": "String", "brunnel": "String"]
                case .landuse, .park, .water, .aeroway: ["class": "String"]
                case .building: [:]
                }
            return (layer.rawValue, fields)
        }
    }
}

extension StreetFeature {
    /// The same road or river, whether it runs over a bridge or not.
    fileprivate var withoutDetails: StreetFeature {
        var kind = kind
        kind.brunnel = ""
        kind.subclass = ""
        return StreetFeature(kind, name: name)
    }

    /// An order by name and then by what it is, for the same tiles on every run.
    fileprivate func isBefore(_ other: StreetFeature) -> Bool {
        func key(_ feature: StreetFeature) -> [String] {
            let kind = feature.kind
            return [
                feature.name, kind.layer.rawValue, kind.name, kind.subclass, kind.brunnel, kind.isRamp ? "1" : "",
                String(kind.floor),
            ]
        }
        return key(self).lexicographicallyPrecedes(key(other))
    }
}
