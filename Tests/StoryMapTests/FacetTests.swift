import Geometry
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Counts of attributes")
struct FacetTests {
    private static let everything: FacetSet = [
        .kinds, .tags, .people, .owners, .collections, .views, .families, .favourites,
    ]

    /// The conditions of a query, counted the obvious way.
    private struct Oracle {
        let map: BruteForceMap
        var parts: StoryQueryParts
        let box: BoundingBox?
        let favourites: Set<StoryID>
        let onlyFavourites: Bool
        let collected: Set<StoryID>?

        /// Returns the number of stories that match with a changed filter.
        func count(_ change: (inout Oracle) -> Void = { _ in }, among more: Set<StoryID>? = nil) -> Int {
            var oracle = self
            change(&oracle)
            return oracle.matched(among: [oracle.collected, onlyFavourites ? favourites : nil, more])
        }

        /// Returns the number of stories that match, without the conditions on favourites and collections by id unless
        /// they are among `sets`.
        func matched(among sets: [Set<StoryID>?]) -> Int {
            map.list(in: box, parts).filter { id in sets.allSatisfy { $0?.contains(id) ?? true } }.count
        }

        /// Returns the counts of a facet's values by asking for each of them alone.
        func counts<Value>(
            _ values: [Value],
            _ name: (Value) -> String,
            _ set: (inout StoryFilter, Value) -> Void
        ) -> [String: Int] {
            var counts: [String: Int] = [:]
            for value in values {
                let found = count { set(&$0.parts.filter, value) }
                if found > 0 { counts[name(value)] = found }
            }
            return counts
        }

        func collectionCounts(_ names: [String]) -> [String: Int] {
            var counts: [String: Int] = [:]
            for name in names {
                var parts = parts
                parts.filter.collections = [name]
                let found = map.list(in: box, parts).filter { !onlyFavourites || favourites.contains($0) }.count
                if found > 0 { counts[name] = found }
            }
            return counts
        }
    }

