/// What a column's name says besides privacy, by which a value that restricts elsewhere says something else: a private
/// school, a closed shop, a road for its residents.
struct ColumnTopic {
    /// The values that restrict nothing under this name.
    let harmless: Set<String>
    /// Whether "closed" may be about what is at the place; the other values or columns decide.
    let isCondition: Bool
    /// Whether a tick in the column says that something is closed: a story, or what is at the place.
    let isClosing: Bool
    /// Whether the column may be OpenStreetMap's `access`, which is about ways.
    let isWay: Bool
    /// Whether the name is written as that of a tag, as in `@access`.
    let isTag: Bool
    /// Whether the name is one of restrictions, of which none may be left.
    let namesRestrictions: Bool
    /// Whether the name asks for somebody's leave, so that "not given" is a no.
    let isAsking: Bool
    /// Whether the name is no more than that of a state, as in "Status", which a building may be refused.
    let isState: Bool

    init(_ name: String, _ words: [String]) {
        let others = words.filter { PrivacyWords.isDoubtful([$0]) && !["status", "classification"].contains($0) }
        let isPlain = others.isEmpty && !PrivacyWords.isClear(words)
        var harmless: Set<String> = []
        let isOwned = words.contains(where: ColumnTopic.owned.contains) || ColumnTopic.owners.contains(words)
        if isPlain, isOwned { harmless.formUnion(ColumnTopic.private) }
        if isPlain, words.contains("status"), words.contains(where: ColumnTopic.operated.contains) {
            harmless.insert("closed")
        }
        self.harmless = harmless
        isCondition = words.contains("status") && words.allSatisfy(["status", "current", "present"].contains)
        isClosing = words.contains(where: ["closed", "закрыто", "закрыт"].contains) && PrivacyWords.isInverse(words)
        isWay = words == ["access"]
        isTag = name.hasPrefix("@")
        namesRestrictions = words.contains { $0.contains("restrict") || $0.hasPrefix("condition") }
        isAsking = PrivacyWords.isAsking(words)
        isState = others.isEmpty && words.contains(where: ["status", "classification"].contains)
    }

    /// What is private or public by its owner.
    private static let owned: Set<String> = [
        "school", "schools", "college", "university", "ownership", "hospital", "clinic", "sector", "tenure", "cemetery",
        "housing", "landowner",
    ]
    private static let owners: Set = [["owner", "type"], ["operator", "type"]]
    private static let `private`: Set<String> = ["private", "privat", "privé", "privado", "privada"]
    /// What is open or closed by its opening hours.
    private static let operated: Set<String> = [
        "business", "shop", "store", "school", "building", "operating", "operational", "restaurant", "mine", "hotel",
        "factory", "theater", "theatre", "hospital", "station", "airport", "bridge",
    ]
    /// Conditions of a building or shop, which no story has.
    static let conditions: Set<String> = [
        "operating", "operational", "demolished", "razed", "abandoned", "vacant", "standing", "extant", "ruins", "ruin",
        "destroyed", "bankrupt", "permanently_closed", "temporarily_closed", "out_of_business", "in_business",
        "relocated",
    ]
    /// The values of OpenStreetMap's `access`.
    static let ways: Set<String> = [
        "yes", "no", "private", "permissive", "permit", "destination", "customers", "delivery", "designated",
        "agricultural", "forestry", "public", "unknown", "residents", "discouraged", "military", "emergency",
    ]
    /// Those of them that say nothing about a story.
    static let waysAlone: Set<String> = ["customers", "destination", "delivery", "agricultural", "forestry"]
}

/// The other columns of a file, by which a doubtful column may be about something other than privacy.
struct ColumnNeighbours {
    /// Whether the file has features of OpenStreetMap.
    let isMap: Bool
    /// Whether the file is about shops and the like, which open and close.
    let isOpened: Bool

    init(_ names: some Sequence<String>) {
        let names = Set(names.lazy.map(ImportField.normalized))
        // Geocoders add `osm_id`, and parts of an address such as `amenity`, to tables of stories.
        isMap = !names.isDisjoint(with: ["highway", "amenity"]) && !names.isDisjoint(with: ColumnNeighbours.ways)
        // Archives have columns "Opened" and "Opening date", too.
        isOpened = !names.isDisjoint(with: ["opening_hours", "year_opened", "opening_year", "shop", "cuisine"])
    }

    private static let ways: Set<String> = [
        "@id", "osm_way_id", "surface", "service", "lanes", "maxspeed", "oneway", "parking", "capacity", "barrier",
        "bicycle", "foot", "motor_vehicle", "fee", "smoothness", "tracktype", "junction",
    ]
}
