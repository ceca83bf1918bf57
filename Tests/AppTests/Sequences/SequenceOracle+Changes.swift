// What changes of people and families do to stories.
extension SequenceOracle {
    /// PRV-04: what was shared with a family alone becomes private to whoever is in it no more.
    mutating func leave(_ family: String, _ user: String) {
        families[family]?.removeAll { $0 == user }
        for (id, item) in items where item.family == family && item.owner == user {
            items[id] = SequenceOracle.withdrawn(item)
        }
    }

    private static func withdrawn(_ item: Item) -> Item {
        var item = item
        item.family = nil
        // The exact point was that family's to see, and is not handed to another in its stead.
        item.place?.trustsFamily = false
        if item.level == "family_only" { item.level = "private" }
        return item
    }

    /// PRV-07: a deleted story is gone for everybody, and kept for the retention.
    mutating func delete(_ id: String) {
        retained[id] = items.removeValue(forKey: id)
        deleted[id] = retained[id]?.owner
    }

    /// Brings a deleted story back, without a family its owner is not in any more.
    mutating func restore(_ id: String) {
        guard let item = retained.removeValue(forKey: id) else { return }
        let isMember = item.family.map { families[$0]?.contains(item.owner) == true } ?? true
        items[id] = isMember ? item : SequenceOracle.withdrawn(item)
        deleted.removeValue(forKey: id)
    }

    /// Erases a person with everything of theirs; somebody of that name who comes later is a stranger.
    mutating func erase(_ user: String) {
        for (family, members) in families where members.contains(user) {
            leave(family, user)
            // Who joined first is the owner now; there is no family without members.
            if members.count == 1 { families[family] = nil }
        }
        for (id, item) in items where item.owner == user {
            items[id] = nil
            deleted[id] = .some(nil)
        }
        retained = retained.filter { $0.value.owner != user }
        deleted = deleted.mapValues { $0 == user ? nil : $0 }
        for id in items.keys {
            items[id]?.hiddenBy.remove(user)
            items[id]?.likedBy.remove(user)
        }
        for id in retained.keys {
            retained[id]?.hiddenBy.remove(user)
            retained[id]?.likedBy.remove(user)
        }
        // What withholds a story stays in force without its reporter's name; other reports go.
        reports = reports.filter { $0.value.reporter != user || $0.value.status == "actioned" }
            .mapValues { report in
                var report = report
                if report.reporter == user { report.reporter = nil }
                return report
            }
        accesses = Set(
            accesses.filter { $0.owner != user }
                .map { access in
                    var access = access
                    if access.reader == user { access.reader = nil }
                    return access
                }
        )
    }
}
