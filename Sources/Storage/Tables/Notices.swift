import Formats
import Foundation
import GRDB
import Geometry
public import Notifications
public import Stories

extension StoreReader {
    /// Returns the evaluator's state for a device of a user under the current consent, or `nil`.
    public func evaluatorState(of user: UserID, device: String, consentEpoch: Int) throws -> [UInt8]? {
        let statement = try db.cachedStatement(
            sql: "SELECT state FROM evaluator_states WHERE user = ? AND device = ? AND consent_epoch = ?"
        )
        let data = try Data.fetchOne(statement, arguments: [user.rawValue, device, consentEpoch])
        return data.map { [UInt8]($0) }
    }

    /// Returns the devices whose evaluator is due by `now`, earliest first.
    public func dueTimers(at now: Timestamp, limit: Int) throws -> [(user: UserID, device: String)] {
        let statement = try db.cachedStatement(
            sql: "SELECT user, device FROM evaluator_states WHERE next_timer_ms <= ? ORDER BY next_timer_ms LIMIT ?"
        )
        let rows = try Row.fetchAll(statement, arguments: [now.milliseconds, limit])
        return rows.compactMap { row in UserID(row["user"] as String).map { ($0, row["device"]) } }
    }

    /// Returns whether any evaluator state was last used before `limit`.
    public func hasEvaluatorStates(usedBefore limit: Timestamp) throws -> Bool {
        try Int.fetchOne(
            db,
            sql: "SELECT 1 FROM evaluator_states WHERE updated_ms < ? LIMIT 1",
            arguments: [limit.milliseconds]
        ) != nil
    }

