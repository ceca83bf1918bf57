import CReadOSM
import Gazetteer
import GazetteerCompiler

/// Reads houses, streets and settlements from an OpenStreetMap extract (`.osm.pbf` or `.osm`).
///
/// Streets, and houses drawn as outlines, get their positions from nodes, which come first in the file. So the file is
/// read twice for every two million streets and outlines, which bounds the memory for an extract of any size.
package struct OpenStreetMapReader: Sendable {
    private let file: OpenStreetMapFile
    private let round: Int

    /// - Parameters:
    ///   - path: the file; readosm determines its format by the extension.
    ///   - round: the maximum number of outlines and streets in memory at once.
    package init(path: String, round: Int = 2_000_000) {
        file = OpenStreetMapFile(path: path)
        self.round = max(1, round)
    }

    /// Passes every record to `emit`.
    ///
    /// - Throws: ``GazetteerFileProblem``, or any error of `emit`.
    package func read(_ emit: (GazetteerRecord) throws -> Void) throws {
        var done = 0
        while true {
            let ways = WayCollector(skipping: done, limit: round)
            try file.parse(ways)
            try withoutActuallyEscaping(emit) { emit in
                let nodes = NodeCollector(ids: ways.neededNodes(), readsTags: done == 0, emit: emit)
                try file.parse(nodes)
                if let problem = nodes.problem { throw problem }
                try ways.emit(with: nodes, emit)
            }
            done += ways.count
            if ways.count < round { return }
        }
    }
}

/// The relevant tags of an element, by key.
struct ElementTags: Sendable {
    private var values: [String: String] = [:]

    private static let wanted: Set<String> = [
        "addr:housenumber", "addr:street", "addr:place", "addr:city", "addr:suburb", "addr:hamlet", "addr:state",
        "addr:province", "addr:country", "addr:postcode", "highway", "name", "place", "population", "alt_name",
        "old_name", "loc_name", "short_name", "official_name", "capital",
    ]

    init(_ tags: UnsafePointer<readosm_tag>?, _ count: Int32) {
        guard let tags else { return }
        for index in 0..<Int(max(0, count)) {
            guard let key = tags[index].key, let value = tags[index].value else { continue }
            let name = String(cString: key)
            if Self.wanted.contains(name) || name.hasPrefix("name:") { values[name] = String(cString: value) }
        }
    }

    subscript(_ key: String) -> String { values[key] ?? "" }

    var isAddress: Bool { !self["addr:housenumber"].isEmpty && !(self["addr:street"] + self["addr:place"]).isEmpty }
    var isStreet: Bool { !self["highway"].isEmpty && !self["name"].isEmpty }

    /// Returns the address or street with these tags at a point.
    func entry(latitude: Double, longitude: Double) -> AddressEntry {
        let isAddress = isAddress
        let street = self["addr:street"].isEmpty ? self["addr:place"] : self["addr:street"]
        let city = [self["addr:city"], self["addr:suburb"], self["addr:hamlet"]].first { !$0.isEmpty }
        let number = self["addr:housenumber"].split { $0 == ";" || $0 == "," }.first.map(String.init)
        return AddressEntry(
            street: isAddress ? street : self["name"],
            number: isAddress ? number : nil,
            city: city ?? "",
            region: self["addr:state"].isEmpty ? self["addr:province"] : self["addr:state"],
            country: self["addr:country"].lowercased(),
            postcode: self["addr:postcode"],
            latitude: latitude,
            longitude: longitude
        )
    }

    private static let settlements: Set<String> = [
        "city", "town", "village", "hamlet", "isolated_dwelling", "locality", "borough", "suburb", "quarter",
        "neighbourhood", "city_block", "island", "islet",
    ]

    /// Returns the settlement or part of one that these tags describe, if any.
    func place(id: Int64, latitude: Double, longitude: Double) -> AddedPlace? {
        guard Self.settlements.contains(self["place"]), !self["name"].isEmpty else { return nil }
        let population = max(0, Int(self["population"].filter { $0 != "," && $0 != " " }) ?? 0)
        let kind: PlaceKind =
            switch self["place"] {
            case "borough", "suburb", "quarter", "neighbourhood", "city_block": .neighbourhood
            case "city": population == 0 ? .city : .added(population: population)
            case "town": population == 0 ? .town : .added(population: population)
            default: .added(population: population)
            }
        var names: [AddedName] = []
        for key in ["alt_name", "loc_name", "short_name", "official_name"] {
            names += self[key].split(separator: ";").map { AddedName(ColumnNames.trimmed(String($0))) }
        }
        names += self["old_name"].split(separator: ";")
            .map { AddedName(ColumnNames.trimmed(String($0)), isHistoric: true) }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) where key.hasPrefix("name:") {
            names.append(AddedName(value, language: String(key.dropFirst(5))))
        }
        return AddedPlace(
            id: "osm:node/\(id)",
            name: self["name"],
            kind: kind,
            latitude: latitude,
            longitude: longitude,
            population: population,
            names: names,
            // For capitals of smaller regions, the value is the number of the administrative level.
            isCapital: self["capital"] == "yes"
        )
    }
}

/// Collects the ways of one round: their entries, and the nodes they consist of.
final class WayCollector: ElementCollector {
    private struct Way {
        var entry: AddressEntry
        var nodes: Range<Int>
    }

