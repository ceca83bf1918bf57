import Web
import Library
import Stories

/// The filters of a map or a list of stories.
struct StoryFilters: QueryPart {
    /// The set of filters that all routes that show stories share.
    static let all = StoryFilters()

    let declarations = ParameterList([
        QueryParameter.list(
            "kind",
            .kind,
            "Any of these kinds; family_object stands for three of them."
        ),
        QueryParameter.list(
            "tag",
            .characters(1...StoryLimits.nameLength),
            "Any of these topics, without regard to case and accents."
        ),
        QueryParameter.list(
            "person",
            .characters(1...StoryLimits.nameLength),
            "Stories about any of these people, without regard to case and accents."
        ),
        QueryParameter.list("owner", .identifier, "Stories of any of these owners."),
        QueryParameter.list("family", .identifier, "Stories shared with any of these families of the viewer."),
        QueryParameter.list(
            "collection",
            .characters(1...StoryLimits.nameLength),
            "Stories in any of these collections, given by the name in stories or by the id of a collection."
        ),
        QueryParameter.list("view", .word(of: StoryFilter.View.self), "The views: shared, family or mine."),
        QueryParameter.optional("from", .day, "Not before this day, month, year or other date."),
        QueryParameter.optional("to", .day, "Not after this day, month, year or other date."),
        QueryParameter.optional(
            "on",
            .dayOfYear,
            "On this day of any year, as MM-DD. A date given to the day matches, and each day of a span of at most "
                + "\(DayOfYear.longestSpan) days; a date known only to the month or the year matches no day."
        ),
        QueryParameter.optional(
            "q",
            .text(1...StoryLimits.searchLength),
            "Words that must all occur in title, text, topics, people or names of places, without regard to case, accents, "
                + "apostrophes and other punctuation. The place of a story is also found by its neighbourhood, county, "
                + "state and country and by their codes (GA, US), by viewers who see where it is exactly. Words are found "
                + "also inside longer ones; two Latin letters only as a whole word, as GA is not in garden."
        ),
        QueryParameter.optional("favourites", .flag, "true: only the viewer's favourites."),
    ])
    .declarations

    private init() {}

    func value(of query: QueryValues) throws -> StorySearch { try StorySearch(query.texts(of: declarations)) }
}

extension ParameterKind where Value == String {
    /// The name of a kind of story.
    fileprivate static var kind: Self { .fitting(.kind) }
    /// The id of a user or a family, or a text given as one.
    fileprivate static var identifier: Self { .fitting(.identifier) }
    /// A month and a day, which the filter parses.
    fileprivate static var dayOfYear: Self {
        .fitting(
            .text(minBytes: 5, maxBytes: 5, pattern: TextPattern.dayOfYear),
            form: StorySearch.dayOfYearForm
        )
    }
    /// A date, which the filter parses.
    fileprivate static var day: Self {
        .fitting(.text(minBytes: 2, maxBytes: 100), form: StorySearch.dayForm)
    }
}
