import GRDB

extension Schema {
    /// The tables of sensitive areas.
    static func createAreas(_ db: Database) throws {
    }
}
