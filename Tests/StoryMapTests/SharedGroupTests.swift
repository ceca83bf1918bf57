import Geometry
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Owners and viewers who share several groups")
struct SharedGroupTests {
    private static let families = ["one", "two", "three", "four"].compactMap { FamilyID($0) }

    /// Stories of one owner on every level, exact or not, for all families or for a named one, at few points.
    private static func stories(of owner: UserID, seed: UInt64) -> [Story] {
        var generator = SplitMix64(seed: seed)
        return (0..<60)
            .map { number in
                var story = Story(
                    id: StoryID(using: &generator),
                    kind: .photo,
                    title: "\(number)",
                    owner: owner,
                    createdAt: Timestamp(milliseconds: Int64(number))
                )
                story.privacy = Privacy.allCases.randomElement(using: &generator) ?? .private
                story.family = Bool.random(using: &generator) ? families.randomElement(using: &generator) : nil
                let place = Coordinate(
                    wrappingLatitude: 33 + Double(Int.random(in: 0..<4, using: &generator)) * 0.004,
                    longitude: 179.998 + Double(Int.random(in: 0..<4, using: &generator)) * 0.004
                )
                var location = StoryLocation(coordinate: place)
                let cells = PublishedCell.allCases
                location.precision =
                    [.exact, .hidden, .approximate(cells[number % cells.count])].randomElement(using: &generator)
                    ?? .exact
                location.familySeesExact = Bool.random(using: &generator)
                story.location = location
                return story
            }
    }

    @Test("MAP-04 PRV-04 No story is counted twice or left out, however many groups are shared", arguments: 0...3)
    func sharedGroups(shared: Int) throws {
        let owner = try #require(UserID("ana"))
        let me = try #require(UserID("ben"))
        for seed in UInt64(0)..<12 {
            let stories = SharedGroupTests.stories(of: owner, seed: seed)
            let families = SharedGroupTests.families
            // The viewer also has a family of their own, and the owner one that the viewer is not in.
            var mine: [FamilyID: Set<UserID>] = [families[3]: [me]]
            for family in families.prefix(shared) { mine[family] = [owner, me] }
            let viewer = Viewer(user: me, families: mine)
            let visible = stories.filter { $0.isVisible(to: viewer) }
            let placed = visible.filter { $0.point(for: viewer) != nil }
            let snapshot = mapped(stories)
            let query = StoryQuery(viewer: viewer)
            #expect(snapshot.stories(query, limit: 100).ids == visible.map(\.id).listed(stories, for: viewer))
            #expect(snapshot.total(query) == visible.count)
            #expect(snapshot.count(in: .world, query) == placed.count)
            for zoom in [0, 5, 11, 16, 20] {
                let markers = snapshot.markers(in: .world, zoom: zoom, query)
                #expect(markers.reduce(0) { $0 + $1.count } == placed.count)
                var found: [StoryID] = []
                for marker in markers {
                    found += snapshot.stories(of: marker.clusterID, query, limit: 100)?.ids ?? []
                }
                #expect(found.sorted() == placed.map(\.id).sorted())
            }
            for story in placed {
                let point = try #require(story.point(for: viewer))
                #expect(snapshot.point(of: story.id, viewer: viewer) == point)
            }
        }
    }
}

extension [StoryID] {
    /// In the order of lists: newest first.
    fileprivate func listed(_ stories: [Story], for viewer: Viewer) -> [StoryID] {
        let created = Dictionary(
            uniqueKeysWithValues: stories.map { ($0.id, $0.times(for: viewer).createdAt.milliseconds) }
        )
        return sorted { (created[$0] ?? 0, $1) > (created[$1] ?? 0, $0) }
    }
}
