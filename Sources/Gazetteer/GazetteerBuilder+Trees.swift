import Geometry

// Writing the trees that positions are looked up in.
extension GazetteerBuilder {
    /// Country roads around a town with a ZIP code of its own belong to it for so many kilometres more.
    private static let postalReach = 3.0
    /// Settlements that reach farther than this, in kilometres, stand in a tree of their own.
    private static let largeRadius = 3.5

    /// Writes settlements, parts of settlements and ZIP codes as trees.
    mutating func writeTrees(_ ranks: [Int], _ areas: AreaIndex, _ groups: GroupNumbers, to file: inout GazetteerFile) {
        var groups = groups
        let settlements = drafts.indices.filter { drafts[$0].kind.isSettlement || drafts[$0].kind == .neighbourhood }
        var units: [Int: Int] = [:]
        for index in settlements {
            let draft = drafts[index]
            units[index] =
                areas.find(AreaPosition(latitude: draft.latitude, longitude: draft.longitude)).unit
        }
        // The town of a ZIP code is a town, whatever lies around it.
        let postTowns = Set(drafts.filter { $0.kind == .postcode }.compactMap(\.city))
        let parts = parts(among: settlements.filter { !postTowns.contains($0) }, settlements, units, areas)
        /// Outlines tell groups apart, the same for a position and the settlements around it; but those of counties are
        /// so exact that a settlement which says that it lies elsewhere does.
        func group(of index: Int) -> UInt16 {
            guard let unit = units[index] else { return groups.number(of: drafts[index]) }
            let isForeign = unit < areas.countyCount && areas.country(of: unit) != Int(drafts[index].country)
            return isForeign ? groups.number(of: drafts[index]) : areas.group(of: unit)
        }
        func entry(_ index: Int, radius: Double) -> PlaceTreeBuilder.Entry {
            let draft = drafts[index]
            return PlaceTreeBuilder.Entry(
                position: UnitVector(latitude: draft.latitude, longitude: draft.longitude),
                radius: radius,
                place: ranks[index],
                unit: units[index].flatMap { UInt16(exactly: $0) } ?? AreaTable.none,
                group: group(of: index)
            )
        }
        var whole: [PlaceTreeBuilder.Entry] = []
        var partial: [PlaceTreeBuilder.Entry] = []
        for index in settlements {
            if let whole = parts[index] {
                drafts[index].city = drafts[index].city ?? whole
                partial.append(entry(index, radius: 0))
            } else {
                let radius = SettlementRadius.kilometres(population: drafts[index].population)
                let postal = (radius * radius + Self.postalReach * Self.postalReach).squareRoot()
                whole.append(entry(index, radius: postTowns.contains(index) ? postal : radius))
            }
        }
        let large = Float(Self.largeRadius)
        file.append(.settlements, bytes: PlaceTreeBuilder.bytes(whole.filter { $0.radius <= large }))
        file.append(.largeSettlements, bytes: PlaceTreeBuilder.bytes(whole.filter { $0.radius > large }))
        file.append(.parts, bytes: PlaceTreeBuilder.bytes(partial))
        let codes = drafts.indices.filter { drafts[$0].kind == .postcode }.map { entry($0, radius: 0) }
        file.append(.postcodes, bytes: PlaceTreeBuilder.bytes(codes))
    }

    /// The drafts that are parts of a much larger settlement around them rather than settlements of their own, with it.
    private func parts(
        among candidates: [Int],
        _ settlements: [Int],
        _ units: [Int: Int],
        _ areas: AreaIndex
    ) -> [Int: Int?] {
        let large = settlements.filter { drafts[$0].population >= PartRule.smallestWhole }
        var cells: [Int: [Int]] = [:]
        func cell(_ draft: Draft, _ dx: Int, _ dy: Int) -> Int {
            let column = (Int(draft.longitude.rounded(.down)) + 540 + dx) % 360
            return (Int(draft.latitude.rounded(.down)) + 90 + dy) * 360 + column
        }
        for index in large { cells[cell(drafts[index], 0, 0), default: []].append(index) }
        var parts: [Int: Int?] = [:]
        for index in settlements where drafts[index].kind == .neighbourhood {
            parts.updateValue(drafts[index].city, forKey: index)
        }
        for index in candidates where parts[index] == nil {
            let draft = drafts[index]
            let rule = units[index].map { $0 < areas.countyCount } ?? false ? PartRule.inCounties : .elsewhere
            let position = Coordinate(wrappingLatitude: draft.latitude, longitude: draft.longitude)
            var most = 0
            for dy in -1...1 {
                for dx in -1...1 {
                    for whole in cells[cell(draft, dx, dy)] ?? []
                    where units[whole] == units[index] && drafts[whole].country == draft.country {
                        let other = drafts[whole]
                        let centre = Coordinate(wrappingLatitude: other.latitude, longitude: other.longitude)
                        guard other.population >= draft.population * rule.ratio, whole != index else { continue }
                        let reach = SettlementRadius.kilometres(population: other.population) * rule.share
                        guard GreatCircle.distance(position, centre) / 1000 <= reach, other.population > most
                        else { continue }
                        most = other.population
                        parts.updateValue(whole, forKey: index)
                    }
                }
            }
        }
        return parts
    }
}

/// When a settlement is a part of another.
struct PartRule: Sendable {
    /// The whole has this many times the people of the part.
    let ratio: Int
    /// The part lies within this share of the radius of the whole.
    let share: Double

    /// Only settlements of so many people have parts.
    static let smallestWhole = 50_000
    /// A position belongs to the nearest part within this many kilometres.
    static let reach = 1.5

    /// Towns of their own are mostly known by their ZIP code or lie in another county.
    static let inCounties = PartRule(ratio: 3, share: 1)
    static let elsewhere = PartRule(ratio: 8, share: 0.8)
}
