import Foundation
import GRDB
import Stories

/// The periods in which a viewer could see each layer, as far back as a sync reaches.
struct AudienceHistory {
    /// A period in which the viewer could see a layer, from the first stamp up to but excluding the second.
    struct Period: Hashable {
        let layer: String
        let from: Int64
        /// The end of the period; `Int64.max` while it lasts.
        let until: Int64
    }

    /// All periods that end after the last sync, including those of layers still visible.
    let periods: [Period]
    /// The families the viewer has joined or left since the last sync.
    let changedFamilies: [String]
    /// The owners with whom the viewer has started or stopped sharing a family since the last sync.
    let changedKin: [String]
}

@available(*, unavailable)
extension AudienceHistory: Sendable {}

extension StoreReader {
    /// A period of a person's membership in a family; `user` may be the pseudonym of an erased user.
    private struct Membership {
        let family: String
        let user: String
        let from: Int64
        let until: Int64
    }

    /// Returns the periods in which `viewer` could see layers since a stamp, apart from the viewer's own stories.
    func audienceHistory(of viewer: Viewer, since start: Int64) throws -> AudienceHistory {
        let everybody = AudienceHistory.Period(layer: VisibilityLayer.public.text, from: 0, until: .max)
        guard let user = viewer.user?.rawValue else {
            return AudienceHistory(periods: [everybody], changedFamilies: [], changedKin: [])
        }
        let own = try memberships(where: "user", user, since: start)
        var periods: Set<AudienceHistory.Period> = [everybody]
        var changedKin: Set<String> = []
        let pseudonyms = try erasurePseudonyms()
        for family in Set(own.map(\.family)).sorted() {
            let mine = own.filter { $0.family == family }
            for period in mine {
                let layer = VisibilityLayer.groupText(family)
                periods.insert(AudienceHistory.Period(layer: layer, from: period.from, until: period.until))
            }
            for other in try memberships(where: "family", family, since: start) where other.user != user {
                for period in mine where max(period.from, other.from) < min(period.until, other.until) {
                    let from = max(period.from, other.from)
                    let until = min(period.until, other.until)
                    // Some records of a user who is being erased are already stored under the pseudonym.
                    for name in [other.user] + [pseudonyms[other.user]].compactMap(\.self) {
                        let layer = VisibilityLayer.kinText(name)
                        periods.insert(AudienceHistory.Period(layer: layer, from: from, until: until))
                    }
                    if from >= start || until < .max { changedKin.insert(other.user) }
                }
            }
        }
        let changedFamilies = Set(own.filter { $0.from >= start || $0.until < .max }.map(\.family))
        return AudienceHistory(
            periods: periods.sorted { ($0.layer, $0.from, $0.until) < ($1.layer, $1.from, $1.until) },
            changedFamilies: changedFamilies.sorted(),
            changedKin: changedKin.sorted()
        )
    }

    /// Returns the memberships with `value` in `column` (`user` or `family`) that are current or ended at `start` or
    /// later.
    private func memberships(where column: String, _ value: String, since start: Int64) throws -> [Membership] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT family, user, since_stamp AS start, NULL AS until_stamp FROM memberships WHERE \(column) = ?1
                UNION ALL SELECT family, user, from_stamp, until_stamp FROM past_memberships
                WHERE \(column) = ?1 AND until_stamp >= ?2
                """
        )
        return try Row.fetchAll(statement, arguments: [value, start])
            .map { row in
                Membership(
                    family: row["family"],
                    user: row["user"],
                    from: row["start"],
                    until: row["until_stamp"] ?? .max
                )
            }
    }
}