    private func dictionary(_ values: FacetValues?) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: (values?.entries ?? []).map { ($0.value, $0.count) })
    }

    /// The same without regard to case, by which each value is listed once.
    private func lowered(_ values: FacetValues?) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: (values?.entries ?? []).map { ($0.value.lowercased(), $0.count) })
    }

    private func check(_ counts: FacetCounts, _ oracle: Oracle, _ world: StoryWorld) {
        #expect(counts.total == oracle.count())
        #expect(
            dictionary(counts.values[.kinds])
                == oracle.counts(StoryKind.known, \.rawValue) { $0.kinds = [$1] }
        )
        #expect(dictionary(counts.values[.owners]) == oracle.counts(world.users, \.rawValue) { $0.owners = [$1] })
        #expect(
            lowered(counts.values[.tags])
                == oracle.counts(["blues", "railway", "unheard of"], { $0 }, { $0.tags = [$1] })
        )
        #expect(dictionary(counts.values[.people]) == oracle.counts(["Ida", "Ralph"], { $0 }, { $0.people = [$1] }))
        #expect(dictionary(counts.values[.collections]) == oracle.collectionCounts(["summer", "winter"]))
        #expect(
            dictionary(counts.values[.views])
                == oracle.counts(StoryFilter.View.allCases, \.rawValue) { $0.views = [$1] }
        )
        let families = world.families.keys.sorted()
        #expect(dictionary(counts.values[.families]) == oracle.counts(families, \.rawValue) { $0.families = [$1] })
        let favourites = oracle.matched(among: [oracle.collected, oracle.favourites])
        #expect(counts.favourites == favourites)
        for (facet, values) in counts.values {
            #expect(values.distinct == values.entries.count, "\(facet)")
            let sorted = values.entries.sorted { ($1.count, $0.value) < ($0.count, $1.value) }
            #expect(values.entries == sorted, "\(facet)")
        }
    }

    @Test(
        "MAP-09 Each count is the number of stories that the filter with this value finds, after any changes",
        arguments: UInt64(0)..<8
    )
    func exact(seed: UInt64) throws {
        var world = StoryWorld(seed: seed, count: 170)
        var generator = SplitMix64(seed: seed + 5)
        var stories = Dictionary(uniqueKeysWithValues: world.stories.map { ($0.id, $0) })
        let index = MapIndex(digestKey: testKey)
        index.load(stories.values)
        for round in 0..<12 {
            if round > 1 {
                let ids = stories.keys.sorted()
                let (gone, kept) = (ids[round * 7], ids[round * 11])
                let changed = world.randomStory(id: kept)
                let new = world.randomStory()
                index.apply([.remove(gone), .put(changed), .put(new)])
                stories[gone] = nil
                (stories[kept], stories[new.id]) = (changed, new)
            }
            let parts = world.randomQuery()
            let favourites = Set(stories.keys.filter { $0.low.isMultiple(of: 3) })
            let collected = Int.random(in: 0..<4, using: &generator) == 0
            var question = FacetQuery(
                StoryQuery(parts),
                favourites: StorySet(favourites),
                onlyFavourites: Int.random(in: 0..<3, using: &generator) == 0
            )
            var asked = parts
            if collected {
                // Collections given by id: the store finds their stories, and the filter names none.
                question.query.filter.collections = []
                asked.filter.collections = []
                question.collected = StorySet(Set(stories.keys.filter { $0.low.isMultiple(of: 2) }))
            }
            for box in [nil, .world, world.randomBox()] {
                let oracle = Oracle(
                    map: BruteForceMap(stories.values),
                    parts: asked,
                    box: box,
                    favourites: favourites,
                    onlyFavourites: question.onlyFavourites,
                    collected: question.collected?.ids
                )
                let counts = index.snapshot().facets(FacetChoice(Self.everything, limit: 50), in: box, question)
                check(counts, oracle, world)
            }
        }
    }

    @Test("The values of most stories come first, no more than wanted, and a prefix is of any word in any case")
    func listed() throws {
        var stories = publicStories(at: (0..<60).map { (Double($0), 1) })
        let names = ["Blues", "blue grass", "Railway", "Night train", "Trains"]
        for index in stories.indices {
            // The first name stands in all stories, the second in every second one, and so on; one repeats a tag.
            stories[index].tags = names.enumerated().filter { index.isMultiple(of: $0.offset + 1) }.map(\.element)
            if index == 0 { stories[index].tags += names }
        }
        let snapshot = mapped(stories)
        func tags(_ prefix: String, limit: Int = 9) throws -> FacetValues {
            let choice = FacetChoice(.tags, limit: limit, prefix: prefix)
            return try #require(snapshot.facets(choice, FacetQuery(.everybody)).values[.tags])
        }
        #expect(try tags("").entries.map(\.value) == names)
        #expect(try tags("").entries.map(\.count) == [60, 30, 20, 15, 12])
        #expect(try tags("", limit: 2).entries.map(\.value) == ["Blues", "blue grass"])
        #expect(try tags("", limit: 2).distinct == 5)
        #expect(try tags("BLU").entries.map(\.value) == ["Blues", "blue grass"])
        #expect(try tags("train").entries.map(\.value) == ["Night train", "Trains"])
        #expect(try tags("rain").entries == [])
        #expect(snapshot.facets(FacetChoice(.kinds, limit: 1), FacetQuery(.everybody)).values[.tags] == nil)
        #expect(mapped([]).facets(FacetChoice(Self.everything, limit: 5), FacetQuery(.everybody)).total == 0)
    }

    @Test("MAP-09 PRV-03 Spellings are one value, shown in the one of most stories counted, which a viewer may see")
    func spellings() throws {
        let ben = try #require(UserID("ben"))
        var stories = publicStories(at: (0..<40).map { (Double($0), 1) })
        for index in stories.indices {
            stories[index].tags = [["Café", "café", "CAFE"][index % 3]]
            if index == 1 { stories[index].tags = ["café", "Cafe", "café"] }
            if index >= 30 {
                stories[index].tags = ["cafe\u{301}"]
                stories[index].privacy = .private
            }
        }
        func check(_ snapshot: MapSnapshot, _ first: String) throws {
            for box in [nil, BoundingBox.world] {
                let found = snapshot.facets(FacetChoice(.tags, limit: 9), in: box, FacetQuery(.everybody))
                let tags = try #require(found.values[.tags])
                #expect(tags.distinct == 1 && tags.entries.map(\.count) == [30])
                #expect(tags.entries.first.map { Array($0.value.utf8) } == Array(first.utf8))
            }
        }
        // All three stand in ten stories; the first by code point is shown.
        try check(mapped(stories), "CAFE")
        try check(mapped(stories.reversed()), "CAFE")
        // Later segments count as the first one does.
        let index = MapIndex(digestKey: testKey)
        index.load(stories)
        stories[0].tags = ["café"]
        index.apply([.put(stories[0])])
        try check(index.snapshot(), "café")
        var query = StoryQuery.everybody
        for (tag, count) in [("CAFÉ", 30), ("cafe", 30), ("cafés", 0)] {
            query.filter.tags = [tag]
            #expect(index.snapshot().total(query) == count)
        }
        #expect(index.snapshot().total(StoryQuery(viewer: Viewer(user: ben))) == 30)
    }

    @Test("Many different values are counted over several segments, and only the first by count and name are kept")
    func manyValues() throws {
        var stories = publicStories(at: (0..<3_000).map { (Double($0 % 80), Double($0 % 170)) })
        for index in stories.indices { stories[index].people = ["p\(index % 1_700)", "q\(index % 7)"] }
        let index = MapIndex(digestKey: testKey)
        index.load(stories)
        index.apply([.remove(stories[3].id)])
        stories[4].people = ["new"]
        index.apply([.put(stories[4])])
        stories.remove(at: 3)
        var expected: [String: Int] = [:]
        for story in stories { for person in story.people { expected[person, default: 0] += 1 } }
        let sorted = expected.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        for box in [nil, BoundingBox.world] {
            let counts = index.snapshot().facets(FacetChoice(.people, limit: 40), in: box, FacetQuery(.everybody))
            let people = try #require(counts.values[.people])
            #expect(people.distinct == expected.count)
            #expect(people.entries.map(\.value) == sorted.prefix(40).map(\.key))
            #expect(people.entries.map(\.count) == sorted.prefix(40).map(\.value))
        }
    }
}
