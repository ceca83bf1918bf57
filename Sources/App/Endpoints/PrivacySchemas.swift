/// What the routes of levels, hiding, reports and what a service may do take and give.
enum PrivacySchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = []
}
