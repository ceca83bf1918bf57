import Gazetteer
import Geometry

// Writes the trees for looking up positions.
extension GazetteerBuilder {
    /// The distance in kilometres, added in quadrature to the radius of a town with its own ZIP code, because the
    /// country roads around such a town belong to it.
    static let postalReach = 3.0
    /// The radius in kilometres beyond which settlements are in a separate tree.
    static let largeRadius = 3.5

    /// Writes trees of settlements, parts of settlements and ZIP codes.
    mutating func writeTrees(
        _ ranks: [Int],
        _ areas: AreaIndex,
        _ space: ScratchSpace,
        to file: inout GazetteerFile
    ) throws {
        let groups = PlaceGroups(self)
        var units: [Int: Int] = [:]
        let places = drafts.indices.filter { drafts[$0].kind.isSettlement || drafts[$0].kind.isPart }
        for index in places {
            units[index] =
                areas.find(AreaPosition(latitude: drafts[index].latitude, longitude: drafts[index].longitude)).unit
        }
        /// Returns the group of a place according to the outline around it, so that positions and the settlements
        /// around them have the same group.
        ///
        /// County outlines are more exact than region outlines. If a settlement's record nevertheless gives a different
        /// country than the county around it, the record is used.
        func group(of index: Int) -> UInt16 {
            guard let unit = units[index] else { return groups.number(of: drafts[index]) }
            let isForeign = unit < areas.countyCount && areas.country(of: unit) != Int(drafts[index].country)
            return isForeign ? groups.number(of: drafts[index]) : areas.group(of: unit)
        }
        func entry(_ index: Int, radius: Double) -> PlaceTreeBuilder.Entry {
            PlaceTreeBuilder.Entry(
                position: UnitVector(latitude: drafts[index].latitude, longitude: drafts[index].longitude),
                radius: radius,
                place: ranks[index],
                unit: units[index].flatMap { UInt16(exactly: $0) } ?? AreaFormat.none,
                group: group(of: index)
            )
        }
        let settlements = places.filter { drafts[$0].kind.isSettlement }
        for (part, whole) in parts(among: settlements, units, areas) where drafts[part].city == nil {
            drafts[part].city = whole
        }
        let posts = Set(drafts.filter { $0.kind == .postcode }.compactMap(\.city))
        let boroughs = boroughs(among: places, units)
        var whole: [PlaceTreeBuilder.Entry] = []
        var partial: [PlaceTreeBuilder.Entry] = []
        var strays: [PlaceTreeBuilder.Entry] = []
        for index in places {
            let city = drafts[index].city
            if city != nil || drafts[index].kind.isPart { partial.append(entry(index, radius: -distance(of: index))) }
            // A borough that forms its own county counts as a city of its own.
            guard drafts[index].kind.isSettlement && city == nil || boroughs.contains(index) else { continue }
            let radius = SettlementRadius.kilometres(population: drafts[index].population)
            let postal = (radius * radius + Self.postalReach * Self.postalReach).squareRoot()
            var settlement = entry(index, radius: posts.contains(index) ? postal : radius)
            whole.append(settlement)
            // If outline and record give different groups, the settlement is entered with both.
            let declared = groups.number(of: drafts[index])
            guard declared != settlement.group else { continue }
            settlement.group = declared
            whole.append(settlement)
            strays.append(entry(index, radius: 0))
        }
        let large = Float(Self.largeRadius)
        let codes = drafts.indices.filter { drafts[$0].kind == .postcode }.map { entry($0, radius: 0) }
        var held: [GazetteerFormat.Section: GazetteerBytes] = [:]
        for (section, entries) in [
            (GazetteerFormat.Section.settlements, whole.filter { $0.radius <= large }),
            (.largeSettlements, whole.filter { $0.radius > large }), (.strays, strays), (.parts, partial),
            (.postcodes, codes),
        ] {
            var sorted = entries.sorted { $0.place < $1.place }
            let nodes = try PlaceTreeBuilder.write(&sorted, space)
            file.append(section, nodes)
            held[section] = GazetteerBytes(try nodes.read(from: 0, count: nodes.count))
        }
        writeHints(held, to: &file)
    }

