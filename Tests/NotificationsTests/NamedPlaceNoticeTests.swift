import Geometry
import Notifications
import Stories
import Testing

@Suite("Notices named after a place")
struct NamedPlaceNoticeTests {
    private func place(_ number: UInt8, _ name: String, at metres: Double, radius: Double) throws -> NamedPlace {
        NamedPlace(
            id: try #require(NamedPlaceID(String(repeating: "\(number)", count: 32))),
            owner: try #require(UserID("ana")),
            name: name,
            coordinate: Street.point(metres),
            radius: radius,
            privacy: .public,
            createdAt: Timestamp(milliseconds: 0)
        )
    }

    private func told(_ notices: [Notice]) -> [String] {
        notices.map { "\($0.placeName): \($0.stories.map { "\($0.id.low)" }.joined(separator: " "))" }
    }

    @Test("NTF-03 The smallest place containing the entered point names it; among equals, the first by id")
    func smallest() throws {
        let stories = [Street.story(1, at: 0), Street.story(2, at: 60), Street.story(3, at: 300)]
        let campus = try place(1, "Campus", at: 150, radius: 400)
        let chapel = try place(2, "Chapel", at: 0, radius: 30)
        let other = try place(3, "Other", at: 0, radius: 30)
        let planner = NoticePlanner()
        for named in [[campus, chapel, other], [other, chapel, campus]] {
            let notices = planner.plan(visits: [Street.visit(0, second: 0)], nearby: stories, named: named)
            #expect(told(notices) == ["Chapel: 1"])
            #expect(notices.first?.namedPlace == chapel.id)
            let later = [Street.visit(0, second: 0), Street.visit(300, second: 60)]
            #expect(told(planner.plan(visits: later, nearby: stories, named: named)) == ["Chapel: 1", "Campus: 2 3"])
        }
        // Together in one window they stay two.
        let both = [Street.visit(60, second: 0), Street.visit(0, second: 1)]
        #expect(told(planner.plan(visits: both, nearby: stories, named: [campus])) == ["Campus: 1 2 3"])
    }

    @Test("NTF-03 A place includes the stories within it and none outside; its edge counts as inside")
    func edge() throws {
        let stories = (0...8).map { Street.story(UInt64($0), at: Double($0) * 50) }
        for radius in stride(from: 10.0, through: 500, by: 35) {
            let yard = try place(1, "Yard", at: 200, radius: radius)
            let notice = NoticePlanner().plan(visits: [Street.visit(200, second: 0)], nearby: stories, named: [yard])
            let inside = stories.filter { yard.contains($0.point) }.map(\.id)
            #expect(notice.first?.stories.map(\.id) == inside && notice.count == 1)
        }
        let exact = try place(1, "Yard", at: 200, radius: 100)
        #expect(stories.filter { exact.contains($0.point) }.map(\.id.low) == [2, 3, 4, 5, 6])
    }

    @Test("LOC-08 A place does not claim a story known only by cell, even if it contains the cell's centre")
    func cells() throws {
        let cell = NearbyStory(
            id: StoryID(high: 1, low: 9),
            locationEpoch: 0,
            kind: .interview,
            title: "Somewhere",
            point: Street.point(40),
            isExact: false,
            city: "Atlanta"
        )
        let yard = try place(1, "Yard", at: 0, radius: 300)
        let planner = NoticePlanner()
        let alone = planner.plan(visits: [Street.visit(40, second: 0)], nearby: [cell], named: [yard])
        #expect(told(alone) == ["Atlanta: 9"] && alone.first?.namedPlace == nil)
        let stories = [cell, Street.story(1, at: 0), Street.story(2, at: 250)]
        let exact = planner.plan(visits: [Street.visit(0, second: 0)], nearby: stories, named: [yard])
        #expect(told(exact) == ["Yard: 1 2"])
    }

    @Test("NTF-03 A story inside a place is not grouped with one outside: it waits for its own entry")
    func beside() throws {
        let stories = [
            Street.story(1, at: 0), Street.story(2, at: 60), Street.story(3, at: 120), Street.story(4, at: 130),
        ]
        let east = try place(1, "East", at: 130, radius: 40)
        let planner = NoticePlanner()
        let there = [Street.visit(0, second: 0), Street.visit(130, second: 60)]
        #expect(
            told(planner.plan(visits: there, nearby: stories, named: [east])) == ["Auburn Avenue: 1 2", "East: 3 4"]
        )
        #expect(told(planner.plan(visits: there, nearby: stories)) == ["Auburn Avenue: 1 2 3 4"])
    }

    @Test("NTF-05 A place's notice has the same id as without the name")
    func identity() throws {
        let user = try #require(UserID("ben"))
        let stories = [Street.story(1, at: 0)]
        let yard = try place(1, "Yard", at: 0, radius: 30)
        let visit = Street.visit(0, second: 0)
        let plain = try #require(NoticePlanner().plan(visits: [visit], nearby: stories).first)
        let named = try #require(NoticePlanner().plan(visits: [visit], nearby: stories, named: [yard]).first)
        #expect(named.placeName == "Yard" && plain.placeName != "Yard")
        #expect(named.identityBytes(user: user) == plain.identityBytes(user: user))
        let again = NoticePlanner().notice(of: visit, tellingOf: stories, under: yard)
        #expect(again?.title == named.title && again?.body == named.body)
    }
}
