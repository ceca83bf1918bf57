import Basemap
import Formats
import TestSupport
import Testing

@Suite("Streets")
struct StreetTests {
    /// What a way is, in a word: layer, class, further classes, whether it is an area, floor and name.
    private static func told(_ way: (feature: StreetFeature, isArea: Bool)?) -> String {
        guard let way else { return "-" }
        let kind = way.feature.kind
        let details = [kind.subclass, kind.brunnel, kind.isRamp ? "ramp" : "", way.isArea ? "area" : ""]
        return
            ([kind.layer.rawValue, kind.name] + details + ["\(kind.floor)", way.feature.name])
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    @Test(
        "MAP-13 Ways of OpenStreetMap become layers and classes of the OpenMapTiles schema",
        arguments: [
            ("highway=motorway ref=I 495", false, "transportation motorway 9 I 495"),
            ("highway=motorway_link name=Exit", false, "transportation motorway ramp 11"),
            ("highway=residential name=212th Street", false, "transportation minor 12 212th Street"),
            ("highway=residential name=Loop", true, "transportation minor 12 Loop"),
            ("highway=pedestrian area=yes name=Plaza", true, "-"),
            ("highway=footway footway=sidewalk", false, "-"),
            ("highway=footway", false, "transportation path footway 14"),
            ("highway=service service=driveway", false, "transportation service 14"),
            ("highway=primary bridge=yes name=A", false, "transportation primary bridge 10 A"),
            ("highway=primary tunnel=no", false, "transportation primary 10"),
            ("highway=construction", false, "-"),
            ("railway=rail tunnel=yes", false, "transportation rail tunnel 10"),
            ("railway=abandoned", false, "-"),
            ("waterway=stream name=Brook", false, "waterway stream 12 Brook"),
            ("waterway=riverbank", true, "water river area 9"),
            ("natural=water water=pond name=Meadow Lake", true, "water pond area 9 Meadow Lake"),
            ("natural=water name=Open", false, "-"),
            ("leisure=park name=Haggerty Park", true, "landcover grass park area 10 Haggerty Park"),
            ("landuse=forest name=Unnamed on maps", true, "landcover wood forest area 9"),
            ("landuse=cemetery name=Rest", true, "landuse cemetery area 11 Rest"),
            ("leisure=nature_reserve name=Marsh", true, "park nature_reserve area 9 Marsh"),
            ("building=yes name=Not on maps", true, "building area 13"),
            ("building=no", true, "-"),
            ("building=yes highway=corridor", true, "building area 13"),
            ("natural=water area=no", true, "-"),
            ("name=Nothing", false, "-"),
            ("", true, "-"),
        ]
    )
    func ways(tags: String, isClosed: Bool, expected: String) {
        #expect(StreetTests.told(StreetSchema.way(StreetTests.tags(tags), isClosed: isClosed)) == expected)
    }

    /// Reads `key=value key=value`, where a value may have spaces.
    private static func tags(_ text: String) -> [String: String] {
        var tags: [String: String] = [:]
        var key = ""
        for word in text.split(separator: " ") {
            if let equals = word.firstIndex(of: "=") {
                key = String(word[..<equals])
                tags[key] = String(word[word.index(after: equals)...])
            } else {
                tags[key, default: ""] += " \(word)"
            }
        }
        return tags
    }

    @Test("MAP-13 Relations are areas, and nodes are names, or neither")
    func relationsAndNodes() {
        #expect(StreetSchema.relation(["type": "multipolygon", "natural": "water"])?.kind.layer == .water)
        #expect(StreetSchema.relation(["type": "route", "natural": "water"]) == nil)
        #expect(StreetSchema.relation(["type": "multipolygon", "highway": "residential"]) == nil)
        #expect(StreetSchema.node(["place": "suburb", "name": "Hollis"])?.kind.layer == .place)
        #expect(StreetSchema.node(["place": "suburb"]) == nil)
        #expect(StreetSchema.node(["place": "planet", "name": "Earth"]) == nil)
        let long = StreetSchema.node(["place": "town", "name": String(repeating: "x", count: 5_000)])
        #expect(long?.name.count == 100)
    }

    @Test(
        "Lines that meet at their ends are joined, whichever way they run",
        arguments: [
            ([[1, 2], [2, 3], [3, 1]], [[1, 2, 3, 1]]),
            ([[2, 1], [2, 3], [1, 3]], [[2, 1, 3, 2]]),
            ([[1, 2], [3, 4], [2, 3]], [[1, 2, 3, 4]]),
            ([[5, 6], [4, 5]], [[4, 5, 6]]),
            ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
            ([[1, 2, 3, 1], [3, 9]], [[1, 2, 3, 1], [3, 9]]),
            ([[7], [], [1, 2]], [[1, 2]]),
        ]
    )
    func joining(lines: [[Int]], expected: [[Int]]) {
        #expect(RingAssembly.joined(lines) == expected)
    }

    // MARK: Tiles

    /// A position so many millionths of a degree east and north of 40 N, 80 W.
    private static func node(_ x: Int, _ y: Int) throws -> StreetNode {
        try #require(StreetNode(longitude: -80 + Double(x) / 1e6, latitude: 40 + Double(y) / 1e6))
    }

    private static func square(_ west: Int, _ south: Int, _ side: Int) throws -> [StreetNode?] {
        try [(0, 0), (side, 0), (side, side), (0, side), (0, 0)].map { try node(west + $0.0, south + $0.1) }
    }

    private static func feature(_ tags: [String: String]) throws -> StreetFeature {
        try #require(StreetSchema.way(tags, isClosed: true)).feature
    }

    /// The features of a layer at the deepest zoom, over all tiles.
    private static func deepest(_ map: StreetMap, _ layer: String) throws -> [VectorTileReader.Feature] {
        var features: [VectorTileReader.Feature] = []
        try map.forEach { tile, bytes in
            guard tile.z == StreetMap.zooms.upperBound else { return }
            features += try VectorTileReader.layers(bytes).filter { $0.name == layer }.flatMap(\.features)
        }
        return features
    }

    @Test("An area of several ways has its holes, islands in them, and nothing of rings that do not close")
    func multipolygon() throws {
        let water = try StreetTests.feature(["natural": "water", "name": "Lake"])
        let outer = try StreetTests.square(0, 0, 4_000)
        // The outer ring in two ways, one against the direction of the other.
        let halves = [Array(outer[0...2]), Array(outer[2...4].reversed())]
        let hole = try StreetTests.square(1_000, 1_000, 2_000)
        let island = try StreetTests.square(1_500, 1_500, 1_000)
        let broken = Array(try StreetTests.square(6_000, 6_000, 500).dropLast(2))
        var map = StreetMap()
        map.addArea([hole, broken] + halves + [island], as: water)
        map.placeNames()
        #expect(map.counts == StreetCounts(areas: 1, names: 1, broken: 1))
        let features = try StreetTests.deepest(map, "water")
        // Two polygons in one tile or more: the lake with a hole, and the island.
        #expect(features.contains { $0.parts.count == 2 } && features.contains { $0.parts.count == 1 })
        let bounds = try #require(map.bounds)
        #expect(zip(bounds, [-80, 40, -79.996, 40.004]).allSatisfy { abs($0 - $1) < 1e-6 })
        let name = try #require(try StreetTests.deepest(map, "water_name").first)
        #expect(name.properties["name"] == .text("Lake"))
    }

    @Test("What is missing or degenerate is counted and left out; the rest of a line is drawn")
    func incomplete() throws {
        let road = try StreetTests.feature(["highway": "residential", "name": "Main Street"])
        let building = try StreetTests.feature(["building": "yes"])
        var map = StreetMap()
        map.addLine(
            [try StreetTests.node(0, 0), try StreetTests.node(900, 0), nil, try StreetTests.node(2_000, 0)],
            as: road
        )
        map.addLine([nil, try StreetTests.node(0, 0)], as: road)
        map.addArea([try StreetTests.square(0, 0, 100) + [nil]], as: building)
        map.addArea([[]], as: building)
        let flat = try [0, 500, 900, 0].map { try StreetTests.node($0, 0) as StreetNode? }
        map.addArea([flat], as: building)
        map.addArea([try StreetTests.square(0, 0, 300)], as: building)
        #expect(map.counts == StreetCounts(lines: 1, buildings: 1, incomplete: 3, broken: 1))
        #expect(try StreetTests.deepest(map, "transportation").allSatisfy { $0.parts.count == 1 })
        #expect(try !StreetTests.deepest(map, "building").isEmpty)
        #expect(StreetNode(longitude: .nan, latitude: 0) == nil && StreetNode(longitude: 181, latitude: 0) == nil)
        #expect(StreetMap().bounds == nil && StreetMap().isEmpty)
    }

    @Test("MAP-13 The name of a road stands along it, more often the more the map is enlarged, and never upside down")
    func names() throws {
        let road = try StreetTests.feature(["highway": "residential", "name": "Elm Street"])
        var map = StreetMap()
        // From the south-east to the north-west in three ways, so that the writing has to be turned.
        for step in 0..<3 {
            let ends = try [step, step + 1].map { try StreetTests.node(-3_000 * $0, 3_000 * $0) as StreetNode? }
            map.addLine(ends, as: road)
        }
        map.placeNames()
        let names = try StreetTests.deepest(map, "transportation_name")
        #expect(names.count == map.counts.names && names.count > 3)
        let zooms = names.compactMap { name -> Int? in
            if case .integer(let zoom)? = name.properties["min_zoom"] { zoom } else { nil }
        }
        #expect(zooms.min() == 14 && zooms.allSatisfy { $0 <= 17 })
        for name in names {
            guard case .integer(let angle)? = name.properties["angle"] else {
                Issue.record("a name has no angle")
                continue
            }
            // 40 degrees north stretches the map: the line runs at atan(1 / cos 40°) = 52.5 degrees.
            #expect(abs(angle - 53) <= 1)
        }
    }

    @Test("MAP-13 Roads appear by their importance, and the tiles of every zoom hold the same road")
    func zooms() throws {
        var map = StreetMap()
        for (index, value) in ["motorway", "primary", "tertiary", "service"].enumerated() {
            let ends = try [0, 40_000].map { try StreetTests.node($0, 100 * index) as StreetNode? }
            map.addLine(ends, as: try StreetTests.feature(["highway": value]))
        }
        var classes: [Int: Set<String>] = [:]
        try map.forEach { tile, bytes in
            for feature in try VectorTileReader.layers(bytes).flatMap(\.features) {
                if case .text(let name)? = feature.properties["class"] { classes[tile.z, default: []].insert(name) }
            }
        }
        #expect(classes[9] == ["motorway"] && classes[10] == ["motorway", "primary"])
        #expect(classes[12] == ["motorway", "primary", "tertiary"])
        #expect(classes[13] == classes[14] && classes[14]?.count == 4)
    }
}
