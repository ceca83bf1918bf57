import Foundation
import Logging
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("The place of an open database")
struct PlaceGuardTests {
    private static let file = PlaceFacts.File(device: 1, inode: 10, names: 1)
    private static let log = PlaceFacts.File(device: 1, inode: 11, names: 1)
    private static let lock = PlaceFacts.File(device: 1, inode: 12, names: 1)
    private static let opened = PlaceFacts(database: file, log: log, lock: lock)

    private static func other(_ inode: UInt64, device: UInt64 = 1, names: Int = 1) -> PlaceFacts.File {
        PlaceFacts.File(device: device, inode: inode, names: names)
    }

    @Test(
        "REL-02 Each file must be the one that was opened, under one name",
        arguments: [
            (opened, nil),
            (PlaceFacts(database: nil, log: log, lock: lock), .databaseMissing),
            (PlaceFacts(database: other(20), log: log, lock: lock), .databaseReplaced),
            (PlaceFacts(database: other(10, device: 2), log: log, lock: lock), .databaseReplaced),
            (PlaceFacts(database: other(10, names: 2), log: log, lock: lock), .databaseHasTwoNames),
            (PlaceFacts(database: file, log: nil, lock: lock), .logMissing),
            (PlaceFacts(database: file, log: other(20), lock: lock), .logReplaced),
            (PlaceFacts(database: file, log: log, lock: nil), .lockMissing),
            (PlaceFacts(database: file, log: log, lock: other(20)), .lockReplaced),
            (PlaceFacts(database: nil, log: nil, lock: nil), .databaseMissing),
        ] as [(PlaceFacts, PlaceFault?)]
    )
    func rule(now: PlaceFacts, fault: PlaceFault?) {
        #expect(PlaceFault.found(opened: PlaceGuardTests.opened, now: now) == fault)
        // What was not there is not missed.
        let none = PlaceFacts(database: nil, log: nil, lock: nil)
        #expect(PlaceFault.found(opened: none, now: now) == nil)
    }

    /// Does to the files of a database what the fault says.
    private static func cause(_ fault: PlaceFault, at path: String) throws {
        let files = FileManager.default
        let copy = path + ".copy"
        func replace(_ name: String) throws {
            try files.copyItem(atPath: name, toPath: copy)
            try files.removeItem(atPath: name)
            try files.moveItem(atPath: copy, toPath: name)
        }
        switch fault {
        case .databaseMissing: try files.removeItem(atPath: path)
        case .databaseReplaced: try replace(path)
        case .databaseHasTwoNames: try files.linkItem(atPath: path, toPath: copy)
        case .logMissing: try files.removeItem(atPath: path + "-wal")
        case .logReplaced: try replace(path + "-wal")
        case .lockMissing: try files.removeItem(atPath: path + ".lock")
        case .lockReplaced: try replace(path + ".lock")
        }
    }

    @Test("REL-02 No write is acknowledged after a file was removed or replaced", arguments: PlaceFault.allCases)
    func running(fault: PlaceFault) async throws {
        let fixture = try StoreFixture()
        let story = try makeStory(1)
        try await fixture.store.write { try $0.insert(story) }
        #expect(fixture.store.writingProblem == nil)
        try PlaceGuardTests.cause(fault, at: fixture.folder.path("waymark.db"))
        for number in UInt64(2)...6 {
            let next = try makeStory(number)
            let error = await #expect(throws: StoreError.self) { try await fixture.store.write { try $0.insert(next) } }
            #expect(error?.code == .stopped)
            #expect(error?.description.contains("\(fault)") == true)
        }
        #expect(fixture.store.writingProblem?.code == .stopped)
        // Reading goes on.
        #expect(try await fixture.store.read { try $0.story(story.id) } == story)
    }

    private final class Progress: Sendable {
        let isReplaced = Mutex(false)
        let late = Mutex(0)
    }

    @Test("REL-02 What is acknowledged while the file is being replaced is in the file that was replaced")
    func midway() async throws {
        let fixture = try StoreFixture()
        let path = fixture.folder.path("waymark.db")
        let store = fixture.store
        let progress = Progress()
        let writes = (UInt64(1)...400)
            .map { number in
                Task {
                    let begunLate = progress.isReplaced.withLock { $0 }
                    let story = try makeStory(number)
                    try await store.write { try $0.insert(story) }
                    if begunLate { progress.late.withLock { $0 += 1 } }
                }
            }
        _ = await writes[100].result
        try PlaceGuardTests.cause(.databaseReplaced, at: path)
        progress.isReplaced.withLock { $0 = true }
        for write in writes { _ = await write.result }
        #expect(progress.late.withLock { $0 } == 0)
        #expect(fixture.store.writingProblem?.code == .stopped)
        try fixture.store.close()
    }

    @Test("REL-02 A second process is refused even if the lock was deleted, and a second name is reported")
    func second() throws {
        let fixture = try StoreFixture()
        let path = fixture.folder.path("waymark.db")
        try FileManager.default.removeItem(atPath: path + ".lock")
        let bare = #expect(throws: StoreError.self) { try StoreFixture.open(fixture.folder, .readWrite) }
        #expect(bare?.code == .locked && bare?.description.contains("another name") == true)
        let other = try TemporaryFolder()
        try FileManager.default.linkItem(atPath: path, toPath: other.path("waymark.db"))
        let linked = #expect(throws: StoreError.self) { try StoreFixture.open(other, .readWrite) }
        #expect(linked?.code == .locked)
        try fixture.store.close()
        let named = #expect(throws: StoreError.self) { try StoreFixture.open(other, .readWrite) }
        #expect(named?.description.contains("2 names") == true)
        try FileManager.default.removeItem(atPath: other.path("waymark.db"))
        try StoreFixture.open(fixture.folder, .readWrite).close()
    }
}
