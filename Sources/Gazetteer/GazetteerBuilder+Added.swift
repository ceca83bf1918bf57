// Places that an operator adds, as a gazetteer of their own.
extension GazetteerBuilder {
    /// Compiles added places; countries, regions and counties of the program's tables say what they lie in.
    ///
    /// - Parameters:
    ///   - places: hands every place to a function, in an order of its own choosing that is always the same.
    ///   - sources: the tables of `geodata/`, of which settlements, ZIP codes and community places are left out.
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
        try places { builder.add($0) }
        builder.linkCities()
        return builder.finish(checksum: checksum)
    }

    /// Regions are found by their names as well as by their codes.
    private mutating func noteRegionNames() {
        for (number, draft) in drafts.enumerated() where draft.kind == .admin1 {
            guard Int(draft.country) < countries.count else { continue }
            let code = countries[Int(draft.country)].code
            let name = String(decoding: FoldedText(draft.name).wholeKey, as: UTF8.self)
            regionNumbers["\(code)/\(name)"] = regionNumbers["\(code)/\(name)"] ?? number
        }
    }

    private mutating func add(_ place: AddedPlace) {
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
        let folded = String(decoding: FoldedText(place.region).wholeKey, as: UTF8.self)
        draft.admin1 = regionNumbers["\(code).\(place.region)"] ?? regionNumbers["\(code)/\(folded)"]
        drafts.append(draft)
        enterNames(place.names.map(\.text).filter { !$0.isEmpty }, [], for: number)
        guard place.kind != .postcode else {
            if !place.city.isEmpty { enter(place.city, for: number, as: .short) }
            return
        }
        if !place.city.isEmpty { wantedCities.append((number, cityKey(place.city, code + place.region))) }
        if place.kind.isSettlement {
            let key = cityKey(place.name, code + place.region)
            if let known = cityNumbers[key], drafts[known].population >= draft.population { return }
            cityNumbers[key] = number
        }
    }

    /// Parts of cities are linked to those that were added as well.
    private mutating func linkCities() {
        for (number, key) in wantedCities { drafts[number].city = cityNumbers[key] }
    }
}
