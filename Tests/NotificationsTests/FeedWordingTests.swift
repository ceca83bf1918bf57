import Geometry
import Notifications
import Stories
import Testing

@Suite("Notifications as their reader may now see them")
struct FeedWordingTests {
    private let scene: FeedScene
    private let wording = FeedWording()

    init() throws { scene = try FeedScene() }

    private func words(_ item: FeedItem, _ context: FeedContext) -> String? {
        wording.visible(item, in: context)?.words
    }

    @Test("NTF-06 An unchanged notification keeps its exact text")
    func unchanged() {
        let item = scene.visit([1, 2])
        #expect(wording.visible(item, in: scene.context([scene.story(1), scene.story(2)])) == item)
        let deleted = scene.item(.familyDeleted)
        #expect(wording.visible(deleted, in: scene.context([])) == deleted)
    }

    @Test("PRV-01 A closed, removed or hidden story is left out and no longer counted")
    func leftOut() {
        let item = scene.visit([1, 2])
        let open = scene.story(1)
        let closed: [Story?] = [
            nil,
            scene.story(2) { $0.privacy = .private },
            scene.story(2) { $0.autoPrivate = true },
            scene.story(2) { $0.isWithheld = true },
            scene.story(2) { ($0.privacy, $0.family) = (.familyOnly, FamilyID("others")) },
            scene.story(2) { $0.location?.precision = .hidden },
            scene.story(2) { $0.location = nil },
        ]
        for other in closed {
            let context = scene.context([open] + [other].compactMap(\.self))
            #expect(words(item, context) == "Auburn Avenue | 1 story nearby | 1")
            #expect(words(scene.visit([2]), context) == nil)
        }
        let family = scene.story(2) { ($0.privacy, $0.family) = (.familyOnly, scene.family) }
        #expect(words(item, scene.context([open, family])) == "As told | As told | 1 2")
    }

    @Test("NTF-06 The rest keeps its kind, time, marks and certainty")
    func kept() throws {
        let item = scene.visit([1, 2], at: 40)
        let left = try #require(wording.visible(item, in: scene.context([scene.story(2, at: 40)])))
        let visit = try #require(left.visit)
        #expect(visit.kind == .entered && visit.confidence == 0.9 && !visit.isArea && visit.namedPlace == nil)
        #expect(PlaceID(visit.place) == PlaceID(Street.point(40)) && visit.placeName == "Auburn Avenue")
        #expect((left.id, left.user, left.at, left.createdAt) == (item.id, item.user, item.at, item.createdAt))
        #expect((left.readAt, left.position) == (item.readAt, 7))
    }

    @Test(
        "NTF-06 The text follows later changes, as far as its reader may see them",
        arguments: [
            // Changed, changed for others, own, reworded.
            (FeedScene.start, FeedScene.start, false, false),
            (FeedScene.told.advanced(byMilliseconds: -1), FeedScene.told.advanced(byMilliseconds: -1), false, false),
            (FeedScene.told, FeedScene.told, false, true),
            (FeedScene.later, FeedScene.later, false, true),
            (FeedScene.later, FeedScene.start, false, false),
            (FeedScene.later, FeedScene.start, true, true),
        ]
    )
    func changed(updatedAt: Timestamp, shownUpdatedAt: Timestamp, isOwn: Bool, isReworded: Bool) {
        let story = scene.story(1, owner: isOwn ? scene.ben : scene.ana) {
            ($0.updatedAt, $0.shownUpdatedAt) = (updatedAt, shownUpdatedAt)
        }
        let expected = isReworded ? "Auburn Avenue | 1 story nearby | 1" : "As told | As told | 1"
        #expect(words(scene.visit([1]), scene.context([story])) == expected)
    }

    @Test("NTF-06 A story older than its notification is not mistaken for a changed one")
    func lateCreation() {
        // Created after the notification by the clock, and never changed.
        var story = Story(
            id: FeedScene.id(1),
            kind: .photo,
            title: "T",
            owner: scene.ana,
            createdAt: FeedScene.later
        )
        story.location = scene.story(1).location
        #expect(words(scene.visit([1]), scene.context([story])) == "As told | As told | 1")
    }

