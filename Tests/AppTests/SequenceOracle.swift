import Foundation

/// What there is and who may get what of it, by the rules in words: it knows nothing of the product's own types.
struct SequenceOracle: Sendable {
    /// A story.
    struct Item: Sendable {
        let owner: String
        /// When it was made, counted up.
        let order: Int
        var level = "public"
        /// The one family it is for; nil means all of its owner's.
        var family: String?
        var latitude = 0.0
        var longitude = 0.0
        var precision = "exact"
        var trustsFamily = false
        var hiddenBy: Set<String> = []
    }

    /// A point that somebody gets.
    struct Point: Hashable, Sendable {
        let latitude: Double
        let longitude: Double
    }

    var items: [String: Item] = [:]
    var deleted: Set<String> = []
    /// The members of each family, the one who made it first.
    var families: [String: [String]] = [:]

    /// Who sees a story (PRV-02).
    ///
    /// Public: everyone. Family only: members of a family its owner belongs to, or of the one named. Private: the owner.
    func sees(_ user: String?, _ item: Item) -> Bool {
        guard let user else { return item.level == "public" }
        switch item.level {
        case "public": return true
        case "family_only": return user == item.owner || isFamily(user, item)
        default: return user == item.owner
        }
    }

    private func isFamily(_ user: String, _ item: Item) -> Bool {
        if let family = item.family { return families[family]?.contains(user) == true }
        return families.values.contains { $0.contains(user) && $0.contains(item.owner) }
    }

    /// The point somebody gets (LOC-08).
    ///
    /// Exact: everyone who sees the story. Approximate: the middle of a hundredth of a degree. Hidden: none. The owner gets
    /// it exactly, and the family if the owner says so.
    func point(_ user: String?, _ item: Item) -> Point? {
        if knowsPlace(user, item) { return Point(latitude: item.latitude, longitude: item.longitude) }
        guard item.precision == "approximate" else { return nil }
        func middle(_ degrees: Double) -> Double { ((degrees * 100).rounded(.down) + 0.5) / 100 }
        return Point(latitude: middle(item.latitude), longitude: middle(item.longitude))
    }

    /// Whether somebody gets the point as it is, and its names with it.
    func knowsPlace(_ user: String?, _ item: Item) -> Bool {
        if item.precision == "exact" || user == item.owner { return true }
        return item.trustsFamily && user.map { isFamily($0, item) } == true
    }

    /// The stories somebody sees, newest first.
    func visible(to user: String?) -> [(id: String, item: Item)] {
        items.filter { sees(user, $0.value) }.sorted { $0.value.order > $1.value.order }.map { ($0.key, $0.value) }
    }

    /// The stories in somebody's views: without those they hid (PRV-06).
    func listed(for user: String?) -> [(id: String, item: Item)] {
        visible(to: user).filter { found in user.map { !found.item.hiddenBy.contains($0) } ?? true }
    }

    /// PRV-04: what was shared with a family alone becomes private to whoever is in it no more.
    mutating func leave(_ family: String, _ user: String) {
        families[family]?.removeAll { $0 == user }
        for (id, item) in items where item.family == family && item.owner == user {
            items[id]?.family = nil
            // The exact point was that family's to see, and is not handed to another in its stead.
            items[id]?.trustsFamily = false
            if item.level == "family_only" { items[id]?.level = "private" }
        }
    }
}
