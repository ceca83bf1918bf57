import Web
import Library

extension CursorCodec {
    /// Returns a page of a list of stories as an answer, with the URL of the next page.
    func answer(_ list: StoryList, to call: Call, scope: String) -> Answer {
        let next = list.next.map { call.address(setting: Paging.cursor, to: encode($0, scope: scope)) }
        return Answer(mediaType: MediaType.geoJSON, body: StoryListJSON.page(list, next: next))
    }
}
