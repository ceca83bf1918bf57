import Foundation
import Geometry
import HTTPTypes
import Library
import Queries
import Stories
import Web

/// The representations of the OGC's resources.
enum FeatureFormat: String, CaseIterable, Sendable {
    case json, html

    /// The parameter that chooses one.
    static let parameter = QueryParameter.optional(
        "f",
        .word(of: FeatureFormat.self),
        "The representation, instead of what Accept asks for."
    )

    /// Returns the representation that a call asks for.
    init(of call: Call) throws {
        self = try call[FeatureFormat.parameter] ?? FeatureFormat(accepting: call.headers[.accept])
    }

    /// Returns the representation that an `Accept` header prefers: HTML only if it is wanted more than JSON.
    init(accepting header: String?) {
        func weight(_ wanted: Set<Substring>) -> Double {
            (header ?? "").lowercased().split(separator: ",")
                .map { range in
                    let parts = range.split(separator: ";").map { $0.trimmingPrefix(" ") }
                    guard let name = parts.first, wanted.contains(name.prefix { $0 != " " }) else { return 0 }
                    let quality = parts.dropFirst().first { $0.hasPrefix("q=") }
                    return quality.map { DecimalText.number($0.dropFirst(2)) ?? 0 } ?? 1
                }
                .max() ?? 0
        }
        let json = weight(["application/json", "application/geo+json", "application/*", "application/schema+json"])
        self = weight(["text/html", "text/*", "application/xhtml+xml"]) > json ? .html : .json
    }
}

/// The parameters of the items of the collections.
enum FeatureParameters: Sendable {
    /// The maximum number of features on a page; a larger limit means this one.
    static let mostItems = 1_000

    static let limit = QueryParameter(
        "limit",
        .integer(1...1_000_000),
        default: 20,
        "The maximum number of features on a page (default 20); more than \(mostItems) means \(mostItems)."
    )
    static let box = QueryParameter.optional(
        "bbox",
        .numbers(-1e9...1e9, count: 4...6),
        "The box as west,south,east,north, in the order of the axes of bbox-crs, also with heights, which have no effect. "
            + "West greater than east crosses the antimeridian. Features without a place that you see lie in every box."
    )
    static let boxSystem = system("bbox-crs", "The reference system of bbox")
    static let answerSystem = system("crs", "The reference system of the answer")
    static let filterSystem = system("filter-crs", "The reference system of positions in filter")
    static let time = QueryParameter.optional(
        "datetime",
        .text(1...61, explainedBy: window),
        "Only features whose date has a day in common with this day, instant or interval, in UTC, and those without a date; "
            + "that of a further place is its story's."
    )
    /// Reads the days of `datetime`.
    @Sendable private static func window(_ text: String) throws(ParameterMismatch) -> TimeWindow {
        do throws(QueryTime.Mistake) {
            let (first, last) = try QueryTime.days(text)
            return TimeWindow(first: first, last: last)
        } catch {
            throw ParameterMismatch(message: error.message)
        }
    }

    static let filter = QueryParameter.optional(
        "filter",
        .text(1...CQLText.longest),
        """
        A condition in CQL2 text on the queryables: = <> < <= > >=, LIKE, BETWEEN, IN, IS NULL, AND, OR, NOT, S_INTERSECTS \
        with POINT, POLYGON, MULTIPOLYGON or BBOX, T_INTERSECTS, T_BEFORE and T_AFTER.
        """
    )
    static let language = QueryParameter.optional("filter-lang", .word(["cql2-text"]), "The language of filter.")

    /// The names of texts among the queryables that are filters of stories already.
    private static let taken: Set = ["kind", "owner", "collection"]

    /// Returns the parameters by which a text property must equal a value.
    static func properties(of entries: [FeatureQueryables.Entry]) -> [QueryParameter<String?>] {
        entries.filter { $0.property.kind == .text && !taken.contains($0.property.name) }
            .map { .optional($0.property.name, .text(1...1_000), "Exactly this value. \($0.description)") }
    }

    /// Returns all parameters of a collection with these properties.
    static func all(with properties: [QueryParameter<String?>]) -> ParameterList {
        ParameterList(
            [
                box, boxSystem, time, limit, Paging.cursor, answerSystem, filter, language, filterSystem,
                FeatureFormat.parameter, StoryFilters.all,
            ] as [any DeclaresParameters] + properties
        )
    }

    private static func system(_ name: String, _ what: String) -> QueryParameter<ReferenceSystem> {
        QueryParameter(
            name,
            .word(meaning: ReferenceSystem.all.map { ($0.uri, $0) }),
            default: .degrees,
            "\(what) (default \(ReferenceSystem.degrees.uri))."
        )
    }
}

/// The days of a `datetime` parameter; without one of them it is open there.
struct TimeWindow: Sendable {
    let first: CalendarDay?
    let last: CalendarDay?
}
