import GRDB
public import Notifications
public import Stories

extension StoreReader {
    /// Returns the entries of single notifications that receivers may show since `time`, through active channels of a
    /// kind; those of one user, or of all.
    ///
    /// An entry that was cancelled after an attempt may have arrived.
    public func shownEntries(of user: UserID?, kind: ChannelKind, since time: Timestamp) throws -> [OutboxEntry] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT outbox.* FROM channels JOIN outbox ON outbox.channel = channels.id
                WHERE channels.kind = ?1 AND channels.state = 'active' AND (?2 IS NULL OR channels.user = ?2)
                AND outbox.state IN ('done', 'cancelled') AND outbox.attempts > 0 AND outbox.ended_ms > ?3
                AND outbox.scope IS NULL AND outbox.type NOT IN (?4, ?5)
                ORDER BY outbox.number
                """
        )
        let arguments: StatementArguments = [
            kind.rawValue, user?.rawValue, time.milliseconds, NoticeType.verification.rawValue,
            NoticeType.test.rawValue,
        ]
        return try Row.fetchAll(statement, arguments: arguments).compactMap(OutboxEntry.init)
    }
}
