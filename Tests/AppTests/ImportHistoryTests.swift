import App
import Geometry
import Importing
import Library
import Storage
import Stories
import TestSupport
import Testing

@Suite("Past imports")
struct ImportHistoryTests {
    private static let owner = "ana"

    private func importer(source: String? = "letters") throws -> StoryImporter {
        var options = StoryImporter.Options(owner: try #require(UserID(ImportHistoryTests.owner)))
        options.source = source
        options.privacyIsGiven = true
        return StoryImporter(options: options)
    }

    private func add(
        _ rows: [(id: Int, title: String)],
        name: String = "letters.csv",
        source: String? = "letters",
        _ choices: ImportChoices = ImportChoices(),
        dryRun: Bool = false,
        to fixture: ServiceFixture
    ) async throws -> ImportOutcome {
        let text = "id,title\n" + rows.map { "\($0.id),\($0.title)\n" }.joined()
        return try await fixture.library.imports
            .add(
                reading: Array(text.utf8),
                fileName: name,
                by: importer(source: source),
                choices: choices,
                dryRun: dryRun
            )
            .outcome
    }

    private func titles(_ fixture: ServiceFixture) async throws -> [String: String] {
        try await fixture.library.store.read { reader in
            var titles: [String: String] = [:]
            try reader.forEachStory { if let id = $0.sourceID { titles[id] = $0.title } }
            return titles
        }
    }

    private func last(_ fixture: ServiceFixture) async throws -> StoredImport {
        try #require(try await fixture.library.importHistory.list(of: nil, limit: 1).first)
    }

    private func fixture() async throws -> ServiceFixture {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in _ = try await client.create(as: "ana", title: "Own") }
        return fixture
    }

