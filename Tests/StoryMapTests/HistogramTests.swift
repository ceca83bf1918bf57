import Geometry
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Stories over time")
struct HistogramTests {
    /// What a histogram must be, counted the obvious way.
    private func check(
        _ histogram: DateHistogram,
        _ oracle: BruteForceMap,
        box: BoundingBox?,
        parts: StoryQueryParts,
        asked: (from: CalendarDay?, to: CalendarDay?, bins: Int)
    ) throws {
        func matched(from: CalendarDay?, to: CalendarDay?) -> Int {
            var parts = parts
            (parts.filter.from, parts.filter.to) = (from, to)
            return oracle.list(in: box, parts).count
        }
        let never = CalendarDay(daysSince1970: .min)
        #expect(histogram.undated == matched(from: nil, to: nil) - matched(from: never, to: nil))
        guard let days = histogram.days else {
            #expect(histogram.bins == [] && histogram.total == 0)
            let isEmpty = asked.from.flatMap { from in asked.to.map { from > $0 } } ?? false
            #expect(isEmpty || matched(from: asked.from ?? never, to: asked.to) == 0)
            return
        }
        // Days that nobody asked for are those of the first or the last story.
        if let from = asked.from { #expect(days.lowerBound == from) }
        if let to = asked.to { #expect(days.upperBound == to) }
        func dayBefore(_ day: CalendarDay) -> CalendarDay { CalendarDay(daysSince1970: day.daysSince1970 - 1) }
        func dayAfter(_ day: CalendarDay) -> CalendarDay { CalendarDay(daysSince1970: day.daysSince1970 + 1) }
        if asked.from == nil {
            #expect(matched(from: never, to: dayBefore(days.lowerBound)) == 0)
            #expect(matched(from: never, to: days.lowerBound) > 0)
        }
        if asked.to == nil {
            #expect(matched(from: dayAfter(days.upperBound), to: nil) == 0)
            #expect(matched(from: days.upperBound, to: nil) > 0)
        }
        #expect(histogram.total == matched(from: days.lowerBound, to: days.upperBound))
        let count = Int(days.upperBound.daysSince1970 - days.lowerBound.daysSince1970) + 1
        #expect(histogram.bins.count == min(asked.bins, count))
        // The bins follow each other without a gap, differ by a day at most, and count what the filters find.
        #expect(histogram.bins.first?.days.lowerBound == days.lowerBound)
        #expect(histogram.bins.last?.days.upperBound == days.upperBound)
        for (bin, next) in zip(histogram.bins, histogram.bins.dropFirst()) {
            #expect(dayAfter(bin.days.upperBound) == next.days.lowerBound)
        }
        let lengths = histogram.bins.map { $0.days.upperBound.daysSince1970 - $0.days.lowerBound.daysSince1970 + 1 }
        let (longest, shortest) = (try #require(lengths.max()), try #require(lengths.min()))
        #expect(longest - shortest <= 1)
        for bin in histogram.bins {
            #expect(bin.count == matched(from: bin.days.lowerBound, to: bin.days.upperBound), "\(bin.days)")
        }
    }

    @Test(
        "MAP-12 Every bin matches the from and to filters for its span, after any changes",
        arguments: UInt64(0)..<6
    )
    func histograms(seed: UInt64) throws {
        var world = StoryWorld(seed: seed, count: 160)
        var generator = SplitMix64(seed: seed + 77)
        var stories = Dictionary(uniqueKeysWithValues: world.stories.map { ($0.id, spanned($0)) })
        let index = MapIndex(digestKey: testKey)
        index.load(stories.values)
        for round in 0..<8 {
            if round > 2 {
                // Among those taken away are the earliest and the latest, so that the ends move.
                let sorted = stories.values.sorted {
                    ($0.date?.first ?? .distant, $0.id) < ($1.date?.first ?? .distant, $1.id)
                }
                let gone = [sorted[0].id, sorted[sorted.count / 2].id]
                let new = spanned(world.randomStory(id: Bool.random(using: &generator) ? sorted[1].id : nil))
                index.apply(gone.map(StoryEvent.remove) + [.put(new)])
                for id in gone { stories[id] = nil }
                stories[new.id] = new
            }
            let oracle = BruteForceMap(stories.values)
            try checkNearby(index.snapshot(), oracle, of: &world)
            var parts = world.randomQuery()
            // Every other time everything, so that what was taken away is among what is counted.
            if round.isMultiple(of: 2) { parts = StoryQueryParts(viewer: parts.viewer) }
            (parts.filter.from, parts.filter.to) = (nil, nil)
            for box in [nil, .world, world.randomBox()] {
                let from = Bool.random(using: &generator) ? CalendarDay(year: 1935, month: 3, day: 5) : nil
                let to = Bool.random(using: &generator) ? CalendarDay(year: 1950, month: 11, day: 30) : nil
                let bins = [1, 2, 7, 19].randomElement(using: &generator) ?? 1
                let histogram = index.snapshot()
                    .histogram(in: box, StoryQuery(parts), from: from, to: to, bins: bins)
                try check(histogram, oracle, box: box, parts: parts, asked: (from, to, bins))
            }
        }
    }

    /// The nearest stories, few and all of them, in towns and anywhere, for filters that leave many or few.
    private func checkNearby(_ snapshot: MapSnapshot, _ oracle: BruteForceMap, of world: inout StoryWorld) throws {
        let parts = world.randomQuery()
        let query = StoryQuery(parts)
        let expected = oracle.nearest(to: world.randomBox().center, parts)
        #expect(snapshot.nearby(BoundingBox.world.center, query, limit: 0) == [])
        let town = try #require(oracle.stories.compactMap(\.location).first).coordinate
        for point in [world.randomBox().center, town, Coordinate(wrappingLatitude: 90, longitude: 12)] {
            let all = oracle.nearest(to: point, parts)
            #expect(all.count == expected.count)
            for limit in [1, 5, 40, 1_000] {
                let near = snapshot.nearby(point, query, limit: limit)
                #expect(near.map(\.id) == Array(all.prefix(limit)))
                #expect(near.allSatisfy { $0.distance == GreatCircle.distance(point, $0.point) })
            }
        }
    }

    @Test("MAP-11 The nearest stories are found next to a crowd, even with a filter that excludes the crowd")
    func besideACrowd() throws {
        var generator = SplitMix64(seed: 9)
        var points = (0..<12_000)
            .map { _ in (latitude: 40 + 0.01 * generator.unit(), longitude: 0.01 * generator.unit()) }
        points += (0..<30).map { _ in (latitude: 20 + 15 * generator.unit(), longitude: 10 * generator.unit()) }
        var stories = publicStories(at: points)
        for index in stories.indices.suffix(30) { stories[index].tags = ["rare"] }
        let snapshot = mapped(stories)
        let oracle = BruteForceMap(stories)
        for tags in [[], ["rare"]] as [Set<String>] {
            var parts = StoryQueryParts(viewer: .anonymous)
            parts.filter.tags = tags
            for latitude in [39.5, 40.005] {
                let point = Coordinate(wrappingLatitude: latitude, longitude: 0.02)
                let near = snapshot.nearby(point, StoryQuery(parts), limit: 20)
                #expect(near.map(\.id) == Array(oracle.nearest(to: point, parts).prefix(20)))
            }
        }
    }

    /// The story with a date that is a day, a few days or decades.
    private func spanned(_ story: Story) -> Story {
        var story = story
        guard let year = story.date?.text else { return story }
        switch story.id.low % 4 {
        case 0: story.date = StoryDate("\(year)-02-\(10 + story.id.low / 4 % 19)")
        case 1: story.date = StoryDate("\(year)/2005")
        case 2: story.date = StoryDate("\(year)-11-20/\(year)-12-03")
        default: break
        }
        return story
    }

    @Test("MAP-12 With one story a day, every bin counts its days, for any number of bins")
    func storyADay() {
        var stories = publicStories(at: (0..<23).map { (Double($0), 1) })
        for index in stories.indices { stories[index].date = StoryDate("1936-05-\(index < 9 ? "0" : "")\(index + 1)") }
        let snapshot = mapped(stories)
        for bins in 1...25 {
            let histogram = snapshot.histogram(in: .world, .everybody, bins: bins)
            #expect(histogram.bins.count == min(23, bins))
            for bin in histogram.bins {
                #expect(bin.count == Int(bin.days.upperBound.daysSince1970 - bin.days.lowerBound.daysSince1970) + 1)
            }
        }
    }

    @Test("MAP-12 The first and last day come from existing stories, within a box too")
    func movingEnds() throws {
        var stories = publicStories(at: (0..<200).map { (Double($0 % 80), Double($0 % 90)) })
        for index in stories.indices { stories[index].date = StoryDate("\(1700 + index)") }
        let index = MapIndex(digestKey: testKey)
        index.load(stories)
        // Few enough that the segments stay apart.
        index.apply([.remove(stories[0].id), .remove(stories[199].id)])
        stories[1].date = StoryDate("1750")
        index.apply([.put(stories[1])])
        for box in [nil, BoundingBox.world] {
            let histogram = index.snapshot().histogram(in: box, .everybody, bins: 4)
            let days = try #require(histogram.days)
            #expect("\(days.lowerBound)" == "1702-01-01" && "\(days.upperBound)" == "1898-12-31")
            #expect(histogram.total == 198)
        }
    }

    @Test("MAP-12 There are never more bins than days, and a span counts in each bin it overlaps")
    func fewDays() throws {
        var stories = publicStories(at: [(1, 1), (2, 2), (3, 3)])
        stories[0].date = StoryDate("1936-05-01/1936-05-03")
        stories[1].date = StoryDate("1936-05-03")
        let histogram = mapped(stories).histogram(.everybody, bins: 50)
        #expect(histogram.bins.map(\.count) == [1, 1, 2])
        #expect(histogram.total == 2 && histogram.undated == 1)
        #expect(histogram.bins.map { "\($0.days.lowerBound)" } == ["1936-05-01", "1936-05-02", "1936-05-03"])
        let later = try #require(CalendarDay(year: 1990, month: 1, day: 1))
        #expect(mapped(stories).histogram(.everybody, from: later, bins: 5).days == nil)
        #expect(mapped([]).histogram(.everybody, bins: 5).bins == [])
        // An open side does not stretch the range, but counts as far as the range goes.
        let end = try #require(CalendarDay(year: 1929, month: 12, day: 31))
        stories[2].date = StoryDate(text: "before 1930", first: .earliest, last: end)
        let open = mapped(stories).histogram(.everybody, bins: 3)
        #expect(open.days?.lowerBound.description == "1929-12-31" && open.total == 3)
        // The widest days there can be.
        let ends = (try #require(CalendarDay(year: 1, month: 1, day: 1)), CalendarDay(year: 9999, month: 12, day: 31))
        let wide = mapped(stories).histogram(.everybody, from: ends.0, to: ends.1, bins: 1_000)
        #expect(wide.bins.count == 1_000 && wide.bins.reduce(0) { $0 + $1.count } >= 2)
    }
}

extension CalendarDay {
    fileprivate static let distant = CalendarDay(daysSince1970: .max)
}
