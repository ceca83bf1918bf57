import Foundation
import GRDB
import Geometry
import Logging
import Storage
import Stories
import TestSupport
import Testing

/// A database that was closed, whose bytes a test changes before it is opened again.
struct ClosedStore {
    let folder: TemporaryFolder
    let path: String

    /// Makes a database with some stories, and closes it.
    init(stories: UInt64 = 60) async throws {
        let fixture = try StoreFixture()
        folder = fixture.folder
        path = folder.path("waymark.db")
        let made = try (1...stories)
            .map { number in
                var story = try makeStory(number, latitude: 33 + Double(number) / 100)
                story.text = String(repeating: "What was told at the kitchen table. ", count: Int(number % 9) * 40)
                return story
            }
        try await fixture.store.write { transaction in for story in made { try transaction.insert(story) } }
        try fixture.store.close()
    }

    func bytes(_ ending: String = "") throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path + ending))) }

    func write(_ bytes: [UInt8], _ ending: String = "") throws {
        try Data(bytes).write(to: URL(filePath: path + ending))
    }

    /// Changes a file in place.
    func change(_ ending: String = "", _ body: (inout [UInt8]) throws -> Void) throws {
        var bytes = try bytes(ending)
        try body(&bytes)
        try write(bytes, ending)
    }

    /// Returns the first page that contains `text`, from 0.
    func page(containing text: String) throws -> Int {
        try #require(Data(try bytes()).firstRange(of: Data(text.utf8))).lowerBound / 4_096
    }

    func open(_ mode: StoryStore.Mode = .readWrite) throws -> StoryStore { try StoreFixture.open(folder, mode) }

    /// Returns the titles of all stories, in order.
    func titles(_ store: StoryStore) async throws -> [String] {
        try await store.read { transaction in
            var titles: [String] = []
            try transaction.forEachStory { titles.append($0.title) }
            return titles.sorted()
        }
    }
}

@Suite("Sums of pages")
struct PageSumTests {
    @Test(
        "REL-03 A flipped bit anywhere in the file is corrected when it is read",
        arguments: 1...6 as ClosedRange<UInt64>
    )
    func flips(seed: UInt64) async throws {
        let closed = try await ClosedStore()
        let before = try closed.open(.readOnly)
        let titles = try await closed.titles(before)
        try before.close()
        var generator = SplitMix64(seed: seed)
        // The first page and pages of stories more often than chance would have it.
        let page = try [0, closed.page(containing: "Story 7"), -1][Int(seed % 3)]
        try closed.change { bytes in
            let all = page < 0 ? 0..<bytes.count : page * 4_096..<(page + 1) * 4_096
            for _ in 0..<(seed.isMultiple(of: 4) ? 2 : 1) {
                let place =
                    all.lowerBound + Int(generator.next() % UInt64(min(all.count, page < 0 ? all.count : 4_096)))
                bytes[place] ^= 1 << UInt8(generator.next() % 8)
                if page < 0 { break }
            }
        }
        for mode in [StoryStore.Mode.readOnly, .readWrite] {
            let store = try closed.open(mode)
            #expect(try await closed.titles(store) == titles)
            // Opening for writing changes the first page, which writes it anew.
            #expect(store.damagedPages.count == 1 || (page == 0 && store.isWritable))
            try store.close()
        }
    }

