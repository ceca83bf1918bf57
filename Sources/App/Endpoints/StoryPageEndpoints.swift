import Basemap
import Web
import Library
import HTTPTypes
import Stories

/// The routes of the stories' own pages and of their list.
struct StoryPageEndpoints: Sendable {
    let library: StoryLibrary
    let basemaps: Basemaps
    let address: PublicAddress
    /// The origins from which pages may load media, such as `https://media.example`.
    let mediaOrigins: [String]
    let languages: PageLanguages
    let cursors: CursorCodec

    var all: [Endpoint] { [read, list] }

    private var read: Endpoint {
        Endpoint(
            method: .get,
            path: "/stories/\(PathPart.story)",
            name: "storyPage",
            summary: """
                Returns a story as a page for people. 404, also a page: the story does not exist or is not visible to \
                the viewer.
                """,
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            // Other sites add parameters of their own to links.
            isLenient: true,
            // A person whose session has ended sees what everybody sees.
            cookie: .manages,
            success: [
                .init(status: .ok, mediaType: MediaType.html, schema: nil, description: "The page of the story.")
            ],
            refusalTypes: [MediaType.html],
            handler: handleRead
        )
    }

    @Sendable private func handleRead(_ call: Call) async throws -> Answer {
        let site = site(for: call)
        guard let id = try? call[PathPart.story],
            let (view, proposals) = try await library.stories.storyWithProposals(id, viewer: call.viewer)
        else {
            return StoryPageEndpoints.answer(PageFrame.notFound(site: site), site).with(.notFound)
        }
        let page = StoryHTML(view: view, proposals: proposals, site: site)
        return StoryPageEndpoints.answer(page.bytes, site)
    }

    func site(for call: Call) -> PageSite {
        PageSite(
            url: address.url(authority: call.authority, headers: call.headers),
            mediaOrigins: mediaOrigins,
            tiles: basemaps.named("land")?.archive,
            language: languages.language(for: call.headers),
            languages: languages.all
        )
    }

    static func answer(_ bytes: [UInt8], _ site: PageSite) -> Answer {
        Answer(
            mediaType: MediaType.html,
            headers: [
                .contentSecurityPolicy: site.contentPolicy,
                .contentLanguage: site.language.code,
                // The address of a story is nobody else's business.
                .referrerPolicy: "no-referrer",
            ],
            body: bytes
        )
    }
}
