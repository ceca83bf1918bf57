import Gazetteer
import Geometry

/// Writes the sections of added places from the temporary logs.
struct AddedPlacesWriter {
    /// The number of places sorted in memory at once.
    private static let window = 1 << 19

    private let base: GazetteerBuilder
    private let space: ScratchSpace
    private let places: any Scratch
    /// The rank of each place, by its number in the log.
    private let ranks: [UInt32]
    /// Pairs of a place and its city, both as numbers in the log, sorted by place.
    private let parts: [(draft: UInt32, city: UInt32)]

    init(
        base: GazetteerBuilder,
        space: ScratchSpace,
        places: any Scratch,
        ranks: [UInt32],
        parts: [(draft: UInt32, city: UInt32)]
    ) {
        self.base = base
        self.space = space
        self.places = places
        self.ranks = ranks
        self.parts = parts
    }

    /// Returns all sections.
    func file(
        names: any Scratch,
        runs: [any Scratch],
        dated: [(draft: UInt32, from: Int16, to: Int16)]
    ) throws -> GazetteerFile {
        var file = GazetteerFile()
        // The file has no outlines, neither of added places nor of the places that contain them.
        let (_, held) = base.writeAreas(
            try AreaTable(bytes: []),
            ranks.prefix(base.drafts.count).map(Int.init),
            to: &file
        )
        withExtendedLifetime(held) {}
        try writeTrees(to: &file)
        let (records, weights) = try writePlaces(to: &file)
        file.append(.names, names)
        file.append(.countries, bytes: base.countryRecords(ranks))
        var years: [UInt8] = []
        for entry in dated.sorted(by: { ranks[Int($0.draft)] < ranks[Int($1.draft)] }) {
            years.append(littleEndian: ranks[Int(entry.draft)])
            years.append(littleEndian: entry.from)
            years.append(littleEndian: entry.to)
        }
        file.append(.years, bytes: years)
        var order = PlaceNumberOrder(places: ranks.count)
        try forEachPlace { number, place, _ in order.add(key: place.number, rank: ranks[number]) }
        file.append(.idents, try order.write(space))
        var table = try KeyTableWriter(places: ranks.count, space: space)
        let mainKeys = try table.write(runs, ranks: ranks, weights: weights, to: &file)
        let countryPlaces = base.countries.map { ranks[$0.place] }
        try NameScan.write(places: records, countries: countryPlaces, mainKeys: mainKeys, space, to: &file)
        return file
    }

    /// Calls `body` for each place with the city that contains it.
    private func forEachPlace(_ body: (Int, LoggedPlace, UInt32?) throws -> Void) throws {
        var next = 0
        try LoggedPlace.forEach(in: places) { number, place in
            var city: UInt32?
            if next < parts.count, parts[next].draft == UInt32(truncatingIfNeeded: number) {
                city = parts[next].city
                next += 1
            }
            try body(number, place, city)
        }
    }

    /// Writes the records in the order of their ranks, `window` places at a time.
    private func writePlaces(to file: inout GazetteerFile) throws -> (any Scratch, WeightLimits) {
        typealias Layout = GazetteerFormat.Place
        var records = try space.writer()
        var kinds = try space.writer()
        var boxes: [UInt8] = []
        var limits = WeightLimits([])
        for start in stride(from: 0, to: ranks.count, by: Self.window) {
            let size = min(Self.window, ranks.count - start)
            var stretch = [UInt8](repeating: 0, count: size * Layout.length)
            try forEachPlace { number, place, city in
                let rank = Int(ranks[number]) - start
                guard (0..<size).contains(rank) else { return }
                let box = number < base.drafts.count ? base.drafts[number].box : nil
                let record = self.record(of: place, city: city, box: box, &boxes)
                stretch.replaceSubrange((rank * Layout.length)..<((rank + 1) * Layout.length), with: record)
                limits.count(Double(place.weight))
            }
            for rank in 0..<size { try kinds.append(stretch[rank * Layout.length + Layout.kind]) }
            try records.append(stretch: stretch)
        }
        let written = try records.finish()
        file.append(.places, written)
        file.append(.kinds, try kinds.finish())
        file.append(.boxes, bytes: boxes)
        return (written, limits)
    }

