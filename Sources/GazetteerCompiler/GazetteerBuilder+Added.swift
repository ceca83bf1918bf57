import Gazetteer

// Compilation of places added by an operator, as a separate gazetteer.
extension GazetteerBuilder {
    /// Compiles added places, using the program's tables for the places that contain them.
    ///
    /// Of the settlements in those tables, only the cities that contain added places are included.
    ///
    /// - Parameters:
    ///   - places: passes every place to a function, always in the same order.
    ///   - sources: the tables of `geodata/`.
    ///   - space: temporary storage for names and records.
    /// - Returns: the sections of a file, which are stored in `space`.
    /// - Throws: ``GazetteerSourceError``, or any error of `places` or `space`.
    /// - Complexity: O(*n* log *n*) in the number of names; memory for the buffers of `space`, about 40 bytes per place
    ///   and 10 per name.
    public static func build(
        added places: ((AddedPlace) throws -> Void) throws -> Void,
        sources: GazetteerSources,
        space: ScratchSpace
    ) throws -> CompiledPlaces {
        var builder = GazetteerBuilder()
        try builder.readCountries(sources.countries)
        try builder.readStates(sources.states)
        try builder.readRegions(sources.regions)
        try builder.readCounties(sources.counties)
        builder.noteRegionNames()
        var added = try AddedPlacesBuilder(builder, space)
        try places { try added.add($0) }
        try added.readCities(sources.places)
        return CompiledPlaces(file: try added.finish())
    }

    /// Enters regions by name as well as by code.
    private mutating func noteRegionNames() {
        for (number, draft) in drafts.enumerated() where draft.kind == .admin1 {
            guard Int(draft.country) < countries.count else { continue }
            let key = "\(countries[Int(draft.country)].code)/\(NameFolding.key(of: draft.name))"
            regionNumbers[key] = regionNumbers[key] ?? number
        }
    }
}

/// Compiled places, ready to be written to a file; see ``AddressBuilder/writeHead(places:spellings:checksum:to:)``.
public struct CompiledPlaces {
    let file: GazetteerFile
}

@available(*, unavailable)
extension CompiledPlaces: Sendable {}

/// Processes added places one by one, moving data to temporary storage so that memory hardly grows with their number.
struct AddedPlacesBuilder {
    /// The containing cities of places, by name and region.
    private struct Cities {
        /// The places that name a city, sorted by number, with the hash of the city's name.
        var wanted: [(draft: UInt32, key: UInt64)] = []
        var keys: Set<UInt64> = []
        var known: [UInt64: (draft: UInt32, population: UInt32)] = [:]
    }

    /// The maximum number of places in a file: postings have 28 bits for a place number.
    private static let most = 1 << 28
    /// The size in bytes of the buffer for additional names.
    private static let aliasesHeld = 1 << 20

    private var base: GazetteerBuilder
    private let space: ScratchSpace
    private var records: ScratchWriter
    private var names: ScratchWriter
    private var aliases: ScratchWriter
    private var runs: [any Scratch] = []
    /// The sort keys of places: the weight, greatest first, in the upper half, and the number in the lower.
    private var order: [UInt64] = []
    private var cities = Cities()
    private var dated: [(draft: UInt32, from: Int16, to: Int16)] = []

    init(_ base: GazetteerBuilder, _ space: ScratchSpace) throws {
        self.base = base
        self.space = space
        records = try space.writer()
        names = try space.writer()
        aliases = try space.writer()
        for draft in base.drafts { try log(draft) }
    }

    private var count: Int { order.count }

    /// Adds a place; one with coordinates out of range is skipped.
    mutating func add(_ place: AddedPlace) throws {
        guard (-90...90).contains(place.latitude), (-180...180).contains(place.longitude) else { return }
        let number = count
        var draft = GazetteerBuilder.Draft(
            ident: 0,
            source: .added,
            kind: place.kind,
            name: place.name,
            latitude: place.latitude,
            longitude: place.longitude
        )
        draft.identText = place.id
        draft.population = max(0, place.population)
        draft.isCapital = place.isCapital
        let code = place.country.uppercased()
        if let country = base.countryNumbers[code] { draft.country = UInt16(country) }
        draft.admin1 =
            base.regionNumbers["\(code).\(place.region)"]
            ?? base.regionNumbers["\(code)/\(NameFolding.key(of: place.region))"]
        if place.fromYear != nil || place.toYear != nil {
            draft.years = (place.fromYear, place.toYear)
            dated.append(
                (UInt32(number), Int16(clamping: place.fromYear ?? 0), Int16(clamping: place.toYear ?? 0))
            )
        }
        try log(draft)
        base.enterNames(place.name, place.names.map(\.text).filter { !$0.isEmpty }, for: number)
        if !place.city.isEmpty {
            let city = NameFolding.key(of: place.city)
            if city != NameFolding.key(of: place.name) {
                let key = Self.key(city, draft.country, draft.admin1)
                cities.wanted.append((UInt32(number), key))
                cities.keys.insert(key)
            }
        }
        if base.keys.held > space.gathered { runs.append(try base.keys.takeRun(space)) }
        if base.aliases.held > Self.aliasesHeld { try aliases.append(base.aliases.take()) }
    }

    /// Returns the hash of a city's folded name and country, and its region if known.
    private static func key(_ name: String, _ country: UInt16, _ admin1: Int?) -> UInt64 {
        key(GazetteerFormat.hash("\(name),\(country)".utf8), admin1)
    }

    private static func key(_ key: UInt64, _ admin1: Int?) -> UInt64 {
        admin1.map { key ^ (UInt64($0 + 1) &* 0x9E37_79B9_7F4A_7C15) } ?? key
    }

