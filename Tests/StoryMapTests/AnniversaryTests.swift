import Geometry
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("On this day")
struct AnniversaryTests {
    /// A world whose stories have dates of every precision around the turn of June.
    private func world(seed: UInt64, count: Int) -> (world: StoryWorld, stories: [Story]) {
        let world = StoryWorld(seed: seed, count: count)
        let stories = world.stories.map { story in
            var story = story
            let (year, day) = (1900 + story.id.low % 120, 10 + story.id.high % 20)
            switch story.id.low % 6 {
            case 0: story.date = StoryDate("\(year)")
            case 1: story.date = StoryDate("\(year)-06")
            case 2: story.date = StoryDate("\(year)-06-\(day)/\(year)-07-0\(1 + story.id.high % 9)")
            case 3: story.date = StoryDate("\(year)/\(year + 3)")
            default: story.date = StoryDate("\(year)-06-\(day)")
            }
            return story
        }
        return (world, stories)
    }

    /// Whether a story is of a 19 June for a viewer, by walking through its days.
    private func isOnTheDay(_ story: Story, _ viewer: Viewer) -> Bool {
        guard let date = story.times(for: viewer).date?.days else { return false }
        let days = date.lowerBound.daysSince1970...date.upperBound.daysSince1970
        guard days.count <= 31 else { return false }
        let texts = days.map { CalendarDay(daysSince1970: $0).description }
        let after = CalendarDay(daysSince1970: days.upperBound + 1).description
        if texts.first?.hasSuffix("-01") == true, after.hasSuffix("-01") { return false }
        return texts.contains { $0.hasSuffix("-06-19") }
    }

    @Test(
        "MAP-09 On this day: counts, lists, markers, facets and bins match a scan",
        arguments: [1, 2] as [UInt64],
        [300, 6_000]
    )
    func scan(seed: UInt64, count: Int) throws {
        var (world, stories) = world(seed: seed, count: count)
        let snapshot = mapped(stories)
        for turn in 0..<24 {
            var parts = world.randomQuery()
            if turn.isMultiple(of: 2) { parts.filter = StoryFilter() }
            if turn.isMultiple(of: 3) { parts.filter.from = CalendarDay(year: 1950, month: 6, day: 19) }
            let oracle = BruteForceMap(stories.filter { isOnTheDay($0, parts.viewer) })
            var query = StoryQuery(parts)
            query.filter.on = DayOfYear(month: 6, day: 19)
            let box = world.randomBox()
            #expect(snapshot.count(in: box, query) == oracle.count(in: box, parts))
            #expect(snapshot.total(query) == oracle.found(parts).count)
            #expect(snapshot.stories(in: nil, query, limit: 10_000).ids == oracle.list(in: nil, parts))
            #expect(snapshot.bounds(query) == oracle.bounds(parts))
            let markers = snapshot.markers(in: .world, zoom: 3, query)
            #expect(markers.reduce(0) { $0 + $1.count } == oracle.count(in: .world, parts))
            let facets = snapshot.facets(FacetChoice([.kinds], limit: 100), in: box, FacetQuery(query))
            #expect(facets.total == oracle.count(in: box, parts))
            (parts.filter.from, parts.filter.to) = (nil, nil)
            #expect(snapshot.histogram(query, bins: 5).total == oracle.found(parts).count)
        }
    }

    @Test("MAP-09 On this day finds stories of each kind of date, and leaves most out")
    func some() {
        let (world, stories) = world(seed: 3, count: 2_000)
        var query = StoryQuery(viewer: world.viewers[1])
        query.filter.on = DayOfYear(month: 6, day: 19)
        let found = Set(mapped(stories).stories(in: nil, query, limit: 10_000).ids)
        let dates = stories.filter { found.contains($0.id) }.compactMap(\.date?.text)
        #expect(dates.contains { $0.utf8.count == 10 } && dates.contains { $0.contains("/") })
        #expect(!dates.contains { $0.utf8.count < 10 } && found.count < stories.count / 4)
    }
}
