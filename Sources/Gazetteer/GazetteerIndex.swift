/// A searchable compiled gazetteer: places by name, names by prefix, settlements by position.
///
/// Opening reads only the header. All reads are bounds-checked, so that a damaged file cannot crash the process.
public struct GazetteerIndex: Sendable {
    /// Keeps the memory behind all views alive.
    private let storage: GazetteerBytes
    let places: ByteView
    let boxes: ByteView
    let names: ByteView
    let countries: ByteView
    let keyBytes: ByteView
    let keyOffsets: ByteView
    let postingOffsets: ByteView
    let postings: ByteView
    let slots: ByteView
    let years: ByteView
    let idents: ByteView
    let fuzzy: FuzzyTable
    let prefixTree: PrefixTree
    let visibleTree: PrefixTree
    let aliasTexts: AliasTexts
    let formerNames: FormerNames
    let kinds: ByteView
    let nameScan: NameScan
    let settlements: PlaceTree
    let largeSettlements: PlaceTree
    let strays: PlaceTree
    let hints: PlaceHints
    let parts: PlaceTree
    let postcodes: PlaceTree
    let areas: AreaIndex

    /// The checksum of the sources from which the file was compiled, 32 bytes.
    public let sourceChecksum: [UInt8]

    /// The version of the compiled format; files of other versions are rejected and must be rebuilt.
    public static var formatVersion: Int { Int(GazetteerFormat.version) }

    /// The number of places of all kinds.
    public var placeCount: Int { places.count / GazetteerFormat.Place.length }

    /// The number of distinct folded names.
    public var nameCount: Int { max(0, keyOffsets.count / 4 - 1) }

    /// The size of the file in bytes.
    public var byteCount: Int { storage.count }

    /// Opens a compiled gazetteer.
    ///
    /// - Throws: ``GazetteerError`` if the bytes are not a gazetteer of this version or a section is missing.
    /// - Complexity: O(1).
    public init(bytes: GazetteerBytes) throws {
        let all = bytes.view
        try GazetteerFormat.check(all)
        func section(_ kind: GazetteerFormat.Section, unit: Int) throws -> ByteView {
            try Self.section(kind, unit: unit, in: all)
        }
        storage = bytes
        sourceChecksum = Array(all.part(offset: 24, length: GazetteerFormat.checksumLength))
        places = try section(.places, unit: GazetteerFormat.Place.length)
        boxes = try section(.boxes, unit: 16)
        names = try section(.names, unit: 1)
        countries = try section(.countries, unit: GazetteerFormat.Country.length)
        keyBytes = try section(.keyBytes, unit: 1)
        keyOffsets = try section(.keyOffsets, unit: 4)
        postingOffsets = try section(.postingOffsets, unit: 4)
        postings = try section(.postings, unit: 4)
        slots = try section(.slots, unit: 4)
        years = try section(.years, unit: GazetteerFormat.Years.length)
        idents = try section(.idents, unit: 4)
        fuzzy = FuzzyTable(
            buckets: try section(.fuzzyBuckets, unit: 4),
            entries: try section(.fuzzyEntries, unit: 4),
            names: max(0, keyOffsets.count / 4 - 1)
        )
        prefixTree = PrefixTree(words: try section(.keyRanks, unit: 4), count: max(0, keyOffsets.count / 4 - 1))
        visibleTree = PrefixTree(
            words: try section(.visibleRanks, unit: 4),
            count: max(0, keyOffsets.count / 4 - 1)
        )
        aliasTexts = AliasTexts(
            texts: try section(.aliasTexts, unit: 1),
            places: try section(.aliasPlaces, unit: AliasTexts.recordLength)
        )
        // Files of an operator's places have no such names.
        let former = try [GazetteerFormat.Section.formerTexts, .formerNames]
            .map { try GazetteerFormat.part($0.rawValue, of: all) ?? .empty }
        formerNames = FormerNames(texts: former[0], records: former[1])
        kinds = try section(.kinds, unit: 1)
        nameScan = NameScan(
            entries: try section(.scanEntries, unit: 8),
            aliases: try section(.scanAliases, unit: 8),
            members: try section(.scanMembers, unit: 4),
            regions: try section(.scanRegions, unit: 8)
        )
        settlements = PlaceTree(nodes: try section(.settlements, unit: PlaceTree.Node.length))
        largeSettlements = PlaceTree(nodes: try section(.largeSettlements, unit: PlaceTree.Node.length))
        strays = PlaceTree(nodes: try section(.strays, unit: PlaceTree.Node.length))
        hints = PlaceHints(cells: try section(.hints, unit: PlaceHints.Cell.length))
        parts = PlaceTree(nodes: try section(.parts, unit: PlaceTree.Node.length))
        postcodes = PlaceTree(nodes: try section(.postcodes, unit: PlaceTree.Node.length))
        areas = try AreaIndex(
            countyCount: Int(section(.areaCounts, unit: 4).load(0, as: UInt32.self)),
            section: section
        )
        let slotCount = slots.count / 4
        guard keyOffsets.count >= 4, keyOffsets.count == postingOffsets.count else {
            throw GazetteerError(.damaged, "The table of names of the gazetteer is damaged")
        }
        guard slotCount > 0, slotCount & (slotCount - 1) == 0 else {
            throw GazetteerError(.damaged, "The hash table of the gazetteer is damaged")
        }
        let bucketCount = fuzzy.buckets.count / 4 - 1
        guard bucketCount > 0, bucketCount & (bucketCount - 1) == 0 else {
            throw GazetteerError(.damaged, "The gazetteer's table for misspelt names is damaged")
        }
    }

    private static func section(_ kind: GazetteerFormat.Section, unit: Int, in all: ByteView) throws -> ByteView {
        let count = min(Int(all.load(12, as: UInt32.self)), 64)
        for index in 0..<count {
            let entry = GazetteerFormat.headerLength + index * GazetteerFormat.sectionEntryLength
            guard all.load(entry, as: UInt64.self) == kind.rawValue else { continue }
            guard let view = all.window(offset: all.load(entry + 8), length: all.load(entry + 16)) else {
                throw GazetteerError(.truncated, "The part \(kind) of the gazetteer is outside the file")
            }
            guard view.count % unit == 0 else {
                throw GazetteerError(.damaged, "The part \(kind) of the gazetteer has an impossible length")
            }
            return view
        }
        throw GazetteerError(.damaged, "The part \(kind) of the gazetteer is missing")
    }
}
