import Gazetteer
import Geometry
import Importing
import Library
import Storage
import Stories
import StoryMap
import Testing

/// Knows two towns, and a third one if it was told.
private struct Towns: PlaceLocator {
    var knowsSelma = false

    func candidates(for words: PlaceWords, limit: Int) -> [PlaceCandidate] {
        let known: [String: (Double, Double, Double)] = [
            "Macon": (32.84, -83.63, 0.97), "Springfield": (39.8, -89.64, 0.4),
        ]
        let selma: [String: (Double, Double, Double)] = knowsSelma ? ["Selma": (32.41, -87.02, 0.95)] : [:]
        guard let town = known[words.city] ?? selma[words.city],
            let coordinate = Coordinate(latitude: town.0, longitude: town.1)
        else { return [] }
        return [
            PlaceCandidate(
                label: words.city,
                kind: .city,
                coordinate: coordinate,
                confidence: town.2,
                radius: 5_000,
                id: "test:\(words.city)",
                names: [.city: words.city, .state: "State"]
            )
        ]
    }
}

@Suite("Locating stories by the words of their archives")
struct LocatingTests {
    private static let rows = """
        id,title,city,precision
        1,One,Macon,
        2,Two,Springfield,
        3,Three,Selma,
        4,Four,Macon,hidden

        """

    private func read(_ text: String, _ locator: Towns? = nil) throws -> [ImportedStory] {
        var options = StoryImporter.Options(owner: .archive)
        options.source = "file"
        options.geocoding = locator.map { RowGeocoding(locator: $0, rules: PlacingRules()) }
        return StoryImporter(options: options).read(Array(text.utf8), fileName: "file.csv").stories
    }

    private func stories(_ fixture: ServiceFixture) async throws -> [String: Story] {
        try await fixture.library.store.read { transaction in
            var all: [String: Story] = [:]
            try transaction.forEachStory { all[$0.title] = $0 }
            return all
        }
    }

    private func words(_ story: Story?, in fixture: ServiceFixture) async throws -> StoredPlaceWords? {
        let id = try #require(story?.id)
        return try await fixture.library.store.read { try $0.placeWords(of: id) }
    }

    @Test("GEO-07 An import locates what is sure, publishes it as an area, and keeps all words", arguments: [1, 1_000])
    func importing(least: Int) async throws {
        let fixture = try await ServiceFixture()
        let rows = try read(Self.rows, Towns())
        #expect(try await fixture.library.imports.add(rows, loadingFrom: least) == ImportOutcome(created: 4))
        let stories = try await stories(fixture)
        #expect(stories["One"]?.location?.source == .geocoded)
        #expect(stories["One"]?.location?.precision == .approximate(.tenth))
        #expect(stories["Two"]?.location == nil && stories["Three"]?.location == nil)
        #expect(stories["Four"]?.location?.precision == .hidden)
        let located = try #require(try await words(stories["One"], in: fixture))
        #expect(located.state == .located && located.confidence == 0.97 && located.place == "test:Macon")
        let waiting = try #require(try await words(stories["Two"], in: fixture))
        #expect(waiting.state == .waiting && waiting.words == "{\"city\":\"Springfield\"}")
        // Others see the middle of a cell and not that of the town.
        let id = try #require(stories["One"]?.id)
        let point = fixture.library.map.snapshot().point(of: id, viewer: .anonymous)
        #expect(point != nil && point != stories["One"]?.location?.coordinate)
    }

    @Test("REL-06 Importing again with, without and again with places changes only what is new")
    func again() async throws {
        let fixture = try await ServiceFixture()
        let imports = fixture.library.imports
        #expect(try await imports.add(read(Self.rows)) == ImportOutcome(created: 4))
        #expect(try await imports.add(read(Self.rows)) == ImportOutcome(unchanged: 4))
        #expect(try await imports.add(read(Self.rows, Towns())) == ImportOutcome(updated: 2, unchanged: 2))
        #expect(try await imports.add(read(Self.rows, Towns())) == ImportOutcome(unchanged: 4))
        // Without --geocode the places stay, even if something else in the row changes.
        #expect(try await imports.add(read(Self.rows)) == ImportOutcome(unchanged: 4))
        let changed = Self.rows.replacing("One", with: "Uno")
        #expect(try await imports.add(read(changed)) == ImportOutcome(updated: 1, unchanged: 3))
        #expect(try await stories(fixture)["Uno"]?.location?.source == .geocoded)
        // Other words are another place.
        let moved = changed.replacing("Uno,Macon", with: "Uno,Nowhere")
        #expect(try await imports.add(read(moved, Towns())) == ImportOutcome(updated: 1, unchanged: 3))
        #expect(try await stories(fixture)["Uno"]?.location == nil)
    }

