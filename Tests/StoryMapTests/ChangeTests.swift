import Geometry
import Stories
import StoryMap
import Synchronization
import TestSupport
import Testing

@Suite("Changes of the map index")
struct ChangeTests {
    @Test("LOC-02 Any sequence of changes gives the same index as rebuilding it", arguments: UInt64(0)..<6)
    func randomChanges(seed: UInt64) {
        var world = StoryWorld(seed: seed, count: 150)
        var generator = SplitMix64(seed: seed + 1_000)
        var expected = Dictionary(uniqueKeysWithValues: world.stories.map { ($0.id, $0) })
        let index = MapIndex(digestKey: testKey)
        index.load(world.stories)
        for _ in 0..<40 {
            var changes: [StoryEvent] = []
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let known = expected.keys.sorted().randomElement(using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    let id = known ?? StoryID(using: &generator)
                    changes.append(.remove(id))
                    expected[id] = nil
                case 1:
                    let story = world.randomStory()
                    changes.append(.put(story))
                    expected[story.id] = story
                case 2:
                    changes.append(.remove(StoryID(using: &generator)))
                default:
                    let story = world.randomStory(id: known)
                    changes.append(.put(story))
                    expected[story.id] = story
                }
            }
            index.apply(changes)
            compare(index.snapshot(), with: expected.values.shuffled(using: &generator), world: &world)
        }
    }

    @Test("LOC-02 Merging large parts during changes does not change any answer", arguments: UInt64(0)..<4)
    func mergedElsewhere(seed: UInt64) {
        var world = StoryWorld(seed: seed, count: 150)
        var generator = SplitMix64(seed: seed + 2_000)
        var expected = Dictionary(uniqueKeysWithValues: world.stories.map { ($0.id, $0) })
        let work = Mutex<[@Sendable () -> Void]>([])
        // Hardly anything is merged at once, so that all the rest is left for later.
        let index = MapIndex(digestKey: testKey, mostAtOnce: 4) { task in work.withLock { $0.append(task) } }
        index.load(world.stories)
        var asked = 0
        for round in 0..<60 {
            let known = expected.keys.sorted().randomElement(using: &generator)
            let story = world.randomStory(id: round % 3 == 0 ? nil : known)
            index.apply(round % 5 == 4 ? [.remove(story.id)] : [.put(story)])
            expected[story.id] = round % 5 == 4 ? nil : story
            if round % 7 == 0 { compare(index.snapshot(), with: Array(expected.values), world: &world) }
            let tasks = work.withLock { $0 }
            asked += tasks.count
            guard Int.random(in: 0..<6, using: &generator) == 0 else { continue }
            work.withLock { $0 = [] }
            let parts = StoryQueryParts(viewer: world.viewers[round % world.viewers.count])
            let before = index.snapshot()
            for task in tasks { task() }
            #expect(index.snapshot().version(for: parts.viewer) == before.version(for: parts.viewer))
            #expect(index.snapshot().total(StoryQuery(parts)) == before.total(StoryQuery(parts)))
            compare(index.snapshot(), with: Array(expected.values), world: &world)
        }
        #expect(asked > 0)
    }

    @Test("LOC-02 Changes made while large parts are being merged are kept")
    func changesDuringMerging() async {
        let stories = publicStories(at: (0..<3_000).map { (Double($0 % 80), Double($0 % 170)) })
        let index = MapIndex(digestKey: testKey, mostAtOnce: 8) { work in Task.detached { work() } }
        index.load(stories.prefix(1_000))
        for story in stories.dropFirst(1_000) {
            index.apply([.put(story)])
            #expect(index.snapshot().contains(story.id, viewer: .anonymous))
        }
        for story in stories.prefix(500) { index.apply([.remove(story.id)]) }
        #expect(index.snapshot().total(.everybody) == 2_500)
        #expect(index.snapshot().version(for: .anonymous) == mapped(stories.dropFirst(500)).version(for: .anonymous))
    }

    private func compare(_ snapshot: MapSnapshot, with stories: [Story], world: inout StoryWorld) {
        let fresh = mapped(stories)
        let parts = world.randomQuery()
        let query = StoryQuery(parts)
        let oracle = BruteForceMap(stories)
        let box = world.randomBox()
        #expect(snapshot.count(in: box, query) == oracle.count(in: box, parts))
        #expect(snapshot.total(query) == oracle.found(parts).count)
        #expect(snapshot.bounds(query) == oracle.bounds(parts))
        #expect(snapshot.stories(in: box, query, limit: 50) == fresh.stories(in: box, query, limit: 50))
        #expect(snapshot.stories(query, limit: 500).ids == oracle.list(in: nil, parts))
        #expect(snapshot.version(for: parts.viewer) == fresh.version(for: parts.viewer))
        #expect(snapshot.places(in: box, query, asPublished: true) == fresh.places(in: box, query, asPublished: true))
        for zoom in [1, 6, 13] {
            #expect(snapshot.markers(in: box, zoom: zoom, query) == fresh.markers(in: box, zoom: zoom, query))
        }
        for story in stories.prefix(20) where story.isVisible(to: parts.viewer) {
            #expect(snapshot.point(of: story.id, viewer: parts.viewer) == story.point(for: parts.viewer))
        }
    }

    @Test("LOC-02 A removed story is missing from the next snapshot but stays in the old one")
    func visibility() throws {
        let stories = publicStories(at: [(1, 1), (2, 2)])
        let index = MapIndex(digestKey: testKey)
        index.apply(stories.map(StoryEvent.put))
        let before = index.snapshot()
        index.apply([.remove(stories[0].id)])
        #expect(before.total(.everybody) == 2)
        #expect(index.snapshot().total(.everybody) == 1)
        #expect(!index.snapshot().contains(stories[0].id, viewer: .anonymous))
        index.apply([.remove(stories[1].id)])
        #expect(index.snapshot().version(for: .anonymous) == .zero)
        #expect(index.snapshot().bounds(.everybody) == nil)
    }

    @Test("Readers see complete changes while a writer writes")
    func readersAndWriter() async {
        let stories = publicStories(at: (0..<400).map { (Double($0 % 80), Double($0)) })
        let index = MapIndex(digestKey: testKey)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // Two at a time, so that a snapshot with an odd number of stories shows half a change.
                for start in stride(from: 0, to: 400, by: 2) {
                    index.apply([.put(stories[start]), .put(stories[start + 1])])
                }
                for start in stride(from: 0, to: 200, by: 2) {
                    index.apply([.remove(stories[start].id), .remove(stories[start + 1].id)])
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<200 {
                        let snapshot = index.snapshot()
                        let total = snapshot.total(.everybody)
                        #expect(total.isMultiple(of: 2))
                        #expect(snapshot.count(in: .world, .everybody) == total)
                    }
                }
            }
        }
        #expect(index.snapshot().total(.everybody) == 200)
    }

    @Test("Of several stories or changes with one id, the last wins")
    func lastCounts() {
        let points = publicStories(at: [(1, 1), (2, 2), (3, 3)])
        var moved = points[0]
        moved.location = points[2].location
        let snapshot = mapped([points[0], points[1], moved])
        #expect(snapshot.total(.everybody) == 2)
        #expect(snapshot.point(of: moved.id, viewer: .anonymous) == points[2].location?.coordinate)
        let index = MapIndex(digestKey: testKey)
        index.apply([.put(points[0]), .put(moved), .remove(points[1].id), .put(points[1])])
        #expect(index.snapshot().version(for: .anonymous) == snapshot.version(for: .anonymous))
    }

    @Test("The version changes with every field visible to the viewer, and with the key")
    func version() throws {
        let story = publicStories(at: [(1, 1)])[0]
        var versions: Set<Digest> = [mapped([story]).version(for: .anonymous)]
        let changes: [(inout Story) -> Void] = [
            { $0.title = "Another" }, { $0.alt = "a" },
            { $0.picture = StoryPicture(version: 1, width: 4, height: 3) }, { $0.tags = ["a"] }, { $0.people = ["a"] },
            { $0.mentions = ["a"] }, { $0.collection = "a" }, { $0.kind = .photo }, { $0.date = StoryDate("1936") },
            { $0.mediaURL = "a" }, { $0.thumbnailURL = "a" }, { $0.shownUpdatedAt = Timestamp(milliseconds: 99) },
            { $0.location?.names[.city] = "a" }, { $0.location?.accuracy = 5 }, { $0.location = nil },
            { $0.location?.coordinate = BoundingBox.world.center },
            { $0.location?.precision = .approximate(.hundredth) }, { $0.location?.floor = .approximate(.tenth) },
        ]
        for change in changes {
            var changed = story
            change(&changed)
            #expect(versions.insert(mapped([changed]).version(for: .anonymous)).inserted)
        }
        let index = MapIndex(digestKey: DigestKey(high: 1, low: 2))
        index.load([story])
        #expect(versions.insert(index.snapshot().version(for: .anonymous)).inserted)
    }

    @Test("PRV-03 LOC-08 Changes behind an inexact point change only the owner's version, not a stranger's")
    func hiddenChanges() throws {
        for precision in [LocationPrecision.approximate(.tenth), .hidden] {
            var story = publicStories(at: [(33.71, -84.31)])[0]
            story.location?.precision = precision
            let changes: [(inout Story) -> Void] = [
                { $0.location?.coordinate = Coordinate(wrappingLatitude: 33.75, longitude: -84.35) },
                { $0.updatedAt = Timestamp(milliseconds: 99) }, { $0.location?.names[.address] = "a" },
                { $0.location?.accuracy = 5 }, { $0.location?.source = .gps },
            ]
            for change in changes {
                var changed = story
                change(&changed)
                let (old, new) = (mapped([story]), mapped([changed]))
                #expect(old.version(for: .anonymous) == new.version(for: .anonymous))
                #expect(old.version(for: Viewer(user: story.owner)) != new.version(for: Viewer(user: story.owner)))
            }
        }
    }

    @Test("SipHash-2-4 with 128 bits reproduces the published vector")
    func sipHash() {
        // Key 00…0f as in the paper's appendix; no bytes (vector 0 of its authors), then 00…07 as OpenSSL computes it.
        let key = DigestKey(high: 0x0f0e_0d0c_0b0a_0908, low: 0x0706_0504_0302_0100)
        #expect(key.digest(ofWords: []) == Digest(high: 0x9302_55c7_1472_f66d, low: 0xe6a8_25ba_047f_81a3))
        let eight = key.digest(ofWords: [0x0706_0504_0302_0100])
        #expect(eight == Digest(high: 0xb497_14f3_64e2_830f, low: 0x61f5_5862_baa9_623b))
    }
}
