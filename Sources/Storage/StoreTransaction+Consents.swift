import GRDB
public import Notifications
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

extension StoreTransaction {
    /// Stores settings and, where what the user agrees to changed, that change too; returns whether they withdrew.
    func saveWithHistory(
        _ settings: NotificationSettings,
        of user: UserID,
        at now: Timestamp,
        source: ConsentRecord.Source
    ) throws -> Bool {
        let old = try notificationSettings(of: user)
        try save(settings, of: user)
        let isWithdrawn = old.enabled && !settings.enabled
        let isGiven = settings.enabled && (!old.enabled || old.consentVersion != settings.consentVersion)
        guard isWithdrawn || isGiven else { return false }
        if isWithdrawn { try cancelLocationEntries(of: user, reason: "opted_out", at: now) }
        let number = try Int.fetchOne(
            db,
            sql: "SELECT count(*) FROM consents WHERE user = ? AND at_ms = ?",
            arguments: [user.rawValue, now.milliseconds]
        )
        try db.execute(
            sql:
                "INSERT INTO consents (user, at_ms, number, kind, version, action, source) VALUES (?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                user.rawValue, now.milliseconds, number ?? 0, ConsentRecord.nearbyStories,
                isWithdrawn ? old.consentVersion : settings.consentVersion, isWithdrawn ? "withdrawn" : "given",
                source.rawValue,
            ]
        )
        return isWithdrawn
    }
}

extension StoryStore {
    /// Stores the notification settings of a user with the history of their consent.
    ///
    /// A withdrawal is on the list of erasures, under `id`, before it is in the database: an older copy put back later
    /// does not turn anything on again.
    public func save(
        _ settings: NotificationSettings,
        of user: UserID,
        at now: Timestamp,
        source: ConsentRecord.Source,
        erasure id: StoryID,
        in transaction: StoreTransaction
    ) throws {
        guard try transaction.saveWithHistory(settings, of: user, at: now, source: source) else { return }
        try transaction.put(erasures.entry(.consent, of: .user(user), at: now, id: id), isSwept: true)
    }

    /// Stores settings that were switched off as part of an erasure, which is on the list itself.
    public func restore(
        _ settings: NotificationSettings,
        of user: UserID,
        at now: Timestamp,
        source: ConsentRecord.Source = .restore,
        in transaction: StoreTransaction
    ) throws {
        _ = try transaction.saveWithHistory(settings, of: user, at: now, source: source)
    }
}
