import Geometry
import Notifications
import Stories
import Testing

@Suite("Notifications without permanently removed content")
struct FeedRemainderTests {
    private let scene: FeedScene
    private let wording = FeedWording()

    init() throws { scene = try FeedScene() }

    private func words(_ item: FeedItem, _ context: FeedContext) -> String? {
        wording.remaining(item, in: context)?.words
    }

    @Test("PRV-07 A removed story leaves no text; a temporarily closed one stays and is counted")
    func removed() {
        let item = scene.visit([1, 2, 3])
        let stories = [scene.story(1), scene.story(2) { $0.privacy = .private }]
        #expect(words(item, scene.context(stories)) == "Auburn Avenue | 2 stories nearby | 1 2")
        #expect(words(item, scene.context([stories[1]])) == "Auburn Avenue | 1 story nearby | 2")
        #expect(words(item, scene.context([])) == nil && words(item, scene.context([scene.story(4)])) == nil)
    }

    @Test("PRV-07 If no remaining story has a point, nothing is named, and the stories stay")
    func pointless() throws {
        let hidden = scene.story(1) { $0.location?.precision = .hidden }
        let item = scene.visit([1, 2], isArea: true, under: scene.yardID)
        let left = try #require(wording.remaining(item, in: scene.context([hidden])))
        let visit = try #require(left.visit)
        #expect(left.words == " |  | 1" && visit.placeName.isEmpty)
        #expect(visit.place == Coordinate(wrappingLatitude: 0, longitude: 0))
        #expect(visit.isArea && visit.kind == .entered && visit.confidence == 0.9 && visit.namedPlace == scene.yardID)
    }

    @Test("NTF-03 A name unknown to the reader, or of a removed place, is dropped; the place's identity stays")
    func namedPlace() {
        let item = scene.visit([1], placeName: "The yard", under: scene.yardID)
        let context = scene.context([scene.story(1)], named: [scene.yard("The garden")])
        let kept = wording.remaining(item, in: context)
        #expect(kept?.title == "The garden" && kept?.visit?.placeName == "The garden")
        let gone = wording.remaining(item, in: context.without(scene.yard()))
        #expect(gone?.title == "Auburn Avenue" && gone?.visit?.namedPlace == scene.yardID)
    }

    @Test("PRV-07 News and messages lose only the removed content")
    func others() {
        let stories = [scene.story(1), scene.story(2) { $0.privacy = .private }]
        #expect(words(scene.news([1, 2, 3]), scene.context(stories)) == "Aunt Ana | added 2 stories | 1 2")
        #expect(words(scene.news([3]), scene.context(stories)) == nil)
        #expect(words(scene.message([1, 2, 3]), scene.context(stories)) == "As told | As told | 1 2")
        #expect(words(scene.message([3]), scene.context(stories)) == "As told | As told | ")
        for item in [scene.item(.familyDeleted), scene.message([]), scene.visit([1]).tombstone] {
            #expect(wording.remaining(item, in: scene.context([])) == item)
        }
    }

    @Test("PRV-07 The context contains nothing of an erased person: neither stories nor named places")
    func erased() {
        let own = scene.story(2, owner: scene.ben)
        let item = scene.visit([1, 2], placeName: "The yard", under: scene.yardID)
        let context = scene.context([scene.story(1), own], named: [scene.yard()]).withoutEverything(of: scene.ana)
        #expect(context.stories.keys.sorted() == [own.id] && context.namedPlaces.isEmpty)
        #expect(words(item, context) == "Auburn Avenue | 1 story nearby | 2")
        let other = scene.context([scene.story(1), own], named: [scene.yard()]).withoutEverything(of: scene.ben)
        #expect(other.stories.keys.sorted() == [FeedScene.id(1)] && other.namedPlaces.count == 1)
    }

    @Test("NTF-08 A silenced place is not shown; the notification's other places stay")
    func silenced() {
        let stories = [scene.story(1), scene.story(2, at: 60), scene.story(3, at: 60) { $0.privacy = .private }]
        let item = scene.visit([1, 2, 3])
        let context = scene.context(stories).silencing([PlaceID(Street.start)], in: item)
        #expect(context.stories.keys.sorted() == [FeedScene.id(2)])
        let all = scene.context(stories).silencing([], in: item).stories.keys.sorted()
        #expect(all == [FeedScene.id(1), FeedScene.id(2)])
    }
}

@Suite("Random notifications")
struct FeedContextTests {
    /// A context of up to four stories and a named place, each open or not, changed or not.
    private func draw(_ scene: FeedScene, _ random: inout SplitMix64) -> FeedContext {
        var stories: [Story] = []
        for number in UInt64(1)...4 where random.next() % 4 > 0 {
            let owner = random.next() % 4 == 0 ? scene.ben : scene.ana
            let metres = Double(random.next() % 3) * 120
            stories.append(
                scene.story(number, at: metres, owner: owner, place: random.next() % 2 == 0 ? nil : "P\(number)") {
                    $0.privacy = Privacy.allCases[Int(random.next() % 3)]
                    $0.isWithheld = random.next() % 6 == 0
                    if random.next() % 4 == 0 { $0.shownUpdatedAt = FeedScene.later }
                    $0.updatedAt = $0.shownUpdatedAt
                    switch random.next() % 5 {
                    case 0: $0.location?.precision = .hidden
                    case 1: $0.location?.precision = .approximate(.hundredth)
                    case 2: $0.location = nil
                    default: break
                    }
                }
            )
        }
        let preview = NotificationSettings.Preview.allCases[Int(random.next() % 3)]
        let named = random.next() % 2 == 0 ? [] : [scene.yard(random.next() % 2 == 0 ? "The yard" : "The garden")]
        return scene.context(stories, named: named, tellers: [scene.ana: "Aunt Ana"], preview: preview)
    }

    private func items(_ scene: FeedScene) -> [FeedItem] {
        let stories: [[UInt64]] = [[1], [1, 2], [2, 3, 4], [5]]
        return [scene.item(.familyDeleted), scene.message([]), scene.visit([1]).tombstone]
            + stories.flatMap { numbers in
                [
                    scene.visit(numbers), scene.visit(numbers, at: 120, isArea: true), scene.news(numbers),
                    scene.visit(numbers, placeName: "The yard", under: scene.yardID), scene.message(numbers),
                ]
            }
    }

    @Test("NTF-06 An item counts exactly if it is shown", arguments: UInt64(0)..<100)
    func counting(seed: UInt64) throws {
        let scene = try FeedScene()
        var random = SplitMix64(seed: seed)
        let context = draw(scene, &random)
        for item in items(scene) {
            #expect(context.showsAnything(of: item) == (FeedWording().visible(item, in: context) != nil), "\(item)")
        }
    }

    @Test("PRV-01 Content invisible to a reader does not change any text they see", arguments: UInt64(0)..<100)
    func twins(seed: UInt64) throws {
        let scene = try FeedScene()
        var random = SplitMix64(seed: seed)
        let context = draw(scene, &random)
        let seen = context.stories.values.filter { $0.isVisible(to: scene.viewer) }
        let places = Array(context.namedPlaces.values)
        let twin = scene.context(seen, named: places, tellers: context.tellers, preview: context.preview)
        for item in items(scene) {
            let wording = FeedWording()
            #expect(wording.visible(item, in: context) == wording.visible(item, in: twin), "\(item)")
        }
    }
}
