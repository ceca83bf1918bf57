/// Words that restrict elsewhere and are what something is about: "Private schools", "Hidden history".
enum PrivacyTopics {
    /// What is private without being anybody's secret; plurals only, since "Private home videos" are what they say.
    private static let privateTopics: Set<String> = [
        "homes", "houses", "residences", "dwellings", "gardens", "schools", "academies", "colleges", "universities",
        "clubs", "hospitals", "clinics", "libraries", "museums", "chapels", "cemeteries", "estates", "mansions",
        "villas", "parks", "beaches", "islands", "roads", "streets", "lanes", "railways", "railroads", "banks",
        "companies", "businesses", "railcars", "airfields", "airports", "schoolhouses", "bridges",
    ]
    private static let secretTopics: Set<String> = [
        "garden", "gardens", "societies", "agents", "passages", "tunnels", "beaches", "gospels", "ballots", "cities",
    ]
    private static let hiddenTopics: Set<String> = [
        "history", "histories", "gems", "treasures", "gardens", "valleys", "lakes", "rivers", "beaches", "figures",
    ]
    /// What may follow a topic, as in "Private schools of Georgia".
    private static let followers: Set<String> = ["of", "in", "at", "near", "around", "on"]
    /// Words by which a name is about the file or its people, so that what restricts may restrict them.
    private static let own: Set<String> = [
        "my", "our", "us", "we", "your", "his", "her", "their", "family", "families", "personal", "friends", "members",
        "staff", "only", "not", "no", "from", "for", "by", "until", "till", "relatives", "familie", "famille",
        "familia", "família", "famiglia", "mother", "father", "mum", "mom", "dad", "grandma", "grandpa", "grandmother",
        "grandfather", "aunt", "uncle", "children", "kids", "home", "homes", "house", "address", "addresses", "story",
        "stories", "place", "places", "point", "points", "pin", "pins", "layer", "layers", "item", "items", "record",
        "records", "note", "notes", "file", "files", "data", "interview", "interviews", "photo", "photos", "picture",
        "pictures", "map", "maps", "marker", "markers", "location", "locations", "people", "person", "persons",
        "name", "names", "document", "documents", "letter", "letters", "draft", "drafts", "folder", "folders",
        "collection", "collections", "group", "groups", "test", "copy", "features", "feature", "row", "rows",
        "column", "columns", "entry", "entries", "content", "contents", "memory", "memories", "track", "tracks",
        "route", "routes", "waypoint", "waypoints", "sheet", "sheets", "tab", "stuff", "things", "archive", "archives",
        "material", "materials", "object", "objects", "info", "information", "details", "area", "areas", "site",
        "sites", "page", "pages", "list", "lists", "field", "fields", "value", "values", "account", "user", "users",
        "post", "posts", "video", "videos", "audio", "recording", "recordings", "transcript", "transcripts",
    ]

    /// Returns the name of a file, sheet or folder without the words that only say what it is about.
    static func removed(from name: String) -> String {
        let words = name.split(separator: " ")
        var left: [Substring] = []
        var index = words.startIndex
        while index < words.endIndex {
            if let end = end(ofTopicAt: index, in: words) {
                index = end
            } else {
                left.append(words[index])
                index += 1
            }
        }
        return left.joined(separator: " ")
    }

    /// Returns the index behind a topic that begins with a word; `nil` if none does.
    private static func end(ofTopicAt index: Int, in words: [Substring]) -> Int? {
        guard index + 1 < words.endIndex else { return nil }
        let (word, topic) = (words[index], words[index + 1])
        let isShouted = word == word.uppercased() && topic != topic.uppercased()
        // "PRIVATE homes" is marked, and so is "Private homes - Smith".
        guard !isShouted, words.allSatisfy({ $0.allSatisfy { $0.isLetter || $0 == "'" || $0 == "’" } }) else {
            return nil
        }
        switch word.lowercased() {
        case "private": return end(ofTopic: privateTopics, at: index + 1, in: words)
        case "secret": return end(ofTopic: secretTopics, at: index + 1, in: words)
        case "hidden" where index == 0: return end(ofTopic: hiddenTopics, at: index + 1, in: words)
        default: return nil
        }
    }

    private static func end(ofTopic topics: Set<String>, at index: Int, in words: [Substring]) -> Int? {
        guard topics.contains(words[index].lowercased()) else { return nil }
        var end = index + 1
        // "Private homes and gardens" has two of them.
        while end + 1 < words.endIndex, words[end].lowercased() == "and", topics.contains(words[end + 1].lowercased()) {
            end += 2
        }
        guard end == words.endIndex || followers.contains(words[end].lowercased()), !isOwn(words[end...]) else {
            return nil
        }
        return end
    }

    private static func isOwn(_ words: ArraySlice<Substring>) -> Bool {
        words.contains { own.contains($0.lowercased()) }
    }
}
