import Web
import Library
import Geometry
import StoryMap

/// The order of a list of stories, and whether its stories have a place.
struct ListOrders: QueryPart {
    static let parameters = ListOrders()

    /// A word for an order.
    private enum Word: String, CaseIterable, Sendable {
        case relevance, newest, date, nearest
    }

    private let sort = QueryParameter.optional(
        "sort",
        .word(of: Word.self),
        "relevance: with q, the stories that match its words best first, a title before tags and persons, these before "
            + "names of places, these before the text, whole words before beginnings and these before the inside of "
            + "words; then newest first (default). newest: by the time of creation, newest first. date: by the date of "
            + "the story, earliest first, those without a date last. nearest: by the distance from near; stories "
            + "without a location are left out."
    )
    private let near = QueryParameter.optional(
        "near",
        .text(3...60, pattern: TextPattern.position, form: "LAT,LON in degrees") { Coordinate(parsing: $0) },
        "With sort=nearest, the point as latitude,longitude in degrees."
    )
    private let placed = QueryParameter.optional(
        "placed",
        .flag,
        "false: only stories that the viewer sees without a location, newest first; without bbox and sort."
    )

    private init() {}

    var declarations: [ParameterDeclaration] { sort.declarations + near.declarations + placed.declarations }

    /// Returns a change of a window: its order and what it lists.
    func value(of query: QueryValues) throws -> @Sendable (inout ListWindow) throws -> Void {
        let (word, point) = (try query[sort] ?? .relevance, try query[near])
        let order = try order(word, point)
        guard try query[placed] == false else {
            return { window in
                window.order = order
                window.isByRelevance = word == .relevance
            }
        }
        guard word == .newest || word == .relevance else { throw placed.invalid("cannot be combined with sort") }
        return { [placed] window in
            guard window.box == nil else { throw placed.invalid("cannot be combined with bbox") }
            window.isUnplaced = true
        }
    }

    private func order(_ word: Word, _ point: Coordinate?) throws -> ListOrder {
        guard word == .nearest else {
            guard point == nil else { throw near.invalid("needs sort=nearest") }
            return word == .date ? .date : .newest
        }
        guard let point else { throw near.invalid("is needed for sort=nearest, as LAT,LON in degrees") }
        return .nearest(point)
    }
}
