import Importing
import Stories
import Testing

@Suite("Shorthand in the dates of archives")
struct DateShorthandTests {
    @Test(
        "LOC-07 Dates in shorthand mean every day that they may mean, and their words are kept",
        arguments: [openSides, signs, circa, years, decades].flatMap(DateTable.rows)
    )
    func shorthand(text: String, meaning: String) {
        #expect(DateTable.meaning(text) == meaning)
        #expect(DateReading(text).date(of: text)?.text == text)
    }

    @Test("LOC-07 A date whose sign or abbreviation cannot be read gets a remark, and its words are kept")
    func remarks() throws {
        for (text, words) in [("a. 1920", "is not a date"), ("-500-03-01", "500 BC"), ("-1920s", "until 1950")] {
            let result = try Fixture.text("title,date\nx,\(text)\n")
            #expect(result.stories.first?.date == StoryDate(words: text))
            #expect(result.warnings.count == 1 && result.warnings.first?.message.contains(words) == true, "\(text)")
        }
    }

    @Test(
        "LOC-07 A doubtful time of day leaves the day as it is",
        arguments: ["3. Mai 1911 um 10:00 Uhr", "May 3, 1911, about 10:30 p.m.", "1911-05-03 10:30:00 EST"]
    )
    func time(text: String) {
        #expect(DateTable.meaning(text) == "1911-05-03/1911-05-03")
    }

