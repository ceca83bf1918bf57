import Gazetteer
import Geometry
import Formats
import Importing
import Stories
import Synchronization
import Testing

@Suite("Places found by the words of rows")
struct GeocodingTests {
    private func read(
        _ text: String,
        rules: PlacingRules = PlacingRules(),
        confidence: Double = 0.97,
        change: (inout StoryImporter.Options) -> Void = { _ in }
    ) throws -> ImportResult {
        try Fixture.read(Array(text.utf8)) { options in
            options.geocoding = RowGeocoding(locator: TownLocator(confidence: confidence), rules: rules)
            change(&options)
        }
    }

    @Test("GEO-07 A city gives a row its location, as an area with its source, confidence and words")
    func city() throws {
        let result = try read("title,street,city,state\nHotel,12 Broad St,Macon,Ga.\n")
        let story = try #require(result.stories.first)
        let location = try #require(story.location)
        #expect(location.source == .geocoded)
        #expect(location.precision == .approximate(.tenth))
        #expect(location.accuracy == 6_000)
        // What the row says, and the country that it does not say.
        #expect(location.names == [.city: "Macon", .state: "Ga.", .country: "United States"])
        #expect(location.derived == [.country])
        let placement = try #require(story.placement)
        #expect(placement.words.street == "12 Broad St" && placement.words.summary == "12 Broad St, Macon, Ga.")
        #expect(placement.place?.confidence == 0.97)
        #expect(story.givenLocation == nil)
        #expect((result.located, result.unlocated) == (1, 0))
    }

    @Test("Below the threshold, or above the largest extent, a row is imported without a location")
    func unsure() throws {
        let unsure = try read("title,city\nA,Macon\n", confidence: 0.89)
        #expect(unsure.stories.first?.location == nil)
        #expect(unsure.stories.first?.placement?.candidates.map(\.label) == ["Macon"])
        #expect(unsure.unlocated == 1)
        #expect(try read("title,city\nA,Macon\n", rules: PlacingRules(threshold: 0.8), confidence: 0.89).located == 1)
        let state = try read("title,state\nA,Georgia\n")
        #expect(state.stories.first?.location == nil)
        let coarse = try read("title,state\nA,Georgia\n", rules: PlacingRules(coarsest: .state))
        #expect(coarse.stories.first?.location?.precision == .approximate(.degree))
        let county = try read("title,county,state\nA,Bibb,Georgia\n")
        #expect(county.stories.first?.location?.precision == .approximate(.degree))
    }

    @Test("A row with a position keeps it, and unknown words give nothing")
    func positions() throws {
        let result = try read("title,lat,lon,city\nA,48,11,Macon\nB,,,Unknown\nC,,,\n")
        #expect(result.stories.map { $0.location?.source } == [.manual, nil, nil])
        #expect(result.stories.map { $0.placement == nil } == [true, true, true])
        #expect((result.located, result.unlocated) == (0, 0))
    }

    @Test("Nothing is shown more precisely than the row says, and extracted words wait for their owner")
    func restrictions() throws {
        let text = """
            title,city,precision,location_source,location_confirmed
            A,Macon,hidden,,
            B,Macon,exact,,
            C,Macon,,ai_extracted,true

            """
        let stories = try read(text).stories
        #expect(stories.map { $0.location?.precision } == [.hidden, .approximate(.tenth), .approximate(.tenth)])
        #expect(stories.map(\.isProposal) == [false, false, true])
    }

    @Test("A column of free text is read before all others, and each unlocated row is handed over")
    func column() throws {
        var choices = ColumnChoices()
        try choices.setPlaceText("born")
        let columns = choices
        let seen = Seen()
        let result = try read("title,born,city\nA,Macon,Atlanta\nB,Nowhere,Atlanta\n") { options in
            options.columns = columns
            options.unlocated = { seen.add($0.title) }
        }
        #expect(result.stories.map { $0.placement?.words.text } == ["Macon", "Nowhere"])
        // The row's own city stays beside the place that was found.
        #expect(result.stories.first?.location?.names[.city] == "Atlanta")
        #expect(result.stories.last?.location == nil)
        #expect(seen.titles == ["B"])
        #expect(throws: ImportProblem.self) { try choices.setPlaceText("other") }
    }

    @Test(
        "The precision fits the size of the place",
        arguments: [
            (PlaceExtent.point, 30, LocationPrecision.exact), (.street, 1_000, .approximate(.hundredth)),
            (.settlement, 1_100, .approximate(.hundredth)), (.settlement, 1_500, .approximate(.tenth)),
            (.settlement, 12_000, .approximate(.tenth)), (.county, 9_000, .approximate(.tenth)),
            (.county, 30_000, .approximate(.degree)), (.state, 10_000, .approximate(.degree)),
            (.country, 500, .approximate(.degree)),
        ] as [(PlaceExtent, Double, LocationPrecision)]
    )
    func precision(extent: PlaceExtent, radius: Double, expected: LocationPrecision) {
        #expect(PlaceCandidate.precision(extent, radius: radius) == expected)
    }

    @Test("Nothing larger than a building is exact, whatever its radius")
    func neverExact() {
        for kind in PlaceKind.allCases where PlaceExtent(kind) > .point {
            #expect(PlaceCandidate.precision(PlaceExtent(kind), radius: 0) != .exact, "\(kind)")
        }
    }

    @Test("Words survive as JSON, and nothing else is read as words")
    func json() throws {
        var words = PlaceWords()
        (words.street, words.city, words.postalCode) = ("\"Beale\" St", "Memphis", "38103")
        let read = try PlaceWords(json: .init(parsing: Array(words.json.utf8)))
        #expect(read == words)
        for text in ["{}", "[]", "1", "{\"city\":3}"] {
            #expect(try PlaceWords(json: .init(parsing: Array(text.utf8))) == nil)
        }
    }
}

/// Collects titles.
private final class Seen: Sendable {
    private let list = Mutex<[String]>([])
    var titles: [String] { list.withLock { $0 } }
    func add(_ title: String) { list.withLock { $0.append(title) } }
}
