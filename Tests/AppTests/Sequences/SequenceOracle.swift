/// What there is and who may get what of it, by the rules in words: it knows nothing of the product's own types.
struct SequenceOracle: Sendable {
    /// Where a story is, and how exactly its owner lets others know.
    struct Place: Sendable {
        var latitude: Double
        var longitude: Double
        var choice = Coarseness.exact
        var trustsFamily = false
    }

    /// How coarsely a point is shown: the side of its cell in hundredths of a degree.
    enum Coarseness: Sendable {
        static let exact = 0
        static let hidden = Int.max
        static let all = [exact, 1, 10, 100, hidden]
    }

    /// A story.
    struct Item: Sendable {
        let owner: String
        /// When it was made, in milliseconds since 1970.
        let created: Int64
        /// The level its owner chose.
        var level = "public"
        /// The one family it is for; nil means all of its owner's.
        var family: String?
        var place: Place?
        var hiddenBy: Set<String> = []
        /// Whose favourite it is.
        var likedBy: Set<String> = []
        /// When it happened, if that is known.
        var year: Int?
        /// Whether a service holds it private for the time being (PRV-05).
        var isAutoPrivate = false
        /// Whether it was ever elsewhere: then somebody may be told of it again.
        var hasMoved = false
    }

    /// A report and what became of it.
    struct Report: Hashable, Sendable {
        let story: String
        var reporter: String?
        var status = "pending"
    }

    /// That somebody got a point that others do not get.
    struct Access: Hashable, Sendable {
        let owner: String
        let story: String
        var reader: String?
        let day: Int
    }

    /// A point that somebody gets, to seven decimals of a degree.
    struct Point: Hashable, Sendable {
        let latitude: Double
        let longitude: Double

        init(latitude: Double, longitude: Double) {
            self.latitude = Point.rounded(latitude)
            self.longitude = Point.rounded(longitude)
        }

        private static func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }
    }

    /// Stories with their ids, in an order that matters.
    typealias Found = [(id: String, item: Item)]

    var items: [String: Item] = [:]
    /// Whose accounts a service holds private for the time being.
    var flagged: Set<String> = []
    /// What can be restored.
    var retained: [String: Item] = [:]
    /// What there is not any more, retained or not, with whose it was as long as they are there.
    var deleted: [String: String?] = [:]
    /// The members of each family, the one who made it first, the others as they joined.
    var families: [String: [String]] = [:]
    /// The operator's sensitive areas.
    var areas: [SequenceArea] = []
    /// By tracking id.
    var reports: [String: Report] = [:]
    var accesses: Set<Access> = []

    // MARK: Who sees what

    /// The level that takes effect: private while a service or an operator holds it so.
    func level(_ id: String, _ item: Item) -> String {
        item.isAutoPrivate || isWithheld(id) ? "private" : item.level
    }

    /// PRV-06: a story with a report that was acted upon is its owner's alone.
    func isWithheld(_ id: String) -> Bool {
        reports.values.contains { $0.story == id && $0.status == "actioned" }
    }

    /// Who sees a story (PRV-02).
    ///
    /// Public: everyone. Family only: members of a family its owner belongs to, or of the one named. Private: the owner.
    func sees(_ user: String?, _ id: String, _ item: Item) -> Bool {
        let level = level(id, item)
        guard let user else { return level == "public" }
        switch level {
        case "public": return true
        case "family_only": return user == item.owner || isFamily(user, item)
        default: return user == item.owner
        }
    }

    private func isFamily(_ user: String, _ item: Item) -> Bool {
        if let family = item.family { return families[family]?.contains(user) == true }
        return families.values.contains { $0.contains(user) && $0.contains(item.owner) }
    }

    /// The stories somebody sees, newest first.
    func visible(to user: String?) -> Found {
        items.filter { sees(user, $0.key, $0.value) }
            .sorted { a, b in
                let (mine, other) = (created(user, a.value), created(user, b.value))
                return mine != other ? mine > other : a.key < b.key
            }
            .map { ($0.key, $0.value) }
    }

    /// The stories in somebody's views: without those they hid (PRV-06).
    func listed(for user: String?) -> Found {
        visible(to: user).filter { found in user.map { !found.item.hiddenBy.contains($0) } ?? true }
    }

    /// Whether somebody's list of this view has a story that they see.
    func isInView(_ view: String, _ user: String?, _ id: String, _ item: Item) -> Bool {
        switch view {
        case "shared": level(id, item) == "public"
        case "family": level(id, item) == "family_only"
        default: item.owner == user
        }
    }

    /// Whether a story that somebody sees was given to this family of theirs.
    func isGiven(to family: String, _ user: String?, _ id: String, _ item: Item) -> Bool {
        guard let user, let members = families[family], members.contains(user) else { return false }
        return level(id, item) == "family_only" && (item.family.map { $0 == family } ?? members.contains(item.owner))
    }

    // MARK: Which point

    /// How coarsely somebody gets the point of a story with a place (LOC-08).
    ///
    /// The owner exactly; the family, if so set, as the operator allows; others as the owner and the operator allow.
    func coarseness(_ user: String?, _ item: Item) -> Int {
        guard let place = item.place else { return Coarseness.hidden }
        if user == item.owner { return Coarseness.exact }
        if place.trustsFamily, let user, isFamily(user, item) { return floor(of: place) }
        return published(place)
    }

    private func published(_ place: Place) -> Int { max(place.choice, floor(of: place)) }

    /// The most exact that the operator lets others have: the coarsest of the areas that what the owner shows touches.
    func floor(of place: Place) -> Int {
        areas.filter { $0.touches(place) }.map(\.coarseness).max() ?? Coarseness.exact
    }

    /// The point somebody gets.
    func point(_ user: String?, _ item: Item) -> Point? {
        item.place.flatMap { SequenceOracle.point($0, coarseness(user, item)) }
    }

    /// The point that fences and accesses go by: what everybody gets who is neither owner nor trusted.
    func publishedPoint(_ item: Item) -> Point? {
        item.place.flatMap { SequenceOracle.point($0, published($0)) }
    }

    private static func point(_ place: Place, _ coarseness: Int) -> Point? {
        switch coarseness {
        case Coarseness.exact: return Point(latitude: place.latitude, longitude: place.longitude)
        case Coarseness.hidden: return nil
        default:
            // The middle of the cell, counted in cells from zero.
            let cells = 100 / Double(coarseness)
            func middle(_ degrees: Double) -> Double { ((degrees * cells).rounded(.down) + 0.5) / cells }
            return Point(latitude: middle(place.latitude), longitude: middle(place.longitude))
        }
    }

    /// The stories that can be told to somebody at the moment: those of others that have a published point.
    func tellable(to user: String, _ stories: Found) -> Found {
        stories.filter { $0.item.owner != user && publishedPoint($0.item) != nil }
    }
}
