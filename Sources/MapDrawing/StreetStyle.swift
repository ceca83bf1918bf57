import Formats

/// The drawing of streets: tiles in the OpenMapTiles schema, as basemap-streets.js of the page has it.
enum StreetStyle: Sendable {
    private struct Road: Sendable {
        let classes: Set<String>
        let fill: StreetPaint
        let edge: StreetPaint
        /// Zooms and widths in pixels.
        let width: [(zoom: Double, value: Double)]
        let from: Double
    }

    /// Roads from the least to the greatest.
    private static let roads: [Road] = [
        Road(
            classes: ["service", "busway"],
            fill: .service,
            edge: .serviceEdge,
            width: [(13, 0.6), (15, 2.5), (18, 11)],
            from: 13
        ),
        Road(
            classes: ["minor", "residential", "unclassified", "street", "street_limited", "raceway"],
            fill: .minor,
            edge: .minorEdge,
            width: [(12, 0.5), (14, 2.2), (16, 7), (18, 20)],
            from: 12
        ),
        Road(
            classes: ["tertiary"],
            fill: .tertiary,
            edge: .tertiaryEdge,
            width: [(11, 0.6), (14, 3), (16, 9), (18, 24)],
            from: 11
        ),
        Road(
            classes: ["secondary"],
            fill: .secondary,
            edge: .secondaryEdge,
            width: [(10, 0.6), (14, 4), (16, 10), (18, 26)],
            from: 9
        ),
        Road(
            classes: ["primary"],
            fill: .primary,
            edge: .primaryEdge,
            width: [(9, 0.7), (14, 4.6), (16, 11), (18, 28)],
            from: 8
        ),
        Road(
            classes: ["trunk"],
            fill: .trunk,
            edge: .trunkEdge,
            width: [(7, 0.6), (11, 2), (14, 5), (18, 30)],
            from: 6
        ),
        Road(
            classes: ["motorway"],
            fill: .motorway,
            edge: .motorwayEdge,
            width: [(6, 0.6), (10, 1.8), (14, 5.4), (18, 32)],
            from: 5
        ),
    ]

    private static let grounds: [(source: String, paint: StreetPaint, classes: Set<String>)] = [
        ("landuse", .residential, ["residential", "suburb", "neighbourhood"]),
        ("landuse", .business, ["commercial", "retail"]),
        ("landuse", .industry, ["industrial", "railway", "quarry", "military", "garages"]),
        ("landuse", .school, ["school", "college", "university", "hospital", "kindergarten", "library"]),
        ("landcover", .farmland, ["farmland"]), ("landcover", .grass, ["grass"]), ("landcover", .wood, ["wood"]),
        ("landcover", .wetland, ["wetland"]), ("landcover", .sand, ["sand"]), ("landcover", .rock, ["rock"]),
        ("landuse", .cemetery, ["cemetery"]), ("landuse", .pitch, ["pitch", "playground", "stadium", "track"]),
    ]

    /// Returns the rules for a zoom, from the bottom up.
    static func rules(zoom: Double, _ palette: MapPalette) -> [LayerRule] {
        func colour(_ paint: StreetPaint) -> String { palette.streets[paint] ?? palette.land }
        var rules = grounds.map { source, paint, classes in
            LayerRule(source: source, form: .areas, colour: colour(paint), classes: classes)
        }
        rules.append(LayerRule(source: "park", form: .areas, colour: colour(.grass), opacity: 0.6))
        rules += waters(zoom, colour(.water)) + buildings(zoom, colour)
        rules += roads.flatMap { edges($0, zoom, colour($0.edge)) } + dashed(zoom, colour)
        rules += roads.flatMap { fills($0, zoom, colour($0.fill)) } + rails(zoom, colour(.rail))
        return rules
    }

    private static func width(_ stops: [(zoom: Double, value: Double)], at zoom: Double) -> Double {
        ZoomScale(stops: stops, base: 1.5).value(at: zoom)
    }