    @Test("PRV-01 A file that was imported for somebody else is refused unless its owner is named")
    func contentOfAnotherOwner() async throws {
        let fixture = try await fixture()
        func add(
            for user: UserID,
            isNamed: Bool,
            name: String = "letters.csv",
            dryRun: Bool = false
        ) async throws -> Int {
            var choices = ImportChoices()
            choices.isOwnerGiven = isNamed
            var options = StoryImporter.Options(owner: user)
            options.privacyIsGiven = true
            let done = try await fixture.library.imports
                .add(
                    reading: Array("id,title\n1,One\n".utf8),
                    fileName: name,
                    by: StoryImporter(options: options),
                    choices: choices,
                    dryRun: dryRun
                )
            return done.outcome.created
        }
        let ana = try #require(UserID(ImportHistoryTests.owner))
        // A file that nobody imported needs no owner.
        #expect(try await add(for: ana, isNamed: false) == 1)
        let first = try await last(fixture)
        for (name, dryRun) in [("letters.csv", false), ("letters.csv", true), ("renamed.csv", false)] {
            await #expect(throws: ImportConflict.sameContentOfOther(first)) {
                _ = try await add(for: .archive, isNamed: false, name: name, dryRun: dryRun)
            }
        }
        #expect(try await last(fixture).number == first.number)
        #expect(try await add(for: ana, isNamed: false) == 0)
        #expect(try await add(for: .archive, isNamed: true) == 1)
        // Now the owner has an import with this content too.
        #expect(try await add(for: .archive, isNamed: false) == 0)
    }

    @Test(
        "Any order of imports, edits, deletions and undoing leaves what a model says",
        arguments: [1, 2, 3, 4, 5, 6] as [UInt64]
    )
    func model(seed: UInt64) async throws {
        let fixture = try await fixture()
        var random = SplitMix64(seed: seed)
        var model = ImportModel()
        for step in 0..<40 {
            fixture.clock.advance(seconds: 1)
            switch random.next() % 8 {
            case 0...3:
                let rows = ImportModel.rows(using: &random)
                var choices = ImportChoices()
                (choices.replaces, choices.mayRemoveMost) = (random.next() % 3 == 0, true)
                _ = try await add(rows, choices, to: fixture)
                model.add(rows, replaces: choices.replaces, number: try await last(fixture).number)
            case 4, 5:
                guard let id = model.stories.keys.sorted().randomElement(using: &random) else { continue }
                let title = "edited \(step)"
                try await edit(id, to: title, in: fixture)
                model.edit(id, to: title)
            case 6:
                guard random.next() % 3 == 0, let id = model.stories.keys.sorted().randomElement(using: &random) else {
                    continue
                }
                try await delete(id, in: fixture)
                model.delete(id)
            default:
                guard let number = model.numbers.randomElement(using: &random) else { continue }
                let stored = try #require(try await fixture.library.importHistory.find(number))
                let plan = try await fixture.library.importHistory.plan(stored)
                let done = try await fixture.library.importHistory.undo(stored)
                #expect(done == plan)
                model.undo(number)
                #expect(try await fixture.library.importHistory.plan(stored).isEmpty)
            }
            let found = try await titles(fixture)
            let wanted = Dictionary(uniqueKeysWithValues: model.stories.map { (String($0.key), $0.value.title) })
            try #require(found == wanted, "seed \(seed), step \(step)")
        }
        #expect(model.numbers.count > 5, "A model without imports proves nothing.")
    }

    private func story(_ id: Int, in fixture: ServiceFixture) async throws -> Story {
        let owner = try #require(UserID(ImportHistoryTests.owner))
        return try await fixture.library.store.read { reader in
            let found = try #require(
                try reader.imported(owner: owner, source: "letters", sourceID: String(id))
            )
            return try #require(try reader.story(found.id))
        }
    }

    private func edit(_ id: Int, to title: String, in fixture: ServiceFixture) async throws {
        var story = try await story(id, in: fixture)
        story.title = title
        try await fixture.library.store.write { [story] in try $0.update(story) }
    }

    private func delete(_ id: Int, in fixture: ServiceFixture) async throws {
        let story = try await story(id, in: fixture)
        try await fixture.library.store.write { try fixture.library.imports.removal.remove(story.id, in: $0) }
    }

    @Test("An undone file can be imported again, and undoing it twice changes nothing")
    func again() async throws {
        let fixture = try await fixture()
        let rows = (1...3).map { (id: $0, title: "Letter \($0)") }
        #expect(try await add(rows, to: fixture) == ImportOutcome(created: 3))
        let stored = try await last(fixture)
        #expect(stored.state == .complete && stored.counts.created == 3)
        #expect(try await fixture.library.importHistory.undo(stored).removed == 3)
        let undone = try await last(fixture)
        #expect(undone.state == .undone)
        #expect(try await fixture.library.importHistory.undo(undone).isEmpty)
        #expect(try await add(rows, to: fixture) == ImportOutcome(created: 3))
        #expect(try await titles(fixture).count == 3)
        // What came back is not waiting as a deleted story any more.
        #expect(try await fixture.library.store.read { try $0.outermostSealedStories() }.isEmpty)
    }

    @Test("Replacing removes what is gone, and asks before it removes most")
    func replacing() async throws {
        let fixture = try await fixture()
        let rows = (1...6).map { (id: $0, title: "Letter \($0)") }
        _ = try await add(rows, to: fixture)
        var choices = ImportChoices()
        choices.replaces = true
        await #expect(throws: ImportConflict.removesMost(removed: 4, of: 6)) {
            _ = try await add(Array(rows.prefix(2)), choices, to: fixture)
        }
        await #expect(throws: ImportConflict.removesMost(removed: 4, of: 6)) {
            _ = try await add(Array(rows.prefix(2)), choices, dryRun: true, to: fixture)
        }
        #expect(try await titles(fixture).count == 6)
        try await edit(6, to: "By hand", in: fixture)
        let some = Array(rows.prefix(4))
        let wanted = ImportOutcome(unchanged: 4, removed: 1, kept: 1)
        #expect(try await add(some, choices, dryRun: true, to: fixture) == wanted)
        #expect(try await add(some, choices, to: fixture) == wanted)
        #expect(try await titles(fixture)["5"] == nil)
        #expect(try await titles(fixture)["6"] == "By hand")
        #expect(try await fixture.library.importHistory.undo(last(fixture)).returned == 1)
        #expect(try await titles(fixture)["5"] == "Letter 5")
    }

    @Test("A renamed file does not double its stories, whether or not it changed")
    func renamed() async throws {
        let fixture = try await fixture()
        var rows = (1...6).map { (id: $0, title: "Letter \($0)") }
        _ = try await add(rows, name: "letters.csv", source: nil, to: fixture)
        var choices = ImportChoices()
        choices.isSourceGiven = false
        let first = try await last(fixture)
        await #expect(throws: ImportConflict.sameContent(first)) {
            _ = try await add(rows, name: "letters-new.csv", source: nil, choices, to: fixture)
        }
        rows[5].title = "Another"
        await #expect(throws: ImportConflict.sameRows(source: "letters")) {
            _ = try await add(rows, name: "letters-new.csv", source: nil, choices, to: fixture)
        }
        // Other stories may have the same numbers.
        let others = (1...6).map { (id: $0, title: "Photograph \($0)") }
        #expect(try await add(others, name: "photographs.csv", source: nil, choices, to: fixture).created == 6)
        // And who names the source means it.
        #expect(try await add(rows, name: "letters-new.csv", source: "copies", to: fixture).created == 6)
    }

    @Test("LOC-09 A converted file is recognised by what it was before, whatever it was converted to")
    func converted() async throws {
        let fixture = try await fixture()
        var choices = ImportChoices()
        choices.isSourceGiven = false
        func add(_ title: String, name: String, was digest: [UInt8]) async throws -> ImportOutcome {
            let text = "id,title\n1,\(title)\n"
            return try await fixture.library.imports
                .add(
                    reading: Array(text.utf8),
                    fileName: name,
                    digest: digest,
                    by: importer(source: nil),
                    choices: choices
                )
                .outcome
        }
        let (one, other) = (FileDigest.of(Array("one".utf8)), FileDigest.of(Array("other".utf8)))
        #expect(try await add("First", name: "a.fgb", was: one).created == 1)
        let first = try await last(fixture)
        #expect(first.origin.digest == one && first.origin.file == "a.fgb" && first.origin.source == "a")
        // Another version of the converter may write other bytes.
        #expect(try await add("First again", name: "a.fgb", was: one).updated == 1)
        let second = try await last(fixture)
        await #expect(throws: ImportConflict.self) { _ = try await add("Second", name: "b.fgb", was: one) }
        #expect(try await last(fixture).number == second.number)
        #expect(try await add("Second", name: "b.fgb", was: other).created == 1)
    }

    @Test("Undoing an import takes no picture away: one from before stays, a replaced one counts as an edit")
    func pictures() async throws {
        let fixture = try await fixture()
        _ = try await add([(1, "First"), (2, "Second")], to: fixture)
        let ids = try await fixture.library.store.read { reader in
            var ids: [String: String] = [:]
            try reader.forEachStory { story in
                if let row = story.sourceID { ids[row] = story.id.description }
            }
            return ids
        }
        let (first, second) = (try #require(ids["1"]), try #require(ids["2"]))
        try await fixture.run { client async throws in
            func put(_ shade: UInt8, on id: String) async throws -> [UInt8] {
                let picture = Array(SmallPicture.webp(shade).utf8)
                let reply = try await client.putPicture(picture, on: id, as: "ana", type: "image/webp")
                #expect(reply.status < 300)
                return try await client.picture(of: id, as: "ana").bytes
            }
            let (before, other) = (try await put(1, on: first), try await put(2, on: second))
            _ = try await add([(1, "First again"), (2, "Second again")], to: fixture)
            let replaced = try await put(30, on: second)
            #expect(replaced != other && before != other)
            let done = try await fixture.library.importHistory.undo(last(fixture))
            #expect(done.restored == 1 && done.edited == 1)
            #expect(try await titles(fixture) == ["1": "First", "2": "Second again"])
            #expect(try await client.picture(of: first, as: "ana").bytes == before)
            #expect(try await client.picture(of: second, as: "ana").bytes == replaced)
        }
    }

    @Test("PRV-07 Nothing of what a story was outlives its deletion")
    func deleted() async throws {
        let fixture = try await fixture()
        _ = try await add([(1, "Secret before")], to: fixture)
        _ = try await add([(1, "After")], to: fixture)
        func before() async throws -> Int {
            try await fixture.library.store.read { try $0.undoPlan(of: $0.imports(of: nil, limit: 1)[0]).restored }
        }
        #expect(try await before() == 1)
        try await delete(1, in: fixture)
        #expect(try await before() == 0)
    }
}

