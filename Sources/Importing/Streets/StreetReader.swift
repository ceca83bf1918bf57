package import Basemap
import CReadOSM

/// Reads what street tiles show from an OpenStreetMap extract (`.osm.pbf` or `.osm`).
///
/// Relations name ways and ways name nodes, which come first in the file, so it is read three times. Memory: 16 bytes
/// for each node and 8 for each mention of one, of what is drawn; besides what ``StreetMap`` takes.
package struct StreetReader: Sendable {
    private let file: OpenStreetMapFile

    /// Creates a reader of the file at `path`; readosm determines its format by the extension.
    package init(path: String) {
        file = OpenStreetMapFile(path: path)
    }

    /// Returns what is drawn.
    ///
    /// - Throws: ``GazetteerFileProblem``.
    package func read() throws -> StreetMap {
        let relations = StreetRelations()
        try file.parse(relations)
        let ways = StreetWays(members: relations.neededWays())
        try file.parse(ways)
        let nodes = StreetNodes(ids: ways.neededNodes())
        try file.parse(nodes)
        var map = StreetMap()
        for (feature, node) in nodes.points { map.addPoint(node, as: feature) }
        ways.forEachFeature { refs, feature, isArea in
            let positions = refs.map(nodes.position)
            if isArea { map.addArea([positions], as: feature) } else { map.addLine(positions, as: feature) }
        }
        for relation in relations.relations {
            let members = relation.ways.compactMap(ways.refs)
            // An extract has only a part of a forest that reaches beyond it.
            if members.count < relation.ways.count { map.addMissing() }
            map.addArea(members.map { $0.map(nodes.position) }, as: relation.feature)
        }
        map.placeNames()
        return map
    }
}

/// The tags of an element that count for street tiles.
private func streetTags(_ tags: UnsafePointer<readosm_tag>?, _ count: Int32) -> [String: String] {
    var values: [String: String] = [:]
    guard let tags else { return values }
    for index in 0..<Int(max(0, count)) {
        guard let key = tags[index].key, let value = tags[index].value else { continue }
        let name = String(cString: key)
        if StreetSchema.keys.contains(name) { values[name] = String(cString: value) }
    }
    return values
}

/// Collects the relations that bound an area.
private final class StreetRelations: ElementCollector {
    private(set) var relations: [(feature: StreetFeature, ways: [Int64])] = []
    let mayStop = false

    func run(_ handle: UnsafeRawPointer?) -> Int32 {
        readosm_parse(
            handle,
            Unmanaged.passUnretained(self).toOpaque(),
            nil,
            nil,
            { user, relation in
                guard let user, let relation else { return READOSM_OK }
                return Unmanaged<StreetRelations>.fromOpaque(user).takeUnretainedValue().add(relation.pointee)
            }
        )
    }

    private func add(_ relation: readosm_relation) -> Int32 {
        guard relation.tag_count > 0, relation.member_count > 0, let members = relation.members,
            let feature = StreetSchema.relation(streetTags(relation.tags, relation.tag_count))
        else { return READOSM_OK }
        var ways: [Int64] = []
        for index in 0..<Int(relation.member_count) where members[index].member_type == READOSM_MEMBER_WAY {
            ways.append(members[index].id)
        }
        if !ways.isEmpty { relations.append((feature, ways)) }
        return READOSM_OK
    }

    /// Returns the ways of all relations.
    func neededWays() -> Set<Int64> { Set(relations.lazy.flatMap(\.ways)) }
}

/// Collects the ways that are drawn or that bound an area.
private final class StreetWays: ElementCollector {
    private struct Way {
        var feature: Int32
        var isArea: Bool
        var refs: Range<Int>
    }

    private var ways: [Way] = []
    private var refs: [Int64] = []
    /// Features, each once: streets consist of many ways.
    private var features: [StreetFeature] = []
    private var numbers: [StreetFeature: Int32] = [:]
    private let members: Set<Int64>
    private var refsOfMember: [Int64: Range<Int>] = [:]
    let mayStop = false

    init(members: Set<Int64>) { self.members = members }

