import Geometry
import Stories
import Testing

@Suite("Calendar days before and after the year 0")
struct CalendarDayTests {
    @Test("Every day of four eras of 400 years follows the one before, and is parsed from its description")
    func walked() throws {
        #expect(CalendarDay(year: -9999, month: 1, day: 1) == .earliest)
        #expect(CalendarDay(year: 9999, month: 12, day: 31) == .latest)
        var (year, month, day) = (-801, 1, 1)
        let first = try #require(CalendarDay(year: year, month: month, day: day))
        let last = try #require(CalendarDay(year: 801, month: 12, day: 31))
        for number in first.daysSince1970...last.daysSince1970 {
            let found = CalendarDay(daysSince1970: number)
            guard found.components == (year, month, day), CalendarDay(year: year, month: month, day: day) == found
            else {
                Issue.record("\(number) is \(found), not \(year)-\(month)-\(day)")
                return
            }
            // Parsing allocates: a sample of the days is enough.
            if number.isMultiple(of: 97) { #expect(CalendarDay(found.description) == found) }
            day += 1
            if day > CalendarDay.length(ofMonth: month, year: year) { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect(year == 802)
    }

    @Test("Days outside of the years, and texts that are no days, do not exist")
    func none() {
        #expect(
            CalendarDay(year: 10_000, month: 1, day: 1) == nil && CalendarDay(year: -10_000, month: 1, day: 1) == nil
        )
        #expect(CalendarDay(year: -1, month: 2, day: 29) == nil && CalendarDay(year: -4, month: 2, day: 29) != nil)
        for text in [
            "", "-", "1936", "1936-05", "--0043-03-15", "-043-03-15", "1936-5-03", "1936-05-03 ", "1936-02-30",
        ] {
            #expect(CalendarDay(text) == nil, "\(text)")
        }
    }
}
