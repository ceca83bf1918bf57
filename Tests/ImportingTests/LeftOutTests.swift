import Geometry
import Importing
import Stories
import Testing

@Suite("LOC-07 What an import leaves out is reported, and so is an empty precision")
struct LeftOutTests {
    private func read(_ text: String, _ name: String = "a.csv") -> ImportResult {
        StoryImporter(options: .init(owner: .archive)).read(Array(text.utf8), fileName: name)
    }

    @Test("LOC-07 Values beside another column of the same field are reported, by column and number of rows")
    func rivals() {
        let table = """
            id,identifier,title,tags,subject,people,interviewee,lat,latitude,lon
            1,A,One,x,y,Ann,Bea,33.5,33.500,-84
            2,B,Two,x,x,Ann,,33.5,33.6,-84
            3,C,Three,x,z,,Cleo,33.5,,-84

            """
        let result = read(table)
        let people = result.stories.map(\.people)
        #expect(people == [["Ann"], ["Ann"], ["Cleo"]])
        let remark = "subject (2 rows, beside tags)"
        let message = result.problems.map(\.message).first { $0.contains(remark) } ?? ""
        #expect(message.contains("interviewee (1 row, beside people)"), "\(result.problems)")
        #expect(message.contains("latitude (1 row, beside lat)") && !message.contains("identifier"), "\(message)")
        let line =
            #"{"type":"Feature","geometry":null,"properties":{"title":"A","subject":"y","tags":"x","topics":"z"}}"#
        let features = read(line + "\n", "a.ndjson").problems.map(\.message)
        #expect(
            features.contains { $0.contains("subject (1 row, beside tags), topics (1 row, beside tags)") },
            "\(features)"
        )
        #expect(!read("title,tags,subject\nA,x,x\n").problems.contains { $0.message.contains("left out") })
    }

    @Test("LOC-07 A column When is a date where it reads as one; other words under it are left out and reported")
    func dateWords() throws {
        let table = "title,When\nA,ca. 1950\nB,after church\nC,\nD,\"1936, ask Ana\"\n"
        let lines = #"{"title":"A","When":"ca. 1950"}"# + "\n" + #"{"title":"B","When":"after church"}"# + "\n"
        for (text, name, left) in [(table, "a.csv", [3, 5]), (lines, "a.ndjson", [2])] {
            let result = read(text, name)
            #expect(
                result.stories.map(\.date?.text)
                    == ["ca. 1950", nil, nil, nil].prefix(result.stories.count).map(\.self)
            )
            let reports = result.problems.filter { $0.message.hasPrefix("When is not a date here and is not read") }
            #expect(reports.map(\.row) == left, "\(result.problems)")
        }
        let both = read("title,date,when\nA,1936,1937\nB,,1938\n")
        #expect(both.stories.map(\.date?.text) == ["1936", "1938"])
        #expect(both.problems.contains { $0.message.contains("when (1 row, beside date)") }, "\(both.problems)")
        var options = StoryImporter.Options(owner: .archive)
        try options.columns.map("date=When")
        let mapped = StoryImporter(options: options).read(Array(table.utf8), fileName: "a.csv")
        #expect(mapped.stories.map(\.date?.text) == ["ca. 1950", "after church", nil, "1936, ask Ana"])
    }

    @Test(
        "PRV-01 What a column When says about privacy is asked about, as in any other column",
        arguments: [
            ("title,When\nA,do not publish\n", "a.csv"), ("title,When\nA,1936\nB,closed until 2050\n", "a.csv"),
            (#"{"title":"A","When":"do not publish"}"# + "\n", "a.ndjson"),
        ]
    )
    func privacyUnderWhen(text: String, name: String) {
        let result = read(text, name)
        #expect(
            result.errors.first?.message.hasPrefix("When looks like a privacy setting") == true,
            "\(result.problems)"
        )
    }

    @Test(
        "LOC-08 An empty precision beside an approximate or hidden one gives a remark, if the row has a position",
        arguments: [
            ("title,lat,lon,precision\nA,1,2,hidden\nB,3,4,\n", false),
            ("title,lat,lon,precision\nA,1,2,\nB,3,4,approximate\n", false),
            ("title,lat,lon,precision\nA,1,2,exact\nB,3,4,\n", true),
            ("title,lat,lon,precision\nA,1,2,hidden\nB,,,\n", true),
            ("title,lat,lon,precision\nA,1,2,\nB,3,4,\n", true),
        ]
    )
    func gaps(table: String, isClear: Bool) {
        let result = read(table)
        #expect(!result.isRefused && result.problems.contains(where: isGap) == !isClear, "\(result.problems)")
    }

    private func isGap(_ problem: ImportProblem) -> Bool {
        problem.message.contains("while other rows say approximate or hidden")
    }

    @Test("LOC-08 A feature without a precision beside hidden ones gives a remark")
    func featureGaps() {
        func feature(_ precision: String) -> String {
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"title":"A","precision":"#
                + precision + "}}\n"
        }
        #expect(read(feature("null") + feature(#""hidden""#), "a.ndjson").problems.contains(where: isGap))
        #expect(!read(feature(#""exact""#) + feature(#""hidden""#), "a.ndjson").problems.contains(where: isGap))
    }

    @Test("LOC-07 People, mentions and tags on lines of their own are several")
    func lines() throws {
        let table =
            "title,people,tags,mentions\nA,\"Adams, Ida\r\nBaker, Ruth\",\"Mills\nWomen\",\"Macon, Ga.\nRome\"\n"
        let story = try #require(read(table).stories.first)
        #expect(story.people == ["Adams, Ida", "Baker, Ruth"] && story.tags == ["Mills", "Women"])
        #expect(story.mentions == ["Macon, Ga.", "Rome"])
    }

    @Test(
        "GEO-07 LOC-10 What geocode --batch found is shown no more exactly than the kind of its place justifies",
        arguments: [
            ("address", LocationPrecision.exact), ("street", .approximate(.hundredth)), ("city", .approximate(.tenth)),
            ("county", .approximate(.degree)), ("admin1", nil), ("country", nil),
        ]
    )
    func batch(kind: String, precision: LocationPrecision?) throws {
        let table = "title,place,lat,lon,name,kind,confidence\nA,x,33.5,-84.5,X,\(kind),0.9\n"
        let row = try #require(read(table).stories.first)
        #expect(row.location?.precision == precision, "\(kind)")
        if precision != nil { #expect(row.location?.source == .geocoded) }
        // A house beside a town leaves no precision open.
        let both = read(table + "B,y,33.6,-84.6,Y,\(kind == "address" ? "city" : "address"),0.9\n")
        #expect(!both.problems.contains(where: isGap), "\(both.problems)")
        let converted =
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[-84.5,33.5]},"properties":{"title":"A","name":"X","#
            + #""kind":"\#(kind)","confidence":0.9}}"#
        let feature = try #require(read(converted + "\n", "a.ndjson").stories.first)
        #expect(feature.location?.precision == precision, "\(kind)")
    }

    @Test(
        "PRV-01 A column that asks to withhold rows is never skipped silently",
        arguments: [
            "Withheld", "Redacted", "Takedown", "Take down", "Legal hold", "Under review", "Off the record",
            "Do not show",
            "Ne pas diffuser", "No difundir", "Nicht zeigen", "Não divulgar", "Не публиковать",
        ]
    )
    func withheld(column: String) {
        let result = read("id,title,lat,lon,\(column)\n1,A,33,-84,yes\n2,B,33,-84,no\n")
        #expect(result.isRefused && result.problems.contains { $0.message.contains(column) }, "\(result.problems)")
    }

    @Test("LOC-07 A minus of typesetters is a minus")
    func minus() {
        #expect(read("title,lat,lon\nA,33.5,−84.5\n").stories.first?.location?.coordinate.longitude == -84.5)
    }
}
