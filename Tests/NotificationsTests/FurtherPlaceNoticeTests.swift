import Geometry
import Notifications
import Stories
import TestSupport
import Testing

@Suite("Notices of stories at their further places")
struct FurtherPlaceNoticeTests {
    private let scene: FeedScene

    init() throws { scene = try FeedScene() }

    private static func place(
        _ number: UInt64,
        at metres: Double,
        role: PlaceRole = .born,
        seconds: Double? = nil,
        _ change: (inout StoryPlace) -> Void = { _ in }
    ) -> StoryPlace {
        let location = StoryLocation(coordinate: Street.point(metres), names: [.name: "Place \(number)"])
        var place = StoryPlace(id: StoryID(high: 5, low: number), role: role, seconds: seconds, location: location)
        change(&place)
        return place
    }

    @Test("LOC-10 A story is announceable at its location and at each confirmed, exact place besides")
    func everywhere() throws {
        let corners = [0.0, 1].map { PlaceShape.Corner(longitude: -84 + $0, latitude: 33) }
        let story = scene.story(1) {
            $0.places = [
                FurtherPlaceNoticeTests.place(1, at: 900, seconds: 9),
                FurtherPlaceNoticeTests.place(2, at: 300, seconds: 5),
                FurtherPlaceNoticeTests.place(3, at: 0),
                FurtherPlaceNoticeTests.place(4, at: 1_500) { $0.isConfirmed = false },
                FurtherPlaceNoticeTests.place(5, at: 1_600) { $0.location.precision = .hidden },
                FurtherPlaceNoticeTests.place(6, at: 1_700) { $0.location.precision = .approximate(.hundredth) },
                FurtherPlaceNoticeTests.place(7, at: 1_800) { $0.location.floor = .approximate(.tenth) },
                FurtherPlaceNoticeTests.place(8, at: 1_900) { $0.shape = .line(corners) },
                FurtherPlaceNoticeTests.place(9, at: 2_000) {
                    ($0.location.precision, $0.location.familySeesExact) = (.hidden, true)
                },
            ]
        }
        for viewer in [scene.viewer, Viewer(user: scene.ana), .anonymous] {
            let shown = NearbyStory.everywhere(story, locationEpoch: 4, to: viewer)
            #expect(shown.map { $0.further?.place.low } == [nil, 2, 1, 8])
            #expect(shown.map(\.point) == [0, 300, 900, 1_900].map(Street.point))
            #expect(shown.map(\.placeName) == ["Auburn Avenue", "Place 2", "Place 1", "Place 8"])
            #expect(shown.allSatisfy { $0.isExact && $0.locationEpoch == 4 })
            #expect(shown[1].further?.seconds == 5 && shown[1].further?.role == .born)
        }
        var closed = story
        closed.privacy = .private
        #expect(NearbyStory.everywhere(closed, to: scene.viewer).isEmpty)
        closed = story
        closed.location = nil
        #expect(NearbyStory.everywhere(closed, to: scene.viewer).map { $0.further?.place.low } == [2, 1, 3, 8])
    }

    @Test("NTF-03 A visit to a line or an area announces nothing of what lies around its point")
    func alone() {
        let stories = [Street.story(1, at: 0), Street.story(2, at: 60), Street.story(3, at: 100)]
        let visit = Street.visit(0, second: 0)
        let planner = NoticePlanner()
        let numbers = { (notices: [Notice]) in notices.map { $0.stories.map(\.id.low) } }
        #expect(numbers(planner.plan(visits: [visit], nearby: stories)) == [[1, 2, 3]])
        #expect(numbers(planner.plan(visits: [visit], nearby: stories, alone: [visit.placeID])) == [[1]])
        // From a point, an area around whose point one is goes with the rest.
        let other = Street.visit(60, second: 0)
        #expect(numbers(planner.plan(visits: [other], nearby: stories, alone: [visit.placeID])) == [[1, 2, 3]])
        let both = planner.plan(visits: [visit, other], nearby: stories, alone: [visit.placeID])
        #expect(numbers(both) == [[1], [2, 3]])
    }

    @Test("NTF-05 An announcement under any epoch silences further places; at its location only the latest does")
    func epochs() {
        for (number, own, further) in [(0, [0], [0]), (1, [1], [1, 0]), (3, [3], [3, 2, 1, 0])] {
            #expect(LocationEpoch.silencing(number, isFurther: false) == own)
            #expect(LocationEpoch.silencing(number, isFurther: true) == further)
        }
        let many = LocationEpoch.silencing(1_000_000, isFurther: true)
        #expect(many.count == 65 && many.first == 1_000_000 && many.last == 999_936)
        #expect(LocationEpoch.silencing(.max, isFurther: true).first == .max)
    }