    /// Returns whether the ledger records that the user was notified of the subject of `key`.
    public func isTold(_ key: LedgerKey, user: UserID) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM ledger WHERE user = ? AND key = ?")
        return try Int.fetchOne(statement, arguments: [user.rawValue, Data(key.bytes)]) != nil
    }

    /// Returns the notifications that mention a story, with their users, sorted.
    func noticeIDs(tellingOf story: StoryID) throws -> [(user: UserID, id: String)] {
        let statement = try db.cachedStatement(
            sql: "SELECT user, notice FROM notice_stories WHERE story = ? ORDER BY user, notice"
        )
        return
            try statement.all([story.description]) { row in UserID(row["user"] as String).map { ($0, row["notice"]) } }
            .compactMap { $0 }
    }

    /// Returns all users' notifications that mention a story.
    public func notices(tellingOf story: StoryID) throws -> [FeedItem] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT notices.* FROM notice_stories JOIN notices
                ON notices.user = notice_stories.user AND notices.id = notice_stories.notice
                WHERE notice_stories.story = ? ORDER BY notices.user, notices.id
                """
        )
        return
            try statement.all([story.description]) { row in
                try UserID(row["user"] as String).map { try FeedItemRow.item(row, user: $0) }
            }
            .compactMap { $0 }
    }
}

extension StoreTransaction {
    /// Records that a story was stored in this form, for the map and for everyone notified of it.
    ///
    /// Without `mayBeTold`, no notification mentions any story.
    func noteStored(_ story: Story, mayBeTold: Bool = true) throws {
        var shown = story
        shown.text = nil
        try note(.put(shown), mayBeTold: mayBeTold)
    }

    /// Records that a story is gone, or that its stored content may no longer be shown to anyone.
    public func noteRemoved(_ id: StoryID) throws {
        afterCommit.changes.hasRemovals = true
        try note(.remove(id))
    }

    private func note(_ change: StoryEvent, mayBeTold: Bool = true) throws {
        afterCommit.changes.hasStories = true
        if afterCommit.followsStories { afterCommit.changes.stories.append(change) }
        guard mayBeTold else { return }
        for (user, notice) in try noticeIDs(tellingOf: change.id) { noteRetelling(notice, to: user) }
    }

    /// Stores the evaluator's state for a device of a user, which is due at `nextTimer` even without a fix.
    ///
    /// `heardOf` states that the device itself reported something: the state of a silent device is removed after a day. The
    /// trace of that report is kept with it, for what a timer decides later.
    public func saveEvaluatorState(
        _ state: [UInt8],
        of user: UserID,
        device: String,
        consentEpoch: Int,
        nextTimer: Timestamp?,
        heardOf: Bool,
        at now: Timestamp
    ) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO evaluator_states (user, device, consent_epoch, state, next_timer_ms, updated_ms, trace)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?8)
                ON CONFLICT (user, device) DO UPDATE SET consent_epoch = excluded.consent_epoch, state = excluded.state,
                next_timer_ms = excluded.next_timer_ms, updated_ms = iif(?7, excluded.updated_ms, updated_ms),
                trace = iif(?7, excluded.trace, trace)
                """
        )
        try statement.execute(
            arguments: [
                user.rawValue, device, consentEpoch, Data(state), nextTimer?.milliseconds, now.milliseconds, heardOf,
                trace(keptFor: user),
            ]
        )
    }

    /// Removes the evaluator's states last used before `limit`, and with them the last positions they contain.
    public func dropEvaluatorStates(usedBefore limit: Timestamp) throws {
        try db.execute(sql: "DELETE FROM evaluator_states WHERE updated_ms < ?", arguments: [limit.milliseconds])
    }

    /// Writes a notification to the feed and its subjects to the ledger.
    ///
    /// The ledger's unique key decides: if any of the subjects was announced before, the whole transaction fails and
    /// nothing is written.
    ///
    /// The entries to be sent through the user's channels are written with it.
    public func insert(_ item: FeedItem, ledger: [LedgerKey], deliversSimulated: Bool = false) throws {
        let statement = try db.cachedStatement(sql: "INSERT INTO ledger (user, key) VALUES (?, ?)")
        for key in ledger { try statement.execute(arguments: [item.user.rawValue, Data(key.bytes)]) }
        try noteAnnounced(ledger, to: item.user)
        let position = try log(.notification, notice: item.id, of: item.user, at: item.createdAt)
        try write(item, position: position)
        try enqueue(item, simulated: deliversSimulated)
    }

    /// Writes the row of a notification at a position of its user's log.
    func write(_ item: FeedItem, position: Int64) throws {
        try db.execute(
            sql: """
                INSERT INTO notices (user, id, at_ms, created_ms, type, kind, place_name, place_lat, place_lon, count,
                title, body, confidence, content, simulated, position, data, named_place)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                item.user.rawValue, item.id, item.at.milliseconds, item.createdAt.milliseconds,
                item.subject.type.rawValue,
                item.visit?.kind.rawValue, item.visit?.placeName, item.visit?.place.latitude,
                item.visit?.place.longitude, item.content.count, item.title, item.body, item.visit?.confidence,
                FeedItemRow.text(item.content), item.isSimulated, position, FeedItemRow.data(of: item.subject),
                item.visit?.namedPlace?.rawValue,
            ]
        )
        try noteStories(of: item)
    }

    /// Gives a notification another text and fewer stories; `nil` leaves a row that names nothing.
    ///
    /// The ledger is unchanged: nothing is announced twice. The named place of the notification is unchanged as well.
    ///
    /// Current attempts to notify the user of the stories in `outdated` are cancelled.
    public func reword(
        _ id: String,
        of user: UserID,
        as item: FeedItem?,
        outdating outdated: [StoryID] = []
    ) throws {
        noteRetelling(id, to: user)
        if !outdated.isEmpty {
            afterCommit.changes.outdatedAttempts.stories[user, default: []].formUnion(outdated)
        }
        guard let item else { return try empty(id, of: user) }
        try db.execute(
            sql: """
                UPDATE notices SET place_name = ?, place_lat = ?, place_lon = ?, count = ?, title = ?, body = ?,
                content = ?, data = ? WHERE user = ? AND id = ?
                """,
            arguments: [
                item.visit?.placeName, item.visit?.place.latitude, item.visit?.place.longitude, item.content.count,
                item.title, item.body,
                FeedItemRow.text(item.content), FeedItemRow.data(of: item.subject), user.rawValue, id,
            ]
        )
        try db.execute(
            sql: "DELETE FROM notice_stories WHERE user = ? AND notice = ?",
            arguments: [user.rawValue, id]
        )
        try noteStories(of: item)
    }

    private func noteStories(of item: FeedItem) throws {
        let statement = try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO notice_stories (story, user, notice) VALUES (?, ?, ?)"
        )
        for content in item.content {
            try statement.execute(arguments: [content.id.description, item.user.rawValue, item.id])
        }
    }
}

/// A notification as a row of the table `notices`.
enum FeedItemRow {
    /// Returns the ids of the stories; their source ids are left out, because they may reveal more than a reader may
    /// know.
    static func text(_ content: [FeedItem.Content]) -> String {
        var writer = JSONWriter()
        writer.value(content.map(\.id.description))
        return writer.text
    }

    static func item(_ row: Row, user: UserID) throws -> FeedItem {
        FeedItem(
            id: row["id"],
            user: user,
            at: Timestamp(milliseconds: row["at_ms"]),
            createdAt: Timestamp(milliseconds: row["created_ms"]),
            subject: try subject(row),
            title: row["title"],
            body: row["body"],
            isSimulated: row["simulated"],
            readAt: (row["read_ms"] as Int64?).map { Timestamp(milliseconds: $0) },
            archivedAt: (row["archived_ms"] as Int64?).map { Timestamp(milliseconds: $0) },
            openedAt: (row["opened_ms"] as Int64?).map { Timestamp(milliseconds: $0) },
            position: row["position"]
        )
    }

    /// Returns the data of a subject besides text and stories, or `nil` if there is none.
    static func data(of subject: FeedItem.Subject) -> String? {
        var json = JSONWriter()
        json.beginObject()
        switch subject {
        case .nearby(let visit):
            let further = visit.content.filter { $0.place != nil }
            guard visit.isArea || !further.isEmpty else { return nil }
            if visit.isArea { json.member("area", true) }
            if !further.isEmpty {
                json.key("places")
                json.beginObject()
                for told in further { json.member(told.id.description, told.place?.description) }
                json.endObject()
            }
        case .familyDeleted, .gone: return nil
        case .newStories(let news): json.member("author", news.author.rawValue)
        case .message(let message):
            json.member("link", message.link)
            json.key("details")
            json.beginObject()
            for (name, value) in message.details.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
            json.endObject()
        }
        json.endObject()
        return json.text
    }

    /// Reads the subject of a notification that is not about whereabouts.
    private static func told(_ row: Row) throws -> FeedItem.Subject {
        guard let type = NoticeType(rawValue: row["type"]) else { throw unreadable(row) }
        if type == .familyDeleted { return .familyDeleted }
        if type == .gone { return .gone }
        let data = try data(of: row)
        if type == .newStory {
            guard let author = data?["author"]?.string.flatMap({ UserID($0) }) else { throw unreadable(row) }
            return .newStories(FeedItem.NewStories(author: author, content: try content(of: row)))
        }
        let details = (data?["details"]?.object ?? [:]).compactMapValues(\.string)
        return .message(
            FeedItem.Message(type: type, link: data?["link"]?.string, details: details, content: try content(of: row))
        )
    }

    private static func content(of row: Row) throws -> [FeedItem.Content] {
        let json = try JSONValue(parsing: Array((row["content"] as String).utf8), limits: .init(bytes: 16 << 20))
        return (json.array ?? []).compactMap { $0.string.flatMap { StoryID($0) } }
            .map { FeedItem.Content(id: $0, sourceID: nil) }
    }

    private static func unreadable(_ row: Row) -> StoreError {
        let id: String = row["id"]
        return StoreError.damagedRow(of: "notices", id: id)
    }

    private static func subject(_ row: Row) throws -> FeedItem.Subject {
        guard row["type"] as String == NoticeType.nearby.rawValue else { return try told(row) }
        let data = try data(of: row)
        let content = try content(of: row)
            .map { told in
                let place = data?["places"]?[told.id.description]?.string.flatMap { StoryID($0) }
                return FeedItem.Content(id: told.id, sourceID: told.sourceID, place: place)
            }
        guard let latitude = row["place_lat"] as Double?, let longitude = row["place_lon"] as Double?,
            let place = Coordinate(latitude: latitude, longitude: longitude),
            let kind = (row["kind"] as String?).flatMap(FeedItem.Kind.init), let name = row["place_name"] as String?,
            let confidence = row["confidence"] as Double?
        else { throw unreadable(row) }
        return .nearby(
            FeedItem.Visit(
                kind: kind,
                placeName: name,
                place: place,
                content: content,
                confidence: confidence,
                isArea: data?["area"]?.bool ?? false,
                namedPlace: (row["named_place"] as String?).flatMap { NamedPlaceID($0) }
            )
        )
    }

    private static func data(of row: Row) throws -> JSONValue? {
        try (row["data"] as String?).map { try JSONValue(parsing: Array($0.utf8), limits: .init(bytes: 1 << 20)) }
    }
}
