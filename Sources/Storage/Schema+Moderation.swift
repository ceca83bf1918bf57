import GRDB

extension Schema {
    /// The tables of reports, hides, sealed stories.
    static func createModeration(_ db: Database) throws {
    }
}
