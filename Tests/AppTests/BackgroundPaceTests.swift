import Library
import App
import GRDB
import Logging
import Storage
import Synchronization
import TestSupport
import Testing

@Suite("The pace of long work")
struct BackgroundPaceTests {
    /// Counts rests instead of resting.
    private final class Rests: Sendable {
        private let all = Mutex<[Duration]>([])
        private let each: @Sendable (Int) throws -> Void

        init(_ each: @escaping @Sendable (Int) throws -> Void = { _ in }) { self.each = each }

        var taken: [Duration] { all.withLock(\.self) }

        func pace(_ store: StoryStore) -> BackgroundPace {
            BackgroundPace(store: store) { duration in
                let count = self.all.withLock { all in
                    all.append(duration)
                    return all.count
                }
                try self.each(count)
            }
        }
    }

    private static func open() throws -> (TemporaryFolder, StoryStore) {
        let folder = try TemporaryFolder()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return (folder, try StoryStore(path: folder.path("waymark.db"), mode: .readWrite, logger: logger))
    }

    /// Another program's connection, in the midst of reading.
    private static func reader(of path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try reader.inDatabase { try $0.execute(sql: "BEGIN; SELECT count(*) FROM sqlite_master") }
        return reader
    }

    /// Writes 34 MB, which a reader keeps in the log.
    private static func lengthenLog(of store: StoryStore) throws {
        try store.inspect { db in
            try db.execute(sql: "CREATE TABLE filler (bytes BLOB)")
            for _ in 0..<34 { try db.execute(sql: "INSERT INTO filler VALUES (randomblob(1048576))") }
        }
    }

    @Test(
        "REL-02 A piece is followed by a rest of three times its length, at most 0.1 s, while others write",
        arguments: [
            (Duration.milliseconds(10), true, Duration.milliseconds(30)), (.milliseconds(80), true, .milliseconds(100)),
            (.milliseconds(80), false, .zero), (.zero, true, .zero),
        ]
    )
    func rule(time: Duration, othersWrote: Bool, expected: Duration) {
        #expect(BackgroundPace.rest(after: time, othersWrote: othersWrote) == expected)
    }

    @Test("REL-02 Long work rests if others wrote during a piece, but never when alone")
    func others() async throws {
        let (folder, store) = try BackgroundPaceTests.open()
        defer { withExtendedLifetime(folder) {} }
        let rests = Rests()
        var pace = rests.pace(store)
        for _ in 0..<5 { try await pace.run(commits: 1) { try await store.write { _ in } } }
        #expect(rests.taken.isEmpty)
        try await pace.run(commits: 1) {
            try await store.write { _ in }
            try await store.write { _ in }
        }
        #expect(rests.taken.count == 1)
    }

    @Test("REL-02 While a reader keeps the log long, the next piece waits until it ends, and no longer")
    func log() async throws {
        let (folder, store) = try BackgroundPaceTests.open()
        let reader = try BackgroundPaceTests.reader(of: folder.path("waymark.db"))
        try BackgroundPaceTests.lengthenLog(of: store)
        let rests = Rests { count in
            if count == 3 { try reader.inDatabase { try $0.execute(sql: "COMMIT") } }
        }
        var pace = rests.pace(store)
        #expect(store.logSize > BackgroundPace.longLog)
        try await pace.run(commits: 1) {}
        #expect(rests.taken == Array(repeating: BackgroundPace.logRest, count: 3))
        #expect(store.logSize == 0)
    }

    @Test("REL-02 A reader that never ends delays long work by half a minute in total, not forever")
    func endless() async throws {
        let (folder, store) = try BackgroundPaceTests.open()
        let reader = try BackgroundPaceTests.reader(of: folder.path("waymark.db"))
        try BackgroundPaceTests.lengthenLog(of: store)
        let rests = Rests()
        var pace = rests.pace(store)
        for _ in 0..<3 { try await pace.run(commits: 1) {} }
        #expect(rests.taken.count == BackgroundPace.mostLogRests)
        try reader.inDatabase { try $0.execute(sql: "COMMIT") }
    }
}
