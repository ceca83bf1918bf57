import Basemap
import Formats
import Geometry

/// Reads the names that a picture may show.
struct NameCollection: Sendable {
    /// The maximum number of names that are looked at.
    private static let most = 20_000

    /// How far beyond the zoom names are shown: one cannot look closer at a picture.
    private static let ahead = 0.5

    let view: MapView
    private(set) var candidates: [NameCandidate] = []

    init(view: MapView) { self.view = view }

    /// Adds the names of the basemap `names`.
    mutating func addPlaces(of archive: TileArchive) throws {
        let zoom = view.zoom
        var ranks: [String: (rank: Int, style: NameStyle)] = [:]
        for (rank, one) in NameStyle.basemap.enumerated() where zoom >= one.from && zoom < one.to {
            ranks[one.name] = (rank, one.style)
        }
        try TileCover.forEach(of: archive, in: view) { layers, place in
            for layer in layers where layer.name == "names" {
                for feature in layer.features {
                    guard let (rank, style) = feature.text("class").flatMap({ ranks[$0] }) else { continue }
                    add(feature, of: layer, at: place, style, rank: Double(rank) * 100)
                }
            }
        }
    }

    /// Adds the names of tiles in the OpenMapTiles schema; those of settlements only if nothing else names them.
    mutating func addStreets(of archive: TileArchive, namingPlaces: Bool) throws {
        try TileCover.forEach(of: archive, in: view) { layers, place in
            for layer in layers {
                for feature in layer.features {
                    let kind = feature.text("class") ?? ""
                    guard let (style, rank) = style(layer.name, kind, namingPlaces) else { continue }
                    if feature.form == .points {
                        add(feature, of: layer, at: place, style, rank: rank)
                    } else {
                        addAlong(feature, of: layer, at: place, style, rank: rank + 50)
                    }
                }
            }
        }
    }

    /// Returns how a name in a layer of streets is written, and its rank behind all names of the basemap.
    private func style(_ layer: String, _ kind: String, _ namingPlaces: Bool) -> (NameStyle, rank: Double)? {
        switch layer {
        case "transportation_name" where view.zoom >= 11:
            let order = ["motorway", "trunk", "primary", "secondary", "tertiary", "minor"]
            return (.road, 5_000 + 100 * Double(order.firstIndex(of: kind) ?? order.count))
        case "water_name", "waterway": return view.zoom >= 10 ? (.stream, 6_000) : nil
        case "poi":
            if ["park", "golf", "cemetery", "garden"].contains(kind) {
                return view.zoom >= 12 ? (.nature, 4_800) : nil
            }
            let isKnown = [
                "school", "college", "university", "hospital", "library", "railway", "stadium", "grave_yard",
            ]
            .contains(kind)
            return isKnown && view.zoom >= 15 ? (.building, 7_000) : nil
        case "place" where namingPlaces:
            let style = NameStyle.basemap.first { $0.name == kind || kind == "suburb" && $0.name == "neighbourhood" }
            return style.map { ($0.style, 4_000) }
        default: return nil
        }
    }

    private mutating func add(
        _ feature: VectorTileShapes.Feature,
        of layer: VectorTileShapes.Layer,
        at place: TilePlace,
        _ style: NameStyle,
        rank: Double
    ) {
        let from = feature.number("min_zoom") ?? 0
        guard from <= view.zoom + NameCollection.ahead, let text = NameCollection.name(feature),
            let position = feature.paths.first?.first
        else {
            return
        }
        let (x, y) = place.point(position, extent: layer.extent)
        append(NameCandidate(text: text, style: style, x: x, y: y, angle: angle(feature), rank: rank + from))
    }

    /// Adds a name along the longest straight piece of a line, if it is long enough.
    private mutating func addAlong(
        _ feature: VectorTileShapes.Feature,
        of layer: VectorTileShapes.Layer,
        at place: TilePlace,
        _ style: NameStyle,
        rank: Double
    ) {
        guard feature.form == .lines, let text = NameCollection.name(feature) else { return }
        var best: (length: Double, x: Double, y: Double, angle: Double) = (0, 0, 0, 0)
        for path in feature.paths {
            for (start, end) in zip(path, path.dropFirst()) {
                let (a, b) = (place.point(start, extent: layer.extent), place.point(end, extent: layer.extent))
                let length = Math.hypotenuse(b.x - a.x, b.y - a.y)
                guard length > best.length else { continue }
                let angle = Math.degrees(Math.arcTangent(y: b.y - a.y, x: b.x - a.x))
                best = (length, (a.x + b.x) / 2, (a.y + b.y) / 2, NameCollection.upright(angle))
            }
        }
        guard best.length >= TextWidth.of(text) * style.size else { return }
        append(NameCandidate(text: text, style: style, x: best.x, y: best.y, angle: best.angle, rank: rank))
    }

    private mutating func append(_ candidate: NameCandidate) {
        let (width, height) = (Double(view.width), Double(view.height))
        guard candidates.count < NameCollection.most, (0...width).contains(candidate.x),
            (0...height).contains(candidate.y)
        else { return }
        candidates.append(candidate)
    }

    private func angle(_ feature: VectorTileShapes.Feature) -> Double {
        feature.number("angle").map(NameCollection.upright) ?? 0
    }

    /// Returns an angle in degrees turned so that the text is not upside down.
    private static func upright(_ degrees: Double) -> Double {
        let turned = degrees.truncatingRemainder(dividingBy: 180)
        if turned > 90 { return turned - 180 }
        return turned <= -90 ? turned + 180 : turned
    }

    /// Returns a name in one line; `nil` if there is none, or one that is too long for a map.
    private static func name(_ feature: VectorTileShapes.Feature) -> String? {
        guard let text = feature.text("name") else { return nil }
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return (1...80).contains(line.unicodeScalars.count) ? line : nil
    }
}
