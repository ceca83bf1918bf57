import Geometry
import Stories
import TestSupport
import Testing

@Suite("Times shown with a coarser place")
struct ShownTimesTests {
    private static func story(_ precision: LocationPrecision, date: String? = "2019-07-14") throws -> Story {
        let owner = try #require(UserID("ana"))
        let id = try #require(StoryID(String(repeating: "a", count: 32)))
        // 2023-11-14T22:13:20Z
        let created = Timestamp(milliseconds: 1_700_000_000_000)
        var story = Story(id: id, kind: .photo, title: "A", owner: owner, createdAt: created)
        story.date = date.flatMap { StoryDate($0) }
        story.location = StoryLocation(
            coordinate: Coordinate(wrappingLatitude: 33.7554, longitude: -84.3736),
            precision: precision
        )
        return story
    }

    private static func day(_ text: String) throws -> Timestamp {
        let day = try #require(StoryDate(text)?.first)
        return Timestamp(milliseconds: Int64(day.daysSince1970) * 86_400_000)
    }

    @Test(
        "PRV-09 The larger the cell, the longer the period shown for a time",
        arguments: [
            (LocationPrecision.approximate(.hundredth), "2019-07", "2023-11-01"),
            (.approximate(.tenth), "2019", "2023-01-01"), (.hidden, "2019", "2023-01-01"),
            (.approximate(.degree), "2010/2019", "2020-01-01"),
        ]
    )
    func periods(precision: LocationPrecision, date: String, created: String) throws {
        let story = try ShownTimesTests.story(precision)
        let times = story.times(for: .anonymous)
        #expect(times.date?.text == date)
        #expect(times.date == StoryDate(date))
        let start = try ShownTimesTests.day(created)
        #expect(times.createdAt == start && times.updatedAt == start)
        let own = story.times(for: Viewer(user: story.owner))
        #expect(own.date == story.date && own.createdAt == story.createdAt && own.updatedAt == story.updatedAt)
    }

    @Test("PRV-09 Times stay exact for exact or absent places or if the owner says so, unless an area applies")
    func exact() throws {
        var story = try ShownTimesTests.story(.exact)
        #expect(story.times(for: .anonymous).date == story.date)
        story.location?.floor = .approximate(.degree)
        #expect(story.times(for: .anonymous).date?.text == "2010/2019")
        story.location?.showsExactTimes = true
        #expect(story.times(for: .anonymous).date?.text == "2010/2019")
        story.location?.floor = .exact
        story.location?.precision = .hidden
        #expect(story.times(for: .anonymous).createdAt == story.createdAt)
        story.location = nil
        #expect(story.times(for: .anonymous).date == story.date)
    }

    @Test("PRV-09 A story whose coarser place was removed keeps its coarse times")
    func removed() throws {
        let old = try ShownTimesTests.story(.approximate(.hundredth))
        var story = old
        story.location = nil
        #expect(try story.settleLocation(replacing: old) == nil)
        #expect(story.times(for: .anonymous).date?.text == "2019-07")
        #expect(story.times(for: .anonymous).createdAt == old.times(for: .anonymous).createdAt)
        #expect(story.times(for: Viewer(user: story.owner)).date == old.date)
        // What is only proposed, and never was shown, changes nothing.
        story.absentLocation?.isRemoved = false
        #expect(story.times(for: .anonymous).date == old.date)
    }

