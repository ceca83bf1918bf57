import GRDB
public import Stories

/// One change of what a user agrees to.
public struct ConsentRecord: Hashable, Sendable {
    /// What a user did.
    public enum Action: String, Sendable {
        /// They agreed.
        case given
        /// They no longer do.
        case withdrawn
    }

    /// Through what they did it.
    public enum Source: String, Sendable {
        /// Their own token.
        case app
        /// The command line, on their behalf.
        case `operator`
        /// By deleting their location data.
        case erasure
        /// The list of erasures, applied to an older copy of the database.
        case restore
    }

    /// The one purpose there is: being told of nearby stories.
    public static let nearbyStories = "nearby-stories"

    /// When.
    public let at: Timestamp
    /// What for.
    public let kind: String
    /// The version of the explanation.
    public let version: String?
    /// What they did.
    public let action: Action
    /// Through what.
    public let source: Source
}

extension StoreReader {
    /// Returns every change of a user's consents, the oldest first.
    public func consents(of user: UserID) throws -> [ConsentRecord] {
        try Row.fetchAll(
            db,
            sql: "SELECT * FROM consents WHERE user = ? ORDER BY at_ms, number",
            arguments: [user.rawValue]
        )
        .compactMap { row in
            guard let action = ConsentRecord.Action(rawValue: row["action"]),
                let source = ConsentRecord.Source(rawValue: row["source"])
            else { return nil }
            return ConsentRecord(
                at: Timestamp(milliseconds: row["at_ms"]),
                kind: row["kind"],
                version: row["version"],
                action: action,
                source: source
            )
        }
    }
}
