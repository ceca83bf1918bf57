import Geometry
import Importing
import Stories
import Testing

/// What spreadsheets and catalogues leave in tables besides stories.
@Suite("Habits of tables")
struct TableHabitTests {
    @Test(
        "The column names may stand below a title, whatever separates them",
        arguments: [
            ("Smith collection\ntitle,date,text\nA,1936,x\n", 2, "Smith collection"),
            ("Smith collection,,\nListed,2024-01-05,\n,,\ntitle,date,text\nA,1936,x\n", 4, "Smith collection"),
            ("Stories | 2024\n\ntitle;date;text\nA;1936;x\n", 3, "Stories | 2024"),
            (",,\ntitle,date,text\nA,1936,x\n", 2, ""),
        ]
    )
    func titleAbove(text: String, row: Int, example: String) throws {
        let result = try Fixture.text(text)
        let story = try #require(result.stories.first, "\(result.errors)")
        #expect(result.stories.count == 1 && story.title == "A" && story.text == "x" && story.row == row + 1)
        let shown = example.isEmpty ? "" : " (\"\(example)\")"
        let remark = "the column names stand in row \(row); nothing was read from above it\(shown)"
        #expect(result.warnings.map(\.message) == [remark])
    }

    @Test("The first line counts if it names the title, and a line of names needs two fields that are known")
    func firstLine() throws {
        let plain = try Fixture.text("title,place\nname,1936\n")
        #expect(
            plain.stories.map(\.title) == ["name"]
                && plain.warnings.allSatisfy { $0.message.contains("without coordinates") }
        )
        let untitled = try Fixture.text("lat,lon\n1,2\nname,5\n")
        #expect(untitled.isRefused && untitled.errors[0].message.hasPrefix("no column is called title or name"))
        let far = String(repeating: "x,y\n", count: 30) + "title,date\nA,1936\n"
        #expect(try Fixture.text(far).isRefused)
        let mapped = try Fixture.read(Array("Sammlung\nBezeichnung,date\nA,1936\n".utf8)) {
            try? $0.columns.map("title=Bezeichnung")
        }
        #expect(mapped.stories.map(\.title) == ["A"], "\(mapped.errors)")
    }

    @Test(
        "PRV-01 What stands above the column names and restricts refuses the file",
        arguments: [
            "Family only", "RESTRICTED - staff use", "Do not publish", "Access:,closed until 2040", "Embargo,2050",
        ]
    )
    func restrictedAbove(line: String) throws {
        let text = Array("\(line)\ntitle,date,text\nA,1936,x\n".utf8)
        let result = try Fixture.read(text)
        #expect(result.isRefused && result.errors.first?.row == 1)
        #expect(result.errors.first?.message.contains("looks like a privacy setting") == true, "\(result.errors)")
        let said = try Fixture.read(text) { ($0.privacy, $0.privacyIsGiven) = (.private, true) }
        #expect(said.stories.map(\.privacy) == [.private])
    }

    @Test("Rows of separators alone are passed over, and other rows keep their numbers")
    func blankRows() throws {
        let result = try Fixture.text("title,date,text\nA,1936,x\n,,\n ,\t,\nB,1940,y\n,,\n")
        #expect(result.stories.map(\.row) == [2, 5] && result.warnings.isEmpty && result.rows == 2)
    }

    @Test("A row of totals becomes a story with a warning", arguments: ["Total", "TOTAL: 245", "245 records", "Summe"])
    func totals(title: String) throws {
        let result = try Fixture.text("title,text,date,pages\nA,x,1936,3\n\(title),,,3\n")
        let words = "\"\(title)\" looks like a row of totals and becomes a story; if it is none, remove the row"
        #expect(result.warnings.filter { $0.row == 3 }.map(\.message) == [words])
        let stories = try Fixture.text("title,text,date\n\(title),A day,\nCount Basie,,\n3 brothers,,\n")
        #expect(stories.warnings.isEmpty && stories.stories.count == 3)
    }

    @Test("The error of a formula is no word: it is empty, but never where it would lift a restriction")
    func formulaErrors() throws {
        for error in ["#N/A", "#REF!", "#NAME?", "#BEZUG!", "#¡VALOR!", "Err:502"] {
            let result = try Fixture.text("title,lat,lon,city,text\nA,\(error),\(error),\(error),\(error)\n")
            let story = try #require(result.stories.first, "\(result.errors)")
            #expect(story.location == nil && story.text == nil)
            let words = "\(error) is the error of a formula and is read as empty"
            #expect(
                result.warnings.filter { $0.message == words }.compactMap(\.field) == ["text", "lat", "lon", "city"]
            )
            #expect(try Fixture.text("title,privacy\nA,\(error)\nB,public\n").errors.map(\.field) == ["privacy"])
        }
        #expect(try Fixture.text("title\n#METOO!\nErr: 5020\n").stories.map(\.title) == ["#METOO!", "Err: 5020"])
    }

    @Test(
        "PRV-01 A column of shelves refuses the file until the operator says what it is",
        arguments: ["Shelf B-12", "Vault 2, Box 14", "Box 4, Folder 3", "Schrank 3", "Storage"]
    )
    func shelves(value: String) throws {
        let text = Array("title,Location\nA,\"\(value)\"\nB,\n".utf8)
        let result = try Fixture.read(text)
        #expect(result.isRefused)
        let message = result.errors.first?.message ?? ""
        #expect(message.hasPrefix("Location looks like the place where objects are kept (\"\(value)\")"), "\(message)")
        let chosen = try Fixture.read(text) { try? $0.columns.map("place_name=Location") }
        #expect(!chosen.isRefused)
        let ignored = try Fixture.read(text) { $0.columns.ignore("Location") }
        #expect(!ignored.isRefused)
    }

    @Test("Places that have such words in their names are places")
    func noShelves() throws {
        let places = ["Box Elder, Utah", "Bay Area", "The Vault, Dublin", "Crate & Barrel, Chicago", "Depot Street 4"]
        for place in places {
            let result = try Fixture.text("title,location\nA,\"\(place)\"\nB,Atlanta\nC,Macon\n")
            #expect(!result.isRefused, "\(place): \(result.errors)")
        }
    }

    @Test("An empty cell is called by the column that says the privacy")
    func emptyAudience() throws {
        let omeka = try Fixture.text("title,public\nA,1\nB,\n")
        #expect(omeka.errors.map(\.field) == ["is_public"])
        #expect(omeka.errors.map(\.message) == ["is empty; write yes or no, or give --privacy for such rows"])
        let own = try Fixture.text("title,privacy\nA,public\nB,\n")
        #expect(own.errors.map(\.field) == ["privacy"])
        #expect(own.errors[0].message.hasPrefix("is empty; write public, family_only or private"))
    }

    @Test("Plain objects, one on each line, are read like an array of them")
    func jsonLines() throws {
        let lines = #"{"title":"A","lat":33.75,"lon":-84.39}"# + "\n\n" + #"{"title":"B","type":"photo"}"# + "\n"
        for name in ["a.jsonl", "a.ndjson", "a.json"] {
            let result = try Fixture.text(lines, name: name)
            #expect(result.stories.map(\.title) == ["A", "B"], "\(name) \(result.errors)")
            #expect(result.format == .geoJSONSequence && result.stories.first?.location != nil)
        }
        let wrong = [
            ("[1]", "not an object, as the first record is"), (#"{"title":"#, "not JSON"),
            (#"{"title":"B","privacy":"public","privacy":"private"}"#, "has the member \"privacy\" twice"),
        ]
        for (line, words) in wrong {
            let text = #"{"title":"A"}"# + "\n" + line + "\n" + #"{"title":"C"}"# + "\n"
            let result = try Fixture.read(Array(text.utf8), name: "a.jsonl") { $0.skipsBadRows = true }
            #expect(result.stories.map(\.title) == ["A", "C"] && result.errors.map(\.row) == [2])
            #expect(result.errors.first?.message.contains(words) == true, "\(result.errors)")
        }
        let omeka = #"{"o:title":"T","dcterms:description":[{"@value":"x","is_public":false}]}"# + "\n{}\n"
        let hidden = try Fixture.read(Array(omeka.utf8), name: "a.jsonl") { $0.skipsBadRows = true }
        #expect(hidden.stories.map(\.text) == [nil])
        #expect(hidden.warnings.contains { $0.message == "values that Omeka S marks as not public were left out (1)" })
        let restricted = try Fixture.text(#"{"title":"A","access":"restricted"}"# + "\n", name: "a.jsonl")
        #expect(restricted.isRefused)
    }

    @Test("PRV-01 An extension of a waypoint that restricts refuses the file")
    func waypoints() throws {
        func read(_ inside: String, change: (inout StoryImporter.Options) -> Void = { _ in }) throws -> ImportResult {
            let text = #"<gpx version="1.1"><wpt lat="1" lon="2"><name>W</name>\#(inside)</wpt></gpx>"#
            return try Fixture.read(Array(text.utf8), name: "a.gpx", change: change)
        }
        for inside in [
            "<extensions><x:privacy>private</x:privacy></extensions>", "<type>private</type>",
            "<cmt>Do not publish</cmt>",
        ] {
            let result = try read(inside)
            #expect(result.isRefused, "\(inside)")
            #expect(result.errors.first?.message.contains("looks like a privacy setting") == true)
            #expect(try read(inside) { ($0.privacy, $0.privacyIsGiven) = (.private, true) }.stories.count == 1)
        }
        #expect(
            try !read("<type>Camp</type><extensions><a:b><a:Proximity>50</a:Proximity></a:b></extensions>").isRefused
        )
    }

    @Test(
        "PRV-01 What a family tree marks as private within a text is left out, and counted",
        arguments: [
            ("RootsMagic", "Born here {she never knew} at noon", "Born here  at noon", 1),
            ("Legacy", "Born [[adopted]]here {1}[[and more", "Born here {1}", 2),
            ("Gramps", "Born [here] {at noon}", "Born [here] {at noon}", 0),
        ]
    )
    func brackets(program: String, note: String, text: String, count: Int) throws {
        let tree = """
            0 HEAD
            1 SOUR \(program)
            0 @I1@ INDI
            1 NAME D /X/
            1 BIRT
            2 DATE 1885
            2 PLAC P
            2 NOTE \(note)
            0 TRLR

            """
        let result = try Fixture.read(Array(tree.utf8), name: "a.ged") {
            ($0.privacy, $0.privacyIsGiven) = (.public, true)
        }
        #expect(result.stories.map(\.text) == [text], "\(result.errors)")
        let remark = "texts that the brackets of the program mark as private were left out (\(count))"
        #expect(result.warnings.contains { $0.message == remark } == (count > 0))
    }

    @Test("A workbook with a password is called that, and not an old one")
    func encrypted() throws {
        let start: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] + [UInt8](repeating: 0, count: 504)
        let stream: [UInt8] = "EncryptedPackage".utf8.flatMap { [$0, 0] }
        let words = "the workbook has a password; open it, and save it without one"
        #expect(try Fixture.read(start + stream, name: "a.xlsx").errors.map(\.message) == [words])
        #expect(try Fixture.read(start, name: "a.xls").errors.first?.message.contains("old Excel workbook") == true)
    }

    @Test("Damaged files never crash, and every row is a story or an error", arguments: 0..<5)
    func damage(seed: Int) throws {
        let files = [
            ("a.csv", "Smith | 2024,\n,\ntitle,date,Location\nA,#N/A,Shelf 1\n,,\nTotal,,\n"),
            ("a.jsonl", #"{"title":"A","lat":33.75}"# + "\n\n" + #"{"title":"B","type":"x"}"# + "\n"),
            ("a.ged", "0 HEAD\n1 SOUR RootsMagic\n0 @I1@ INDI\n1 BIRT\n2 PLAC [[C]] {D}\n2 NOTE A {b} [[c\n0 TRLR\n"),
            (
                "a.gpx",
                #"<gpx><wpt lat="1" lon="2"><name>W</name><type>x</type><extensions><p>private</p></extensions></wpt></gpx>"#
            ),
        ]
        var generator = SplitMix64(seed: 60 + UInt64(seed))
        for (name, text) in files {
            for _ in 0..<200 {
                let bytes = Fixture.damaged(Array(text.utf8), using: &generator)
                let result = try Fixture.read(bytes, name: name) { $0.skipsBadRows = true }
                #expect(result.isRefused || result.stories.count + result.badRows == result.rows)
            }
        }
    }
}
