import GRDB
import Geometry
import Notifications
import Storage
import Stories
import TestSupport
import Testing

@Suite("Notifications about someone else's stories")
struct ToldOfOthersTests {
    /// A notification of any sort that tells of some of these stories, or of none.
    private static func item(
        _ number: Int,
        of user: UserID,
        by author: UserID,
        _ stories: [Story],
        using generator: inout SplitMix64
    ) throws -> FeedItem {
        let content = stories.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
            .map { FeedItem.Content(id: $0.id, sourceID: nil) }
        let place = try #require(Coordinate(latitude: 1, longitude: 2))
        let visit = FeedItem.Visit(kind: .entered, placeName: "", place: place, content: content, confidence: 1)
        let subjects: [FeedItem.Subject] = [
            .nearby(visit), .newStories(.init(author: author, content: content)),
            .message(.init(type: .syncFinished, details: ["author": author.rawValue], content: content)),
        ]
        let kind = Int.random(in: 0..<(content.isEmpty ? 2 : 3), using: &generator)
        return FeedItem(
            id: StoryID(high: 9, low: UInt64(number)).description,
            user: user,
            at: Timestamp(milliseconds: 5),
            createdAt: Timestamp(milliseconds: 6),
            subject: subjects[kind],
            title: "",
            body: ""
        )
    }

    @Test("The index of notices finds the same as a full scan", arguments: UInt64(0)..<20)
    func index(seed: UInt64) async throws {
        let fixture = try StoreFixture()
        let users = try ["ana", "ben", "cora"].map { try #require(UserID($0)) }
        try await fixture.store.write { transaction in
            var generator = SplitMix64(seed: seed)
            func anybody() -> UserID { users[Int.random(in: 0..<users.count, using: &generator)] }
            for user in users { try transaction.ensureUser(user, at: Timestamp(milliseconds: 1)) }
            let stories = try (0..<12).map { try makeStory(UInt64($0), owner: anybody().rawValue) }
            for story in stories { try transaction.insert(story) }
            for number in 0..<30 {
                let (user, author) = (anybody(), anybody())
                let item = try ToldOfOthersTests.item(number, of: user, by: author, stories, using: &generator)
                try transaction.insert(item, ledger: [])
                // Of some nothing is left, or less.
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: try transaction.reword(item.id, of: user, as: nil)
                case 1:
                    let few = Array(stories.prefix(6))
                    let other = try ToldOfOthersTests.item(number, of: user, by: author, few, using: &generator)
                    if other.subject.type == item.subject.type {
                        try transaction.replaceNotice(item.id, of: user, by: other)
                    }
                default: break
                }
            }
            // Stories that are gone, half of them kept sealed.
            for story in stories.prefix(5) {
                if story.id.low.isMultiple(of: 2) {
                    let time = Timestamp(milliseconds: 9)
                    let sealed = SealedStory(id: story.id, owner: story.owner, deletedAt: time, blob: [1])
                    try transaction.save(sealed)
                }
                try transaction.deleteStory(story.id)
            }
        }
        var count = 0
        for owner in users {
            let found = try await fixture.store.read { try $0.noticesOfOthers(tellingOf: owner) }
                .map { "\($0.user) \($0.id)" }
            let read = try fixture.store.inspect { db in
                try String.fetchAll(
                    db,
                    sql: """
                        SELECT DISTINCT notices.user || ' ' || notices.id FROM notices, json_each(notices.content) AS told
                        WHERE notices.user <> :owner AND told.value IN (SELECT id FROM stories WHERE owner = :owner
                        UNION ALL SELECT story FROM sealed_stories WHERE owner = :owner)
                        UNION SELECT user || ' ' || id FROM notices
                        WHERE user <> :owner AND json_extract(data, '$.author') = :owner ORDER BY 1
                        """,
                    arguments: ["owner": owner.rawValue]
                )
            }
            #expect(found == read)
            count += found.count
        }
        #expect(count > 0)
    }
}
