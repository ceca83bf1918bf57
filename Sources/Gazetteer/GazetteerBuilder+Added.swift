// Places that an operator adds, as a gazetteer of their own.
extension GazetteerBuilder {
    /// Compiles added places; the program's tables say what they lie in.
    ///
    /// Of the settlements of those tables only the cities that added places are parts of are taken over.
    ///
    /// - Parameters:
    ///   - places: hands every place to a function, in an order of its own choosing that is always the same.
    ///   - sources: the tables of `geodata/`.
    ///   - checksum: as for ``build(_:checksum:)``.
    /// - Returns: the bytes of a file for ``GazetteerIndex``.
    /// - Throws: ``GazetteerSourceError``, or what `places` throws.
    /// - Complexity: memory and time grow with the number of places and names, some hundred bytes for each.
    public static func build(
        added places: ((AddedPlace) throws -> Void) throws -> Void,
        sources: GazetteerSources,
        checksum: [UInt8]
    ) throws -> [UInt8] {
        var builder = GazetteerBuilder()
        try builder.readCountries(sources.countries)
        try builder.readStates(sources.states)
        try builder.readRegions(sources.regions)
        try builder.readCounties(sources.counties)
        builder.noteRegionNames()
        var cities = AddedCities()
        try places { builder.add($0, &cities) }
        try builder.readCities(sources.places, &cities)
        for (draft, key) in cities.wanted { builder.drafts[draft].city = cities.known[key] }
        return builder.finish(try AreaTable(bytes: []), checksum: checksum)
    }

    /// Which places are parts of which cities, by name and region.
    private struct AddedCities {
        var wanted: [(draft: Int, key: String)] = []
        var known: [String: Int] = [:]
        private(set) var keys: Set<String> = []

        mutating func want(_ key: String, for draft: Int) {
            wanted.append((draft, key))
            keys.insert(key)
        }
    }

    /// Regions are found by their names as well as by their codes.
    private mutating func noteRegionNames() {
        for (number, draft) in drafts.enumerated() where draft.kind == .admin1 {
            guard Int(draft.country) < countries.count else { continue }
            let code = countries[Int(draft.country)].code
            regionNumbers["\(code)/\(folded(draft.name))"] = regionNumbers["\(code)/\(folded(draft.name))"] ?? number
        }
    }

    private func folded(_ name: String) -> String { String(decoding: FoldedText(name).wholeKey, as: UTF8.self) }

    /// The key of a city of a region, or of a country where the region is not known.
    private func key(ofCity name: String, _ draft: Draft) -> String {
        "\(folded(name)),\(draft.country),\(draft.admin1 ?? -1)"
    }

    private mutating func add(_ place: AddedPlace, _ cities: inout AddedCities) {
        guard drafts.count < 1 << 28, (-90...90).contains(place.latitude), (-180...180).contains(place.longitude) else {
            return
        }
        let number = drafts.count
        var draft = Draft(
            ident: 0,
            source: .added,
            kind: place.kind,
            name: place.name,
            latitude: place.latitude,
            longitude: place.longitude
        )
        draft.identText = place.id
        draft.population = max(0, place.population)
        draft.years = (place.fromYear, place.toYear)
        let code = place.country.uppercased()
        if let country = countryNumbers[code] { draft.country = UInt16(country) }
        draft.admin1 = regionNumbers["\(code).\(place.region)"] ?? regionNumbers["\(code)/\(folded(place.region))"]
        drafts.append(draft)
        enterNames(place.names.map(\.text).filter { !$0.isEmpty }, [], for: number)
        if !place.city.isEmpty, folded(place.city) != folded(place.name) {
            cities.want(key(ofCity: place.city, draft), for: number)
        }
        if place.kind.isSettlement { note(number, &cities) }
    }

    /// Remembers the largest settlement of a name in a region.
    private func note(_ number: Int, _ cities: inout AddedCities) {
        let key = key(ofCity: drafts[number].name, drafts[number])
        if let known = cities.known[key], drafts[known].population >= drafts[number].population { return }
        cities.known[key] = number
    }

    /// Takes over the settlements that are asked for.
    private mutating func readCities(_ bytes: [UInt8], _ cities: inout AddedCities) throws {
        guard !cities.keys.isEmpty else { return }
        var found: [String: (population: Int, row: TabbedTable.Row)] = [:]
        let table = TabbedTable(file: "places.tsv", columns: Self.placeColumns, bytes: bytes)
        try table.forEachRow { row in
            var draft = Draft(ident: 0, source: .geonames, kind: .city, name: row.text(1), latitude: 0, longitude: 0)
            draft.country = try country(row.text(4), row)
            draft.admin1 = regionNumbers["\(row.text(4)).\(row.text(5))"]
            let key = key(ofCity: draft.name, draft)
            guard cities.keys.contains(key) else { return }
            let population = try row.integer(7)
            if let known = found[key], known.population >= population { return }
            found[key] = (population, row)
        }
        for (_, city) in found.sorted(by: { $0.key < $1.key }) {
            try addPlace(city.row)
            note(drafts.count - 1, &cities)
        }
    }
}
