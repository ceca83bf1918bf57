import Geometry
import Importing
import Stories
import Testing

@Suite("Dates in the Extended Date/Time Format")
struct ExtendedDateTests {
    @Test("Every example of levels 0 and 1 of the specification, and those of level 2, mean these days")
    func examples() {
        for (text, meaning) in DateTable.rows(ExtendedDateTests.table) {
            #expect(DateTable.meaning(text) == meaning, "\(text)")
            #expect(DateReading(text).date(of: text)?.text == text, "\(text)")
        }
    }

    @Test(
        "Texts that resemble the format are not read as dates in it",
        arguments: [
            "..", "../..", "/", "[]", "{}", "[..]", "1985/1984", "1985//1986", "1984-21?-01",
            "1984-02-3X", "1985-04-12T25:00:00", "1985-04-31", "Y", "Y-", "Y1E", "1950S0",
            "19X", "X", "2001-42-01", "1936-367", "1935-366", "1936-W54", "1936-W00", "1936-W18-8", "19360230", "-0000",
            "-500", "-193", "-5", "-12500", "500", "ca. 500", "-",
        ]
    )
    func rejected(text: String) {
        switch DateReading(text) {
        case .unknown, .unreadable: break
        case .outOfRange, .date, .partial: Issue.record("\(text) was read as \(DateTable.meaning(text))")
        }
    }

    @Test("Numbers of any size are out of range at worst")
    func large() {
        for text in ["Y999999999999999999", "Y9999999999999999999999", "Y-1E99", "Y99999E99S18", "Y1E18S9999"] {
            #expect(DateReading(text) == .outOfRange, "\(text)")
        }
        let set = "[" + String(repeating: "XX9X-02-29,", count: 35) + "1984]"
        #expect(DateTable.meaning(set) == "0092-02-29/9996-02-29")
    }

    @Test("2001-21 is a season unless the other rows of its column write years like this")
    func habit() throws {
        let both = ["2001-21", "1914-18", "1939-45"]
        let table = "title,date\n" + both.map { "x,\($0)\n" }.joined()
        let years = try Fixture.text(table)
        #expect(years.stories[0].date?.first?.description == "2001-01-01")
        #expect(years.stories[0].date?.last?.description == "2021-12-31")
        #expect(years.warnings.map(\.row) == [2] && years.warnings[0].message.contains("years from the first"))
        let seasons = try Fixture.text("title,date\nx,2001-22\nx,1936-21\nx,19XX\nx,1914-18\n")
        #expect(seasons.stories[0].date?.last?.description == "2001-12-31")
        #expect(seasons.warnings.map(\.row) == [2] && seasons.warnings[0].message.contains("season"))
    }

