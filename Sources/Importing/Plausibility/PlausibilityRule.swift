import Geometry

/// Finds the mistakes that explain why positions lie in the sea, or far from where their words say.
///
/// A position alone proves little, so a doubt needs two signs: it lies where it should not, and it would lie where it
/// should if one mistake were undone.
struct PlausibilityRule {
    typealias Item = PlausibilitySample.Item

    let items: [Item]
    let outlines: any MapOutlines
    let locator: (any PlaceLocator)?
    let regions: [MapRegion]
    private let expected: [WordedPlaces]
    /// Whether each row lies where it should.
    private let isGood: [Bool]
    /// The country in which most of the good rows lie.
    private let country: String?
    /// The cells of one degree in which good rows lie.
    private let home: Set<[Int]>
    /// Where the reference systems of the rows are used.
    private let areas: AreasOfUse

    /// Rows within this distance of 0, 0, in degrees, have no position.
    private static let zero = 0.05
    /// Of more rows it is not asked whether a village of their name lies there.
    private static let mostNamesakes = 500

    init(items: [Item], expected: [WordedPlaces], _ check: PlausibilityCheck) {
        (self.items, self.expected, outlines, locator) = (items, expected, check.outlines, check.locator)
        let regions = PlausibilityRule.regions(of: items.map(\.coordinate), check.outlines)
        let areas = AreasOfUse(items.compactMap { $0.raw?.projection })
        (self.regions, self.areas) = (regions, areas)
        let isGood = PlausibilityRule.good(items, expected, regions, areas)
        self.isGood = isGood
        let good = items.indices.filter { isGood[$0] }
        let most = PlausibilityRule.mostFrequent(good.compactMap { regions[$0].country })
        // Of few rows, one on land abroad may be the mistake that is looked for.
        country = most.flatMap { value, count in
            let isMost =
                good.count >= 10
                ? count >= 10 && count * 5 >= good.count * 4 : count >= 3 && count * 4 >= good.count * 3
            return isMost ? value : nil
        }
        home = Set(good.compactMap { items[$0].coordinate.map(PlausibilityRule.cell) })
    }

    /// Returns whether each row lies where its words say or, without words, where stories lie.
    private static func good(
        _ items: [Item],
        _ expected: [WordedPlaces],
        _ regions: [MapRegion],
        _ areas: AreasOfUse
    ) -> [Bool] {
        let fits = items.indices.map { index -> PlaceFit in
            let item = items[index]
            guard let coordinate = item.coordinate else { return .far }
            let sure = item.words.map { expected[$0].sure } ?? []
            if !sure.isEmpty { return WordedPlaces.fit(sure, coordinate, regions[index]) }
            let isThere = regions[index].isLikely && areas.mayContain(coordinate, in: item.raw?.projection)
            return isThere ? .near : .far
        }
        // Some ships off a coast are none of its mistakes; a whole file at sea is one.
        let isCoast = fits.count { $0 == .near } * 2 >= fits.count { $0 == .atSea }
        return fits.map { $0 == .near || ($0 == .atSea && isCoast) }
    }

    /// Returns the doubts, the one that concerns the most rows first.
    func findings() -> [PlausibilityFinding] {
        var left = items.indices.filter { !isGood[$0] }
        // Of a file of which most rows are wrong, it is not the names.
        if left.count <= Self.mostNamesakes, left.count * 2 < items.count { left.removeAll(where: hasNamesake) }
        let flipped = flipped()
        var found = flipped.map(\.finding)
        let zeros = left.filter { isZero(items[$0]) }
        if !zeros.isEmpty, zeros.count < items.count || zeros.count > 1 { found.append(zeroFinding(zeros)) }
        left.removeAll { isZero(items[$0]) }
        while let (slip, rows) = bestSlip(for: left), !rows.isEmpty {
            found.append(finding(slip, rows))
            let explained = Set(rows)
            left.removeAll(where: explained.contains)
        }
        if let offset = offset(of: left) {
            found.append(offset.finding)
            let explained = Set(offset.rows)
            left.removeAll(where: explained.contains)
        }
        if let finding = elsewhere(left, except: Set(flipped.flatMap(\.rows))) { found.append(finding) }
        return found.sorted { ($0.count, $1.row ?? 0) > ($1.count, $0.row ?? 0) }
    }

