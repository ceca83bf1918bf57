import Gazetteer

// Writes the places, their boxes and names, and the countries.
extension GazetteerBuilder {
    /// Writes all records that are accessed by number, and returns the place records.
    func writePlaces(_ ranks: [Int], _ space: ScratchSpace, to file: inout GazetteerFile) throws -> any Scratch {
        var order = [Int](repeating: 0, count: ranks.count)
        for (draft, rank) in ranks.enumerated() { order[rank] = draft }
        var places: [UInt8] = []
        places.reserveCapacity(order.count * GazetteerFormat.Place.length)
        var boxes: [UInt8] = []
        var names = NamePool()
        func number(_ draft: Int?) -> UInt32 { draft.map { UInt32(ranks[$0]) } ?? GazetteerFormat.none }
        for index in order {
            let draft = drafts[index]
            let name = names.place(draft.name)
            places.append(littleEndian: draft.identText.map { names.place($0, measured: true).offset } ?? draft.ident)
            places.append(draft.source.rawValue)
            places.append(draft.kind.rawValue)
            places.append(littleEndian: draft.country)
            places.append(littleEndian: number(draft.admin1))
            places.append(littleEndian: number(draft.admin2))
            places.append(littleEndian: Self.fixed(draft.latitude))
            places.append(littleEndian: Self.fixed(draft.longitude))
            places.append(littleEndian: UInt32(clamping: draft.population))
            places.append(littleEndian: name.offset)
            places.append(littleEndian: name.length)
            let importance = min(1, max(0, draft.weight / GazetteerFormat.fullImportance))
            places.append(littleEndian: UInt16((importance * 65535).rounded()))
            if let box = draft.box {
                places.append(littleEndian: UInt32(boxes.count / 16))
                for edge in box { boxes.append(littleEndian: Self.fixed(edge)) }
            } else {
                places.append(littleEndian: GazetteerFormat.none)
            }
            places.append(littleEndian: number(draft.city))
        }
        let records = try space.make()
        try records.append(places)
        file.append(.places, records)
        file.append(.kinds, bytes: order.map { drafts[$0].kind.rawValue })
        file.append(.boxes, bytes: boxes)
        file.append(.names, bytes: names.bytes)
        file.append(.countries, bytes: countryRecords(ranks))
        return records
    }

    func countryRecords(_ ranks: [some BinaryInteger]) -> [UInt8] {
        var bytes: [UInt8] = []
        for country in countries {
            var codes = Array(country.code.utf8.prefix(2)) + Array(country.code3.utf8.prefix(3))
            while codes.count < GazetteerFormat.Country.place { codes.append(0) }
            bytes.append(contentsOf: codes)
            bytes.append(littleEndian: UInt32(ranks[country.place]))
        }
        return bytes
    }

    static func fixed(_ degrees: Double) -> Int32 {
        Int32((degrees * GazetteerFormat.degree).rounded())
    }
}

/// Names as entered, each stored once.
private struct NamePool {
    var bytes: [UInt8] = []
    private var known: [String: UInt32] = [:]

    /// Stores a name and returns its offset; a `measured` name is preceded by its length in one byte, and is not
    /// shared.
    mutating func place(_ name: String, measured: Bool = false) -> (offset: UInt32, length: UInt16) {
        let text = Array(name.utf8.prefix(measured ? 255 : 60_000))
        let length = UInt16(text.count)
        if !measured, let offset = known[name] { return (offset, length) }
        let offset = UInt32(truncatingIfNeeded: bytes.count)
        if measured { bytes.append(UInt8(truncatingIfNeeded: text.count)) }
        bytes.append(contentsOf: text)
        if !measured { known[name] = offset }
        return (offset, length)
    }
}