    private func record(of place: LoggedPlace, city: UInt32?, box: [Double]?, _ boxes: inout [UInt8]) -> [UInt8] {
        func number(_ draft: UInt32) -> UInt32 { draft == GazetteerFormat.none ? draft : ranks[Int(draft)] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(GazetteerFormat.Place.length)
        bytes.append(littleEndian: place.ident)
        bytes.append(place.source.rawValue)
        bytes.append(place.kind.rawValue)
        bytes.append(littleEndian: place.country)
        bytes.append(littleEndian: number(place.admin1))
        bytes.append(littleEndian: number(place.admin2))
        bytes.append(littleEndian: GazetteerBuilder.fixed(place.latitude))
        bytes.append(littleEndian: GazetteerBuilder.fixed(place.longitude))
        bytes.append(littleEndian: place.population)
        bytes.append(littleEndian: place.nameStart)
        bytes.append(littleEndian: place.nameLength)
        let importance = min(1, max(0, Double(place.weight) / GazetteerFormat.fullImportance))
        bytes.append(littleEndian: UInt16((importance * 65535).rounded()))
        if let box {
            bytes.append(littleEndian: UInt32(boxes.count / 16))
            for edge in box { boxes.append(littleEndian: GazetteerBuilder.fixed(edge)) }
        } else {
            bytes.append(littleEndian: GazetteerFormat.none)
        }
        bytes.append(littleEndian: city.map { ranks[Int($0)] } ?? GazetteerFormat.none)
        return bytes
    }

    private func writeTrees(to file: inout GazetteerFile) throws {
        let groups = PlaceGroups(base)
        var hasPost = [Bool](repeating: false, count: ranks.count)
        try forEachPlace { _, place, city in
            if place.kind == .postcode, let city { hasPost[Int(city)] = true }
        }
        let large = Float(GazetteerBuilder.largeRadius)
        typealias Entry = PlaceTreeBuilder.Entry
        func tree(_ section: GazetteerFormat.Section, _ radius: (LoggedPlace, Bool, Bool) -> Double?) throws {
            var entries: [Entry] = []
            try forEachPlace { number, place, city in
                guard let radius = radius(place, city != nil, hasPost[number]) else { return }
                if section == .settlements, Float(radius) > large { return }
                if section == .largeSettlements, Float(radius) <= large { return }
                entries.append(
                    Entry(
                        position: UnitVector(latitude: place.latitude, longitude: place.longitude),
                        radius: radius,
                        place: Int(ranks[number]),
                        // Added places have no outlines; see ``PlaceSearch/reverse(_:options:)``.
                        unit: place.isOwnSite ? PartRule.ownSite : AreaFormat.none,
                        group: groups.number(
                            country: place.country,
                            region: place.admin1 == GazetteerFormat.none ? nil : Int(place.admin1)
                        )
                    )
                )
            }
            file.append(section, try PlaceTreeBuilder.write(&entries, space))
        }
        func settlement(_ place: LoggedPlace, isPart: Bool, hasPost: Bool) -> Double? {
            guard place.kind.isSettlement, !isPart else { return nil }
            let radius = SettlementRadius.kilometres(population: Int(place.population))
            guard hasPost else { return radius }
            return (radius * radius + GazetteerBuilder.postalReach * GazetteerBuilder.postalReach).squareRoot()
        }
        try tree(.settlements, settlement)
        try tree(.largeSettlements, settlement)
        file.append(.strays, bytes: [])
        file.append(.hints, bytes: [])
        try tree(.parts) { place, isPart, _ in
            guard (isPart && place.kind.isSettlement) || place.kind.isPart else { return nil }
            return -PartRule.distance(of: place.kind, isFormer: place.isFormer)
        }
        try tree(.postcodes) { place, _, _ in place.kind == .postcode ? 0 : nil }
    }
}
