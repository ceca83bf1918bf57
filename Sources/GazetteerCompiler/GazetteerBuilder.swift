import Gazetteer
import Geometry

/// Compiles the tables of `geodata/` into one file that can be memory-mapped.
///
/// The same tables give the same bytes.
public struct GazetteerBuilder: Sendable {
    /// A place during compilation; other places are referred to by their index in `drafts`.
    struct Draft: Sendable {
        var ident: UInt32
        var source: PlaceSource
        var kind: PlaceKind
        var name: String
        var latitude: Double
        var longitude: Double
        var population = 0
        /// The population of an equally well-known settlement, for a place whose own population is not meaningful.
        var prominence = 0
        var country: UInt16 = .max
        var admin1: Int?
        var admin2: Int?
        var city: Int?
        var box: [Double]?
        /// Whether an added place is its country's capital; capitals in the bundle are in the table of countries.
        var isCapital = false
        /// See ``weight(of:)``.
        var weight = 0.0
        /// The text that `ident` will refer to.
        var identText: String?
        /// The first and last year of the name, if known.
        var years: (from: Int?, to: Int?) = (nil, nil)

        /// The identifier with its source, as returned by ``GazetteerIndex/identifier(of:)``.
        var identifier: String {
            switch source {
            case .added: identText ?? ""
            case .geonames: "\(source.name):\(ident)"
            case .geonamesAdmin1, .community, .naturalEarth, .airport: "\(source.name):\(identText ?? "")"
            case .census, .zipcode: "\(source.name):\(GazetteerIndex.fiveDigits(ident))"
            }
        }
    }

    /// A country's codes and its place.
    struct DraftCountry: Sendable {
        var code: String
        var code3: String
        var place: Int
    }

    var drafts: [Draft] = []
    var countries: [DraftCountry] = []
    var keys = KeyTableBuilder()
    var aliases = AliasTextBuilder()
    var formerNames: [FormerNameEntry] = []

    // Look-up tables by code, which are never iterated, so their order does not affect the file.
    var countryNumbers: [String: Int] = [:]
    var capitals: Set<UInt32> = []
    var regionNumbers: [String: Int] = [:]
    var countyNumbers: [String: Int] = [:]
    var cityNumbers: [String: Int] = [:]
    var placeNumbers: [UInt32: Int] = [:]

    init() {}

    /// Compiles a gazetteer.
    ///
    /// - Parameters:
    ///   - sources: the tables.
    ///   - checksum: the SHA-256 of the sources, stored in the file; truncated or zero-padded to 32 bytes.
    /// - Returns: the bytes of the file, for ``GazetteerIndex``.
    /// - Throws: ``GazetteerSourceError`` naming the table and the line.
    /// - Complexity: O(*n* log *n*) in the number of names; a few seconds for all the data.
    public static func build(_ sources: GazetteerSources, checksum: [UInt8]) throws -> [UInt8] {
        var builder = GazetteerBuilder()
        try builder.readCountries(sources.countries)
        try builder.readStates(sources.states)
        try builder.readRegions(sources.regions)
        try builder.readCounties(sources.counties)
        try builder.readDistricts(sources.districts)
        try builder.readPlaces(sources.places)
        try builder.readParts(sources.parts)
        try builder.readCommunity(sources.community)
        try builder.readZipcodes(sources.zipcodes)
        let areas = try AreaTable(bytes: sources.areas)
        builder.addWaters(areas.waters)
        try builder.readLandforms(sources.landforms)
        try builder.readFormer(sources.former)
        return try builder.finish(areas, checksum: checksum)
    }

