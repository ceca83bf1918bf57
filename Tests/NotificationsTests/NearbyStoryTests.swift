import Geometry
import Notifications
import Stories
import Testing

@Suite("Announceable details of a story")
struct NearbyStoryTests {
    private let scene: FeedScene

    init() throws { scene = try FeedScene() }

    private func story(_ precision: LocationPrecision, owner: UserID? = nil) -> Story {
        scene.story(1, owner: owner) {
            $0.location?.precision = precision
            $0.location?.names[.address] = " 30  Wheat Street , Atlanta"
            $0.sourceID = "s1"
        }
    }

    @Test("LOC-08 Others get the published point, and names only if it is exact; the owner gets both")
    func points() throws {
        let exact = try #require(NearbyStory(story(.exact), locationEpoch: 3, for: scene.viewer))
        #expect(exact.point == Street.start && exact.isExact && exact.locationEpoch == 3)
        #expect((exact.placeName, exact.city, exact.street) == ("Auburn Avenue", "Atlanta", "30 Wheat Street"))
        #expect((exact.title, exact.kind, exact.sourceID) == ("Title 1", .interview, "s1"))
        let cell = try #require(NearbyStory(story(.approximate(.tenth)), for: scene.viewer))
        #expect(cell.point == PublishedCell.tenth.center(of: Street.start) && !cell.isExact)
        #expect(cell.placeName == nil && cell.city == nil && cell.street == nil)
        #expect(NearbyStory(story(.hidden), for: scene.viewer) == nil)
        for precision in [LocationPrecision.approximate(.tenth), .hidden] {
            let own = try #require(NearbyStory(story(precision, owner: scene.ben), for: scene.viewer))
            #expect(own.point == Street.start && own.isExact && own.placeName == "Auburn Avenue")
        }
    }

    @Test("LOC-08 Family members who see the exact point are still notified at the published one")
    func family() throws {
        var story = story(.approximate(.tenth))
        story.location?.familySeesExact = true
        #expect(story.point(for: scene.viewer) == Street.start)
        #expect(NearbyStory(story, for: scene.viewer)?.point == PublishedCell.tenth.center(of: Street.start))
    }

    @Test("LOC-03 A derived name is left to the gazetteer")
    func derived() {
        var story = story(.exact)
        story.location?.derived = [.name, .city]
        let nearby = NearbyStory(story, for: scene.viewer)
        #expect(nearby?.placeName == nil && nearby?.city == "Atlanta")
        story.location?.names[.address] = " , Atlanta"
        #expect(NearbyStory(story, for: scene.viewer)?.street == nil)
    }

    @Test("NTF-13 The storyteller is named to everyone except the owner")
    func tellers() {
        let tellers = [scene.ana: "Aunt Ana", scene.ben: "Ben"]
        #expect(NearbyStory(story(.exact), for: scene.viewer, tellers: tellers)?.teller == "Aunt Ana")
        #expect(NearbyStory(story(.exact, owner: scene.ben), for: scene.viewer, tellers: tellers)?.teller == nil)
    }

    @Test("PRV-01 An invisible story is not announced")
    func visibility() {
        var story = story(.exact)
        #expect(NearbyStory.visible(story, to: scene.viewer) == NearbyStory(story, for: scene.viewer))
        story.privacy = .private
        #expect(NearbyStory.visible(story, to: scene.viewer) == nil && NearbyStory(story, for: scene.viewer) != nil)
    }

    @Test("NTF-09 Text about new stories names a single one by its one-line title, and otherwise counts")
    func newStories() {
        let one = scene.story(1) { $0.title = "A\nB" + String(repeating: "x", count: 200) }
        let full = NewStoryWording.words([one], author: "Ana", preview: .full)
        #expect(full.title == "Ana" && full.body == "added a story: A B" + String(repeating: "x", count: 96) + "…")
        #expect(NewStoryWording.words([one, scene.story(2)], author: "Ana", preview: .full).body == "added 2 stories")
        #expect(NewStoryWording.words([one], author: "Ana", preview: .count).body == "added a story")
        let none = NewStoryWording.words([one], author: "Ana", preview: .none)
        #expect(none == ("Waymark", "You have a new notification"))
    }
}