    private static func waters(_ zoom: Double, _ colour: String) -> [LayerRule] {
        func line(_ classes: Set<String>, _ low: Double, _ high: Double) -> LayerRule {
            LayerRule(
                source: "waterway",
                form: .lines,
                colour: colour,
                classes: classes,
                width: ZoomScale(stops: [(9, low), (18, high)], base: 1.4).value(at: zoom),
                depth: .above
            )
        }
        return [
            line(["canal", "stream", "ditch", "drain"], 0.4, 5), line(["river"], 1, 14),
            LayerRule(source: "water", form: .areas, colour: colour, depth: .above),
        ]
    }

    private static func buildings(_ zoom: Double, _ colour: (StreetPaint) -> String) -> [LayerRule] {
        func airstrip(_ classes: Set<String>, _ low: Double, _ high: Double) -> LayerRule {
            let width = width([(11, low), (16, high)], at: zoom)
            return LayerRule(source: "aeroway", form: .lines, colour: colour(.wall), classes: classes, width: width)
        }
        var rules = [
            LayerRule(source: "aeroway", form: .areas, colour: colour(.apron)), airstrip(["taxiway"], 0.6, 12),
            airstrip(["runway"], 2, 40),
        ]
        let opacity = ZoomScale(stops: [(13, 0), (14, 0.6), (15.5, 1)]).value(at: zoom)
        if opacity > 0 {
            rules.append(LayerRule(source: "building", form: .areas, colour: colour(.building), opacity: opacity))
        }
        return rules
    }

    /// The edge of a road is a wider line under it.
    private static func edges(_ road: Road, _ zoom: Double, _ colour: String) -> [LayerRule] {
        guard zoom >= max(road.from, 11) else { return [] }
        let width = width(road.width, at: zoom)
        return [true, false]
            .map { isRamp in
                var rule = line(road, colour, width * (isRamp ? 0.6 : 1) + 1.6 * min(1, width))
                (rule.ramps, rule.depth, rule.hasRoundEnds) = (isRamp, .above, false)
                return rule
            }
    }

    private static func fills(_ road: Road, _ zoom: Double, _ colour: String) -> [LayerRule] {
        guard zoom >= road.from else { return [] }
        let width = width(road.width, at: zoom)
        var tunnel = line(road, colour, width)
        (tunnel.depth, tunnel.opacity) = (.tunnel, 0.45)
        let open = [true, false]
            .map { isRamp in
                var rule = line(road, colour, width * (isRamp ? 0.6 : 1))
                (rule.ramps, rule.depth) = (isRamp, .above)
                return rule
            }
        return [tunnel] + open
    }

    private static func line(_ road: Road, _ colour: String, _ width: Double) -> LayerRule {
        LayerRule(source: "transportation", form: .lines, colour: colour, classes: road.classes, width: width)
    }

    private static func dashed(_ zoom: Double, _ colour: (StreetPaint) -> String) -> [LayerRule] {
        let all: [(name: String, paint: StreetPaint, stops: [(zoom: Double, value: Double)], dashes: [Double])] = [
            ("path", .path, [(14, 0.8), (18, 2.4)], [2, 1.5]), ("track", .track, [(13, 0.7), (18, 3)], [4, 2]),
            ("ferry", .ferry, [(10, 0.8), (16, 1.6)], [4, 3]),
        ]
        return all.filter { zoom >= $0.stops[0].zoom }
            .map { name, paint, stops, dashes in
                LayerRule(
                    source: "transportation",
                    form: .lines,
                    colour: colour(paint),
                    classes: [name],
                    width: width(stops, at: zoom),
                    dashes: dashes
                )
            }
    }

    private static func rails(_ zoom: Double, _ colour: String) -> [LayerRule] {
        guard zoom >= 10 else { return [] }
        var rail = LayerRule(
            source: "transportation",
            form: .lines,
            colour: colour,
            classes: ["rail", "transit"],
            width: width([(10, 0.6), (16, 2)], at: zoom),
            depth: .above
        )
        guard zoom >= 14 else { return [rail] }
        let plain = rail
        rail.width = width([(14, 3), (18, 8)], at: zoom)
        rail.dashes = [0.25, 3]
        return [plain, rail]
    }
}
