import Web
import Formats
import Stories

/// A page of a short list in the order of time: the items after the one that a cursor names.
///
/// The cursor consists of the time and id of an item that the caller has received, so it reveals nothing new.
struct TimedPage<Item: Sendable>: Sendable {
    let items: [Item]
    /// The URL of the next page.
    let next: String?

    /// Takes the page that a call requests from a list.
    ///
    /// `all` is the whole list, or a section of it that contains the page and, if there is one, the next item.
    ///
    /// - Throws: ``InvalidParameter`` for a cursor that no list can have produced.
    init(
        of all: [Item],
        newestFirst: Bool = false,
        call: Call,
        position: (Item) -> (time: Timestamp, id: String)
    ) throws {
        let limit = try call[TimedPages.limit]
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
                .map { call.address(setting: Paging.position, to: "\($0.time.milliseconds)-\($0.id)") } : nil
    }

    /// Returns the time in milliseconds and id of the item before the requested page; `nil` for the first page.
    ///
    /// - Throws: ``InvalidParameter`` for a cursor that no list can have produced.
    static func position(in call: Call) throws -> (time: Int64, id: String)? {
        guard let text = try call[Paging.position] else { return nil }
        let sides = text.split(separator: "-", maxSplits: 1)
        guard sides.count == 2, let time = Int64(sides[0]), time != .min else {
            throw Paging.position.invalid("was not issued by this list")
        }
        return (time, String(sides[1]))
    }

    /// Returns the page as `{"NAME":[…],"links":{"next":…}}`.
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

/// The parameters of a ``TimedPage``.
enum TimedPages: Sendable {
    static let limit = Paging.limit(1...500, default: 100, "The maximum number of entries on a page")
    static let parameters: ParameterList = [limit, Paging.position]
}
