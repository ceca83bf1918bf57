/// The routes of the rights of a person over what is kept of them.
struct PersonEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [] }
}
