import Folding
import Importing
public import Stories

/// A search among the stories a viewer may see: a filter, and words to find in texts.
public struct StorySearch: Sendable {
    /// The conditions that can be checked without reading texts.
    public var filter: StoryFilter
    /// The words that must all occur, folded: without case, accents and punctuation.
    public var words: [String]
    /// Whether the text asked for consists of nothing but punctuation, which no story has as a word.
    package var asksOnlyMarks = false
    /// Whether only the viewer's favourites are wanted; an anonymous viewer has none.
    public var onlyFavourites = false

    /// The ids of the wanted stories; `nil` for all.
    public var ids: Set<StoryID>?

    /// Creates a search for everything.
    public init() {
        filter = StoryFilter()
        words = []
    }

    /// An invalid filter.
    public struct InvalidFilter: Error, Equatable, Sendable {
        /// The name of the parameter.
        public let name: String
        /// The problem and the expected form.
        public let message: String
    }

    /// The names of the filters, the same on the command line and over HTTP.
    public static let names = [
        "kind", "tag", "person", "owner", "family", "collection", "view", "from", "to", "on", "q", "favourites",
    ]

    /// Parses the filters from names and values; names of other parameters are ignored.
    ///
    /// - Throws: ``InvalidFilter`` naming the invalid parameter.
    public init(_ values: [String: [String]]) throws(InvalidFilter) {
        self.init()
        func list(_ name: String) -> [String] { values[name] ?? [] }
        for text in list("kind") {
            guard let kinds = StoryKind.named(text) else {
                throw InvalidFilter(name: "kind", message: "must be one of \(StorySearch.knownKinds)")
            }
            filter.kinds.formUnion(kinds)
        }
        filter.tags = Set(list("tag"))
        filter.people = Set(list("person"))
        filter.collections = Set(list("collection"))
        for text in list("owner") {
            guard let owner = UserID(text) else {
                throw InvalidFilter(name: "owner", message: "is not the id of a user")
            }
            filter.owners.insert(owner)
        }
        for text in list("family") {
            guard let family = FamilyID(text) else {
                throw InvalidFilter(name: "family", message: "is not the id of a family")
            }
            filter.families.insert(family)
        }
        for text in list("view") {
            guard let view = StoryFilter.View(rawValue: text) else {
                throw InvalidFilter(name: "view", message: "must be shared, family or mine")
            }
            filter.views.insert(view)
        }
        for text in list("favourites") {
            guard text == "true" || text == "false" else {
                throw InvalidFilter(name: "favourites", message: "must be true or false")
            }
            onlyFavourites = text == "true"
        }
        filter.from = try StorySearch.day(values, "from")
        filter.to = try StorySearch.day(values, "to")
        filter.on = try StorySearch.dayOfYear(values)
        if let from = filter.from, let to = filter.to, from > to {
            let (first, last) = (values["from"]?.last ?? "", values["to"]?.last ?? "")
            let message = "must not be before from: from is \(first.prefix(40)), and to is \(last.prefix(40))"
            throw InvalidFilter(name: "to", message: message)
        }
        words = list("q").flatMap(WordFolder.words)
        asksOnlyMarks = words.isEmpty && list("q").contains { !$0.unicodeScalars.allSatisfy(\.properties.isWhitespace) }
        guard words.count <= StoryLimits.searchWords else {
            throw InvalidFilter(name: "q", message: "must have at most \(StoryLimits.searchWords) words")
        }
    }

    private static let knownKinds = (StoryKind.known.map(\.rawValue) + [StoryKind.familyObjectName])
        .joined(separator: ", ")

    /// The accepted forms of a day.
    package static let dayForm =
        "a day as YYYY-MM-DD, a month as YYYY-MM, a year as YYYY, or another date such as 1920s or May 1936"

    /// The accepted form of a day of any year.
    package static let dayOfYearForm = "a day of any year as MM-DD, such as 06-19"

    private static func dayOfYear(_ values: [String: [String]]) throws(InvalidFilter) -> DayOfYear? {
        guard let text = values["on"]?.last else { return nil }
        guard let day = DayOfYear(text) else {
            if DayOfYear.isWellFormed(text) { throw InvalidFilter(name: "on", message: "names a day that no year has") }
            throw InvalidFilter(name: "on", message: "must be \(dayOfYearForm)")
        }
        return day
    }

    /// Parses a date like that of a story; a span stands for its first day in `from` and for its last day in `to`.
    private static func day(_ values: [String: [String]], _ name: String) throws(InvalidFilter) -> CalendarDay? {
        guard let text = values[name]?.last else { return nil }
        guard case .date(let date) = DateReading(text), let first = date.first, let last = date.last else {
            if StoryDate.isWellFormed(text) { throw InvalidFilter(name: name, message: StoryDate.noSuchDay) }
            throw InvalidFilter(name: name, message: "must be \(dayForm)")
        }
        return name == "from" ? first : last
    }
}

extension StorySearch.InvalidFilter: RefusalConvertible {
    package var refusal: Refusal { .parameter(name, message) }
}
