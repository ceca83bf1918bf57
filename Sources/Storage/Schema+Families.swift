import GRDB

extension Schema {
    /// The tables of invitations.
    static func createFamilies(_ db: Database) throws {
    }
}
