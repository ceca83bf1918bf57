import Foundation
import GRDB
import Geometry
import Logging
import Notifications
import Storage
import Stories
import Testing
import TestSupport

@Suite("The store")
struct StoryStoreTests {
    @Test("REL-02 The durability settings are in force on the writer after opening")
    func durability() throws {
        let fixture = try StoreFixture()
        try fixture.store.inspect { db throws in
            #expect(try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2)
            #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal")
            #expect(try Int.fetchOne(db, sql: "PRAGMA secure_delete") == 1)
            #expect(try Int.fetchOne(db, sql: "PRAGMA foreign_keys") == 1)
        }
    }

    @Test("REL-02 A store that reads back a weaker setting refuses to open")
    func refusesWeakSettings() throws {
        let fixture = try StoreFixture()
        try fixture.store.inspect { db throws in
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            let error = #expect(throws: StoreError.self) { try StoryStore.checkDurability(db, path: "x.db") }
            #expect(error?.code == .notDurable)
        }
    }

    @Test("A story is read back with every field as stored")
    func roundTrip() async throws {
        let fixture = try StoreFixture()
        var story = try makeStory(1)
        story.text = "Two\nlines, \"quoted\", ünïcode"
        story.clientID = "phone-1"
        story.date = StoryDate("1936-05/1941")
        story.tags = ["church", "a,b"]
        story.people = ["Ana \"Annie\" W."]
        story.mentions = ["Chicago"]
        story.collection = "Trip"
        story.mediaURL = "https://example.org/a.mp3"
        story.thumbnailURL = "/t.png"
        story.alt = "A church"
        story.picture = StoryPicture(version: 7, width: 400, height: 266)
        story.location?.accuracy = 12.5
        story.location?.source = .gps
        story.location?.precision = .approximate(.tenth)
        story.location?.familySeesExact = true
        story.autoPrivate = true
        story.source = "file"
        story.sourceID = "17"
        let stored = story
        let read = try await fixture.store.write { transaction in
            try transaction.insert(stored)
            return try transaction.story(stored.id)
        }
        #expect(read == stored)
    }

