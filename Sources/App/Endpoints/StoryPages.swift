import Web
import Library
import Geometry
import StoryMap

/// The parameters of paged lists of stories.
enum StoryPages: Sendable {
    static let limit = Paging.limit(1...1_000, default: 20, "The maximum number of stories on a page")
    static let parameters: ParameterList = [limit, Paging.cursor]

    /// Returns the page that a call requests.
    ///
    /// - Throws: ``InvalidParameter`` for a cursor that this list did not give to the caller.
    static func window(
        _ call: Call,
        _ cursors: CursorCodec,
        scope: String,
        in box: QueryParameter<BoundingBox?>? = nil
    ) throws -> ListWindow {
        var window = ListWindow(box: try box.flatMap { try call[$0] }, limit: try call[limit])
        window.after = try call.listCursor(cursors, scope: scope)
        return window
    }
}

extension Call {
    /// Returns the start of the page that the cursor names; `nil` for the first page.
    func listCursor(_ cursors: CursorCodec, scope: String) throws -> ListCursor? {
        guard let text = try self[Paging.cursor] else { return nil }
        guard let cursor = cursors.decode(text, scope: scope) else {
            throw Paging.cursor.invalid("was not issued to you by this list")
        }
        return cursor
    }
}