    @Test("LOC-01 A place set by hand stays, and a removed one does not come back")
    func byHand() async throws {
        let fixture = try await ServiceFixture()
        _ = try await fixture.library.imports.add(read(Self.rows, Towns()))
        let stories = try await stories(fixture)
        var (one, four) = (try #require(stories["One"]), try #require(stories["Four"]))
        let hand = try #require(Coordinate(latitude: 10, longitude: 10))
        one.location = StoryLocation(coordinate: hand)
        four.location = nil
        four.absentLocation = AbsentLocation(precision: .hidden, isRemoved: true)
        let (first, last) = (one, four)
        try await fixture.library.store.write { transaction in
            try transaction.update(first)
            try transaction.update(last)
        }
        let changed = Self.rows.replacing("One", with: "Uno").replacing("Four", with: "Quattro")
        _ = try await fixture.library.imports.add(read(changed, Towns()))
        let after = try await self.stories(fixture)
        #expect(after["Uno"]?.location?.coordinate == hand)
        #expect(after["Quattro"]?.location == nil && after["Quattro"] != nil)
        let service = LocatingService(fixture.library.imports)
        let row = ReviewedRow(line: 2, story: one.id, choice: .position(hand))
        #expect(try await service.apply([row], dryRun: false).kept == 1)
    }

    @Test("GEO-07 Stories are located later, and what is left can be chosen, in one piece")
    func later() async throws {
        let fixture = try await ServiceFixture()
        let service = LocatingService(fixture.library.imports)
        _ = try await fixture.library.imports.add(read(Self.rows))
        _ = try await fixture.library.imports.add(read("id,title\n9,Nine\n"))
        let geocoding = RowGeocoding(locator: Towns(knowsSelma: true), rules: PlacingRules())
        var review: [(UnlocatedStory, RowPlacement)] = []
        let dry = try await service.locate(of: nil, source: "file", by: geocoding, dryRun: true) {
            review.append(($0, $1))
        }
        #expect(dry.outcome.located == 3 && dry.left == 1 && dry.wordless == 1)
        #expect(try await stories(fixture).values.allSatisfy { $0.location == nil })
        review = []
        let done = try await service.locate(of: .archive, source: nil, by: geocoding, dryRun: false) {
            review.append(($0, $1))
        }
        #expect(done.outcome.located == 3 && done.left == 1)
        #expect(review.map(\.0.title) == ["Two"])
        #expect(review.first?.1.candidates.map(\.label) == ["Springfield"])
        #expect(try await stories(fixture)["Four"]?.location?.precision == .hidden)
        // Nothing is left to do but the review.
        let again = try await service.locate(of: nil, source: nil, by: geocoding, dryRun: false) { _, _ in }
        #expect(again.outcome == LocatingOutcome() && again.left == 1)
        let two = try #require(review.first)
        let chosen = ReviewedRow(line: 2, story: two.0.id, choice: .candidate(try #require(two.1.candidates.first)))
        let missing = ReviewedRow(line: 3, story: StoryID(high: 1, low: 1), choice: .none)
        await #expect(throws: LocatingService.Missing.self) {
            try await service.apply([chosen, missing], dryRun: false)
        }
        #expect(try await stories(fixture)["Two"]?.location == nil)
        #expect(try await service.apply([chosen], dryRun: true).located == 1)
        #expect(try await stories(fixture)["Two"]?.location == nil)
        #expect(try await service.apply([chosen], dryRun: false).located == 1)
        #expect(try await stories(fixture)["Two"]?.location?.precision == .approximate(.tenth))
        #expect(try await words(stories(fixture)["Two"], in: fixture)?.state == .chosen)
        // The import still knows the place as its own.
        let changed = Self.rows.replacing("Two", with: "Due")
        #expect(try await fixture.library.imports.add(read(changed)) == ImportOutcome(updated: 1, unchanged: 3))
        #expect(try await stories(fixture)["Due"]?.location?.source == .geocoded)
    }

    @Test("LOC-03 The street is among the names of a story that is located later")
    func street() async throws {
        let fixture = try await ServiceFixture()
        _ = try await fixture.library.imports.add(read("id,title,street,city\n1,One,5 Oak St,Macon\n"))
        let geocoding = RowGeocoding(locator: Towns(), rules: PlacingRules())
        let service = LocatingService(fixture.library.imports)
        _ = try await service.locate(of: nil, source: nil, by: geocoding, dryRun: false) { _, _ in }
        let names = try await stories(fixture)["One"]?.location?.names
        #expect(names?[.address] == "5 Oak St" && names?[.city] == "Macon")
    }

    @Test("A story without a place is not asked about again, and is found by its id in the import as well")
    func none() async throws {
        let fixture = try await ServiceFixture()
        let service = LocatingService(fixture.library.imports)
        _ = try await fixture.library.imports.add(read(Self.rows))
        let row = ReviewedRow(line: 2, owner: .archive, source: "file", sourceID: "2", choice: .none)
        #expect(try await service.apply([row], dryRun: false).without == 1)
        let geocoding = RowGeocoding(locator: Towns(), rules: PlacingRules())
        var titles: [String] = []
        _ = try await service.locate(of: nil, source: nil, by: geocoding, dryRun: false) { story, _ in
            titles.append(story.title)
        }
        #expect(titles == ["Three"])
    }

    @Test("LOC-11 Words that a program extracted give a proposal, and nothing that others see")
    func extracted() async throws {
        let fixture = try await ServiceFixture()
        let text = "id,title,city,location_source\n1,One,Macon,ai_extracted\n"
        _ = try await fixture.library.imports.add(read(text))
        let geocoding = RowGeocoding(locator: Towns(), rules: PlacingRules())
        let service = LocatingService(fixture.library.imports)
        let done = try await service.locate(of: nil, source: nil, by: geocoding, dryRun: false) { _, _ in }
        #expect(done.outcome.proposed == 1 && done.outcome.located == 0)
        let story = try #require(try await stories(fixture)["One"])
        #expect(story.location == nil)
        let waiting = try await fixture.library.store.read { try $0.proposals(for: story.id, of: .archive) }
        #expect(waiting.map(\.location.precision) == [.approximate(.tenth)])
    }

    @Test("PRV-07 The words of a story go with it")
    func deletion() async throws {
        let fixture = try await ServiceFixture()
        _ = try await fixture.library.imports.add(read(Self.rows))
        let story = try #require(try await stories(fixture)["Two"])
        try await fixture.library.store.write { try $0.deleteStory(story.id) }
        #expect(try await words(story, in: fixture) == nil)
    }
}