    @Test("LOC-07 Years with a minus sign or of zeros get a remark, and are never in the future")
    func signed() throws {
        let remarks: [(text: String, words: String?)] = [
            ("-500", "500 BC"), ("-1950", "1951 BC, as EDTF says; write \"until 1950\""), ("0000", "unknown year"),
            ("-1950-05-04", "1951 BC"), ("500", "is not a date"), ("-0500", nil), ("-0001", nil), ("0000-00-00", nil),
            ("1 BC", nil), ("192-", nil),
        ]
        for (text, words) in remarks {
            let result = try Fixture.text("title,date\nx,\(text)\n")
            #expect(!result.isRefused && result.stories.first?.date?.text == text, "\(text)")
            #expect(result.warnings.count == (words == nil ? 0 : 1), "\(text)")
            if let words { #expect(result.warnings.first?.message.contains(words) == true, "\(text)") }
        }
        #expect(DateTable.meaning("-0500") == "-0500-01-01/-0500-12-31")
        #expect(DateTable.meaning("1 BC") == "0000-01-01/0000-12-31")
    }

    @Test("An import keeps the words of every date, and says which it could not read")
    func kept() throws {
        let dates = ["ca. 1920", "when the river rose", "n.d.", "Y170000002", "1911-02-30", "1911; long ago"]
        let result = try Fixture.text("title,date\n" + dates.map { "x,\($0)\n" }.joined())
        #expect(!result.isRefused && result.stories.map { $0.date?.text } == dates)
        #expect(result.stories.map { $0.date?.days == nil } == [false, true, true, true, true, false])
        #expect(result.warnings.map(\.row) == [3, 5, 6, 7])
        let long = String(repeating: "x", count: StoryLimits.dateLength + 1)
        #expect(try Fixture.text("title,date\nx,\(long)\n").errors.map(\.field) == ["date"])
    }

    @Test("No text crashes the reader, and every span is in order and within the years", arguments: UInt64(0)..<40)
    func fuzz(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<250 {
            let count = Int.random(in: 0...14, using: &generator)
            let text = (0..<count)
                .map { _ in
                    let parts = ExtendedDateTests.parts
                    if Int.random(in: 0..<6, using: &generator) == 0 {
                        return String(UnicodeScalar(UInt8.random(in: 0...255, using: &generator)))
                    }
                    return parts[Int.random(in: parts.indices, using: &generator)]
                }
                .joined()
            for second in [DateReading.SecondNumber.season, .month, .year] {
                let reading = DateReading(text, secondNumber: second)
                #expect(text.isEmpty || reading.date(of: text)?.text == text)
                guard let days = reading.date(of: text)?.days else { continue }
                #expect(days.lowerBound >= .earliest && days.upperBound <= .latest)
            }
        }
    }

    private static let parts = [
        "19", "36", "0", "5", "1936", "-", "/", ";", " ", "..", "X", "XX", "?", "~", "%", "Y", "E", "S", "T", "W", ":",
        "[",
        "]", "{", "}", "(", ",", ".", "-05", "-21", "+", "999999999", "ca. ", "before ", "after ", "BC", " century",
        "May ",
        " and ", " to ", "from ", "winter ", "XIX", "siglo ", "th", "s", "'", "é", "e\u{301}", "\u{2013}", "\u{FEFF}",
        "٣",
        "10:11:12", "+0100", " or later", "not ", "q", "half ", "decade ", "unknown", "👩‍👩‍👧",
    ]

    private static let table = """
        1985-04-12 | 1985-04-12/1985-04-12
        1985-04 | 1985-04-01/1985-04-30
        1985 | 1985-01-01/1985-12-31
        1985-04-12T23:20:30 | 1985-04-12/1985-04-12
        1985-04-12T23:20:30Z | 1985-04-12/1985-04-12
        1985-04-12T23:20:30-04 | 1985-04-12/1985-04-12
        1985-04-12T23:20:30+04:30 | 1985-04-12/1985-04-12
        1964/2008 | 1964-01-01/2008-12-31
        2004-06/2006-08 | 2004-06-01/2006-08-31
        2004-02-01/2005-02-08 | 2004-02-01/2005-02-08
        2004-02-01/2005-02 | 2004-02-01/2005-02-28
        2004-02-01/2005 | 2004-02-01/2005-12-31
        2005/2006-02 | 2005-01-01/2006-02-28
        Y170000002 | out of range
        Y-170000002 | out of range
        2001-21 | 2001-01-01/2001-12-31
        1984? | 1984-01-01/1984-12-31
        2004-06~ | 2004-06-01/2004-06-30
        2004-06-11% | 2004-06-11/2004-06-11
        201X | 2010-01-01/2019-12-31
        20XX | 2000-01-01/2099-12-31
        2004-XX | 2004-01-01/2004-12-31
        1985-04-XX | 1985-04-01/1985-04-30
        1985-XX-XX | 1985-01-01/1985-12-31
        1985-04-12/.. | 1985-04-12/..
        1985-04/.. | 1985-04-01/..
        1985/.. | 1985-01-01/..
        ../1985-04-12 | ../1985-04-12
        ../1985-04 | ../1985-04-30
        ../1985 | ../1985-12-31
        1985-04-12/ | 1985-04-12/..
        1985-04/ | 1985-04-01/..
        1985/ | 1985-01-01/..
        /1985-04-12 | ../1985-04-12
        /1985-04 | ../1985-04-30
        /1985 | ../1985-12-31
        -1985 | -1985-01-01/-1985-12-31
        Y-17E7 | out of range
        1950S2 | 1900-01-01/1999-12-31
        Y171010000S3 | out of range
        Y3388E2S3 | out of range
        2001-34 | 2001-04-01/2001-06-30
        2001-28 | 2001-12-01/2002-03-20
        2001-30 | 2001-12-01/2002-03-20
        2001-37 | 2001-01-01/2001-04-30
        2001-41 | 2001-07-01/2001-12-31
        [1667,1668,1670..1672] | 1667-01-01/1672-12-31
        [..1760-12-03] | ../1760-12-03
        [1760-12..] | 1760-12-01/..
        [1667,1760-12] | 1667-01-01/1760-12-31
        [..1984] | ../1984-12-31
        {1667,1668,1670..1672} | 1667-01-01/1672-12-31
        {1960,1961-12} | 1960-01-01/1961-12-31
        {..1984} | ../1984-12-31
        2004-06-11% | 2004-06-11/2004-06-11
        2004-06~-11 | 2004-06-11/2004-06-11
        2004?-06-11 | 2004-06-11/2004-06-11
        ?2004-06-~11 | 2004-06-11/2004-06-11
        2004-%06-11 | 2004-06-11/2004-06-11
        156X-12-25 | 1560-12-25/1569-12-25
        15XX-12-25 | 1500-12-25/1599-12-25
        XXXX-12-XX | undated
        1XXX-XX | 1000-01-01/1999-12-31
        1XXX-12 | 1000-12-01/1999-12-31
        1984-1X | 1984-10-01/1984-12-31
        2004-06-~01/2004-06-~20 | 2004-06-01/2004-06-20
        2004-06-XX/2004-07-03 | 2004-06-01/2004-07-03
        -0985? | -0985-01-01/-0985-12-31
        -05XX | -0599-01-01/-0500-12-31
        19360503 | 1936-05-03/1936-05-03
        1936-W18 | 1936-04-27/1936-05-03
        1936-W18-7 | 1936-05-03/1936-05-03
        1936-124 | 1936-05-03/1936-05-03
        """
}