    @Test(
        "LOC-10 A place with a time that is no number of milliseconds makes its story unreadable, and nothing worse",
        arguments: ["1e300", "-1e300", "9223372036854775807"]
    )
    func timeOfPlace(number: String) async throws {
        let fixture = try StoreFixture()
        var story = try makeStory(1)
        let location = try #require(story.location)
        story.places = [StoryPlace(id: StoryID(high: 7, low: 2), role: .spokenOf, location: location)]
        let stored = story
        try await fixture.store.write { try $0.insert(stored) }
        try fixture.store.inspect { try $0.execute(sql: "UPDATE story_places SET created_ms = \(number)") }
        let error = await #expect(throws: StoreError.self) {
            try await fixture.store.read { try $0.story(stored.id) }
        }
        #expect(error?.code == .damagedRow)
    }

    @Test("LOC-02 A story can lose its location and get a new one")
    func changesLocation() async throws {
        let fixture = try StoreFixture()
        let story = try makeStory(1)
        var without = story
        without.location = nil
        let (first, second) = (story, without)
        let read = try await fixture.store.write { transaction in
            try transaction.insert(first)
            try transaction.update(second)
            let gone = try transaction.story(first.id)?.location
            try transaction.update(first)
            return (gone, try transaction.story(first.id)?.location)
        }
        #expect(read.0 == nil)
        #expect(read.1 == story.location)
    }

    @Test("NTF-05 A move of 30 m keeps the place, a move of 80 m makes a new one", arguments: [(30.0, 0), (80.0, 1)])
    func locationEpoch(metres: Double, epoch: Int) async throws {
        let fixture = try StoreFixture()
        let story = try makeStory(1)
        var moved = story
        let start = try #require(story.location?.coordinate)
        moved.location?.coordinate = GreatCircle.destination(from: start, bearing: 90, distance: metres)
        let after = moved
        let epochs = try await fixture.store.write { transaction in
            try transaction.insert(story)
            try transaction.update(after)
            return try transaction.locationEpochs([story.id])
        }
        #expect(epochs[story.id] == epoch)
    }

    @Test("NTF-05 Hiding a place and showing it again is not announced")
    func hidingIsNoMove() async throws {
        let fixture = try StoreFixture()
        var story = try makeStory(1)
        story.location?.precision = .approximate(.tenth)
        var hidden = story
        hidden.location?.precision = .hidden
        let (shown, gone) = (story, hidden)
        let epochs = try await fixture.store.write { transaction in
            try transaction.insert(shown)
            try transaction.update(gone)
            try transaction.update(shown)
            return try transaction.locationEpochs([shown.id])
        }
        #expect(epochs[story.id] == 0)
    }

    @Test("PRV-07 A deleted story leaves neither its text nor its place in the file")
    func deletionLeavesNothing() async throws {
        let fixture = try StoreFixture()
        var story = try makeStory(1, latitude: 12.345678, longitude: 98.765432)
        story.title = "Xylophone-Quarterstaff"
        let stored = story
        try await fixture.store.write { try $0.insert(stored) }
        try await fixture.store.write { try $0.deleteStory(stored.id) }
        try fixture.store.inspect { db throws in
            _ = try Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM idx_stories_geom") == 0)
        }
        let bytes = try Data(contentsOf: URL(filePath: fixture.folder.path("waymark.db")))
        #expect(bytes.range(of: Data("Quarterstaff".utf8)) == nil)
        #expect(bytes.range(of: Data("quarterstaff".utf8)) == nil)
        // The R*Tree keeps 32-bit big-endian coordinates.
        let box = withUnsafeBytes(of: Float(98.765432).bitPattern.bigEndian) { Data($0) }
        #expect(bytes.range(of: box) == nil)
    }

    @Test("Text search finds stories containing every word, ignoring case")
    func search() async throws {
        let fixture = try StoreFixture()
        var story = try makeStory(1)
        story.text = "He sang in the Choir of Ebenezer."
        let stored = story
        let found = try await fixture.store.write { transaction in
            try transaction.insert(stored)
            return [
                try transaction.storyIDs(containing: ["choir", "ebenezer"], viewer: .anonymous),
                try transaction.storyIDs(containing: ["choir", "tulsa"], viewer: .anonymous),
                try transaction.storyIDs(containing: ["atlanta"], viewer: .anonymous),
            ]
        }
        #expect(found == [[stored.id], [], [stored.id]])
    }

    @Test("PRV-02 Text search reads only what the viewer may see")
    func searchIsTheViewers() async throws {
        let fixture = try StoreFixture()
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        let (mine, other) = (try #require(FamilyID("whitfield")), try #require(FamilyID("delacroix")))
        let now = Timestamp(milliseconds: 0)
        let cases: [(Privacy, FamilyID?, Bool, Bool)] = [
            (.public, nil, false, false), (.familyOnly, nil, false, false), (.familyOnly, mine, false, false),
            (.familyOnly, other, false, false), (.private, nil, false, false), (.public, nil, true, false),
            (.public, nil, false, true), (.familyOnly, mine, true, true),
        ]
        let stories = try cases.enumerated()
            .map { number, level in
                var story = try makeStory(UInt64(number), owner: "ana")
                (story.privacy, story.family, story.autoPrivate, story.isWithheld) = level
                return story
            }
        let viewers = [Viewer.anonymous, Viewer(user: ben, families: [mine: [ana, ben]]), Viewer(user: ana)]
        let found = try await fixture.store.write { transaction in
            for user in [ana, ben] { try transaction.ensureUser(user, at: now) }
            for family in [mine, other] { try transaction.saveFamily(family, name: "x", at: now) }
            for story in stories { try transaction.insert(story) }
            return try viewers.map { try transaction.storyIDs(containing: ["story"], viewer: $0) }
        }
        for (viewer, ids) in zip(viewers, found) {
            #expect(ids == Set(stories.filter { $0.isVisible(to: viewer) }.map(\.id)))
        }
        #expect(found.map(\.count) == [1, 3, 8])
    }

    @Test("LOC-08 Place names are not searched unless the place is shown exactly")
    func searchHidesNames() async throws {
        let fixture = try StoreFixture()
        var story = try makeStory(1)
        story.location?.precision = .hidden
        let stored = story
        let found = try await fixture.store.write { transaction in
            try transaction.insert(stored)
            return try transaction.storyIDs(containing: ["atlanta"], viewer: .anonymous)
        }
        #expect(found.isEmpty)
    }

    @Test("NTF-05 The ledger's unique key prevents a repeated announcement: the whole transaction is undone")
    func ledger() async throws {
        let fixture = try StoreFixture()
        let user = try #require(UserID("archive"))
        let story = try makeStory(1)
        let place = try #require(story.location?.coordinate)
        let key = LedgerKey(secret: [1, 2, 3], user: user, story: story.id, locationEpoch: 0)
        @Sendable func item(_ id: String) -> FeedItem {
            FeedItem(
                id: id,
                user: user,
                at: Timestamp(milliseconds: 5),
                createdAt: Timestamp(milliseconds: 6),
                subject: .nearby(
                    FeedItem.Visit(
                        kind: .entered,
                        placeName: "Here",
                        place: place,
                        content: [.init(id: story.id, sourceID: nil)],
                        confidence: 0.5
                    )
                ),
                title: "t",
                body: "b"
            )
        }
        try await fixture.store.write { try $0.insert(item("1"), ledger: [key]) }
        await #expect(throws: StoreError.self) {
            try await fixture.store.write { try $0.insert(item("2"), ledger: [key]) }
        }
        let feed = try await fixture.store.read { transaction in
            try transaction.notices(of: user, unreadOnly: false, after: nil, limit: 10)
        }
        var told = item("1")
        // At its time, the first of its user's log.
        told.position = 6
        #expect(feed == [told])
    }

    @Test("A viewer includes their families and all their members")
    func viewer() async throws {
        let fixture = try StoreFixture()
        let ids = try ["ana", "ben", "cora"].map { try #require(UserID($0)) }
        let family = try #require(FamilyID("whitfield"))
        let viewer = try await fixture.store.write { transaction in
            for id in ids { try transaction.ensureUser(id, at: Timestamp(milliseconds: 0)) }
            try transaction.saveFamily(family, name: "W", at: Timestamp(milliseconds: 0))
            for id in ids[..<2] {
                try transaction.saveMember(id, of: family, role: .member, at: Timestamp(milliseconds: 0))
            }
            return (try transaction.viewer(ids[0]), try transaction.viewer(ids[2]))
        }
        #expect(viewer.0 == Viewer(user: ids[0], families: [family: [ids[0], ids[1]]]))
        #expect(viewer.1 == Viewer(user: ids[2]))
    }
}
