import CSpatiaLite
import GRDB
import Synchronization

/// The cost of reads, in units that are the same on every machine.
package struct ReadEffort: Hashable, Sendable {
    /// The number of statements run.
    package var statements = 0
    /// The number of pages of the file accessed, including those in SQLite's cache.
    package var pages = 0
}

/// Counts the cost of reads while a measurement is running.
final class ReadMeter: Sendable {
    private let effort = Mutex<ReadEffort?>(nil)
    /// The number of reads that hold a connection at present.
    let underWay = Atomic(0)
    /// The number of reads since the store was opened.
    let count = Atomic(0)

    func start() { effort.withLock { $0 = ReadEffort() } }

    func stop() -> ReadEffort {
        effort.withLock { effort in
            defer { effort = nil }
            return effort ?? ReadEffort()
        }
    }

    func measure<Value>(_ db: Database, _ body: () throws -> Value) rethrows -> Value {
        underWay.wrappingAdd(1, ordering: .relaxed)
        count.wrappingAdd(1, ordering: .relaxed)
        defer { underWay.wrappingSubtract(1, ordering: .relaxed) }
        guard effort.withLock({ $0 != nil }) else { return try body() }
        let before = ReadMeter.pages(db)
        db.trace(options: .statement) { [self] _ in effort.withLock { $0?.statements += 1 } }
        defer {
            db.trace(options: [])
            let pages = ReadMeter.pages(db) - before
            effort.withLock { $0?.pages += pages }
        }
        return try body()
    }

    private static func pages(_ db: Database) -> Int {
        guard let connection = db.sqliteConnection else { return 0 }
        return [SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS]
            .reduce(0) { sum, counter in
                var (current, highest): (Int32, Int32) = (0, 0)
                sqlite3_db_status(connection, counter, &current, &highest, 0)
                return sum + Int(current)
            }
    }
}

extension StoryStore {
    /// The number of reads that hold a connection at present, and of all reads since the store was opened.
    package var reads: (underWay: Int, count: Int) {
        (readMeter.underWay.load(ordering: .relaxed), readMeter.count.load(ordering: .relaxed))
    }

    /// Runs `body` and returns the cost of all reads meanwhile; for tests that bound the work.
    package func effort(_ body: () async throws -> Void) async rethrows -> ReadEffort {
        readMeter.start()
        do {
            try await body()
        } catch {
            _ = readMeter.stop()
            throw error
        }
        return readMeter.stop()
    }
}
