/// The routes of levels, hiding, reports and what a service may do.
struct PrivacyEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [] }
}
