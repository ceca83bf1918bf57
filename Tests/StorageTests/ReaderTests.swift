import GRDB
import Storage
import Stories
import Testing
import TestSupport

@Suite("Readers")
struct ReaderTests {
    @Test("A read passes a reader that is not a transaction")
    func kinds() async throws {
        let fixture = try StoreFixture()
        #expect(try await fixture.store.read { ($0 as AnyObject) is StoreTransaction } == false)
        #expect(try await fixture.store.write { ($0 as AnyObject) is StoreTransaction })
    }

    @Test("A function that takes a reader works in a read and in a transaction")
    func both() async throws {
        let fixture = try StoreFixture()
        let story = try makeStory(1)
        @Sendable func title(in reader: StoreReader) throws -> String? { try reader.story(story.id)?.title }
        let within = try await fixture.store.write { transaction in
            try transaction.insert(story)
            return try title(in: transaction)
        }
        #expect(within == story.title)
        #expect(try await fixture.store.read { try title(in: $0) } == story.title)
    }

    @Test(
        "SQLite rejects every change on a reader's connection",
        arguments: [
            "INSERT INTO users (id, name, created_ms) VALUES ('quill', 'Quill', 0)", "UPDATE users SET name = 'Quill'",
            "DELETE FROM stories", "CREATE TABLE quill (id INTEGER)",
        ]
    )
    func refusal(statement: String) async throws {
        let fixture = try StoreFixture()
        let error = await #expect(throws: StoreError.self) {
            try await fixture.store.inspectReader { try $0.execute(sql: statement) }
        }
        #expect(error?.code == .failed)
        #expect(try fixture.store.inspect { try Int.fetchOne($0, sql: "SELECT count(*) FROM users") } == 1)
    }
}
