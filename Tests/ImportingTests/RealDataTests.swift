import Foundation
import Importing
import Stories
import Testing
import TestSupport

@Suite("Importing real story files", .enabled(if: SharedData.isWanted("data/stories")))
struct RealDataTests {
    private func read(_ name: String, skipsBadRows: Bool = false) throws -> ImportResult {
        let url = try #require(SharedData.url("data/stories/" + name), "the shared data is absent")
        var options = StoryImporter.Options(owner: try #require(UserID("archive")))
        options.skipsBadRows = skipsBadRows
        options.today = CalendarDay(year: 2026, month: 1, day: 1)
        return StoryImporter(options: options).read(Array(try Data(contentsOf: url)), fileName: name)
    }

    @Test("REL-06 All 1,042 life histories are imported, even those sharing an id")
    func lifeHistories() throws {
        let result = try read("life-histories-1936-40.csv")
        #expect(result.errorCount == 0, "\(result.errorSummary())")
        #expect(result.stories.count == 1042)
        #expect(Set(result.stories.map(\.sourceID)).count == 1042)
        #expect(result.stories.allSatisfy { $0.location != nil })
        #expect(result.stories.count { $0.date == nil } == 153)
        // Those that make no sense keep their words: 7 with a day of five digits, 1 in month 13, 3 without a year and 2
        // that are a bare number.
        #expect(result.stories.count { $0.date != nil && $0.date?.first == nil } == 7 + 1 + 3 + 2)
        let first = try #require(result.stories.first)
        #expect(first.sourceID == "03709_0001")
        #expect(first.source == "life-histories-1936-40")
        #expect(first.location?.names == [.city: "Ozark", .state: "Alabama"])
        #expect(result.warnings.contains { $0.row == nil && $0.message.hasSuffix("column occupation") })
    }

    @Test("All 3,263 Texas historical markers are imported")
    func texas() throws {
        let result = try read("texas-historical-markers.csv")
        #expect(result.errorCount == 0, "\(result.errorSummary())")
        #expect(result.stories.count == 3263)
        #expect(result.stories.count { $0.date != nil } == 722)
        #expect(result.stories.allSatisfy { $0.text != nil })
    }

    @Test("REL-06 All 49,164 New York photographs are imported, with warnings for doubtful dates and long titles")
    func newYork() throws {
        let clock = ContinuousClock()
        let start = clock.now
        let result = try read("new-york-street-photos.csv.gz")
        let elapsed = start.duration(to: clock.now)
        #expect(result.errorCount == 0, "\(result.errorSummary())")
        #expect(result.stories.count == 49_164)
        #expect(Set(result.stories.map(\.sourceID)).count == 49_164)
        #expect(result.stories.allSatisfy { $0.location != nil })
        #expect(result.stories.count { $0.mediaURL != nil } == 49_164 - 3365)
        // 2,861 are empty, 70 say "n.d", 5 hold a postcode.
        #expect(result.stories.count { $0.date == nil } == 2861)
        #expect(result.stories.count { $0.date != nil && $0.date?.first == nil } == 70 + 5)
        #expect(result.warnings.count { $0.field == "date" } == 5)
        #expect(elapsed < .seconds(20), "took \(elapsed)")
        print("49,164 rows read and validated in \(elapsed)")
    }
}
