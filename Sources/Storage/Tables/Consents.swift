import GRDB
public import Stories

/// One change of a user's consent.
public struct ConsentRecord: Hashable, Sendable {
    /// What a user did.
    public enum Action: String, Sendable {
        /// They consented.
        case given
        /// They withdrew their consent.
        case withdrawn
    }

    /// The way it was done.
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

    /// The only purpose so far: notifications of nearby stories.
    public static let nearbyStories = "nearby-stories"

    /// When it happened.
    public let at: Timestamp
    /// The purpose.
    public let kind: String
    /// The version of the explanation.
    public let version: String?
    /// What the user did.
    public let action: Action
    /// The way it was done.
    public let source: Source
}

extension StoreReader {
    /// Returns every change of a user's consents, oldest first.
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
