/// What the routes of their keys and sessions take and give.
enum AccountSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = []
}
