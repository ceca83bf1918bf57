/// The routes of their keys and sessions.
struct AccountEndpoints: Sendable {
    let library: StoryLibrary
    let accounts: Accounts

    var all: [Endpoint] { [] }
}