    /// Returns what the words of a row mean.
    func expected(_ index: Int) -> WordedPlaces { items[index].words.map { expected[$0] } ?? .none }

    /// Returns the place that the words of a row mean; `nil` if there are several of that name.
    private func place(of index: Int) -> PlaceCandidate? {
        let sure = expected(index).sure
        return sure.count == 1 ? sure[0] : nil
    }

    private func isZero(_ item: Item) -> Bool {
        guard let raw = item.raw else { return false }
        return abs(raw.x) < Self.zero && abs(raw.y) < Self.zero
    }

    private static func regions(of coordinates: [Coordinate?], _ outlines: any MapOutlines) -> [MapRegion] {
        let known = outlines.regions(of: coordinates.compactMap(\.self))
        var next = 0
        return coordinates.map { coordinate in
            guard coordinate != nil, next < known.count else {
                return MapRegion(name: "no place on earth", isLand: false)
            }
            next += 1
            return known[next - 1]
        }
    }

    /// Returns the most frequent value, of several the first in order.
    static func mostFrequent(_ values: [String]) -> (value: String, count: Int)? {
        var counts: [String: Int] = [:]
        for value in values { counts[value, default: 0] += 1 }
        return counts.map { ($0.key, $0.value) }.max { ($0.1, $1.0) < ($1.1, $0.0) }
            .map { (value: $0.0, count: $0.1) }
    }
}

// One mistake for many rows.
extension PlausibilityRule {
    /// Returns the mistake that explains the rows best, with these rows; `nil` if none explains any.
    private func bestSlip(for left: [Int]) -> (Slip, [Int])? {
        guard !left.isEmpty else { return nil }
        let all = Slip.allCases.map { slip in
            let rows = explained(by: slip, left)
            return (slip, rows, rows.count + rows.count { isConfirmed(slip, $0) })
        }
        // Of equal ones, the first in order.
        return all.max { $0.2 < $1.2 }.flatMap { $0.1.isEmpty ? nil : ($0.0, $0.1) }
    }

    /// Returns whether something besides the outlines says that a row has the mistake: the name of its settlement, or the
    /// area in which its reference system is used.
    private func isConfirmed(_ slip: Slip, _ index: Int) -> Bool {
        guard let raw = items[index].raw, let corrected = slip.corrected(raw) else { return false }
        return expected(index).possible.contains { $0.isNear(corrected) }
            || areas.contain(corrected, in: raw.projection)
    }

    /// Returns the rows that would lie where they should if a mistake were undone.
    private func explained(by slip: Slip, _ left: [Int]) -> [Int] {
        let corrected = left.map { items[$0].raw.flatMap(slip.corrected) }
        let worded = left.indices.filter { !expected(left[$0]).sure.isEmpty }
        let there = PlausibilityRule.regions(of: worded.map { corrected[$0] }, outlines)
        let fitting = zip(worded, there)
            .filter { at, region in
                corrected[at].map { WordedPlaces.fit(expected(left[at]).sure, $0, region) == .near } ?? false
            }
            .map(\.0)
        return (fitting + wordless(corrected, left)).map { left[$0] }.sorted()
    }

    /// Returns the rows without words that would lie in the country of the others or, if all lie in the sea, together
    /// on land.
    private func wordless(_ corrected: [Coordinate?], _ left: [Int]) -> [Int] {
        let asked = left.indices.filter { expected(left[$0]).sure.isEmpty }
        let regions = PlausibilityRule.regions(of: asked.map { corrected[$0] }, outlines)
        if let country {
            // A ship at sea is no mistake, unless it would lie close to the others.
            let found = zip(asked, regions)
                .filter { at, region in region.country == country && corrected[at].map(isHome) ?? false }
                .map(\.0)
            return isDenied(found, corrected, left) ? [] : found
        }
        let likely = zip(asked, regions).filter { $0.1.isLikely && isNearer(corrected[$0.0], left[$0.0]) }
        let wordlessRows = items.indices.count { expected($0).sure.isEmpty }
        // One or two rows are few signs, unless the file has no others.
        guard asked.count >= min(3, items.count), asked.count * 10 >= wordlessRows * 8,
            likely.count * 10 >= asked.count * 9, !isDenied(likely.map(\.0), corrected, left)
        else { return [] }
        let most = PlausibilityRule.mostFrequent(likely.compactMap { $0.1.country })?.count ?? 0
        return most * 10 >= likely.count * 8 ? likely.map(\.0) : []
    }

