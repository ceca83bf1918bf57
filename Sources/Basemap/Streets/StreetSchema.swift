/// Decides what of OpenStreetMap is drawn, and as what.
///
/// The values of tags are those of the OpenStreetMap wiki's "Map features"; layers and classes are a subset of the
/// OpenMapTiles schema 3.15.
public enum StreetSchema: Sendable {
    /// The keys of the tags that count.
    public static let keys: Set<String> = [
        "highway", "railway", "waterway", "natural", "water", "landuse", "leisure", "amenity", "building", "boundary",
        "aeroway", "man_made", "route", "place", "name", "ref", "area", "bridge", "tunnel", "service", "footway",
        "type",
    ]

    /// Returns what a way with these tags is, and whether it is an area; `nil` if it is not drawn.
    ///
    /// `isClosed` says whether its first node is its last one.
    public static func way(_ tags: [String: String], isClosed: Bool) -> (feature: StreetFeature, isArea: Bool)? {
        let isLinear = ["highway", "railway", "waterway", "aeroway", "route"].contains { tags[$0] != nil }
        if isClosed, tags["area"] != "no", !isLinear || tags["area"] == "yes" || tags["building"] != nil,
            let kind = area(tags)
        {
            return (StreetFeature(kind, name: tags["name"] ?? ""), true)
        }
        if isClosed, let kind = linearArea(tags) { return (StreetFeature(kind, name: tags["name"] ?? ""), true) }
        guard tags["area"] != "yes", let kind = line(tags) else { return nil }
        return (StreetFeature(kind, name: name(ofLine: tags)), false)
    }

    /// Returns what a relation of outlines with these tags is; `nil` if it is not drawn.
    public static func relation(_ tags: [String: String]) -> StreetFeature? {
        guard ["multipolygon", "boundary"].contains(tags["type"]), let kind = linearArea(tags) ?? area(tags) else {
            return nil
        }
        return StreetFeature(kind, name: tags["name"] ?? "")
    }

    /// Returns what a node with these tags is; `nil` if it is not drawn.
    public static func node(_ tags: [String: String]) -> StreetFeature? {
        guard let name = tags["name"], !name.isEmpty else { return nil }
        if let place = tags["place"], let floor = places[place] {
            return StreetFeature(StreetKind(.place, place, floor: floor, names: .place), name: name)
        }
        if ["station", "halt"].contains(tags["railway"]) {
            return StreetFeature(StreetKind(.poi, "railway", floor: 13, names: .poi), name: name)
        }
        return nil
    }

    private static let places = [
        "city": 9, "town": 9, "village": 10, "hamlet": 12, "suburb": 11, "quarter": 12, "neighbourhood": 13,
        "island": 10, "isolated_dwelling": 13,
    ]

    /// Names of roads fall back to their number; streams and roads without either have no name.
    private static func name(ofLine tags: [String: String]) -> String {
        if let name = tags["name"], !name.isEmpty { return name }
        return tags["highway"] == nil ? "" : tags["ref"] ?? ""
    }

    // MARK: Lines

    private static func line(_ tags: [String: String]) -> StreetKind? {
        guard var kind = road(tags) ?? rail(tags) ?? waterway(tags) ?? otherLine(tags) else { return nil }
        if let bridge = tags["bridge"], bridge != "no" { kind.brunnel = "bridge" }
        if let tunnel = tags["tunnel"], tunnel != "no" { kind.brunnel = "tunnel" }
        return kind
    }

    private static func road(_ tags: [String: String]) -> StreetKind? {
        guard let value = tags["highway"] else { return nil }
        if let (main, floor) = mainRoads[value] {
            return StreetKind(.transportation, main, floor: floor, names: .roadNames)
        }
        if value.hasSuffix("_link"), let (main, floor) = mainRoads[String(value.dropLast(5))] {
            var kind = StreetKind(.transportation, main, floor: max(11, floor))
            kind.isRamp = true
            return kind
        }
        if paths.contains(value) {
            // They run beside the road that is drawn.
            if ["sidewalk", "crossing"].contains(tags["footway"]) { return nil }
            var kind = StreetKind(.transportation, "path", floor: 14, names: .roadNames)
            kind.subclass = value
            return kind
        }
        switch value {
        case "service":
            let isYard = ["parking_aisle", "driveway", "drive-through"].contains(tags["service"])
            return StreetKind(.transportation, "service", floor: isYard ? 14 : 13, names: .roadNames)
        case "track": return StreetKind(.transportation, "track", floor: 13, names: .roadNames)
        default: return nil
        }
    }

    private static let mainRoads: [String: (name: String, floor: Int)] = [
        "motorway": ("motorway", 9), "trunk": ("trunk", 9), "primary": ("primary", 10), "secondary": ("secondary", 11),
        "tertiary": ("tertiary", 12), "unclassified": ("minor", 12), "residential": ("minor", 12),
        "living_street": ("minor", 12), "road": ("minor", 12), "busway": ("busway", 13),
    ]
    private static let paths: Set<String> = ["pedestrian", "footway", "path", "cycleway", "steps", "bridleway"]

    private static func rail(_ tags: [String: String]) -> StreetKind? {
        switch tags["railway"] {
        case "rail":
            return StreetKind(.transportation, "rail", floor: tags["service"] == nil ? 10 : 13)
        case "light_rail", "subway", "tram", "narrow_gauge", "monorail", "funicular":
            return StreetKind(.transportation, "transit", floor: 12)
        default: return nil
        }
    }

