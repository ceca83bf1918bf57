import Gazetteer

/// A former name of a draft.
struct FormerNameEntry: Sendable {
    var draft: Int
    var name: String
    var from: Int?
    var to: Int?
}

// Reads the former names of places in geodata/.
extension GazetteerBuilder {
    /// Reads the names that places and countries had before, with their years.
    ///
    /// `place` is the GeoNames number of a settlement or the code of a country. A place that is in no other table is
    /// ignored, so that smaller tables can be used.
    mutating func readFormer(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        try TabbedTable(file: "former.tsv", columns: ["place", "name", "from_year", "to_year"], bytes: bytes)
            .forEachRow { row in
                let place = row.text(0)
                let draft =
                    place.utf8.count == 2
                    ? countryNumbers[place].map { countries[$0].place } : placeNumbers[UInt32(try row.integer(0))]
                guard let draft else { return }
                let (from, to) = (try row.year(2), try row.year(3))
                guard from ?? 0 <= to ?? .max else { throw row.error("the last year is before the first") }
                guard row.text(1).utf8.count <= 255 else { throw row.error("the name is longer than 255 bytes") }
                enter(row.text(1), for: draft, as: .alias)
                formerNames.append(FormerNameEntry(draft: draft, name: row.text(1), from: from, to: to))
            }
    }

    /// Writes the former names, sorted by the ranks of their places and then by year.
    func writeFormer(_ ranks: [Int], to file: inout GazetteerFile) {
        let sorted = formerNames.sorted { first, second in
            let (a, b) = (ranks[first.draft], ranks[second.draft])
            if a != b { return a < b }
            let (from, other) = (first.from ?? 0, second.from ?? 0)
            return from != other ? from < other : first.name < second.name
        }
        var (texts, records): ([UInt8], [UInt8]) = ([], [])
        for former in sorted {
            records.append(littleEndian: UInt32(ranks[former.draft]))
            records.append(littleEndian: Int16(clamping: former.from ?? 0))
            records.append(littleEndian: Int16(clamping: former.to ?? 0))
            records.append(littleEndian: UInt32(texts.count))
            texts.append(UInt8(former.name.utf8.count))
            texts.append(contentsOf: former.name.utf8)
        }
        file.append(.formerTexts, bytes: texts)
        file.append(.formerNames, bytes: records)
    }
}