    /// Ranks and writes the places.
    private mutating func finish(_ areas: AreaTable, checksum: [UInt8]) throws -> [UInt8] {
        let space = ScratchSpace.memory
        let ranks = rank()
        var file = GazetteerFile()
        let (areas, held) = writeAreas(areas, ranks, to: &file)
        // Determines the parts of settlements, so it must precede the writing of places.
        try writeTrees(ranks, areas, space, to: &file)
        withExtendedLifetime(held) {}
        let places = try writePlaces(ranks, space, to: &file)
        writeYears(ranks, to: &file)
        writeFormer(ranks, to: &file)
        var order = PlaceNumberOrder(places: ranks.count)
        for (draft, rank) in zip(drafts, ranks) {
            order.add(key: PlaceNumber.key(of: draft.identifier), rank: UInt32(rank))
        }
        file.append(.idents, try order.write(space))
        file.append(.aliasTexts, bytes: aliases.take())
        file.append(.aliasPlaces, aliases.records(ranks: ranks))
        var names = try KeyTableWriter(places: ranks.count, space: space)
        let mainKeys = try names.write(
            [try keys.takeRun(space)],
            ranks: ranks.map { UInt32($0) },
            weights: WeightLimits(drafts.map(\.weight)),
            to: &file
        )
        let countryPlaces = countries.map { UInt32(ranks[$0.place]) }
        try NameScan.write(places: places, countries: countryPlaces, mainKeys: mainKeys, space, to: &file)
        return try file.finish(checksum: checksum)
    }

    /// Returns the logarithm of a place's population, adjusted for its kind.
    func weight(of draft: Draft) -> Double {
        let people = Math.decimalLogarithm(Double(max(draft.population, draft.prominence)) + 10)
        return switch draft.kind {
        case .country: people + 0.5
        // A state's population is the sum of its listed places, which is too low if many people live outside them.
        case .admin1: draft.source == .geonames ? people - 0.1 : people - 0.3
        case .county: people - 1
        case .postcode, .coordinate, .address: 3
        case .city, .town, .village, .neighbourhood, .street, .landmark, .water, .river, .island, .mountain, .park,
            .area, .airport:
            // A capital is better known than its size suggests.
            draft.isCapital || draft.source == .geonames && capitals.contains(draft.ident) ? people + 1 : people
        }
    }

    /// Computes the weights of the places and returns the rank of each draft.
    private mutating func rank() -> [Int] {
        for index in drafts.indices { drafts[index].weight = weight(of: drafts[index]) }
        let order = drafts.indices.sorted { first, second in
            let (a, b) = (drafts[first], drafts[second])
            if a.weight != b.weight { return a.weight > b.weight }
            if a.source != b.source { return a.source.rawValue < b.source.rawValue }
            return a.ident != b.ident ? a.ident < b.ident : first < second
        }
        var ranks = [Int](repeating: 0, count: drafts.count)
        for (rank, draft) in order.enumerated() { ranks[draft] = rank }
        return ranks
    }

    /// Enters a name of a draft, in the forms that people may type.
    mutating func enter(_ name: String, for draft: Int, as quality: NameQuality) {
        let folded = FoldedText(name)
        guard !folded.tokens.isEmpty else { return }
        let whole = 0..<folded.tokens.count
        let plain = folded.key(whole, canonical: false)
        let canonical = folded.key(whole, canonical: true)
        keys.add(plain, draft: draft, quality: quality)
        if canonical != plain { keys.add(canonical, draft: draft, quality: quality) }
        guard quality == .primary || quality == .alias else { return }
        if whole.count > 1, folded.bytes(of: folded.tokens[0]).elementsEqual("the".utf8) {
            keys.add(folded.key(1..<whole.count, canonical: true), draft: draft, quality: max(quality, .variant))
        }
        if quality == .primary, let spelled = GermanicSpelling.expand(name) {
            keys.add(FoldedText(spelled).wholeKey, draft: draft, quality: .variant)
        }
    }

    /// Enters an abbreviation; one with full stops is also entered with spaces instead of them, because people type
    /// both.
    mutating func enter(abbreviation: String, for draft: Int) {
        enter(abbreviation, for: draft, as: .code)
        if abbreviation.contains(".") {
            enter(String(abbreviation.map { $0 == "." ? " " : $0 }), for: draft, as: .code)
        }
    }
}

/// The two-letter spelling of umlauts, common where keyboards lack them: "Muenchen".
enum GermanicSpelling: Sendable {
    /// Returns the two-letter spelling, or `nil` if `name` has no such letters.
    static func expand(_ name: String) -> String? {
        var result = ""
        var changed = false
        for scalar in name.unicodeScalars {
            let pair: String? =
                switch scalar {
                case "ä", "Ä": "ae"
                case "ö", "Ö", "ø", "Ø": "oe"
                case "ü", "Ü": "ue"
                case "å", "Å": "aa"
                default: nil
                }
            if let pair {
                changed = true
                result += pair
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return changed ? result : nil
    }
}