    private static func waterway(_ tags: [String: String]) -> StreetKind? {
        switch tags["waterway"] {
        case "river": StreetKind(.waterway, "river", floor: 9, names: .waterNames)
        case "canal": StreetKind(.waterway, "canal", floor: 11, names: .waterNames)
        case "stream": StreetKind(.waterway, "stream", floor: 12, names: .waterNames)
        case "ditch", "drain": StreetKind(.waterway, tags["waterway"] ?? "", floor: 13)
        default: nil
        }
    }

    private static func otherLine(_ tags: [String: String]) -> StreetKind? {
        switch tags["aeroway"] {
        case "runway": return StreetKind(.aeroway, "runway", floor: 11)
        case "taxiway": return StreetKind(.aeroway, "taxiway", floor: 13)
        default: break
        }
        if tags["route"] == "ferry" { return StreetKind(.transportation, "ferry", floor: 11) }
        if tags["man_made"] == "pier" { return StreetKind(.transportation, "pier", floor: 13) }
        return nil
    }

    // MARK: Areas

    /// Areas whose tag otherwise means a line.
    private static func linearArea(_ tags: [String: String]) -> StreetKind? {
        switch tags["waterway"] {
        case "riverbank": StreetKind(.water, "river", floor: 9, names: .waterNames)
        case "dock": StreetKind(.water, "dock", floor: 9, names: .waterNames)
        default:
            tags["aeroway"] == "aerodrome" ? StreetKind(.aeroway, "aerodrome", floor: 10) : nil
        }
    }

    private static func area(_ tags: [String: String]) -> StreetKind? {
        if let building = tags["building"], building != "no" { return StreetKind(.building, "", floor: 13) }
        if let water = water(tags) { return water }
        if let park = protected(tags) { return park }
        return ["leisure", "amenity", "landuse", "natural"].lazy
            .compactMap { key in tags[key].flatMap { grounds["\(key)=\($0)"] } }.first
    }

    private static func protected(_ tags: [String: String]) -> StreetKind? {
        var name = tags["leisure"] == "nature_reserve" ? "nature_reserve" : ""
        if let boundary = tags["boundary"], ["national_park", "protected_area"].contains(boundary) { name = boundary }
        guard !name.isEmpty else { return nil }
        var kind = StreetKind(.park, name, floor: 9, names: .poi)
        kind.nameClass = "park"
        return kind
    }

    private static func water(_ tags: [String: String]) -> StreetKind? {
        if tags["leisure"] == "swimming_pool" { return StreetKind(.water, "swimming_pool", floor: 14) }
        if tags["landuse"] == "basin" { return StreetKind(.water, "pond", floor: 9, names: .waterNames) }
        guard tags["natural"] == "water" || tags["landuse"] == "reservoir" else { return nil }
        let kind =
            switch tags["water"] {
            case "river", "canal", "stream", "oxbow": "river"
            case "pond", "basin", "wastewater": "pond"
            default: "lake"
            }
        return StreetKind(.water, kind, floor: 9, names: .waterNames)
    }

    /// The kinds of ground by `key=value`.
    private static let grounds: [String: StreetKind] = {
        var grounds: [String: StreetKind] = [:]
        func add(_ layer: StreetLayer, _ name: String, floor: Int, named: Set<String> = [], _ tags: [String]) {
            for tag in tags {
                let value = String(tag.split(separator: "=")[1])
                var kind = StreetKind(layer, name, floor: floor, names: named.contains(value) ? .poi : nil)
                if layer == .landcover { kind.subclass = value }
                if kind.names != nil { kind.nameClass = value == "golf_course" ? "golf" : value }
                grounds[tag] = kind
            }
        }
        add(.landcover, "wood", floor: 9, ["natural=wood", "landuse=forest"])
        add(
            .landcover,
            "grass",
            floor: 10,
            named: ["park", "garden", "golf_course"],
            [
                "leisure=park", "leisure=garden", "leisure=golf_course", "landuse=grass", "landuse=meadow",
                "landuse=recreation_ground", "landuse=village_green", "landuse=allotments", "natural=grassland",
                "natural=heath", "natural=scrub",
            ]
        )
        add(.landcover, "farmland", floor: 10, ["landuse=farmland", "landuse=orchard", "landuse=vineyard"])
        add(.landcover, "wetland", floor: 10, ["natural=wetland"])
        add(.landcover, "sand", floor: 11, ["natural=beach", "natural=sand", "natural=dune"])
        add(.landcover, "rock", floor: 10, ["natural=bare_rock", "natural=scree"])
        add(.landcover, "ice", floor: 9, ["natural=glacier"])
        for use in ["residential", "commercial", "industrial", "retail", "quarry", "military", "railway"] {
            add(.landuse, use, floor: use == "residential" ? 10 : 11, ["landuse=\(use)"])
        }
        add(
            .landuse,
            "cemetery",
            floor: 11,
            named: ["cemetery", "grave_yard"],
            ["landuse=cemetery", "amenity=grave_yard"]
        )
        for use in ["school", "college", "university", "hospital", "kindergarten", "library"] {
            add(.landuse, use, floor: 12, named: [use], ["amenity=\(use)"])
        }
        for use in ["stadium", "pitch", "playground"] {
            add(.landuse, use, floor: use == "stadium" ? 12 : 13, named: ["stadium"], ["leisure=\(use)"])
        }
        return grounds
    }()
}