    /// The maximum number of nodes used per way, evenly spaced.
    private static let mostNodes = 12

    private var ways: [Way] = []
    private var nodes: [Int64] = []
    private var skipped: Int
    private let limit: Int
    private var interned: [String: String] = [:]
    private(set) var mayStop = false

    var count: Int { ways.count }

    init(skipping: Int, limit: Int) {
        skipped = skipping
        self.limit = limit
    }

    func run(_ handle: UnsafeRawPointer?) -> Int32 {
        readosm_parse(
            handle,
            Unmanaged.passUnretained(self).toOpaque(),
            nil,
            { user, way in
                guard let user, let way else { return READOSM_OK }
                return Unmanaged<WayCollector>.fromOpaque(user).takeUnretainedValue().add(way.pointee)
            },
            nil
        )
    }

    private func add(_ way: readosm_way) -> Int32 {
        guard way.tag_count > 0, way.node_ref_count > 0, let refs = way.node_refs else { return READOSM_OK }
        let tags = ElementTags(way.tags, way.tag_count)
        guard tags.isAddress || tags.isStreet else { return READOSM_OK }
        if skipped > 0 {
            skipped -= 1
            return READOSM_OK
        }
        var count = Int(way.node_ref_count)
        // The last node of an outline equals its first.
        if count > 1, refs[0] == refs[count - 1] { count -= 1 }
        let start = nodes.count
        let taken = min(count, Self.mostNodes)
        for step in 0..<taken { nodes.append(refs[step * count / taken]) }
        var entry = tags.entry(latitude: 0, longitude: 0)
        // The same few texts recur, so each is stored once.
        entry.street = intern(entry.street)
        entry.city = intern(entry.city)
        entry.postcode = intern(entry.postcode)
        ways.append(Way(entry: entry, nodes: start..<nodes.count))
        mayStop = ways.count == limit
        return mayStop ? READOSM_ABORT : READOSM_OK
    }

    private func intern(_ text: String) -> String {
        if let known = interned[text] { return known }
        interned[text] = text
        return text
    }

    /// Returns the nodes whose positions are needed, sorted, each once.
    func neededNodes() -> [Int64] {
        var ids = nodes.sorted()
        var last: Int64?
        ids.removeAll { id in
            defer { last = id }
            return id == last
        }
        return ids
    }

    func emit(with positions: NodeCollector, _ emit: (GazetteerRecord) throws -> Void) throws {
        for way in ways {
            let points = nodes[way.nodes].compactMap { positions.position(of: $0) }
            guard !points.isEmpty else { continue }
            var entry = way.entry
            if entry.number == nil {
                // A street is represented by some of its points.
                for point in stride(from: 0, to: points.count, by: max(1, points.count / 4)).map({ points[$0] }) {
                    (entry.latitude, entry.longitude) = point
                    try emit(.address(entry))
                }
            } else {
                entry.latitude = points.reduce(0) { $0 + $1.latitude } / Double(points.count)
                entry.longitude = points.reduce(0) { $0 + $1.longitude } / Double(points.count)
                try emit(.address(entry))
            }
        }
    }
}

/// Collects the positions of needed nodes, and emits the addresses and places among the nodes.
final class NodeCollector: ElementCollector {
    private let ids: [Int64]
    private var latitudes: [Int32]
    private var longitudes: [Int32]
    private var next = 0
    private let readsTags: Bool
    private let emit: (GazetteerRecord) throws -> Void
    private(set) var problem: (any Error)?

    var mayStop: Bool { problem != nil }

    private static let missing = Int32.min

    init(ids: [Int64], readsTags: Bool, emit: @escaping (GazetteerRecord) throws -> Void) {
        self.ids = ids
        latitudes = [Int32](repeating: Self.missing, count: ids.count)
        longitudes = latitudes
        self.readsTags = readsTags
        self.emit = emit
    }

    func run(_ handle: UnsafeRawPointer?) -> Int32 {
        readosm_parse(
            handle,
            Unmanaged.passUnretained(self).toOpaque(),
            { user, node in
                guard let user, let node else { return READOSM_OK }
                return Unmanaged<NodeCollector>.fromOpaque(user).takeUnretainedValue().add(node.pointee)
            },
            nil,
            nil
        )
    }

    private func add(_ node: readosm_node) -> Int32 {
        let (latitude, longitude) = (node.latitude, node.longitude)
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return READOSM_OK }
        if let index = index(of: node.id) {
            latitudes[index] = Int32((latitude * 1e7).rounded())
            longitudes[index] = Int32((longitude * 1e7).rounded())
        }
        guard readsTags, node.tag_count > 0 else { return READOSM_OK }
        let tags = ElementTags(node.tags, node.tag_count)
        do {
            if tags.isAddress { try emit(.address(tags.entry(latitude: latitude, longitude: longitude))) }
            if let place = tags.place(id: node.id, latitude: latitude, longitude: longitude) { try emit(.place(place)) }
        } catch {
            problem = error
            return READOSM_ABORT
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

    func position(of id: Int64) -> (latitude: Double, longitude: Double)? {
        guard let index = search(id), latitudes[index] != Self.missing else { return nil }
        return (Double(latitudes[index]) / 1e7, Double(longitudes[index]) / 1e7)
    }
}
