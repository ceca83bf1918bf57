import Geometry
import Stories
import Testing

@Suite("Filters")
struct FilterTests {
    private let ana = UserID("ana")
    private let ben = UserID("ben")

    private func story() throws -> Story {
        let owner = try #require(ana)
        let id = StoryID(high: 1, low: 1)
        var story = Story(id: id, kind: .photo, title: "A", owner: owner, createdAt: Timestamp(milliseconds: 0))
        story.tags = ["blues", "railway"]
        story.people = ["Ida"]
        story.collection = "summer"
        story.date = StoryDate("1936-05/1936-06")
        return story
    }

    @Test("MAP-09 An empty filter includes everything")
    func empty() throws {
        #expect(StoryFilter().isEmpty)
        #expect(StoryFilter().matches(try story(), viewer: .anonymous))
    }

    @Test("PRV-09 A day filters by the date as shown: beside a coarser place the whole period")
    func shownDays() throws {
        var story = try story()
        story.date = StoryDate("2019-07-14")
        let point = Coordinate(wrappingLatitude: 33.75, longitude: -84.37)
        story.location = StoryLocation(coordinate: point, precision: .approximate(.hundredth))
        for (day, isShown, isReal) in [
            ("2019-07-14", true, true), ("2019-07-30", true, false), ("2019-08-01", false, false),
        ] {
            var filter = StoryFilter()
            let date = try #require(StoryDate(day))
            (filter.from, filter.to) = (date.first, date.last)
            #expect(filter.matches(story, viewer: .anonymous) == isShown, "\(day)")
            #expect(filter.matches(story, viewer: Viewer(user: story.owner)) == isReal, "\(day)")
        }
    }

    @Test("MAP-09 Values of one field are combined with or, fields with and")
    func fields() throws {
        let story = try story()
        let owner = try #require(ana)
        let other = try #require(ben)
        let cases: [(Bool, (inout StoryFilter) -> Void)] = [
            (true, { $0.kinds = [.photo, .document] }), (false, { $0.kinds = [.document] }),
            (true, { $0.tags = ["railway", "x"] }), (false, { $0.tags = ["x"] }), (false, { $0.tags = ["blue"] }),
            (true, { $0.tags = ["Blues"] }),
            (true, { $0.people = ["Ida"] }), (true, { $0.people = ["ÍDA"] }), (false, { $0.people = ["blues"] }),
            (true, { $0.owners = [owner, other] }), (false, { $0.owners = [other] }),
            (true, { $0.collections = ["summer"] }), (false, { $0.collections = ["winter"] }),
            (
                true,
                {
                    $0.tags = ["blues"]; $0.people = ["Ida"]
                }
            ),
            (
                false,
                {
                    $0.tags = ["blues"]; $0.people = ["B"]
                }
            ),
        ]
        for (expected, change) in cases {
            var filter = StoryFilter()
            change(&filter)
            #expect(!filter.isEmpty)
            #expect(filter.matches(story, viewer: .anonymous) == expected, "\(filter)")
        }
    }

    @Test(
        "MAP-09 Days match on overlap",
        arguments: [
            ("1936-06-30", nil, true), ("1936-07-01", nil, false), (nil, "1936-05-01", true),
            (nil, "1936-04-30", false), ("1936-05-10", "1936-05-12", true), ("1900-01-01", "1999-12-31", true),
            ("1937-01-01", "1936-01-01", false),
        ] as [(String?, String?, Bool)]
    )
    func dates(from: String?, to: String?, expected: Bool) throws {
        var filter = StoryFilter()
        filter.from = from.flatMap { StoryDate($0)?.first }
        filter.to = to.flatMap { StoryDate($0)?.first }
        var story = try story()
        #expect(filter.matches(story, viewer: .anonymous) == expected)
        story.date = nil
        #expect(!filter.matches(story, viewer: .anonymous))
        filter.includesUndated = true
        #expect(filter.matches(story, viewer: .anonymous))
        filter.on = DayOfYear(month: 6, day: 19)
        #expect(!filter.matches(story, viewer: .anonymous))
    }

    @Test("MAP-10 The views are shared, family and mine")
    func views() throws {
        let owner = try #require(ana)
        let member = try #require(ben)
        let north = try #require(FamilyID("north"))
        let south = try #require(FamilyID("south"))
        let families = [north: Set([owner, member])]
        let mine = Viewer(user: owner, families: families)
        let theirs = Viewer(user: member, families: families)
        for (privacy, family) in [(Privacy.public, nil), (.familyOnly, nil), (.familyOnly, north), (.private, nil)] {
            var story = try story()
            story.privacy = privacy
            story.family = family
            for viewer in [mine, theirs] where story.isVisible(to: viewer) {
                var filter = StoryFilter()
                filter.views = [.shared]
                #expect(filter.matches(story, viewer: viewer) == (privacy == .public))
                filter.views = [.family]
                #expect(filter.matches(story, viewer: viewer) == (privacy == .familyOnly))
                filter.views = [.mine]
                #expect(filter.matches(story, viewer: viewer) == (viewer == mine))
                filter.views = []
                filter.families = [south]
                #expect(!filter.matches(story, viewer: viewer))
            }
        }
    }

    @Test("MAP-09 A family filter includes the stories shared with that family")
    func families() throws {
        let owner = try #require(ana)
        let member = try #require(ben)
        let north = try #require(FamilyID("north"))
        let viewer = Viewer(user: member, families: [north: Set([owner, member])])
        var filter = StoryFilter()
        filter.families = [north]
        var story = try story()
        #expect(!filter.matches(story, viewer: viewer))
        story.privacy = .familyOnly
        #expect(filter.matches(story, viewer: viewer))
        story.family = north
        #expect(filter.matches(story, viewer: viewer))
    }
}