    @Test("NTF-06 A story that moved is announced at its new point, under that place's name")
    func moved() throws {
        let story = scene.story(1, at: 900, place: "Wheat Street") { $0.shownUpdatedAt = FeedScene.later }
        // A story that changes for others has changed.
        let context = scene.context([story])
        let left = try #require(wording.visible(scene.visit([1]), in: context))
        #expect(left.words == "Wheat Street | 1 story nearby | 1")
        #expect(left.visit.map { PlaceID($0.place) } == PlaceID(Street.point(900)))
    }

    @Test("NTF-06 LOC-08 A story of several that moved away stays, and its new place is not named")
    func movedApart() {
        let near = scene.story(1)
        func far(_ metres: Double) -> Story {
            scene.story(2, at: metres, place: "Secret Street") { $0.shownUpdatedAt = FeedScene.later }
        }
        let item = scene.visit([1, 2])
        #expect(
            words(item, scene.context([near, far(149)]))
                == "Auburn Avenue | 2 stories nearby, 1 of them at Secret Street | 1 2"
        )
        #expect(words(item, scene.context([near, far(151)])) == "Auburn Avenue | 2 stories nearby | 1 2")
        // The place told keeps the notification, though another story is the first by id.
        let swapped = [scene.story(2), scene.story(1, at: 900) { $0.shownUpdatedAt = FeedScene.later }]
        let left = wording.visible(item, in: scene.context(swapped))
        #expect(left?.visit.map { PlaceID($0.place) } == PlaceID(Street.start))
    }

    @Test("LOC-08 A story shown less exactly loses its names and its point")
    func approximate() throws {
        let story = scene.story(1) {
            $0.location?.precision = .approximate(.hundredth)
            $0.shownUpdatedAt = FeedScene.later
        }
        let left = try #require(wording.visible(scene.visit([1]), in: scene.context([story])))
        #expect(left.words == "Near you | 1 story nearby | 1")
        #expect(left.visit?.place == PublishedCell.hundredth.center(of: Street.start))
        let atlanta = FeedWording(names: OneName(label: PlaceLabel(name: "Exact"), around: PlaceLabel(name: "Atlanta")))
        #expect(atlanta.visible(scene.visit([1]), in: scene.context([story]))?.title == "Atlanta")
    }

    @Test("NTF-03 A named place gives its current name, to those who may know of it, while it holds the story")
    func namedPlace() {
        let item = scene.visit([1], placeName: "The yard", under: scene.yardID)
        let story = scene.story(1)
        func title(_ place: NamedPlace?, _ story: Story) -> String? {
            wording.visible(item, in: scene.context([story], named: [place].compactMap(\.self)))?.title
        }
        #expect(title(scene.yard(), story) == "As told")
        #expect(title(scene.yard("The garden"), story) == "The garden")
        // Removed, or closed to the reader.
        #expect(title(nil, story) == "Auburn Avenue")
        #expect(title(scene.yard("The garden", at: 900), story) == "Auburn Avenue")
        // Under no name, a place is none of its business.
        let plain = scene.visit([1], placeName: "The yard")
        #expect(wording.visible(plain, in: scene.context([story], named: [scene.yard("The garden")])) == plain)
        let vague = scene.story(1) { $0.location?.precision = .approximate(.hundredth) }
        let middle = GreatCircle.distance(Street.start, PublishedCell.hundredth.center(of: Street.start))
        var wide = scene.yard("The garden")
        wide.radius = middle + 100
        #expect(title(wide, vague) == "Near you")
    }

    @Test("NTF-03 Stories in the named place count as around it, however far from the point of entry")
    func namedPlaceHolds() {
        let item = scene.visit([1, 2], under: scene.yardID)
        var campus = scene.yard("Campus")
        campus.radius = 300
        let stories = [scene.story(1), scene.story(2, at: 250, place: "Wheat Street")]
        let left = wording.visible(item, in: scene.context(stories, named: [campus], preview: .count))
        #expect(left?.words == "Campus | 2 stories nearby | 1 2" && left?.visit?.namedPlace == scene.yardID)
        let renamed = wording.visible(item, in: scene.context(stories, named: []))
        #expect(renamed?.visit?.namedPlace == nil)
    }

    @Test("NTF-03 Several places announced together stay an area, with the area's name")
    func area() throws {
        let names = OneName(label: PlaceLabel(name: "Sweet Auburn"))
        let item = scene.visit([1, 2, 3], isArea: true)
        let stories = [scene.story(1), scene.story(2, at: 900, place: "Wheat Street")]
        let left = try #require(FeedWording(names: names).visible(item, in: scene.context(stories)))
        #expect(left.words == "Sweet Auburn | 2 stories around Sweet Auburn | 1 2" && left.visit?.isArea == true)
        // All of it is around: without a gazetteer the city that most of its stories name is the area's.
        let far = [
            scene.story(1) { $0.location?.names = [:] },
            scene.story(2, at: 900) { $0.location?.names = [.city: "Decatur"] },
        ]
        #expect(words(item, scene.context(far)) == "Decatur | 2 stories around Decatur | 1 2")
    }

    @Test("NTF-13 The preview decides what is named; the storyteller is named if allowed, never the reader")
    func previews() {
        let item = scene.visit([1, 9])
        let tellers = [scene.ana: "Aunt Ana", scene.ben: "Ben"]
        func words(_ owner: UserID, _ preview: NotificationSettings.Preview) -> String? {
            let story = scene.story(1, owner: owner)
            return self.words(item, scene.context([story], tellers: tellers, preview: preview))
        }
        #expect(words(scene.ana, .full) == "Auburn Avenue | Aunt Ana told a story here: Title 1 | 1")
        #expect(words(scene.ben, .full) == "Auburn Avenue | 1 interview nearby: Title 1 | 1")
        #expect(words(scene.ana, .count) == "Auburn Avenue | 1 story nearby | 1")
        #expect(words(scene.ana, .none) == "Waymark | You have a new notification | 1")
    }

    @Test("NTF-09 New stories are counted while they exist; a single one is named if the preview allows")
    func newStories() {
        let item = scene.news([1, 2, 3])
        let closed = scene.story(3) { $0.privacy = .private }
        let stories = [scene.story(1), scene.story(2), closed]
        #expect(words(item, scene.context(stories)) == "Aunt Ana | added 2 stories | 1 2")
        #expect(words(item, scene.context([stories[0], closed])) == "Aunt Ana | added a story | 1")
        let full = scene.context([stories[0], closed, scene.story(8)], preview: .full)
        #expect(words(item, full) == "Aunt Ana | added a story: Title 1 | 1")
        #expect(words(item, scene.context(stories, preview: .none)) == "Waymark | You have a new notification | 1 2")
        #expect(words(item, scene.context([closed])) == nil && words(item, scene.context([])) == nil)
        // Written without a name, it has only the author's id to go by.
        #expect(words(scene.news([1], title: "Waymark"), scene.context(stories)) == "ana | added a story | 1")
    }

    @Test("SYN-01 A message keeps its text and names its remaining stories")
    func message() {
        let item = scene.message([1, 2, 3])
        let stories = [scene.story(1), scene.story(2) { $0.privacy = .private }]
        #expect(words(item, scene.context(stories)) == "As told | As told | 1")
        #expect(words(item, scene.context([])) == "As told | As told | ")
        #expect(wording.visible(scene.message([]), in: scene.context([])) == scene.message([]))
        #expect(wording.visible(scene.message([1]), in: scene.context(stories)) == scene.message([1]))
    }

    @Test("NTF-06 A removed notification has no content")
    func gone() {
        #expect(wording.visible(scene.visit([1]).tombstone, in: scene.context([scene.story(1)])) == nil)
    }
}