/// What imports, edits, deletions and undoing leave, as simply as it can be said.
private struct ImportModel {
    struct Kept {
        var title: String
        /// The title of the row that was imported last.
        var row: String
        var by: Int64
        var isEdited = false
    }

    struct Change {
        let number: Int64
        var isRemoval = false
        var before: (title: String, row: String)?
        var isEdited = false
    }

    var stories: [Int: Kept] = [:]
    var numbers: [Int64] = []
    private var sealed: [Int: Kept] = [:]
    private var changes: [Int: [Change]] = [:]
    private var deletedByHand: Set<Int> = []

    static func rows(using random: inout SplitMix64) -> [(id: Int, title: String)] {
        let ids = (1...10).filter { _ in random.next() % 3 > 0 }
        return (ids.isEmpty ? [1] : ids).map { ($0, "row \(random.next() % 3)") }
    }

    mutating func add(_ rows: [(id: Int, title: String)], replaces: Bool, number: Int64) {
        numbers.append(number)
        for (id, title) in rows {
            if let story = stories[id] {
                guard story.row != title else { continue }
                changes[id, default: []].append(Change(number: number, before: (story.title, story.row)))
                stories[id]?.title = title
                stories[id]?.row = title
            } else if !deletedByHand.contains(id) {
                stories[id] = Kept(title: title, row: title, by: number)
                sealed[id] = nil
                changes[id]?.removeAll(where: \.isRemoval)
            }
        }
        guard replaces else { return }
        for (id, story) in stories where !story.isEdited && !rows.contains(where: { $0.id == id }) {
            remove(id)
            changes[id, default: []].append(Change(number: number, isRemoval: true))
        }
    }

