/// What the routes of the rights of a person over what is kept of them take and give.
enum PersonSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = []
}