    /// Returns whether a corrected position is more likely than that of the row: from land far beyond the area of its
    /// reference system only into the area.
    private func isNearer(_ corrected: Coordinate?, _ index: Int) -> Bool {
        guard let corrected, regions[index].isLikely else { return corrected != nil }
        return areas.contain(corrected, in: items[index].raw?.projection)
    }

    /// Returns whether nearly all settlements that the rows name lie elsewhere than the corrected positions.
    private func isDenied(_ found: [Int], _ corrected: [Coordinate?], _ left: [Int]) -> Bool {
        let named = found.filter { !expected(left[$0]).possible.isEmpty }
        let near = named.count { at in
            corrected[at].map { position in expected(left[at]).possible.contains { $0.isNear(position) } } ?? false
        }
        return !named.isEmpty && near * 5 < named.count
    }

    /// Returns whether rows that lie where they should are within a degree or two.
    private func isHome(_ coordinate: Coordinate) -> Bool {
        let cell = PlausibilityRule.cell(coordinate)
        return (-1...1)
            .contains { row in
                (-1...1).contains { home.contains([cell[0] + row, cell[1] + $0]) }
            }
    }

    /// Returns the cell of one degree that contains a position.
    private static func cell(_ coordinate: Coordinate) -> [Int] {
        [Int(coordinate.latitude.rounded(.down)), Int(coordinate.longitude.rounded(.down))]
    }

    private func finding(_ slip: Slip, _ rows: [Int]) -> PlausibilityFinding {
        let corrected = rows.map { items[$0].raw.flatMap(slip.corrected) }
        let raw = items[rows[0]].raw
        let isProjected = raw?.projection != nil
        let advice = slip.advice(isProjected: isProjected, in: raw?.form ?? .columns, ofAll: row(of: rows) == nil)
        let there = PlausibilityRule.regions(of: corrected, outlines)
        let message =
            "\(count(rows)) \(verb(rows)) in \(PlausibilityRule.name(rows.map { regions[$0] })); "
            + "\(slip.remedy(isProjected: isProjected)) \(rows.count == 1 ? "it" : "they") would lie in "
            + "\(PlausibilityRule.name(there)); \(advice)"
        return PlausibilityFinding(kind: slip.kind, count: rows.count, row: row(of: rows), message: message)
    }

    /// Returns "200 of 200 positions".
    func count(_ rows: [Int]) -> String {
        "\(rows.count) of \(items.count) position\(items.count == 1 ? "" : "s")"
    }

    func verb(_ rows: [Int]) -> String { rows.count == 1 ? "lies" : "lie" }

    /// Returns the first row to name; `nil` if the mistake concerns nearly all.
    private func row(of rows: [Int]) -> Int? {
        rows.count * 10 >= items.count * 9 ? nil : rows.map { items[$0].row }.min()
    }

    /// Returns what most regions have in common: a region, a country, or only that they are land or sea.
    static func name(_ regions: [MapRegion]) -> String {
        func shared(_ values: [String]) -> String? {
            mostFrequent(values).flatMap { $0.count * 10 >= regions.count * 6 ? $0.value : nil }
        }
        if let name = shared(regions.map(\.name)) { return name }
        let countries = regions.compactMap { $0.isLand ? $0.name.split(separator: ", ").last.map(String.init) : nil }
        if let name = shared(countries) { return name }
        let land = regions.count(where: \.isLand)
        if land * 10 < regions.count * 3 { return "the sea" }
        return land == regions.count ? "several countries" : "several countries and seas"
    }
}

