import Library

extension CursorCodec {
    /// The answer that is a page of a list of stories, with the address of the next page in it.
    func answer(_ list: StoryList, to call: Call, scope: String) -> Answer {
        let next = list.next.map { call.address(setting: Paging.cursor, to: encode($0, scope: scope)) }
        return Answer(mediaType: MediaType.geoJSON, body: StoryListJSON.page(list, next: next))
    }
}