    @Test("PRV-09 Family trusted with the exact point gets the exact times, other family and strangers do not")
    func trusted() throws {
        var story = try ShownTimesTests.story(.approximate(.tenth))
        let (ben, lake) = (try #require(UserID("ben")), try #require(FamilyID("lake")))
        let family = Viewer(user: ben, families: [lake: [ben, story.owner]])
        #expect(story.times(for: family).date?.text == "2019")
        story.location?.familySeesExact = true
        #expect(story.times(for: family).date?.text == "2019-07-14")
        #expect(story.times(for: Viewer(user: ben)).date?.text == "2019")
        story.location?.floor = .approximate(.hundredth)
        #expect(story.times(for: family).date?.text == "2019-07")
    }

    @Test(
        "PRV-09 Spans and texts are widened to whole periods, derived only from their days",
        arguments: [
            ("2018-12-31/2019-01-01", "2018-12/2019-01", "2018/2019", "2010/2019"),
            ("2019", "2019", "2019", "2010/2019"),
            ("1999-12-31/2000-01-01", "1999-12/2000-01", "1999/2000", "1990/2009"),
            ("0001-02-03", "0001-02", "0001", "0001/0009"), ("9989-12-31", "9989-12", "9989", "9980/9989"),
        ]
    )
    func spans(text: String, month: String, year: String, decade: String) throws {
        let days = try #require(StoryDate(text)?.days)
        // What somebody wrote can name the very day.
        let told = try #require(StoryDate(text: "Ida's birthday", first: days.lowerBound, last: days.upperBound))
        for (precision, expected) in [(TimePrecision.month, month), (.year, year), (.decade, decade)] {
            let widened = try #require(precision.widened(told))
            #expect(widened.text == expected)
            #expect(widened == StoryDate(expected))
            #expect(precision.widened(widened) == widened)
        }
    }

    @Test(
        "PRV-09 Before our era, and with an open side, a date is widened to whole periods as well",
        arguments: [
            ("-0043-03-15", "-0043-03-15", "-0043-03", "-0043", "-0049/-0040"),
            ("0000-12-31", "0001-01-01", "0000-12/0001-01", "0000/0001", "-0009/0009"),
            ("-9999-01-01", "1899-07-04", "../1899-07", "../1899", "../1899"),
            ("1901-07-04", "9999-12-31", "1901-07/..", "1901/..", "1900/.."),
        ]
    )
    func wide(first: String, last: String, month: String, year: String, decade: String) throws {
        let (first, last) = (try #require(CalendarDay(first)), try #require(CalendarDay(last)))
        let told = try #require(StoryDate(text: "Ida's birthday", first: first, last: last))
        for (precision, expected) in [(TimePrecision.month, month), (.year, year), (.decade, decade)] {
            let widened = try #require(precision.widened(told))
            #expect(widened.text == expected)
            let days = try #require(widened.days)
            #expect(days.contains(first) && days.contains(last))
            #expect(precision.widened(widened) == widened)
        }
    }

    @Test("PRV-09 Words that are not understood are shown only with the exact times: they can name the very day")
    func words() throws {
        let told = try #require(StoryDate(words: "on Ida's birthday, at noon"))
        #expect(TimePrecision.exact.widened(told) == told)
        for precision in [TimePrecision.month, .year, .decade] { #expect(precision.widened(told) == nil) }
        var story = try ShownTimesTests.story(.approximate(.hundredth), date: nil)
        story.date = told
        #expect(story.times(for: .anonymous).date == nil)
        #expect(story.times(for: Viewer(user: story.owner)).date == told)
    }

    @Test("PRV-09 A change of the day within the period is visible only to the owner")
    func changes() throws {
        let old = try ShownTimesTests.story(.approximate(.hundredth))
        let later = Timestamp(milliseconds: old.createdAt.milliseconds + 1_000)
        var story = old
        story.date = StoryDate("2019-07-15")
        #expect(story.change(from: old) == .owner)
        story.touch(at: later, replacing: old)
        #expect(story.shownUpdatedAt == old.shownUpdatedAt && story.updatedAt == later)
        story.date = StoryDate("2019-08-15")
        #expect(story.change(from: old) == .everybody)
        // Undated, the choice still changes the time of creation that others get.
        var undated = try ShownTimesTests.story(.hidden, date: nil)
        let before = undated
        undated.location?.showsExactTimes = true
        #expect(undated.change(from: before) == .everybody)
    }

    @Test("A change after the last time there is does not overflow")
    func lastTime() throws {
        var old = try ShownTimesTests.story(.hidden)
        old.updatedAt = Timestamp(milliseconds: .max)
        old.shownUpdatedAt = old.updatedAt
        var story = old
        story.title = "y"
        story.touch(at: old.createdAt, replacing: old)
        #expect(story.updatedAt == old.updatedAt && story.shownUpdatedAt == old.shownUpdatedAt)
    }
}
