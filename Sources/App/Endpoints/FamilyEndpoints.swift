/// The routes of families and invitations.
struct FamilyEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [] }
}
