import Gazetteer

extension NameScan {
    /// Writes the sections for a name scan of the places in a file.
    ///
    /// - Parameters:
    ///   - places: the records of the places, by rank.
    ///   - countries: the ranks of the countries, by number.
    ///   - mainKeys: the keys of the places' main names.
    ///   - space: temporary storage for lists.
    ///   - file: receives the sections.
    /// - Throws: any error of `space`.
    static func write(
        places: any Scratch,
        countries: [UInt32],
        mainKeys: MainKeys,
        _ space: ScratchSpace,
        to file: inout GazetteerFile
    ) throws {
        var entries = try space.writer()
        for (key, signature) in zip(mainKeys.keys, mainKeys.signatures) {
            try entries.append(signature)
            try entries.append(key)
        }
        var counts: [UInt32: UInt32] = [:]
        try forEachMember(places, countries) { region, _ in counts[region, default: 0] += 1 }
        var next: [UInt32: Int] = [:]
        var regions: [UInt32] = []
        var sum = 0
        for (region, count) in counts.sorted(by: { $0.key < $1.key }) {
            regions += [region, UInt32(truncatingIfNeeded: sum)]
            next[region] = sum
            sum += Int(count)
        }
        regions += [GazetteerFormat.none, UInt32(truncatingIfNeeded: sum)]
        var members = [UInt32](repeating: 0, count: sum)
        // Places are sorted by rank, so the members of each region are too.
        try forEachMember(places, countries) { region, rank in
            guard let position = next[region] else { return }
            members[position] = rank
            next[region] = position + 1
        }
        var list = try space.writer()
        try list.append(words: members)
        file.append(.scanEntries, try entries.finish())
        file.append(.scanAliases, mainKeys.aliases)
        file.append(.scanMembers, try list.finish())
        file.append(.scanRegions, regions)
    }

    private static func forEachMember(
        _ places: any Scratch,
        _ countries: [UInt32],
        _ body: (UInt32, UInt32) -> Void
    ) throws {
        typealias Layout = GazetteerFormat.Place
        var reader = ScratchReader(places)
        var record: [UInt8] = []
        for rank in 0..<(places.count / Layout.length) {
            try reader.next(Layout.length, into: &record)
            guard record[Layout.kind] != PlaceKind.postcode.rawValue else { continue }
            let (admin1, country) = record.withUnsafeBytes {
                (
                    UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: Layout.admin1, as: UInt32.self)),
                    UInt16(littleEndian: $0.loadUnaligned(fromByteOffset: Layout.country, as: UInt16.self))
                )
            }
            if admin1 != GazetteerFormat.none { body(admin1, UInt32(truncatingIfNeeded: rank)) }
            if Int(country) < countries.count { body(countries[Int(country)], UInt32(truncatingIfNeeded: rank)) }
        }
    }
}
