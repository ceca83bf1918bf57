import GRDB
public import Stories

/// One change of a user's consent.
public struct ConsentRecord: Hashable, Sendable {
    /// An action of a user on their consent.
    public enum Action: String, Sendable {
        /// They consented.
        case given
        /// They withdrew their consent.
        case withdrawn
    }

    /// The way in which the action was taken.
    public enum Source: String, Sendable {
        /// With the user's own token.
        case app
        /// On the command line, on the user's behalf.
        case `operator`
        /// By deleting the user's location data.
        case erasure
        /// By the list of erasures, applied to an older copy of the database.
        case restore
    }

    /// The only purpose so far: notifications of nearby stories.
    public static let nearbyStories = "nearby-stories"

    /// When it happened.
    public let at: Timestamp
    /// The purpose.
    public let kind: String
    /// The version of the explanation the user agreed to.
    public let version: String?
    /// The action.
    public let action: Action
    /// The way in which the action was taken.
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
