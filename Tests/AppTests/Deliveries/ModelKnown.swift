/// What is known of who was told what: what feeds, answers, streams and ends showed at any time.
struct ModelKnown: Sendable {
    /// A notification.
    struct Item: Sendable {
        /// Its type, once it was seen.
        var type: String?
        /// All stories it ever told of.
        var contents: Set<String> = []
        /// The ends that need not have taken it: it was withdrawn before.
        var excusedEnds: Set<String> = []
        /// Whether the stream need not have told it.
        var isExcusedInStream = false
        /// Whether it came while something was withdrawn, so that nobody knows what it had to become.
        var isUncertain = false

        var isNearby: Bool { type == "story.nearby" }
    }

    /// By person, and by its id.
    var items: [String: [String: Item]] = [:]

    /// Notes that there are notifications; `isExcused` says that something was withdrawn at the same time.
    mutating func note(_ ids: [String], to person: String, isExcused: Bool) {
        for id in ids {
            // Answers to fixes name nothing else.
            let new = Item(type: "story.nearby", isUncertain: isExcused)
            if items[person]?[id] == nil { items[person, default: [:]][id] = new }
        }
    }

    /// Notes what a notification tells of.
    mutating func note(_ id: String, type: String, contents: Set<String>, to person: String) {
        var item = items[person]?[id] ?? Item()
        // What names nothing any more keeps its type.
        if type != "gone" || item.type == nil { item.type = type }
        item.contents.formUnion(contents)
        items[person, default: [:]][id] = item
    }

    /// How many notifications of a type told somebody of a story.
    func count(of story: String, to person: String, type: String) -> Int {
        items[person, default: [:]].values.count { $0.type == type && $0.contents.contains(story) }
    }
}
