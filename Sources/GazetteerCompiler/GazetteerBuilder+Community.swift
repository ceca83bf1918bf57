import Gazetteer

// Reads the parts of cities and the community places in geodata/.
extension GazetteerBuilder {
    /// Reclassifies the settlements that are parts of a city as neighbourhoods.
    mutating func readParts(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        try TabbedTable(file: "parts.tsv", columns: ["id", "city"], bytes: bytes)
            .forEachRow { row in
                // A part that is not in the table of places is ignored, so that a smaller table can be used.
                guard let part = placeNumbers[UInt32(try row.integer(0))] else { return }
                drafts[part].kind = .neighbourhood
                drafts[part].city = placeNumbers[UInt32(try row.integer(1))]
            }
    }

    /// Reads the historic and community places; those already in another table are extended.
    mutating func readCommunity(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        let columns = [
            "id", "name", "lat", "lon", "country", "admin1", "county", "city", "geoname", "kind", "prominence",
            "from_year", "to_year", "names",
        ]
        var sites: [Int: Int] = [:]
        try TabbedTable(file: "community.tsv", columns: columns, bytes: bytes)
            .forEachRow { row in
                let kind = try row.kind(9)
                let known = row.fields[8].isEmpty ? nil : placeNumbers[UInt32(try row.integer(8))]
                let number = known ?? drafts.count
                if known == nil {
                    var draft = Draft(
                        ident: 0,
                        source: .community,
                        kind: kind,
                        name: row.text(1),
                        latitude: 0,
                        longitude: 0
                    )
                    draft.identText = row.text(0)
                    draft.country = try country(row.text(4), row)
                    draft.admin1 = regionNumbers["\(row.text(4)).\(row.text(5))"]
                    draft.admin2 = countyNumbers[row.text(6)]
                    drafts.append(draft)
                }
                drafts[number].name = row.text(1)
                drafts[number].kind = kind
                drafts[number].latitude = try row.latitude(2)
                drafts[number].longitude = try row.degrees(3)
                drafts[number].prominence = try row.integer(10)
                drafts[number].years = (try row.year(11), try row.year(12))
                if !row.fields[7].isEmpty {
                    drafts[number].city = placeNumbers[UInt32(try row.integer(7))]
                }
                if let city = drafts[number].city { sites[city, default: 0] += 1 }
                enterNames(row.list(13), [], for: number)
            }
        for (city, count) in sites where count >= Self.manySites {
            let people = Int(Double(drafts[city].population) * Self.fameOfSites)
            drafts[city].prominence = max(drafts[city].prominence, people)
        }
    }

    /// The minimum number of historic places that make a city better known than its size suggests; its population is
    /// then multiplied by `fameOfSites`.
    private static let manySites = 2
    private static let fameOfSites = 1.3

    /// Writes the first and last years of names, for the places that have them, sorted by rank.
    func writeYears(_ ranks: [Int], to file: inout GazetteerFile) {
        let dated = drafts.indices.filter { drafts[$0].years.from != nil || drafts[$0].years.to != nil }
        var bytes: [UInt8] = []
        for index in dated.sorted(by: { ranks[$0] < ranks[$1] }) {
            bytes.append(littleEndian: UInt32(ranks[index]))
            bytes.append(littleEndian: Int16(clamping: drafts[index].years.from ?? 0))
            bytes.append(littleEndian: Int16(clamping: drafts[index].years.to ?? 0))
        }
        file.append(.years, bytes: bytes)
    }
}

extension TabbedTable.Row {
    /// Parses a field as a kind of place.
    func kind(_ field: Int) throws -> PlaceKind {
        let name = text(field)
        guard let kind = PlaceKind.allCases.first(where: { $0.name == name }) else {
            throw error("field \(field + 1) is not a kind of place")
        }
        return kind
    }

    /// Parses a field as a year, `nil` if it is empty.
    func year(_ field: Int) throws -> Int? {
        fields[field].isEmpty ? nil : try integer(field, limit: 9999)
    }
}