    @Test(
        "LOC-07 Dates that may mean a month, a season or some years get a remark, and those that cannot get none",
        arguments: [
            ("1911/12", "a month or some years"), ("ca. 1893/4", "a month or some years"),
            ("[1893-5]", "a month or some years"), ("Atlanta, 1908/9", "a month or some years"),
            ("1911/12 (printed 1913)", "a month or some years"), ("summer 1911-12", "in the south"),
            ("1893/94", nil), ("1911/05", nil), ("winter 1911-12", nil), ("3 Feb., 1701/02", nil),
            ("soon 1911/12", nil), ("-1893/4", nil), ("ca. 1911-12", "a month or some years"),
            ("[um 1905-08?]", "a month or some years"), ("ca. 1911-05", nil), ("ca. 1911-12-05", nil),
            ("3 May 1911/12", nil),
        ]
    )
    func doubts(text: String, words: String?) throws {
        let remarks = try Fixture.text("title,date\nx,\"\(text)\"\n").warnings.map(\.message)
        #expect(remarks.contains { $0.contains(" is read as ") } == (words != nil), "\(remarks)")
        if let words { #expect(remarks.contains { $0.contains(words) }, "\(remarks)") }
    }

    @Test(
        "LOC-07 A column that writes months without zeros has no years in shorthand",
        arguments: [
            ("1931-5", ["1939-1-11", "1939-9"], "1931-05-01", "1931-05-31"),
            ("1911/12", ["1911/1", "1936/37"], "1911-01-01", "1912-12-31"),
            ("1911/12", ["1911/1", "1918/7", "1936/37"], "1911-12-01", "1911-12-31"),
            ("1911/12", ["1911/7/3"], "1911-12-01", "1911-12-31"),
            ("1999-00", ["1998-00", "1999-5"], "1999-01-01", "1999-12-31"),
            ("Atlanta, 1931-5", ["1939-1-11"], "1931-05-01", "1931-05-31"),
            ("1905-8", ["1905-9", "1905-10"], "1905-08-01", "1905-08-31"),
            ("1893-4", ["1894-10"], "1893-04-01", "1893-04-30"),
            ("1893-4", ["1894-05"], "1893-01-01", "1894-12-31"),
            ("1905/08", ["1905/09", "1905/10"], "1905-08-01", "1905-08-31"),
            ("ca. 1911-12", ["1911-10"], "1911-07-01", "1912-05-31"),
            ("ca. 1911-12", ["1914-18", "1911-05"], "1911-01-01", "1912-12-31"),
        ]
    )
    func column(text: String, others: [String], first: String, last: String) throws {
        let rows = ([text] + others).map { "x,\"\($0)\"\n" }.joined()
        let result = try Fixture.text("title,date\n" + rows)
        let story = try #require(result.stories.first { $0.date?.text == text })
        #expect(story.date?.first?.description == first && story.date?.last?.description == last)
        #expect(result.warnings.contains { $0.row == 2 && $0.message.contains(" is read as ") })
    }

    @Test("LOC-07 A month that is still to come is taken for a year, also in a column of months")
    func future() throws {
        let result = try Fixture.read(Array("title,date\nx,2026-9\nx,2026-1\nx,2025-3\n".utf8)) { options in
            options.today = CalendarDay(year: 2026, month: 3, day: 15)
        }
        #expect(!result.isRefused)
        #expect(result.stories.first { $0.date?.text == "2026-9" }?.date?.last?.description == "2029-12-31")
        #expect(result.warnings.map(\.row) == [2])
    }

    @Test("LOC-07 Years that are still to come are taken for a month")
    func futureYears() throws {
        let result = try Fixture.read(Array("title,date\nx,2026-9\n".utf8)) { options in
            options.today = CalendarDay(year: 2026, month: 11, day: 15)
        }
        #expect(result.stories.first?.date?.last?.description == "2026-09-30")
    }

    private static let openSides = """
        ?-1893 | ../1893-12-31
        ? - 1893 | ../1893-12-31
        ?/1893 | ../1893-12-31
        1893- | 1893-01-01/..
        1893 - | 1893-01-01/..
        1893– | 1893-01-01/..
        [1921-] | 1921-01-01/..
        [1921-?] | 1921-01-01/..
        1893/? | 1893-01-01/..
        May 1911- | 1911-05-01/..
        Atlanta, 1936- | in part 1936-01-01/..
        1893-date | 1893-01-01/..
        1893 – date | 1893-01-01/..
        1893 to date | 1893-01-01/..
        3 May 1911- | 1911-05-03/..
        3. Mai 1911 – | 1911-05-03/..
        03.05.1911- | 1911-05-03/..
        1911-05-03- | 1911-05-03/..
        1911-05-03 – present | 1911-05-03/..
        1911-05- | 1911-05-01/1911-05-31
        1911-05-? | 1911-05-01/1911-05-31
        after 1911- | 1912-01-01/..
        after 1911-? | 1912-01-01/..
        since 1911- | 1911-01-01/..
        before 1911- | words
        before 1911-after 1915 | words
        ?-? | undated
        1911 and n.d. | 1911-01-01/1911-12-31
        1920 on | 1920-01-01/..
        [1920 on] | 1920-01-01/..
        1920 and on | 1920-01-01/..
        dès 1920 | 1920-01-01/..
        [Dès mai 1911] | 1911-05-01/..
        before or in 1920 | ../1920-12-31
        in or before 1920 | ../1920-12-31
        on or before 3 May 1911 | ../1911-05-03
        avant ou en 1920 | ../1920-12-31
        vor oder um 1920 | ../1925-12-31
        after or in 1920 | 1920-01-01/..
        on or after 3 May 1911 | 1911-05-03/..
        """

    private static let signs = """
        <1920 | ../1919-12-31
        [<1920] | ../1919-12-31
        < 3 May 1911 | ../1911-05-02
        <=1920 | ../1920-12-31
        ≤ 1920 | ../1920-12-31
        >1920 | 1921-01-01/..
        >=1920 | 1920-01-01/..
        ≥1920 | 1920-01-01/..
        a. 1920 | words
        -0500-00-00T00:00:00Z | -0500-01-01/-0500-12-31
        -0500-03-00T00:00:00Z | -0500-03-01/-0500-03-31
        -0500-00-00 | -0500-01-01/-0500-12-31
        +1911-05-03T00:00:00Z | 1911-05-03/1911-05-03
        +1911-00-00T00:00:00Z | 1911-01-01/1911-12-31
        -1920s | words
        """

    private static let years = """
        1911/12 | 1911-01-01/1912-12-31
        1910/11 | 1910-01-01/1911-12-31
        1893/4 | 1893-01-01/1894-12-31
        1893-5 | 1893-01-01/1895-12-31
        [1893-5?] | 1893-01-01/1895-12-31
        1893–5 | 1893-01-01/1895-12-31
        ca. 1911/12 | 1911-01-01/1912-12-31
        before 1911/12 | ../1910-12-31
        1909/10-1911/12 | 1909-01-01/1912-12-31
        1911/12; 1914 | 1911-01-01/1914-12-31
        1999-00 | 1999-01-01/2000-12-31
        1899/00 | 1899-01-01/1900-12-31
        1899–00 | 1899-01-01/1900-12-31
        May 1911-15 | 1911-05-01/1915-12-31
        3 May 1911-12 | 1911-05-03/1912-12-31
        3 May 1911/12 | 1911-05-03/1912-12-31
        May 1911 - 5 | words
        3 May 1911 - 5 June | 1911-05-03/1911-06-05
        Weihnachten 1911/12 | 1911-12-24/1912-12-31
        from 1911-12 | 1911-12-01/..
        19?? | 1900-01-01/1999-12-31
        [18??]-1905 | 1800-01-01/1905-12-31
        18__ | 1800-01-01/1899-12-31
        summer 1911-12 | 1911-01-01/1912-12-31
        Spring 1911/12 | 1911-01-01/1912-12-31
        Herbst 1911–1912 | 1911-01-01/1912-12-31
        """

    private static let decades = """
        1920/30er | 1920-01-01/1939-12-31
        1920er/30er Jahre | 1920-01-01/1939-12-31
        1920er und 30er Jahre | 1920-01-01/1939-12-31
        1920s-30s | 1920-01-01/1939-12-31
        1920s, 30s and '40s | 1920-01-01/1949-12-31
        1990er/00er Jahre | 1990-01-01/2009-12-31
        20er Jahre | 1920-01-01/1929-12-31
        Mitte der 50er-Jahre | 1950-01-01/1959-12-31
        50er und 60er Jahre | 1950-01-01/1969-12-31
        Zwanziger Jahre | 1920-01-01/1929-12-31
        the late '20s | 1920-01-01/1929-12-31
        mid-'50s | 1950-01-01/1959-12-31
        the twenties and thirties | 1920-01-01/1939-12-31
        before the 30s | ../1929-12-31
        años 20 | 1920-01-01/1929-12-31
        años veinte y treinta | 1920-01-01/1939-12-31
        anni '30 | 1930-01-01/1939-12-31
        anni trenta | 1930-01-01/1939-12-31
        années 50-60 | 1950-01-01/1969-12-31
        les années soixante-dix | 1970-01-01/1979-12-31
        jaren '20 | 1920-01-01/1929-12-31
        década de 20 | 1920-01-01/1929-12-31
        anni 1950-60 | 1950-01-01/1960-12-31
        10er Jahre | words
        30er Jahre des 19. Jahrhunderts | words
        años 30 del siglo XIX | words
        treinta personas, 1911 | in part 1911-01-01/1911-12-31
        """

    private static let circa = """
        ca. 1921-ca. 1925 | 1916-01-01/1930-12-31
        between ca. 1921 and ca. 1925 | 1916-01-01/1930-12-31
        1921 ca. - 1925 ca. | 1916-01-01/1930-12-31
        18th c. - 19th c. | 1701-01-01/1900-12-31
        ca. 1921- | 1916-01-01/..
        ca. 1921-? | 1916-01-01/..
        [c.1921–?] | 1916-01-01/..
        ca. 1921 to present | 1916-01-01/..
        ? - 1921 ca. | ../1926-12-31
        ca. 1911-12 | 1911-01-01/1912-12-31
        c1911-12 | 1911-01-01/1912-12-31
        um 1911-12 | 1911-01-01/1912-12-31
        vers 1911-12 | 1911-01-01/1912-12-31
        1911-12 (approx.) | 1911-01-01/1912-12-31
        since ca. 1911-12 | 1911-01-01/..
        ca. 1905-08, 1914 | 1905-01-01/1914-12-31
        ca. 1911-05 | 1910-12-01/1911-10-31
        ca. 1911-12-05 | 1911-11-30/1911-12-10
        1911ca | 1906-01-01/1916-12-31
        1911c. | 1906-01-01/1916-12-31
        17th-18th c. | 1601-01-01/1800-12-31
        ca. 1921 or later | 1916-01-01/..
        ca. 1921 or earlier | ../1926-12-31
        circa March 1893 | 1892-10-01/1893-08-31
        about 1893-03 | 1892-10-01/1893-08-31
        before ca. March 1893 | ../1893-08-31
        ca. January 0001 | 0000-08-01/0001-06-30
        ca. 12 March 1893 | 1893-03-07/1893-03-17
        12 March 1893 (approximately) | 1893-03-07/1893-03-17
        ca. 31 December 9999 | 9999-12-26/..
        """
}
