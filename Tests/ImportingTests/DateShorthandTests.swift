import Importing
import Stories
import Testing

@Suite("Shorthand in the dates of archives")
struct DateShorthandTests {
    @Test(
        "LOC-07 Dates in shorthand mean every day that they may mean, and their words are kept",
        arguments: [openSides, signs, circa].flatMap(DateTable.rows)
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

    private static let circa = """
        ca. 1921-ca. 1925 | 1916-01-01/1930-12-31
        between ca. 1921 and ca. 1925 | 1916-01-01/1930-12-31
        1921 ca. - 1925 ca. | 1916-01-01/1930-12-31
        18th c. - 19th c. | 1701-01-01/1900-12-31
        ca. 1921- | 1916-01-01/..
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
