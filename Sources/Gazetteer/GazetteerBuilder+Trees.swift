import Geometry

// Writing the trees that positions are looked up in.
extension GazetteerBuilder {
    /// Writes settlements, parts of settlements and ZIP codes as trees.
    func writeTrees(_ ranks: [Int], _ areas: AreaIndex, _ groups: GroupNumbers, to file: inout GazetteerFile) {
        var groups = groups
        let settlements = drafts.indices.filter { drafts[$0].kind.isSettlement || drafts[$0].kind == .neighbourhood }
        var units: [Int: Int] = [:]
        for index in settlements {
            let draft = drafts[index]
            units[index] =
                areas.find(AreaPosition(latitude: draft.latitude, longitude: draft.longitude)).unit
        }
        let parts = parts(among: settlements, units)
        func entry(_ index: Int, radius: Double) -> PlaceTreeBuilder.Entry {
            let draft = drafts[index]
            return PlaceTreeBuilder.Entry(
                position: UnitVector(latitude: draft.latitude, longitude: draft.longitude),
                radius: radius,
                place: ranks[index],
                unit: units[index].flatMap { UInt16(exactly: $0) } ?? AreaTable.none,
                group: units[index].map { areas.group(of: $0) } ?? groups.number(of: draft)
            )
        }
        var whole: [PlaceTreeBuilder.Entry] = []
        var partial: [PlaceTreeBuilder.Entry] = []
        for index in settlements {
            if parts.contains(index) {
                partial.append(entry(index, radius: 0))
            } else {
                whole.append(entry(index, radius: SettlementRadius.kilometres(population: drafts[index].population)))
            }
        }
        file.append(.settlements, bytes: PlaceTreeBuilder.bytes(whole))
        file.append(.parts, bytes: PlaceTreeBuilder.bytes(partial))
        let codes = drafts.indices.filter { drafts[$0].kind == .postcode }.map { entry($0, radius: 0) }
        file.append(.postcodes, bytes: PlaceTreeBuilder.bytes(codes))
    }

    /// The drafts that are parts of a much larger settlement around them rather than settlements of their own.
    private func parts(among settlements: [Int], _ units: [Int: Int]) -> Set<Int> {
        let large = settlements.filter { drafts[$0].population >= PartRule.smallestWhole }
        var cells: [Int: [Int]] = [:]
        func cell(_ draft: Draft, _ dx: Int, _ dy: Int) -> Int {
            let column = (Int(draft.longitude.rounded(.down)) + 540 + dx) % 360
            return (Int(draft.latitude.rounded(.down)) + 90 + dy) * 360 + column
        }
        for index in large { cells[cell(drafts[index], 0, 0), default: []].append(index) }
        // The town of a ZIP code is a town.
        let postal = Set(drafts.filter { $0.kind == .postcode }.compactMap(\.city))
        var parts: Set<Int> = []
        for index in settlements {
            let draft = drafts[index]
            if draft.kind == .neighbourhood {
                parts.insert(index)
                continue
            }
            guard !postal.contains(index) else { continue }
            let position = Coordinate(wrappingLatitude: draft.latitude, longitude: draft.longitude)
            search: for dy in -1...1 {
                for dx in -1...1 {
                    for whole in cells[cell(draft, dx, dy)] ?? []
                    where units[whole] == units[index] && drafts[whole].country == draft.country {
                        let other = drafts[whole]
                        let centre = Coordinate(wrappingLatitude: other.latitude, longitude: other.longitude)
                        guard other.population >= draft.population * PartRule.ratio else { continue }
                        let reach = SettlementRadius.kilometres(population: other.population) * PartRule.share
                        if GreatCircle.distance(position, centre) / 1000 <= reach {
                            parts.insert(index)
                            break search
                        }
                    }
                }
            }
        }
        return parts
    }
}

/// When a settlement is a part of another.
enum PartRule: Sendable {
    /// Only settlements of so many people have parts.
    static let smallestWhole = 50_000
    /// The whole has this many times the people of the part.
    static let ratio = 8
    /// The part lies within this share of the radius of the whole.
    static let share = 0.8
    /// A position belongs to the nearest part within this many kilometres, or as many as its people take up.
    static let reach = 1.5
    /// No part reaches farther.
    static let largestReach = 3.0
}