    mutating func edit(_ id: Int, to title: String) {
        stories[id]?.title = title
        stories[id]?.isEdited = true
        forget(id)
    }

    mutating func delete(_ id: Int) {
        remove(id)
        deletedByHand.insert(id)
    }

    private mutating func remove(_ id: Int) {
        sealed[id] = stories.removeValue(forKey: id)
        forget(id)
    }

    private mutating func forget(_ id: Int) {
        for index in (changes[id] ?? []).indices where changes[id]?[index].isRemoval == false {
            changes[id]?[index].isEdited = true
            changes[id]?[index].before = nil
        }
    }

    mutating func undo(_ number: Int64) {
        for id in changes.keys.sorted() {
            let isLater = changes[id]?.contains { $0.number > number } ?? false
            guard let index = changes[id]?.firstIndex(where: { $0.number == number }), let change = changes[id]?[index]
            else {
                continue
            }
            if change.isRemoval, let story = sealed[id] {
                stories[id] = story
                sealed[id] = nil
                deletedByHand.remove(id)
                changes[id]?.removeAll(where: \.isRemoval)
            } else if let before = change.before, !change.isEdited, !isLater {
                stories[id]?.title = before.title
                stories[id]?.row = before.row
                changes[id]?.remove(at: index)
            }
        }
        for (id, story) in stories where story.by == number && !story.isEdited {
            guard !(changes[id]?.contains { $0.number > number } ?? false) else { continue }
            remove(id)
        }
    }
}
