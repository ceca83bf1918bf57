import Geometry

/// Finds the mistakes that explain why positions lie in the sea, or far from where their words say.
///
/// A position alone proves little, so a doubt needs two signs: it lies where it should not, and it would lie where it
/// should if one mistake were undone.
struct PlausibilityRule {
    typealias Item = PlausibilitySample.Item

    private let items: [Item]
    private let expected: [PlaceCandidate?]
    private let outlines: any MapOutlines
    private let regions: [MapRegion]
    /// Whether each row lies where it should; `nil` if its words say where and it does not.
    private let isGood: [Bool]
    /// The country in which most of the good rows lie.
    private let country: String?
    /// The cells of one degree in which good rows lie.
    private let home: Set<[Int]>

    /// Rows within this distance of 0, 0, in degrees, have no position.
    private static let zero = 0.05

    init(items: [Item], expected: [PlaceCandidate?], outlines: any MapOutlines) {
        (self.items, self.expected, self.outlines) = (items, expected, outlines)
        let regions = PlausibilityRule.regions(of: items.map(\.coordinate), outlines)
        self.regions = regions
        let isGood = items.indices.map { index in
            let item = items[index]
            guard let coordinate = item.coordinate else { return false }
            if let place = item.words.flatMap({ expected[$0] }) { return place.isNear(coordinate) }
            return regions[index].isLikely
        }
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

    /// Returns the doubts, the one that concerns the most rows first.
    func findings() -> [PlausibilityFinding] {
        var left = items.indices.filter { !isGood[$0] }
        var found = flipped()
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
        if let finding = elsewhere(left) { found.append(finding) }
        return found.sorted { ($0.count, $1.row ?? 0) > ($1.count, $0.row ?? 0) }
    }

    private func place(of index: Int) -> PlaceCandidate? { items[index].words.flatMap { expected[$0] } }

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
    /// Returns the mistake that explains the most rows, with these rows; `nil` if none explains any.
    private func bestSlip(for left: [Int]) -> (Slip, [Int])? {
        guard !left.isEmpty else { return nil }
        let all = Slip.allCases.map { ($0, explained(by: $0, left)) }
        // Of equal ones, the first in order.
        return all.max { $0.1.count < $1.1.count }.flatMap { $0.1.isEmpty ? nil : $0 }
    }

    /// Returns the rows that would lie where they should if a mistake were undone.
    private func explained(by slip: Slip, _ left: [Int]) -> [Int] {
        let corrected = left.map { items[$0].raw.flatMap(slip.corrected) }
        let worded = left.indices.filter { at in
            guard let coordinate = corrected[at], let place = place(of: left[at]) else { return false }
            return place.isNear(coordinate)
        }
        return (worded + wordless(corrected, left)).map { left[$0] }.sorted()
    }

    /// Returns the rows without words that would lie in the country of the others or, if all lie in the sea, together
    /// on land.
    private func wordless(_ corrected: [Coordinate?], _ left: [Int]) -> [Int] {
        let asked = left.indices.filter { place(of: left[$0]) == nil }
        let regions = PlausibilityRule.regions(of: asked.map { corrected[$0] }, outlines)
        if let country {
            // A ship at sea is no mistake, unless it would lie close to the others.
            return zip(asked, regions)
                .filter { at, region in region.country == country && corrected[at].map(isHome) ?? false }
                .map(\.0)
        }
        let likely = zip(asked, regions).filter { $0.1.isLikely }
        let wordlessRows = items.indices.count { place(of: $0) == nil }
        // One or two rows are few signs, unless the file has no others.
        guard asked.count >= min(3, items.count), asked.count * 10 >= wordlessRows * 8,
            likely.count * 10 >= asked.count * 9
        else { return [] }
        let most = PlausibilityRule.mostFrequent(likely.compactMap { $0.1.country })?.count ?? 0
        return most * 10 >= likely.count * 8 ? likely.map(\.0) : []
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
    private func count(_ rows: [Int]) -> String {
        "\(rows.count) of \(items.count) position\(items.count == 1 ? "" : "s")"
    }

    private func verb(_ rows: [Int]) -> String { rows.count == 1 ? "lies" : "lie" }

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
    private func flipped() -> [PlausibilityFinding] {
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
            } else if place(of: index) == nil {
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
                return rows.count >= 2 || (rows.count == 1 && isAlone) ? finding(slip, rows) : nil
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

    /// Finds rows that lie far from where their words say, if they are more than a few.
    private func elsewhere(_ left: [Int]) -> PlausibilityFinding? {
        let far = left.filter { index in
            guard let place = place(of: index), let coordinate = items[index].coordinate else { return false }
            return GreatCircle.distance(place.coordinate, coordinate) > place.radius + 300_000
        }
        let worded = items.indices.count { place(of: $0) != nil }
        guard far.count >= 3, far.count * 50 >= worded, let first = far.min(by: { items[$0].row < items[$1].row }),
            let place = place(of: first), let coordinate = items[first].coordinate
        else { return nil }
        let kilometres = Int((GreatCircle.distance(place.coordinate, coordinate) / 1_000).rounded())
        let message =
            "\(count(far)) lie far from where their words say, here \(kilometres) km; compare positions and names"
        return PlausibilityFinding(kind: .elsewhere, count: far.count, row: items[first].row, message: message)
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

extension PlaceCandidate {
    /// Returns whether a position may well be in or around the place.
    ///
    /// Generous: names of settlements also stand for what lies around them, and boxes of countries are rough.
    func isNear(_ position: Coordinate) -> Bool {
        if let box, extent >= .county { return box.expanded(byMetres: 60_000).contains(position) }
        let reach = extent <= .settlement ? 60_000 + 2 * radius : 100_000 + 1.5 * radius
        return GreatCircle.distance(coordinate, position) <= reach
    }
}
