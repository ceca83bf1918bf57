/// What the routes of clients that were offline take and give.
enum SyncSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = []
}
