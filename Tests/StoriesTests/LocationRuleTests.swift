import Geometry
import Stories
import Testing

@Suite("LOC-11 Rules for a location given to a story")
struct LocationRuleTests {
    private static func story(_ location: StoryLocation?) throws -> Story {
        var story = Story(
            id: StoryID(high: 1, low: 2),
            kind: .interview,
            title: "x",
            owner: try #require(UserID("ana")),
            createdAt: Timestamp(milliseconds: 0)
        )
        story.location = location
        return story
    }

    private static func location(
        _ latitude: Double,
        _ source: LocationSource,
        _ precision: LocationPrecision = .exact
    ) -> StoryLocation {
        StoryLocation(
            coordinate: Coordinate(wrappingLatitude: latitude, longitude: 2),
            source: source,
            precision: precision
        )
    }

    @Test("LOC-01 LOC-11 An extraction replaces no other place and only results in a proposal")
    func extraction() throws {
        let guess = LocationRuleTests.location(1, .aiExtracted)
        for kept in [LocationSource.gps, .manual] {
            let old = try LocationRuleTests.story(LocationRuleTests.location(3, kept))
            var new = old
            new.location = guess
            #expect(throws: ExtractionRefusal.given(kept)) { try new.settleLocation(replacing: old) }
        }
        for known in [nil, LocationRuleTests.location(3, .aiExtracted)] {
            let old = try LocationRuleTests.story(known)
            var new = old
            new.location = guess
            #expect(try new.settleLocation(replacing: old) == guess)
            #expect(new == old)
        }
        // The one that was confirmed, described otherwise.
        let old = try LocationRuleTests.story(guess)
        var new = old
        new.location?.accuracy = 7
        #expect(try new.settleLocation(replacing: old) == nil)
        #expect(new.location?.accuracy == 7)
    }

    @Test(
        "LOC-11 LOC-08 A removal remembers how the place was shown, until a user gives another",
        arguments: [LocationPrecision.exact, .approximate(.tenth), .hidden]
    )
    func removal(precision: LocationPrecision) throws {
        let old = try LocationRuleTests.story(LocationRuleTests.location(1, .manual, precision))
        var removed = old
        removed.location = nil
        #expect(try removed.settleLocation(replacing: old) == nil)
        #expect(removed.absentLocation == AbsentLocation(precision: precision, isRemoved: true))
        var guessed = removed
        guessed.location = LocationRuleTests.location(1, .aiExtracted)
        #expect(throws: ExtractionRefusal.removed) { try guessed.settleLocation(replacing: removed) }
        var given = removed
        given.location = LocationRuleTests.location(1, .gps)
        #expect(try given.settleLocation(replacing: removed) == nil)
        #expect(given.absentLocation == nil)
    }

    @Test("LOC-08 The strictest of several proposals determines how each is shown; no one else gets any of it")
    func strictest() throws {
        let empty = try LocationRuleTests.story(nil)
        var story = empty
        for precision in [LocationPrecision.exact, .approximate(.tenth), .approximate(.hundredth), .exact] {
            let old = story
            story.location = LocationRuleTests.location(1, .aiExtracted, precision)
            _ = try story.settleLocation(replacing: old)
        }
        #expect(story.absentLocation?.precision == .approximate(.tenth))
        #expect(story.change(from: empty) == .owner)
        story.confirmLocation(LocationRuleTests.location(1, .aiExtracted))
        #expect(story.location?.precision == .approximate(.tenth) && story.absentLocation == nil)
    }

    @Test("LOC-11 LOC-08 A proposal confirmed in place of another is shown like the other")
    func confirmedInPlace() throws {
        var shown = LocationRuleTests.location(1, .aiExtracted, .approximate(.tenth))
        shown.familySeesExact = true
        var story = try LocationRuleTests.story(shown)
        story.confirmLocation(LocationRuleTests.location(2, .aiExtracted, .exact))
        #expect(story.location?.coordinate == LocationRuleTests.location(2, .aiExtracted).coordinate)
        #expect(story.location?.precision == .approximate(.tenth) && story.location?.familySeesExact == true)
    }

    @Test("LOC-03 A location's times reflect only its own changes, and do not move without one")
    func times() throws {
        let (first, second) = (Timestamp(milliseconds: 1_000), Timestamp(milliseconds: 2_000))
        var location = LocationRuleTests.location(1, .gps)
        location.stamp(at: first, replacing: nil)
        #expect(location.createdAt == first && location.updatedAt == first)
        var same = LocationRuleTests.location(1, .gps)
        same.floor = .hidden
        same.stamp(at: second, replacing: location)
        #expect(same.updatedAt == first)
        var moved = LocationRuleTests.location(2, .gps)
        moved.stamp(at: second, replacing: location)
        #expect(moved.createdAt == first && moved.updatedAt == second)
    }
}