    @Test("REL-03 A page with other content is refused, not served, and everything else is")
    func garbled() async throws {
        let closed = try await ClosedStore()
        let page = try closed.page(containing: "Story 33")
        try closed.change { bytes in
            let place = try #require(Data(bytes).firstRange(of: Data("Story 33".utf8))).lowerBound
            bytes.replaceSubrange(place..<place + 8, with: "Story 99".utf8)
        }
        let store = try closed.open()
        #expect(store.damagedPages == [Int64(page + 1)])
        let error = await #expect(throws: StoreError.self) {
            _ = try await store.read { try $0.story(StoryID(high: 7, low: 33)) }
        }
        #expect(error?.code == .damaged)
        #expect(error?.description.contains("waymark check") == true)
    }

    @Test("A check goes on past a story whose long text lies on a damaged page")
    func overflow() async throws {
        let closed = try await ClosedStore()
        try closed.change { bytes in
            // A page that contains nothing but the end of a text.
            let text = Data(String(repeating: "What was told at the kitchen table. ", count: 50).utf8)
            var found: Int?
            for page in stride(from: 0, to: bytes.count, by: 4_096) where bytes[page] == 0 {
                let part = Data(bytes[page + 40..<page + 3_000])
                if part.firstRange(of: text) != nil { found = page }
            }
            let page = try #require(found)
            for place in page + 500..<page + 600 { bytes[place] = 0x21 }
        }
        let store = try closed.open(.readOnly)
        let report = try await store.checkStories()
        let unreadable = try #require(report.findings.first { $0.code == "stories-unreadable" })
        #expect(unreadable.stories.count == 1 && report.figures["stories"] == 59)
        // What follows the text in a row lies behind it.
        #expect(try await closed.titles(store).count == 59)
    }

    @Test("A page written to another page's place is refused")
    func misplaced() async throws {
        let closed = try await ClosedStore()
        let (one, two) = (try closed.page(containing: "Story 11"), try closed.page(containing: "Story 44"))
        #expect(one != two)
        try closed.change { bytes in
            bytes.replaceSubrange(one * 4_096..<one * 4_096 + 4_096, with: bytes[two * 4_096..<two * 4_096 + 4_096])
        }
        let store = try closed.open()
        #expect(store.damagedPages == [Int64(one + 1)] && store.hasUnreadablePages)
        let titles = try await closed.titles(store)
        #expect(titles.count < 60 && Set(titles).count == titles.count && !titles.contains("Story 11"))
    }

    @Test(
        "A database without sums gets them when it is opened, whatever is in their place",
        arguments: ["none", "empty", "short", "header", "other"]
    )
    func missing(what: String) async throws {
        let closed = try await ClosedStore()
        let sums = try closed.bytes(".sums")
        switch what {
        case "none": try FileManager.default.removeItem(atPath: closed.path + ".sums")
        case "empty": try closed.write([], ".sums")
        case "short": try closed.write(Array(sums.prefix(5_000)), ".sums")
        case "header": try closed.change(".sums") { $0[20] ^= 4 }
        default: try closed.write([UInt8](repeating: 7, count: 9_000), ".sums")
        }
        let first = try closed.open()
        #expect(first.damagedPages.isEmpty)
        #expect(try await closed.titles(first).count == 60)
        try first.close()
        try closed.change { $0[closed.path.count + 9 * 4_096] ^= 1 }
        let second = try closed.open()
        #expect(second.damagedPages == [10])
        try second.close()
    }

    @Test("A flipped bit of a sum is no damage of its page, and is put right")
    func flippedSum() async throws {
        let closed = try await ClosedStore()
        try closed.change(".sums") { $0[4_096 + 8 * 30 + 3] ^= 16 }
        // Only a file that somebody else has written is compared in full when it is opened.
        try closed.change { _ in }
        let store = try closed.open()
        #expect(store.damagedPages.isEmpty)
        #expect(try await closed.titles(store).count == 60)
        #expect(try await store.uncheckedPages().isEmpty)
    }

    @Test("What another program changed while no service ran is taken as it is, its pages have new sums")
    func edited() async throws {
        let closed = try await ClosedStore()
        let other = try DatabaseQueue(path: closed.path)
        try await other.write { db in
            try db.execute(sql: "UPDATE stories SET collection = 'Fields' WHERE title = 'Story 5'")
        }
        try other.close()
        for mode in [StoryStore.Mode.readOnly, .readWrite, .readOnly] {
            let store = try closed.open(mode)
            #expect(store.damagedPages.isEmpty)
            let story = try await store.read { try $0.story(StoryID(high: 7, low: 5)) }
            #expect(story?.collection == "Fields")
            try store.close()
        }
    }

    @Test("What another program moves from the log into the file beside a running store is no damage")
    func movedByOthers() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try await store.write { transaction in
            for number in 1...40 { try transaction.insert(try makeStory(UInt64(number))) }
        }
        let other = try DatabaseQueue(path: fixture.folder.path("waymark.db"))
        for (mode, name) in [(Database.CheckpointMode.passive, "Fields"), (.truncate, "Rivers")] {
            try await other.writeWithoutTransaction { db in
                try db.execute(sql: "UPDATE stories SET collection = '\(name)' WHERE title LIKE 'Story 1%'")
                _ = try db.checkpoint(mode)
            }
            _ = try await store.outsideVersion()
            try await store.write { try $0.insert(try makeStory(name == "Fields" ? 50 : 51)) }
            #expect(try await store.read { try $0.story(StoryID(high: 7, low: 12)) }?.collection == name)
            #expect(store.damagedPages.isEmpty)
            #expect(try await store.uncheckedPages().isEmpty)
        }
        try other.close()
    }

    @Test("REL-02 Whatever a crash leaves of a checkpoint, no page counts as damaged when the file is opened again")
    func crashes() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try await store.write { try $0.insert(try makeStory(1)) }
        try store.inspect { _ = try $0.checkpoint(.truncate) }
        let (path, names) = (fixture.folder.path("waymark.db"), ["", "-wal", ".sums"])
        func files() throws -> [[UInt8]] { try names.map { [UInt8](try Data(contentsOf: URL(filePath: path + $0))) } }
        let before = try files()
        try await store.write { transaction in
            for number in 2...200 { try transaction.insert(try makeStory(UInt64(number))) }
        }
        let log = try files()[1]
        try store.inspect { _ = try $0.checkpoint(.full) }
        let after = try files()
        var generator = SplitMix64(seed: 8)
        for round in 0..<4 {
            // Any part of the pages and of the sums has reached the disk, one without the other.
            let crashed = try TemporaryFolder()
            for (index, name) in [0, 2].map({ ($0, names[$0]) }) {
                var bytes = after[index]
                let size = index == 0 ? 4_096 : 8
                let start = index == 0 ? 0 : 4_096
                for place in stride(from: start, to: before[index].count, by: size) where generator.next() % 2 == 0 {
                    bytes.replaceSubrange(place..<place + size, with: before[index][place..<place + size])
                }
                // A full disk ends a checkpoint in the middle of a page.
                if index == 0, round.isMultiple(of: 2) { bytes.removeLast((bytes.count - before[0].count) / 2 + 1_000) }
                try Data(bytes).write(to: URL(filePath: crashed.path("waymark.db" + name)))
            }
            try Data(log).write(to: URL(filePath: crashed.path("waymark.db-wal")))
            let looked = try StoreFixture.open(crashed, .readOnly)
            let report = try await looked.checkPages()
            #expect(report.findings.isEmpty, "a check before the next checkpoint, in round \(round)")
            #expect(looked.damagedPages.isEmpty)
            #expect(try await looked.read { try $0.storyCount() } == 200)
            try looked.close()
            let opened = try StoreFixture.open(crashed, .readWrite)
            #expect(opened.damagedPages.isEmpty)
            #expect(try await opened.read { try $0.storyCount() } == 200)
            #expect(try await opened.uncheckedPages().isEmpty)
            try opened.close()
        }
    }

    @Test("Sums are on the disk before the log is used again: a page that a checkpoint has moved has its sum at once")
    func order() async throws {
        let fixture = try StoreFixture()
        for number in 1...40 {
            try await fixture.store.write { try $0.insert(try makeStory(UInt64(number))) }
            #expect(try await fixture.store.uncheckedPages().isEmpty)
        }
        try fixture.store.inspect { try $0.execute(sql: "DELETE FROM stories WHERE title > 'Story 2'; VACUUM") }
        _ = try await fixture.store.emptyLogAtOnce()
        #expect(try await fixture.store.uncheckedPages().isEmpty)
    }
}

@Suite("The schema of a file")
struct SchemaComparisonTests {
    @Test("REL-04 A database of this version has its schema; what is missing, changed or added is named")
    func comparison() throws {
        let fixture = try StoreFixture()
        let sound = try fixture.store.inspect { try SchemaComparison(of: $0) }
        #expect(sound.isSound && sound.added.isEmpty, "\(sound)")
        let other = try fixture.store.inspect { db in
            try db.execute(
                sql: """
                    DROP INDEX stories_family; DROP TRIGGER stories_edited;
                    CREATE TRIGGER stories_edited AFTER DELETE ON stories BEGIN SELECT 1; END;
                    CREATE TABLE layer_styles (id INTEGER);
                    CREATE TRIGGER evil AFTER INSERT ON users BEGIN DELETE FROM stories; END;
                    """
            )
            return try SchemaComparison(of: db)
        }
        #expect(!other.isSound)
        #expect(other.missing == ["index stories_family"])
        #expect(other.changed == ["trigger stories_edited"])
        #expect(other.added == ["table layer_styles", "trigger evil"])
        #expect(other.addedCode == ["trigger evil"])
    }
}
