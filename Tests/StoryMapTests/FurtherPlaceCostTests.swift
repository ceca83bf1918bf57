import Geometry
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("The cost and the versions of further places")
struct FurtherPlaceCostTests {
    private static func place(_ id: UInt64, _ latitude: Double, _ longitude: Double) -> FurtherPlace {
        let coordinate = Coordinate(wrappingLatitude: latitude, longitude: longitude)
        return FurtherPlace(id: StoryID(high: 0, low: id), location: StoryLocation(coordinate: coordinate))
    }

    /// 29 bytes a point, 24 for every fourth sum, 32 for every block: nothing was added for further places.
    private static func bytes(points: Int) -> Int { 29 * points + 24 * (points / 4 + 1) + 32 * ((points + 63) / 64) }

    @Test(
        "LOC-10 A story with one place costs no more memory; one with several costs its points",
        arguments: [0, 1, 40]
    )
    func memory(several: Int) {
        let stories = publicStories(at: (0..<1_000).map { (Double($0 % 80), Double($0 % 170)) })
        let extra = [FurtherPlaceCostTests.place(7, 5, 5), FurtherPlaceCostTests.place(9, 6, 6)]
        let ids = Set(stories.prefix(several).map(\.id))
        let index = MapIndex(digestKey: testKey, further: { ids.contains($0.id) ? extra : [] })
        index.load(stories)
        let points = stories.count + 2 * several
        // Each point of the few stories, also that of their own location, is listed once more.
        #expect(index.snapshot().memory.points == FurtherPlaceCostTests.bytes(points: points) + 32 * 3 * several)
        #expect(index.snapshot().count(in: .world, .everybody) == stories.count)
        #expect(index.snapshot().placeCount(in: .world, .everybody) == points)
        // A cached marker is no larger than it was before stories had several places.
        #expect(MemoryLayout<Marker>.stride <= 208)
    }

    @Test("LOC-10 The version changes with everything shown of a further place, and with nothing that is hidden")
    func version() {
        var story = publicStories(at: [(1, 1)])[0]
        func version(_ place: FurtherPlace?, _ viewer: Viewer = .anonymous) -> Digest {
            let index = MapIndex(digestKey: testKey, further: { _ in place.map { [$0] } ?? [] })
            index.load([story])
            return index.snapshot().version(for: viewer)
        }
        let place = FurtherPlaceCostTests.place(3, 10, 10)
        var versions: Set<Digest> = [version(nil), version(place)]
        #expect(versions.count == 2)
        #expect(versions.insert(version(FurtherPlaceCostTests.place(4, 10, 10))).inserted)
        #expect(versions.insert(version(FurtherPlaceCostTests.place(3, 10, 11))).inserted)
        #expect(versions.insert(version(FurtherPlace(id: place.id, location: place.location, shown: "born"))).inserted)
        var named = place.location
        named.names[.city] = "Memphis"
        #expect(versions.insert(version(FurtherPlace(id: place.id, location: named))).inserted)
        var hidden = place.location
        hidden.precision = .hidden
        let behind = FurtherPlace(id: place.id, location: hidden, shown: "born")
        #expect(version(behind) == version(nil))
        #expect(version(behind, Viewer(user: story.owner)) != version(nil, Viewer(user: story.owner)))
        // Within its published cell, only the owner notices that it moved.
        var cell = place.location
        cell.precision = .approximate(.tenth)
        var moved = cell
        moved.coordinate = Coordinate(wrappingLatitude: 10.01, longitude: 10.01)
        let (before, after) = (FurtherPlace(id: place.id, location: cell), FurtherPlace(id: place.id, location: moved))
        #expect(version(before) == version(after))
        #expect(version(before, Viewer(user: story.owner)) != version(after, Viewer(user: story.owner)))
        // So they do if its shape changes, which is shown with the exact place alone.
        let corners = [(10.0, 10.0), (11, 11), (12, 10)]
            .map { PlaceShape.Corner(longitude: $0.0, latitude: $0.1) }
        let ring = corners + [corners[0]]
        let shapes: [PlaceShape] = [
            .line(corners), .line(corners.reversed()), .polygon([ring]), .multiPoint(corners), .multiLine([corners]),
            .multiLine([ring]), .multiPolygon([[ring]]), .multiPolygon([[ring, ring]]),
            .multiPolygon([[ring], [ring]]),
        ]
        for shape in shapes {
            let exact = FurtherPlace(id: place.id, location: place.location, shape: shape)
            #expect(versions.insert(version(exact)).inserted)
            let coarse = FurtherPlace(id: place.id, location: cell, shape: shape)
            #expect(version(coarse) == version(before))
            #expect(version(coarse, Viewer(user: story.owner)) != version(before, Viewer(user: story.owner)))
        }
        story.location = nil
        #expect(version(place) != version(nil))
    }

    @Test("LOC-10 A story of hundreds of places counts once, also when it is removed")
    func hundreds() {
        let stories = publicStories(at: [(1, 1), (2, 2), (3, 3)])
        let many = (1...700).map { FurtherPlaceCostTests.place(UInt64($0), Double($0 % 50), Double($0 % 90)) }
        let index = MapIndex(digestKey: testKey, further: { $0.id == stories[0].id ? many : [] })
        index.load(stories)
        let box = BoundingBox.world
        let choice = FacetChoice([.kinds], limit: 5)
        for expected in [3, 2] {
            let snapshot = index.snapshot()
            #expect(snapshot.count(in: box, .everybody) == expected)
            #expect(snapshot.placeCount(in: box, .everybody) == (expected == 3 ? 703 : 2))
            #expect(snapshot.histogram(in: box, .everybody, bins: 1).undated == expected)
            #expect(snapshot.facets(choice, in: box, FacetQuery(.everybody)).total == expected)
            #expect(snapshot.nearby(box.center, .everybody, limit: 9).count == expected)
            let whole = snapshot.markers(in: box, zoom: 0, .everybody)
            #expect(whole.reduce(0) { $0 + $1.places } == (expected == 3 ? 703 : 2))
            index.apply([.remove(stories[0].id)])
        }
    }

    @Test("LOC-10 One story at several places is one marker with one story, until the places are apart")
    func oneStory() {
        let story = publicStories(at: [(10, 10)])[0]
        func marker(_ places: [FurtherPlace], zoom: Int) -> [Marker] {
            let index = MapIndex(digestKey: testKey, further: { _ in places })
            index.load([story])
            return index.snapshot().markers(in: .world, zoom: zoom, .everybody)
        }
        let same = marker([FurtherPlaceCostTests.place(5, 10, 10)], zoom: 4)
        #expect(same.count == 1 && same[0].count == 1 && same[0].places == 2)
        #expect(same[0].single?.id == story.id && same[0].single?.further == nil && !same[0].isStacked)
        #expect(same[0].single?.storiesHere == 1)
        let near = marker([FurtherPlaceCostTests.place(5, 10.1, 10)], zoom: 3)
        #expect(near.count == 1 && near[0].count == 1 && near[0].places == 2 && near[0].single == nil)
        #expect((4...20).contains(near[0].expansionZoom))
        let apart = marker([FurtherPlaceCostTests.place(5, 10.1, 10)], zoom: 20)
        #expect(apart.compactMap(\.single?.further?.low) == [5])
        #expect(apart.count == 2 && apart.allSatisfy { $0.count == 1 && $0.places == 1 && $0.single?.id == story.id })
    }
}
