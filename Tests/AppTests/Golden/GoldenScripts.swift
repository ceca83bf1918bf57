/// What is asked of a route besides the roles and the variants that its declaration gives: what its own rules refuse, and
/// what changes from one request to the next.
enum GoldenScripts: Sendable {
    /// Asks what a route alone can be asked.
    typealias Script = @Sendable (inout GoldenRoute) async throws -> Void

    /// The scripts by the names of the operations.
    static let table: [String: Script] = [
        stories, batches, proposals, reactions, map, lists, families, invitations, accounts, sessions, sharing,
        channels, feed, fixes, ingest, service, geocoders, addresses,
    ]
    .reduce(into: [:]) { table, part in table.merge(part) { first, _ in first } }
}