    @Test("NTF-05 Whichever places are reached in whichever order, each story is announced once", arguments: 0..<40)
    func once(seed: Int) throws {
        var draw = SplitMix64(seed: UInt64(seed))
        // Stories with up to five places at a few points of a street, some of them close together.
        let spots = (0..<12).map { _ in Double(Int.random(in: 0..<30, using: &draw)) * 60 }
        var stories: [Story] = []
        for number in 1...UInt64(8) {
            var story = scene.story(number, at: spots.randomElement(using: &draw) ?? 0)
            for place in 0..<UInt64.random(in: 0...4, using: &draw) {
                let metres = spots.randomElement(using: &draw) ?? 0
                story.places.append(FurtherPlaceNoticeTests.place(number * 10 + place, at: metres))
            }
            if Bool.random(using: &draw), !story.places.isEmpty { story.location = nil }
            stories.append(story)
        }
        var ledger = try LedgerOf("ben")
        var reached: Set<PlaceID> = []
        for second in 0..<30 {
            let visits = (0..<Int.random(in: 1...3, using: &draw))
                .map { _ in Street.visit(spots.randomElement(using: &draw) ?? 0, second: Double(second * 60)) }
            reached.formUnion(visits.map(\.placeID))
            let made = ledger.announce(visits, stories.flatMap { NearbyStory.everywhere($0, to: scene.viewer) })
            for notice in made {
                for story in notice.stories {
                    // It is told of a place that it has, near one that was entered.
                    let known = try #require(stories.first { $0.id == story.id })
                    let places = NearbyStory.everywhere(known, to: scene.viewer)
                    #expect(places.contains { $0.point == story.point && $0.further == story.further })
                    #expect(visits.contains { GreatCircle.distance($0.coordinate, story.point) < 151 })
                }
            }
            // A story with a place that was entered has been announced, and no story twice: the ledger checks that.
            let told = Set(ledger.told.map(\.story))
            for story in stories where !told.contains(story.id) {
                #expect(NearbyStory.everywhere(story, to: scene.viewer).allSatisfy { !reached.contains($0.placeID) })
            }
        }
        #expect(!ledger.told.isEmpty)
    }

    @Test("NTF-13 LOC-10 The full preview says which place it was, and where in the recording")
    func words() throws {
        func body(_ place: StoryPlace, _ preview: NotificationSettings.Preview, teller: String?) throws -> String {
            let story = scene.story(1, at: 5_000) { $0.places = [place] }
            let tellers = teller.map { [scene.ana: $0] } ?? [:]
            let near = NearbyStory.everywhere(story, to: scene.viewer, tellers: tellers)
            var options = NoticeOptions()
            options.preview = preview
            let visit = Street.visit(0, second: 0)
            return try #require(NoticePlanner(options: options).plan(visits: [visit], nearby: near).first?.body)
        }
        let born = FurtherPlaceNoticeTests.place(1, at: 0, seconds: 760.9)
        #expect(
            try body(born, .full, teller: "Grandpa Joe")
                == "Grandpa Joe told a story about this place: Title 1 · Born here · Hear it from 12:40"
        )
        #expect(try body(born, .full, teller: nil) == "1 interview nearby: Title 1 · Born here · Hear it from 12:40")
        #expect(try body(born, .count, teller: nil) == "1 story nearby")
        #expect(try body(born, .none, teller: nil) == "You have a new notification")
        let recorded = FurtherPlaceNoticeTests.place(1, at: 0, role: .recorded)
        #expect(try body(recorded, .full, teller: "Ana") == "Ana told a story here: Title 1 · Recorded here")
        for (seconds, time) in [(0.0, "0:00"), (9.99, "0:09"), (3_599, "59:59"), (3_723, "1:02:03")] {
            let role = try #require(PlaceRole("first_school"))
            let own = FurtherPlaceNoticeTests.place(1, at: 0, role: role, seconds: seconds)
            let words = "Title 1 · In it as “first school” · Hear it from \(time)"
            #expect(try body(own, .full, teller: nil) == "1 interview nearby: \(words)")
        }
        let known = PlaceRole.known.map { FurtherPlaceNoticeTests.place(1, at: 0, role: $0) }
        #expect(try known.allSatisfy { try !body($0, .full, teller: nil).contains("In it as") })
    }

    @Test("NTF-09 LOC-02 A stored notification is about its place alone: moved with it, gone with it")
    func stored() throws {
        let place = FurtherPlaceNoticeTests.place(1, at: 0)
        let content = [FeedItem.Content(id: FeedScene.id(1), sourceID: nil, place: place.id)]
        let visit = FeedItem.Visit(
            kind: .entered,
            placeName: "As told",
            place: Street.start,
            content: content,
            confidence: 0.9
        )
        let item = scene.item(.nearby(visit))
        func context(_ places: [StoryPlace], updatedAt: Timestamp = FeedScene.later) -> FeedContext {
            scene.context([
                scene.story(1, at: 5_000) {
                    $0.places = places
                    ($0.updatedAt, $0.shownUpdatedAt) = (updatedAt, updatedAt)
                }
            ])
        }
        let wording = FeedWording()
        let moved = FurtherPlaceNoticeTests.place(1, at: 700)
        let shown = try #require(wording.visible(item, in: context([moved])))
        #expect(shown.words == "Place 1 | 1 story nearby | 1" && shown.content == content)
        #expect(shown.visit?.place == Street.point(700))
        #expect(wording.visible(item, in: context([place], updatedAt: FeedScene.start)) == item)
        let hidden = FurtherPlaceNoticeTests.place(1, at: 0) { $0.location.precision = .hidden }
        let other = FurtherPlaceNoticeTests.place(2, at: 0)
        for places in [[], [hidden], [other]] {
            #expect(wording.visible(item, in: context(places)) == nil)
            #expect(!context(places).showsAnything(of: item))
            // Nothing of the text stays, not even if the reader may see the story elsewhere.
            #expect(wording.remaining(item, in: context(places))?.words == " |  | 1")
            #expect(wording.remaining(item, in: context(places))?.content == content)
        }
        #expect(context([place]).silencing([PlaceID(Street.start)], in: item).stories.isEmpty)
        #expect(context([place]).silencing([PlaceID(Street.point(5_000))], in: item).stories.count == 1)
    }
}
