/// What the routes of families and invitations take and give.
enum FamilySchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = []
}