    private mutating func log(_ draft: GazetteerBuilder.Draft) throws {
        guard count < Self.most else {
            let reason = "more than \(Self.most) places cannot be compiled"
            throw GazetteerSourceError(file: "places", row: count, reason: reason)
        }
        let start = names.count
        let text = Array(draft.name.utf8.prefix(1_000))
        try names.append(text)
        var ident = draft.ident
        if let identText = draft.identText {
            ident = UInt32(truncatingIfNeeded: names.count)
            let bytes = Array(identText.utf8.prefix(255))
            try names.append(UInt8(truncatingIfNeeded: bytes.count))
            try names.append(bytes)
        }
        guard names.count < Int(UInt32.max) else {
            throw GazetteerSourceError(file: "places", row: count, reason: "more than 4 GB of names cannot be compiled")
        }
        let isSettlement = draft.kind.isSettlement
        let record = LoggedPlace(
            kind: draft.kind,
            source: draft.source,
            isFormer: draft.years.to != nil,
            isOwnSite: (draft.kind == .street || draft.kind == .landmark) && draft.identifier.hasPrefix("own:"),
            country: draft.country,
            admin1: draft.admin1.map { UInt32($0) } ?? GazetteerFormat.none,
            admin2: draft.admin2.map { UInt32($0) } ?? GazetteerFormat.none,
            latitude: draft.latitude,
            longitude: draft.longitude,
            population: UInt32(clamping: draft.population),
            nameStart: UInt32(truncatingIfNeeded: start),
            nameLength: UInt16(text.count),
            ident: ident,
            weight: Float(base.weight(of: draft)),
            cityKey: isSettlement ? Self.key(NameFolding.key(of: draft.name), draft.country, nil) : 0,
            number: PlaceNumber.key(of: draft.identifier)
        )
        try record.write(to: &records)
        // A greater weight sorts first; of equal weights, the earlier place.
        let weight = UInt64(min(3.9e9, max(0, (base.weight(of: draft) + 4) * 2e8)))
        order.append((0xFFFF_FFFF - weight) << 32 | UInt64(count))
    }

    /// Finds the cities named by added places, among the places logged so far and in `bytes`, the table `places.tsv`;
    /// those found in the table are included in the file.
    mutating func readCities(_ bytes: [UInt8]) throws {
        guard !cities.keys.isEmpty else { return }
        let logged = try records.finish()
        try LoggedPlace.forEach(in: logged) { number, place in
            guard place.kind.isSettlement else { return }
            let admin1 = place.admin1 == GazetteerFormat.none ? nil : Int(place.admin1)
            for region in admin1 == nil ? [nil] : [nil, admin1] {
                note(number, place.population, key: Self.key(place.cityKey, region))
            }
        }
        records = ScratchWriter(to: logged)
        var found: [UInt64: (isPrimary: Bool, population: Int, row: TabbedTable.Row)] = [:]
        let table = TabbedTable(file: "places.tsv", columns: GazetteerBuilder.placeColumns, bytes: bytes)
        try table.forEachRow { row in
            let country = try base.country(row.text(4), row)
            let admin1 = base.regionNumbers["\(row.text(4)).\(row.text(5))"]
            let population = try row.integer(7)
            for (order, name) in ([row.text(1)] + row.list(8)).enumerated() {
                for key in [Self.key(NameFolding.key(of: name), country, nil)]
                    .flatMap({ [$0, Self.key($0, admin1)] }) where cities.keys.contains(key)
                {
                    // A primary name takes precedence over an alias.
                    if let known = found[key],
                        (known.isPrimary ? 1 : 0, known.population) >= (order == 0 ? 1 : 0, population)
                    {
                        continue
                    }
                    found[key] = (order == 0, population, row)
                }
            }
        }
        var taken: [Int: Int] = [:]
        for (key, city) in found.sorted(by: { $0.key < $1.key }) {
            let number = taken[city.row.number] ?? count
            if taken[city.row.number] == nil {
                try log(try base.settlement(city.row))
                base.enterNames(city.row.text(1), city.row.list(8), for: number)
                taken[city.row.number] = number
            }
            note(number, UInt32(clamping: city.population), key: key)
        }
    }

    /// Records a settlement as the city for a key, unless one with at least the same population is recorded already.
    private mutating func note(_ number: Int, _ population: UInt32, key: UInt64) {
        guard cities.keys.contains(key) else { return }
        if let known = cities.known[key], known.population >= population { return }
        cities.known[key] = (UInt32(truncatingIfNeeded: number), population)
    }

    /// Ranks the places and returns the sections of the file.
    mutating func finish() throws -> GazetteerFile {
        order.sort()
        var ranks = [UInt32](repeating: 0, count: order.count)
        for (rank, word) in order.enumerated() { ranks[Int(word & 0xFFFF_FFFF)] = UInt32(truncatingIfNeeded: rank) }
        order = []
        runs.append(try base.keys.takeRun(space))
        var parts: [(draft: UInt32, city: UInt32)] = []
        for (draft, key) in cities.wanted {
            if let city = cities.known[key] { parts.append((draft, city.draft)) }
        }
        cities = Cities()
        let writer = AddedPlacesWriter(
            base: base,
            space: space,
            places: try records.finish(),
            ranks: ranks,
            parts: parts
        )
        try aliases.append(base.aliases.take())
        let records = base.aliases.records(ranks: ranks)
        var file = try writer.file(names: try names.finish(), runs: runs, dated: dated)
        file.append(.aliasTexts, try aliases.finish())
        file.append(.aliasPlaces, records)
        return file
    }
}
