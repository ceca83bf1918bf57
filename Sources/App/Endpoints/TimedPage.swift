import Formats
import Stories

/// A page of a short list that stands in the order of time: what follows the item that a cursor names.
///
/// The cursor is the time and the id of an item the caller was given; it tells them nothing that the item did not.
struct TimedPage<Item: Sendable>: Sendable {
    let items: [Item]
    /// The address of the next page.
    let next: String?

    /// Cuts the page that a call asks for out of the whole list.
    ///
    /// - Throws: ``Problem`` for a cursor that this list cannot have given out.
    init(
        of all: [Item],
        newestFirst: Bool = false,
        call: Call,
        position: (Item) -> (time: Timestamp, id: String)
    ) throws {
        let limit = try call.integer("limit") ?? Endpoint.Parameter.pageSize
        var rest = all[...]
        if let last = try Self.position(in: call) {
            let last = (newestFirst ? -last.time : last.time, last.id)
            rest = rest.drop { item in
                let (time, id) = position(item)
                return (newestFirst ? -time.milliseconds : time.milliseconds, id) <= last
            }
        }
        items = Array(rest.prefix(limit))
        next =
            items.count < rest.count
            ? items.last.map(position)
                .map { call.address(adding: "cursor", "\($0.time.milliseconds)-\($0.id)") } : nil
    }

    /// The time in milliseconds and the id of the item after which a call wants to go on; `nil` at the beginning.
    ///
    /// - Throws: ``Problem`` for a cursor that no list can have given out.
    static func position(in call: Call) throws -> (time: Int64, id: String)? {
        guard let text = call.text("cursor") else { return nil }
        let sides = text.split(separator: "-", maxSplits: 1)
        guard sides.count == 2, let time = Int64(sides[0]), time != .min else {
            throw Problem.parameter("cursor", "is not one that this list gave out")
        }
        return (time, String(sides[1]))
    }

    /// The page as `{"NAME":[…],"links":{"next":…}}`.
    func json(_ name: String, _ write: (Item, inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter(capacity: 400 * (items.count + 1))
        json.beginObject()
        json.key(name)
        json.beginArray()
        for item in items { write(item, &json) }
        json.endArray()
        json.key("links")
        json.beginObject()
        json.member("next", next)
        json.endObject()
        json.endObject()
        return json.bytes
    }
}

extension Endpoint.Parameter {
    /// How many entries stand on a page of a ``TimedPage`` unless said.
    static let pageSize = 100

    /// The parameters of a ``TimedPage``.
    static let paging: [Endpoint.Parameter] = [
        .init("limit", .integer(1...500), "The most entries on a page; \(pageSize) unless said."),
        .init("cursor", .text(minBytes: 1, maxBytes: 100), "Where the next page begins, from links."),
    ]
}
