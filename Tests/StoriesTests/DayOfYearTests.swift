import Geometry
import Stories
import Testing

@Suite("Days of any year")
struct DayOfYearTests {
    @Test(
        "A day of the year is written MM-DD, and exists in some year",
        arguments: ["06-19", "02-29", "01-01", "12-31"]
    )
    func parsing(text: String) throws {
        #expect(try #require(DayOfYear(text)).description == text)
    }

    @Test(
        "Anything else is no day of the year",
        arguments: [
            "", "6-19", "0619", "06-1", "06-190", "02-30", "13-01", "00-10", "06-00", "a6-19", "٠٦-١٩", "06/19",
        ]
    )
    func refused(text: String) {
        #expect(DayOfYear(text) == nil)
    }

    @Test("Only the form decides whether a text is well formed")
    func form() {
        #expect(DayOfYear.isWellFormed("02-30") && !DayOfYear.isWellFormed("2-30"))
    }

    @Test(
        "MAP-09 On this day: dates to the day and short spans match, months, years and long spans do not",
        arguments: [
            ("1936-06-19", "06-19", true), ("1936-06-19", "06-18", false), ("1936-06", "06-19", false),
            ("1936", "06-19", false), ("1936-06-01", "06-01", true), ("1936-06-18/1936-06-20", "06-19", true),
            ("1936-06-18/1936-06-20", "06-21", false), ("1936-12-30/1937-01-02", "01-01", true),
            ("1936-12-30/1937-01-02", "12-31", true), ("1936-12-30/1937-01-02", "06-19", false),
            ("1936-06-10/1936-07-10", "06-19", true), ("1936-06-10/1936-07-11", "06-19", false),
            ("1936/1938", "06-19", false), ("1936-06-01/1936-06-30", "06-19", false),
            ("1936-02-01/1936-02-28", "02-14", true), ("1936-02-01/1936-02-29", "02-14", false),
            ("1936-02-29", "02-29", true), ("1935-02-27/1935-03-01", "02-29", false),
            ("1935-02-28", "02-29", false), ("1936-02-29", "02-28", false), ("9999-12-31", "12-31", true),
        ]
    )
    func dates(date: String, on: String, isWithin: Bool) throws {
        let (days, day) = (try #require(StoryDate(date)?.days), try #require(DayOfYear(on)))
        #expect(day.isWithin(first: days.lowerBound, last: days.upperBound) == isWithin)
    }

    @Test("MAP-09 Random spans match exactly the days that a walk through them meets", arguments: UInt64(0)..<4)
    func walked(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<400 {
            let first = Int32.random(in: -60_000...60_000, using: &generator)
            let length = Int32.random(in: 1...45, using: &generator)
            let days = (first..<(first + length)).map { CalendarDay(daysSince1970: $0) }
            let (start, end) = (try #require(days.first), try #require(days.last))
            // The last day of a month is the one before a first.
            let isWhole = start.components.day == 1 && CalendarDay(daysSince1970: first + length).components.day == 1
            var met: Set<String> = []
            if length <= 31, !isWhole { met = Set(days.map { String($0.description.suffix(5)) }) }
            for month in 1...12 {
                for day in 1...31 {
                    guard let wanted = DayOfYear(month: month, day: day) else { continue }
                    let isMet = met.contains(wanted.description)
                    #expect(wanted.isWithin(first: start, last: end) == isMet, "\(start)/\(end) on \(wanted)")
                }
            }
        }
    }

    @Test("PRV-09 A day shown as its month matches no day, for anybody but its owner")
    func shownCoarser() throws {
        let owner = try #require(UserID("ana"))
        let id = StoryID(high: 1, low: 1)
        var story = Story(id: id, kind: .photo, title: "A", owner: owner, createdAt: Timestamp(milliseconds: 0))
        story.date = StoryDate("2019-07-14")
        let point = Coordinate(wrappingLatitude: 33.75, longitude: -84.37)
        var filter = StoryFilter()
        filter.on = DayOfYear("07-14")
        #expect(filter.matches(story, viewer: .anonymous) && !filter.isEmpty)
        for cell in [LocationPrecision.approximate(.hundredth), .approximate(.tenth), .approximate(.degree), .hidden] {
            story.location = StoryLocation(coordinate: point, precision: cell)
            #expect(!filter.matches(story, viewer: .anonymous))
            #expect(filter.matches(story, viewer: Viewer(user: owner)))
        }
        story.date = nil
        #expect(!filter.matches(story, viewer: Viewer(user: owner)))
    }
}
