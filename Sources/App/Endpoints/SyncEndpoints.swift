/// The routes of clients that were offline.
struct SyncEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [] }
}
