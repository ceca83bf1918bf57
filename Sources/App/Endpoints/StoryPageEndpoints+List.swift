import Basemap
import HTTPTypes
import Library
import Stories
import StoryMap
import Web

/// The list of stories as a page.
extension StoryPageEndpoints {
    /// How many stories stand on a page.
    private static let pageSize = 20

    /// The parameters that the page reads; it ignores others, which other sites add to links.
    private static let parameters: ParameterList = [StoryFilters.all, ListOrders.parameters, Paging.cursor]

    var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/stories",
            name: "storiesPage",
            summary: """
                Returns the stories visible to the viewer as a page for people, without a script. 400, also a page: a \
                filter cannot be used.
                """,
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: StoryPageEndpoints.parameters,
            isLenient: true,
            cookie: .manages,
            success: [
                .init(status: .ok, mediaType: MediaType.html, schema: nil, description: "The page of the list.")
            ],
            refusalTypes: [MediaType.html],
            handler: handleList
        )
    }

    @Sendable private func handleList(_ call: Call) async throws -> Answer {
        var site = site(for: call)
        site.hasForms = true
        // A form sends its empty fields as well.
        let query = call.query.filled(of: StoryPageEndpoints.parameters.declarations)
        do {
            return try await page(of: query, for: call, on: site)
        } catch let error as InvalidParameter {
            return refused(error.name, error.message, query, site)
        } catch let error as StorySearch.InvalidFilter {
            return refused(error.name, error.message, query, site)
        }
    }

    private func refused(_ name: String, _ words: String, _ query: QueryValues, _ site: PageSite) -> Answer {
        let page = StoriesHTML(
            list: nil,
            site: site,
            asked: query.all,
            next: nil,
            problem: (name, words),
            isFirst: false
        )
        return StoryPageEndpoints.answer(page.bytes, site).with(.badRequest)
    }

    private func page(of query: QueryValues, for call: Call, on site: PageSite) async throws -> Answer {
        try query.check(StoryPageEndpoints.parameters.declarations.filter { $0.name != Paging.cursor.declaration.name })
        let search = try query[StoryFilters.all]
        var window = ListWindow(box: nil, limit: StoryPageEndpoints.pageSize)
        try query[ListOrders.parameters](&window)
        let asked = query.texts(without: [Paging.cursor.declaration.name])
        // A page of this list as its viewer saw it; a link that another viewer follows opens the first page.
        let scope =
            ([call.viewer.user?.rawValue ?? "", call.path]
            + asked.sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value.joined(separator: "\u{1F}"))" })
            .joined(separator: "\u{1E}")
        window.after = try query[Paging.cursor].flatMap { cursors.decode($0, scope: scope) }
        let list = try await library.maps.stories(window, search: search, viewer: call.viewer)
        let next = list.next.map { cursor in
            call.path + query.address(setting: Paging.cursor.declaration, to: cursors.encode(cursor, scope: scope))
        }
        let page = StoriesHTML(
            list: list,
            site: site,
            asked: asked,
            next: next,
            problem: nil,
            isFirst: query.all.isEmpty && call.viewer.user == nil
        )
        return StoryPageEndpoints.answer(page.bytes, site)
    }
}
