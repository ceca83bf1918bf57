import Gazetteer

// Converts each table of geodata/ into places and names.
extension GazetteerBuilder {
    private static let bounds = ["lat", "lon", "west", "south", "east", "north"]

    mutating func readCountries(_ bytes: [UInt8]) throws {
        let columns =
            ["id", "code", "code3", "name"] + Self.bounds + ["population", "capital", "names", "abbreviations"]
        try TabbedTable(file: "countries.tsv", columns: columns, bytes: bytes)
            .forEachRow { row in
                guard countries.count < Int(UInt16.max) else { throw row.error("too many countries") }
                let number = drafts.count
                let code = row.text(1)
                var draft = Draft(
                    ident: UInt32(try row.integer(0)),
                    source: .geonames,
                    kind: .country,
                    name: row.text(3),
                    latitude: try row.latitude(4),
                    longitude: try row.degrees(5)
                )
                draft.box = try row.box(6)
                draft.population = try row.integer(10)
                draft.country = UInt16(countries.count)
                drafts.append(draft)
                countryNumbers[code] = countries.count
                countries.append(DraftCountry(code: code, code3: row.text(2), place: number))
                if !row.fields[11].isEmpty { capitals.insert(UInt32(try row.integer(11))) }
                enterNames(row.list(12), row.list(13), for: number)
                enter(code, for: number, as: .countryCode)
                enter(row.text(2), for: number, as: .countryCode)
            }
        // Binary search by code requires this order.
        guard
            zip(countries, countries.dropFirst())
                .allSatisfy({ Array($0.code.utf8).lexicographicallyPrecedes($1.code.utf8) })
        else { throw GazetteerSourceError(file: "countries.tsv", row: 1, reason: "rows must be ordered by code") }
    }

    mutating func readStates(_ bytes: [UInt8]) throws {
        let columns = ["id", "code", "fips", "name"] + Self.bounds + ["population", "names", "abbreviations"]
        try TabbedTable(file: "states.tsv", columns: columns, bytes: bytes)
            .forEachRow { row in
                let number = drafts.count
                let code = row.text(1)
                var draft = Draft(
                    ident: UInt32(try row.integer(0)),
                    source: .geonames,
                    kind: .admin1,
                    name: row.text(3),
                    latitude: try row.latitude(4),
                    longitude: try row.degrees(5)
                )
                draft.box = try row.box(6)
                draft.population = try row.integer(10)
                draft.country = try country("US", row)
                drafts.append(draft)
                regionNumbers["US." + code] = number
                enterNames(row.list(11), row.list(12), for: number)
                enter(code, for: number, as: .code)
            }
    }

    mutating func readRegions(_ bytes: [UInt8]) throws {
        let columns =
            ["country", "code", "name"] + Self.bounds + ["population", "bounds", "names", "abbreviations"]
        try TabbedTable(file: "regions.tsv", columns: columns, bytes: bytes)
            .forEachRow { row in
                let number = drafts.count
                let ident = "\(row.text(0)).\(row.text(1))"
                var draft = Draft(
                    ident: 0,
                    source: .geonamesAdmin1,
                    kind: .admin1,
                    name: row.text(2),
                    latitude: try row.latitude(3),
                    longitude: try row.degrees(4)
                )
                draft.box = try row.box(5)
                draft.population = try row.integer(9)
                draft.country = try country(row.text(0), row)
                draft.identText = ident
                drafts.append(draft)
                regionNumbers[ident] = number
                enterNames(row.list(11), row.list(12) + RegionAbbreviations.of(ident), for: number)
            }
    }

    mutating func readCounties(_ bytes: [UInt8]) throws {
        let columns = ["geoid", "name", "short", "state"] + Self.bounds
        try TabbedTable(file: "counties.tsv", columns: columns, bytes: bytes)
            .forEachRow { row in
                let number = drafts.count
                let state = row.text(3)
                var draft = Draft(
                    ident: UInt32(try row.integer(0)),
                    source: .census,
                    kind: .county,
                    name: row.text(1),
                    latitude: try row.latitude(4),
                    longitude: try row.degrees(5)
                )
                draft.box = try row.box(6)
                draft.admin1 = regionNumbers["US." + state]
                // Territories are treated as countries, with their postal code as their ISO code.
                draft.country = try country(draft.admin1 == nil ? state : "US", row)
                drafts.append(draft)
                countyNumbers[row.text(0)] = number
                enterNames([], [], for: number)
                if row.fields[1] != row.fields[2] { enter(row.text(2), for: number, as: .short) }
                if draft.name.hasSuffix(" County") { enter(row.text(2) + " Co.", for: number, as: .short) }
            }
    }