    func run(_ handle: UnsafeRawPointer?) -> Int32 {
        readosm_parse(
            handle,
            Unmanaged.passUnretained(self).toOpaque(),
            nil,
            { user, way in
                guard let user, let way else { return READOSM_OK }
                return Unmanaged<StreetWays>.fromOpaque(user).takeUnretainedValue().add(way.pointee)
            },
            nil
        )
    }

    private func add(_ way: readosm_way) -> Int32 {
        guard way.node_ref_count > 1, let nodes = way.node_refs else { return READOSM_OK }
        let count = Int(way.node_ref_count)
        let tags = streetTags(way.tags, way.tag_count)
        let drawn = StreetSchema.way(tags, isClosed: count >= 4 && nodes[0] == nodes[count - 1])
        let isMember = members.contains(way.id)
        guard drawn != nil || isMember else { return READOSM_OK }
        let range = refs.count..<(refs.count + count)
        refs += UnsafeBufferPointer(start: nodes, count: count)
        if isMember { refsOfMember[way.id] = range }
        if let drawn { ways.append(Way(feature: number(of: drawn.feature), isArea: drawn.isArea, refs: range)) }
        return READOSM_OK
    }

    private func number(of feature: StreetFeature) -> Int32 {
        if let known = numbers[feature] { return known }
        let number = Int32(clamping: features.count)
        numbers[feature] = number
        features.append(feature)
        return number
    }

    /// Returns the nodes of all ways, sorted, each once.
    func neededNodes() -> [Int64] {
        var ids = refs.sorted()
        var last: Int64?
        ids.removeAll { id in
            defer { last = id }
            return id == last
        }
        return ids
    }

    func forEachFeature(_ body: (ArraySlice<Int64>, StreetFeature, _ isArea: Bool) -> Void) {
        for way in ways { body(refs[way.refs], features[Int(way.feature)], way.isArea) }
    }

    /// Returns the nodes of a member of a relation; `nil` if the extract does not have it.
    func refs(_ member: Int64) -> ArraySlice<Int64>? { refsOfMember[member].map { refs[$0] } }
}

/// Collects the positions of needed nodes, and the nodes that have a name.
private final class StreetNodes: ElementCollector {
    private let ids: [Int64]
    /// In ten-millionths of a degree.
    private var longitudes: [Int32]
    private var latitudes: [Int32]
    private var next = 0
    private(set) var points: [(feature: StreetFeature, node: StreetNode)] = []
    let mayStop = false

    private static let missing = Int32.min

    init(ids: [Int64]) {
        self.ids = ids
        longitudes = [Int32](repeating: Self.missing, count: ids.count)
        latitudes = longitudes
    }

    func run(_ handle: UnsafeRawPointer?) -> Int32 {
        readosm_parse(
            handle,
            Unmanaged.passUnretained(self).toOpaque(),
            { user, node in
                guard let user, let node else { return READOSM_OK }
                return Unmanaged<StreetNodes>.fromOpaque(user).takeUnretainedValue().add(node.pointee)
            },
            nil,
            nil
        )
    }

    private func add(_ node: readosm_node) -> Int32 {
        guard let position = StreetNode(longitude: node.longitude, latitude: node.latitude) else { return READOSM_OK }
        if let index = index(of: node.id) {
            (longitudes[index], latitudes[index]) = (position.longitude, position.latitude)
        }
        guard node.tag_count > 0 else { return READOSM_OK }
        if let feature = StreetSchema.node(streetTags(node.tags, node.tag_count)) {
            points.append((feature, position))
        }
        return READOSM_OK
    }

    /// Returns the index of a node; extracts are sorted by id, so the next one is usually close.
    private func index(of id: Int64) -> Int? {
        while next < ids.count, ids[next] < id { next += 1 }
        if next < ids.count, ids[next] == id { return next }
        if next > 0, ids[next - 1] < id { return nil }
        return search(id)
    }

    private func search(_ id: Int64) -> Int? {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < ids.count && ids[low] == id ? low : nil
    }

    /// Returns the position of a node; `nil` if the extract does not have it.
    func position(of id: Int64) -> StreetNode? {
        guard let index = search(id), longitudes[index] != Self.missing else { return nil }
        return StreetNode(longitude: longitudes[index], latitude: latitudes[index])
    }
}
