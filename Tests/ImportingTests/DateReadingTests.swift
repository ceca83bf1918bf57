import Geometry
import Importing
import Stories
import Testing

@Suite("Dates as written by archives")
struct DateReadingTests {
    @Test(
        "A date is the span of days it may mean",
        arguments: [
            ("1936", "1936-01-01", "1936-12-31"), ("1936-05", "1936-05-01", "1936-05-31"),
            ("1936-05-03", "1936-05-03", "1936-05-03"), ("1936-05/1937", "1936-05-01", "1937-12-31"),
            ("1936; 1941", "1936-01-01", "1941-12-31"), ("1924; 1900; 1927", "1900-01-01", "1927-12-31"),
            ("1936?", "1936-01-01", "1936-12-31"), ("[1931?]", "1931-01-01", "1931-12-31"),
            ("ca. 1920", "1915-01-01", "1925-12-31"), ("[ca. 1930?]", "1925-01-01", "1935-12-31"),
            ("c1920", "1915-01-01", "1925-12-31"), ("c. 1920", "1915-01-01", "1925-12-31"),
            ("Circa 1920", "1915-01-01", "1925-12-31"), ("~1920", "1915-01-01", "1925-12-31"),
            ("ca. May 1911", "1910-12-01", "1911-10-31"), ("1920s", "1920-01-01", "1929-12-31"),
            ("1920's", "1920-01-01", "1929-12-31"), ("early 1920s", "1920-01-01", "1929-12-31"),
            ("1900s", "1900-01-01", "1999-12-31"), ("[192-?]", "1920-01-01", "1929-12-31"),
            ("[193-]", "1930-01-01", "1939-12-31"), ("19--", "1900-01-01", "1999-12-31"),
            ("19th century", "1801-01-01", "1900-12-31"), ("1929--", "1929-01-01", "1929-12-31"),
            ("1939-1-11", "1939-01-11", "1939-01-11"), ("1939-9", "1939-09-01", "1939-09-30"),
            ("1939-6-19-20", "1939-06-19", "1939-06-20"), ("1939-5-19, 22, 24", "1939-05-19", "1939-05-24"),
            ("1939-00-00", "1939-01-01", "1939-12-31"), ("1939-05-00", "1939-05-01", "1939-05-31"),
            ("between 1900 and 1905", "1900-01-01", "1905-12-31"), ("from 1900 to 1905", "1900-01-01", "1905-12-31"),
            ("1900-1905", "1900-01-01", "1905-12-31"), ("1900 – 1905", "1900-01-01", "1905-12-31"),
            ("1914-18", "1914-01-01", "1918-12-31"), ("1920s-1930s", "1920-01-01", "1939-12-31"),
            ("May 3, 1911", "1911-05-03", "1911-05-03"), ("3 May 1911", "1911-05-03", "1911-05-03"),
            ("Feb. 14, 1931", "1931-02-14", "1931-02-14"), ("August 1885", "1885-08-01", "1885-08-31"),
            ("1885; August 1885", "1885-01-01", "1885-12-31"), ("Sept. 2nd, 1911", "1911-09-02", "1911-09-02"),
            ("May 3-5, 1911", "1911-05-03", "1911-05-05"), ("May-June 1911", "1911-05-01", "1911-06-30"),
            ("summer 1936", "1936-01-01", "1936-12-31"), ("5/3/1911", "1911-01-01", "1911-12-31"),
            ("5/13/1911", "1911-05-13", "1911-05-13"), ("13.5.1911", "1911-05-13", "1911-05-13"),
            ("5/5/1911", "1911-05-05", "1911-05-05"), ("5/1911", "1911-05-01", "1911-05-31"),
            ("1936-05-03T10:00:00Z", "1936-05-03", "1936-05-03"), ("1923; n.d", "1923-01-01", "1923-12-31"),
            ("1941; 1941-07-01", "1941-01-01", "1941-12-31"), ("1900?; 1910?", "1900-01-01", "1910-12-31"),
        ]
    )
    func read(text: String, first: String, last: String) {
        guard case .date(let date) = DateReading(text) else {
            Issue.record("\(text) was not read")
            return
        }
        #expect(date.text == text)
        #expect(date.first?.description == first)
        #expect(date.last?.description == last)
    }

    @Test(
        "A date declared unknown is not an error",
        arguments: ["n.d", "n.d.", "[n.d.]", "undated", "Unknown", "?"]
    )
    func unknown(text: String) {
        #expect(DateReading(text) == .unknown)
    }

    @Test(
        "Nonsense is not guessed at",
        arguments: [
            "soon", "11205", "1939-2-42956", "1938-13-17", "12", "1-28", "9-10", "31/31/1911", "3/4/11",
            "February 30, 1911", "0000", "1905-1900", "99999999999999999999", "-", "--", "/", "1/", "may", "1911-02-30",
            "1936-05-03 at noon",
        ]
    )
    func unreadable(text: String) {
        switch DateReading(text) {
        case .unreadable, .unknown, .outOfRange: break
        case .date(let date), .partial(let date): Issue.record("\(text) was read as \(date)")
        }
    }

    @Test("A list with one invalid part keeps the others")
    func partial() {
        guard case .partial(let date) = DateReading("1936; long ago") else {
            Issue.record("not partial")
            return
        }
        #expect(date.first?.description == "1936-01-01")
    }

    @Test("No text crashes, and every span is in order", arguments: UInt64(0)..<100)
    func fuzz(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let parts = [
            "19", "36", "0", "5", "-", "/", ";", " ", "ca.", "c", "?", "s", "May", "[", "]", ",", "th century", "'",
            "é", ".",
        ]
        for _ in 0..<100 {
            let count = Int.random(in: 0...8, using: &generator)
            let text = (0..<count).map { _ in parts[Int.random(in: parts.indices, using: &generator)] }.joined()
            if case .date(let date) = DateReading(text) { #expect(date.days != nil, "\(text)") }
        }
    }
}
