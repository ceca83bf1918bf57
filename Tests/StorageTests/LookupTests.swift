import Geometry
import Storage
import Stories
import TestSupport
import Testing

@Suite("Lookup by id")
struct LookupTests {
    /// Ids between others that exist, so that what is not there lies anywhere among them.
    private static func id(_ number: UInt64) -> StoryID { StoryID(high: number << 32, low: 1) }

    @Test("PRV-02 Looking up someone else's story, collection or place takes the same work as a missing one")
    func equalWork() async throws {
        let fixture = try StoreFixture()
        let now = Timestamp(milliseconds: 1_000)
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        let family = try #require(FamilyID("whitfield"))
        let point = Coordinate(wrappingLatitude: 33.7554, longitude: -84.3736)
        let levels: [Privacy] = [.public, .private, .familyOnly, .private]
        try await fixture.store.write { transaction in
            for user in [ana, ben] { try transaction.ensureUser(user, at: now) }
            try transaction.saveFamily(family, name: "Whitfield", at: now)
            try transaction.saveMember(ana, of: family, role: .owner, at: now)
            for number in 1...40 {
                let privacy = levels[number % 4]
                var story = Story(
                    id: LookupTests.id(UInt64(number)),
                    kind: .photo,
                    title: "Story",
                    owner: ana,
                    createdAt: now
                )
                story.privacy = privacy
                // Texts that do not fit into a page: nothing of them may be read.
                story.text = String(repeating: "long ", count: number * 400)
                try transaction.insert(story)
                let name = LookupTests.id(UInt64(number)).description
                try transaction.insert(
                    StoryCollection(
                        id: try #require(CollectionID(name)),
                        owner: ana,
                        title: "Trip \(number)",
                        text: nil,
                        privacy: privacy,
                        family: nil,
                        createdAt: now
                    )
                )
                try transaction.save(
                    NamedPlace(
                        id: try #require(NamedPlaceID(name)),
                        owner: ana,
                        name: "Place \(number)",
                        coordinate: point,
                        privacy: privacy,
                        createdAt: now
                    )
                )
            }
        }
        for viewer in [Viewer.anonymous, Viewer(user: ben)] {
            var works: [String: Set<StoreWork>] = [:]
            for number in 1...39 {
                for id in [LookupTests.id(UInt64(number)), StoryID(high: UInt64(number) << 32, low: 7)] {
                    let story = try await fixture.store.counting { try $0.story(id, visibleTo: viewer) }
                    let collection = try #require(CollectionID(id.description))
                    let trip = try await fixture.store.counting { try $0.collection(collection, visibleTo: viewer) }
                    let placeID = try #require(NamedPlaceID(id.description))
                    let place = try await fixture.store.counting { try $0.namedPlace(placeID, visibleTo: viewer) }
                    let isSeen = id.low == 1 && levels[number % 4] == .public
                    #expect((story.value != nil) == isSeen)
                    #expect((trip.value != nil) == isSeen && (place.value != nil) == isSeen)
                    guard !isSeen else { continue }
                    works["story", default: []].insert(story.work)
                    works["collection", default: []].insert(trip.work)
                    works["place", default: []].insert(place.work)
                }
            }
            for (what, found) in works {
                #expect(found.count == 1, "\(what): \(found.map(\.steps).sorted())")
                #expect(found.first?.statements.count == 2 && found.first?.steps ?? 0 > 5)
            }
        }
    }
}