    /// Writes the starting points for searches among settlements.
    private func writeHints(_ trees: [GazetteerFormat.Section: GazetteerBytes], to file: inout GazetteerFile) {
        func tree(_ section: GazetteerFormat.Section) -> PlaceTree {
            PlaceTree(nodes: trees[section]?.view ?? .empty)
        }
        let hints = PlaceHintsWriter(
            settlements: tree(.settlements),
            large: tree(.largeSettlements),
            parts: tree(.parts),
            strays: tree(.strays)
        )
        let bytes = hints.cells()
        withExtendedLifetime(trees) {}
        file.append(.hints, bytes: bytes)
    }

    /// Returns the boroughs: for each city, the largest part in every other county.
    private func boroughs(among places: [Int], _ units: [Int: Int]) -> Set<Int> {
        struct Share: Hashable {
            let city: Int
            let unit: Int?
        }
        var largest: [Share: Int] = [:]
        for index in places where drafts[index].population >= PartRule.smallestBorough {
            guard let city = drafts[index].city, units[city] != units[index] else { continue }
            let share = Share(city: city, unit: units[index])
            if largest[share].map({ drafts[$0].population >= drafts[index].population }) ?? false { continue }
            largest[share] = index
        }
        return Set(largest.values)
    }

    private func distance(of index: Int) -> Double {
        PartRule.distance(of: drafts[index].kind, isFormer: drafts[index].years.to != nil)
    }

    /// Returns the drafts that are parts of a much larger settlement around them, with that settlement.
    ///
    /// Settlements in a county are skipped: in countries with counties, the tables list the parts of all cities;
    /// elsewhere, only those of the largest cities.
    private func parts(among settlements: [Int], _ units: [Int: Int], _ areas: AreaIndex) -> [(Int, Int)] {
        let large = settlements.filter { drafts[$0].population >= PartRule.smallestWhole }
        var cells: [Int: [Int]] = [:]
        func cell(_ draft: Draft, _ dx: Int, _ dy: Int) -> Int {
            let column = (Int(draft.longitude.rounded(.down)) + 540 + dx) % 360
            return (Int(draft.latitude.rounded(.down)) + 90 + dy) * 360 + column
        }
        for index in large { cells[cell(drafts[index], 0, 0), default: []].append(index) }
        var parts: [(Int, Int)] = []
        for index in settlements where (units[index] ?? -1) >= areas.countyCount {
            let draft = drafts[index]
            let position = Coordinate(wrappingLatitude: draft.latitude, longitude: draft.longitude)
            var largest: Int?
            for dy in -1...1 {
                for dx in -1...1 {
                    for whole in cells[cell(draft, dx, dy)] ?? []
                    where units[whole] == units[index] && drafts[whole].country == draft.country {
                        let other = drafts[whole]
                        let centre = Coordinate(wrappingLatitude: other.latitude, longitude: other.longitude)
                        guard other.population >= draft.population * PartRule.ratio, whole != index else { continue }
                        let reach = SettlementRadius.kilometres(population: other.population) * PartRule.share
                        guard GreatCircle.distance(position, centre) / 1000 <= reach else { continue }
                        guard largest.map({ drafts[$0].population < other.population }) ?? true else { continue }
                        largest = whole
                    }
                }
            }
            if let largest { parts.append((index, largest)) }
        }
        return parts
    }
}

// The rules for when a settlement is part of another.
extension PartRule {
    /// The minimum population of a settlement with parts.
    static let smallestWhole = 50_000
    /// The minimum ratio between the populations of the whole and the part.
    static let ratio = 8
    /// The fraction of the whole's radius within which the part must lie.
    static let share = 0.8
    /// The minimum population of a borough, a part in another county than its city.
    static let smallestBorough = 100_000
}