    static let placeColumns = ["id", "name", "lat", "lon", "country", "admin1", "county", "population", "names"]

    mutating func readPlaces(_ bytes: [UInt8]) throws {
        try TabbedTable(file: "places.tsv", columns: Self.placeColumns, bytes: bytes)
            .forEachRow { row in
                let number = drafts.count
                try addPlace(row)
                placeNumbers[drafts[number].ident] = number
                if row.text(4) == "US" { noteCity(drafts[number].name, row.text(5), number) }
            }
    }

    /// Adds the settlement in a row of places.tsv.
    private mutating func addPlace(_ row: TabbedTable.Row) throws {
        let number = drafts.count
        let draft = try settlement(row)
        drafts.append(draft)
        if let county = draft.admin2 { drafts[county].population += draft.population }
        enterNames(row.list(8), [], for: number)
    }

    /// Returns the settlement in a row of places.tsv.
    func settlement(_ row: TabbedTable.Row) throws -> Draft {
        let population = try row.integer(7)
        var draft = Draft(
            ident: UInt32(try row.integer(0)),
            source: .geonames,
            kind: .settlement(population: population),
            name: row.text(1),
            latitude: try row.latitude(2),
            longitude: try row.degrees(3)
        )
        draft.population = population
        draft.country = try country(row.text(4), row)
        draft.admin1 = regionNumbers["\(row.text(4)).\(row.text(5))"]
        draft.admin2 = countyNumbers[row.text(6)]
        return draft
    }

    mutating func readZipcodes(_ bytes: [UInt8]) throws {
        let columns = ["zip", "city", "state", "lat", "lon"]
        try TabbedTable(file: "zipcodes.tsv", columns: columns, bytes: bytes)
            .forEachRow { row in
                let number = drafts.count
                let state = row.text(2)
                var draft = Draft(
                    ident: UInt32(try row.integer(0, limit: 99_999)),
                    source: .zipcode,
                    kind: .postcode,
                    name: row.text(0),
                    latitude: try row.latitude(3),
                    longitude: try row.degrees(4)
                )
                draft.admin1 = regionNumbers["US." + state]
                draft.country = try country(draft.admin1 == nil && countryNumbers[state] != nil ? state : "US", row)
                draft.city = cityNumbers[cityKey(row.text(1), state)]
                draft.admin2 = draft.city.flatMap { drafts[$0].admin2 }
                drafts.append(draft)
                enter(draft.name, for: number, as: .primary)
            }
    }

    func country(_ code: String, _ row: TabbedTable.Row) throws -> UInt16 {
        guard let number = countryNumbers[code] else { throw row.error("the country \(code) is not in countries.tsv") }
        return UInt16(number)
    }

    mutating func enterNames(_ names: [String], _ abbreviations: [String], for draft: Int) {
        enterNames(drafts[draft].name, names, abbreviations, for: draft)
    }

    mutating func enterNames(_ name: String, _ names: [String], _ abbreviations: [String] = [], for draft: Int) {
        enter(name, for: draft, as: .primary)
        for name in names {
            // A name of at most two bytes counts as a code.
            enter(name, for: draft, as: name.utf8.count <= 2 ? .code : .alias)
        }
        for abbreviation in abbreviations { enter(abbreviation: abbreviation, for: draft) }
        if !names.isEmpty { aliases.add(names + abbreviations, for: draft) }
    }

    private func cityKey(_ name: String, _ state: String) -> String {
        NameFolding.key(of: name) + "," + state
    }

    /// Records a city for the ZIP codes that belong to it, unless a city with the same name and state and at least the
    /// same population is recorded already.
    private mutating func noteCity(_ name: String, _ state: String, _ draft: Int) {
        let key = cityKey(name, state)
        if let known = cityNumbers[key], drafts[known].population >= drafts[draft].population { return }
        cityNumbers[key] = draft
    }
}
