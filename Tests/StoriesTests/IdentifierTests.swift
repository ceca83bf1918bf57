import Geometry
import Stories
import Testing

@Suite("Identifiers and dates")
struct IdentifierTests {
    @Test("Story ids survive a round trip through their text", arguments: UInt64(0)..<10)
    func storyIDs(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let id = StoryID(using: &generator)
            #expect(id.description.utf8.count == 32)
            #expect(StoryID(id.description) == id)
            let other = StoryID(using: &generator)
            #expect((id < other) == (id.description < other.description))
        }
        #expect(StoryID(high: 0, low: 1).description == "00000000000000000000000000000001")
    }

    @Test(
        "Other texts are not story ids",
        arguments: [
            "", "1", "0000000000000000000000000000000", "000000000000000000000000000000001",
            "0000000000000000000000000000000G", "0000000000000000000000000000000A", "+0000000000000000000000000000001",
            "éééééééééééééééé",
        ]
    )
    func noStoryIDs(text: String) {
        #expect(StoryID(text) == nil)
    }

    @Test("Users and families are 1–64 characters of a small set")
    func tokens() {
        for text in ["a", "Ana.Maria_7-x", String(repeating: "x", count: 64)] {
            #expect(UserID(text)?.rawValue == text && FamilyID(text)?.rawValue == text)
        }
        for text in ["", "a b", "é", "a/b", "a\n", "\0", String(repeating: "x", count: 65)] {
            #expect(UserID(text) == nil && FamilyID(text) == nil)
        }
    }

    @Test("LOC-06 family_object stands for three kinds and is not one itself")
    func kinds() {
        #expect(StoryKind.named("family_object") == [.photo, .document, .videoObject])
        #expect(StoryKind("family_object") == nil)
        #expect(StoryKind.named("photo") == [.photo])
        #expect(StoryKind.known.allSatisfy { StoryKind($0.rawValue) == $0 })
        for text in ["", "1a", "_a", "A", "a-b", "é", String(repeating: "a", count: 33)] {
            #expect(StoryKind(text) == nil && StoryKind.named(text) == nil)
        }
    }

    @Test("Every day of the years 1 to 9999 has one number, which maps back to its date")
    func everyDay() throws {
        var expected = try #require(CalendarDay(year: 1, month: 1, day: 1)).daysSince1970
        #expect(expected == -719_162)
        for year in 1...9999 {
            for month in 1...12 {
                let length = CalendarDay.length(ofMonth: month, year: year)
                for day in 1...length {
                    let found = CalendarDay(year: year, month: month, day: day)
                    let number = expected + Int32(day) - 1
                    guard let found, found.daysSince1970 == number, found.components == (year, month, day) else {
                        Issue.record("\(year)-\(month)-\(day)")
                        continue
                    }
                }
                expected += Int32(length)
            }
        }
        #expect(expected == 2_932_897)
        #expect(CalendarDay(year: 1970, month: 1, day: 1)?.daysSince1970 == 0)
        #expect(CalendarDay(year: 2000, month: 3, day: 1)?.daysSince1970 == 11_017)
    }

    @Test("Nonexistent days cannot be created")
    func noDays() {
        for (year, month, day) in [
            (1900, 2, 29), (2001, 2, 29), (2024, 4, 31), (-10_000, 1, 1), (10_000, 1, 1), (2000, 0, 1), (2000, 13, 1),
            (2000, 1, 0), (2000, 1, 32), (Int.max, Int.max, Int.max), (Int.min, 1, 1),
        ] {
            #expect(CalendarDay(year: year, month: month, day: day) == nil)
        }
        #expect(CalendarDay(year: 2000, month: 2, day: 29)?.description == "2000-02-29")
        #expect(CalendarDay(year: 7, month: 6, day: 5)?.description == "0007-06-05")
    }

    @Test(
        "A date is a span of days",
        arguments: [
            ("1936", "1936-01-01", "1936-12-31"), ("1936-02", "1936-02-01", "1936-02-29"),
            ("1936-02-03", "1936-02-03", "1936-02-03"), ("1936/1941", "1936-01-01", "1941-12-31"),
            ("1936-05/1936-06-02", "1936-05-01", "1936-06-02"),
        ]
    )
    func dates(text: String, first: String, last: String) throws {
        let date = try #require(StoryDate(text))
        #expect(date.text == text && date.first?.description == first && date.last?.description == last)
    }

    @Test(
        "Other texts are not dates",
        arguments: [
            "", "36", "1936-13", "1936-1", "1936-02-30", "1941/1936", "1936/", "/1936", "1936-02-03-04", "193a",
            "1936?",
            "+936", "1936/1937/1938", "0000", "١٩٣٦", "1936-00", "1936-01-00",
        ]
    )
    func noDates(text: String) {
        #expect(StoryDate(text) == nil)
    }

    @Test(
        "An instant is on its day in UTC",
        arguments: [
            (Int64(0), "1970-01-01"), (86_399_999, "1970-01-01"), (86_400_000, "1970-01-02"), (-1, "1969-12-31"),
            (-86_400_000, "1969-12-31"), (-86_400_001, "1969-12-30"),
        ] as [(Int64, String)]
    )
    func instants(milliseconds: Int64, day: String) {
        #expect(Timestamp(milliseconds: milliseconds).day?.description == day)
    }

    @Test("Instants outside the years 1 to 9999 have no day", arguments: [.min, .max, -62_135_596_800_001] as [Int64])
    func noDay(milliseconds: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).day == nil)
    }
}
