import Library
import App
import Geometry
import Importing
import Storage
import Stories
import StoryMap
import Testing

@Suite("The map service")
struct MapServiceTests {
    /// A library with two public stories a degree apart.
    private func fixture() async throws -> ServiceFixture {
        let fixture = try await ServiceFixture()
        var options = StoryImporter.Options(owner: UserID.archive)
        options.source = "file"
        let rows = "id,title,lat,lon\n1,One,33.7,-84.3\n2,Two,34.7,-84.3\n"
        let read = StoryImporter(options: options).read(Array(rows.utf8), fileName: "file.csv")
        #expect(try await fixture.library.imports.add(read.stories) == ImportOutcome(created: 2))
        return fixture
    }

    @Test("A list is a value: pages of stories with their count and the start of the next page")
    func lists() async throws {
        let maps = try await fixture().library.maps
        let first = try await maps.stories(ListWindow(limit: 1), search: StorySearch(), viewer: .anonymous)
        #expect(first.matched == 2 && first.stories.count == 1)
        let next = try #require(first.next)
        let last = try await maps.stories(ListWindow(after: next, limit: 1), search: StorySearch(), viewer: .anonymous)
        #expect(last.matched == 2 && last.stories.count == 1 && last.next == nil)
        #expect(Set((first.stories + last.stories).map(\.story.title)) == ["One", "Two"])
    }

    @Test("Markers are returned as the bytes the caller makes of them, within the bounds")
    func markers() async throws {
        let maps = try await fixture().library.maps
        let box = try #require(try await maps.bounds(StorySearch(), viewer: .anonymous))
        let page = try await maps.markers(
            in: MapWindow(box: box.expanded(byMetres: 100), zoom: 12),
            search: StorySearch(),
            viewer: .anonymous,
            writtenBy: { marker, bytes in bytes += Array("\(marker.single?.title ?? "");".utf8) }
        )
        #expect(page.matched == 2 && page.markers.count == 2)
        var texts: Set<String> = []
        page.markers.forEach { texts.insert(String(decoding: $0, as: UTF8.self)) }
        #expect(texts == ["One;", "Two;"])
    }

    @Test("Nearest stories are returned in order, with distances in metres")
    func nearest() async throws {
        let maps = try await fixture().library.maps
        let here = try #require(Coordinate(latitude: 34.6, longitude: -84.3))
        let found = try await maps.stories(near: here, limit: 5, search: StorySearch(), viewer: .anonymous)
        #expect(found.map { $0.story.story.title } == ["Two", "One"])
        let metres = try #require(found.first?.distance)
        #expect((11_000...11_200).contains(metres))
    }
}