// Other mistakes.
extension PlausibilityRule {
    private func zeroFinding(_ rows: [Int]) -> PlausibilityFinding {
        let message =
            "\(count(rows)) \(verb(rows)) at 0, 0 in the open sea, which usually means unknown; "
            + "leave latitude and longitude empty in such rows"
        return PlausibilityFinding(kind: .zero, count: rows.count, row: row(of: rows), message: message)
    }

    /// Finds rows on land abroad whose sign is wrong: alone there, and at home among others if it were changed.
    ///
    /// Georgia lies in China without the minus sign, which is no sea.
    private func flipped() -> [(finding: PlausibilityFinding, rows: [Int])] {
        guard let country else { return [] }
        func cell(_ coordinate: Coordinate) -> [Int] {
            [Int((coordinate.latitude * 2).rounded(.down)), Int((coordinate.longitude * 2).rounded(.down))]
        }
        var home: [[Int]: Int] = [:]
        var abroad: [Int] = []
        for index in items.indices where isGood[index] {
            guard let coordinate = items[index].coordinate else { continue }
            if regions[index].country == country {
                home[cell(coordinate), default: 0] += 1
            } else if expected(index).sure.isEmpty {
                abroad.append(index)
            }
        }
        func around(_ rows: [Int], _ slip: Slip) -> Int {
            rows.first.flatMap { items[$0].raw.flatMap(slip.corrected) }.map { home[cell($0), default: 0] } ?? 0
        }
        return [Slip.longitudeSign, .latitudeSign, .bothSigns, .exchanged]
            .compactMap { slip in
                let rows = abroad.filter { index in
                    items[index].raw.flatMap(slip.corrected).map { home[cell($0), default: 0] >= 2 } ?? false
                }
                // One row may be a journey, unless all others are at home and several around where it would lie.
                let isAlone = abroad.count == 1 && around(rows, slip) >= (items.count < 10 ? 3 : 5)
                return rows.count >= 2 || (rows.count == 1 && isAlone) ? (finding(slip, rows), rows) : nil
            }
    }

    /// Finds rows that all lie in the same direction and distance from the settlement that their words name.
    private func offset(of left: [Int]) -> (finding: PlausibilityFinding, rows: [Int])? {
        let differences = left.compactMap { index -> (index: Int, latitude: Double, longitude: Double)? in
            guard let place = place(of: index), place.extent <= .settlement, let coordinate = items[index].coordinate
            else { return nil }
            let (a, b) = (coordinate, place.coordinate)
            return (index, b.latitude - a.latitude, b.longitude - a.longitude)
        }
        let named = items.indices.count { (place(of: $0)?.extent).map { $0 <= .settlement } ?? false }
        guard differences.count >= 5, differences.count * 2 >= named else { return nil }
        let latitude = differences.map(\.latitude).sorted()[differences.count / 2]
        let longitude = differences.map(\.longitude).sorted()[differences.count / 2]
        let same = differences.filter {
            abs($0.latitude - latitude) < 0.3 && abs($0.longitude - longitude) < 0.3
        }
        // One place named in many rows is off by itself.
        let places = Set(same.compactMap { items[$0.index].words })
        guard same.count * 10 >= differences.count * 8, places.count >= 3 else { return nil }
        let parts = [
            Self.further(latitude, latitude > 0 ? "north" : "south"),
            Self.further(longitude, longitude > 0 ? "east" : "west"),
        ]
        let rows = same.map(\.index)
        let message =
            "\(count(rows)) \(verb(rows)) off by the same distance from where their words say; "
            + "they would fit \(parts.compactMap(\.self).joined(separator: " and ")); correct the file or give its --crs"
        return (PlausibilityFinding(kind: .offset, count: rows.count, row: row(of: rows), message: message), rows)
    }

    private static func further(_ degrees: Double, _ direction: String) -> String? {
        let tenths = (abs(degrees) * 10).rounded()
        return tenths < 1 ? nil : "\(tenths / 10) degrees further \(direction)"
    }
}

extension Slip {
    fileprivate var kind: PlausibilityFinding.Kind {
        switch self {
        case .exchanged: .exchanged
        case .latitudeSign: .latitudeSign
        case .longitudeSign: .longitudeSign
        case .bothSigns: .bothSigns
        case .feet: .feet
        case .metres: .metres
        }
    }
}
