import Geometry
import Importing
import Stories
import Testing

/// What a file says about all of its stories, or says without words.
@Suite("Hints at privacy around the rows of a file")
struct HintTests {
    /// Expects that a file is refused unless the operator says the privacy.
    private func expectRefusal(
        _ text: String,
        name: String = "a.csv",
        _ words: String = "looks like a privacy setting"
    ) throws {
        let result = try Fixture.text(text, name: name)
        #expect(result.isRefused && result.stories.isEmpty, "\(text)")
        #expect(result.errors.first?.message.contains(words) == true, "\(text): \(result.errors)")
        let said = try Fixture.read(Array(text.utf8), name: name) { ($0.privacy, $0.privacyIsGiven) = (.private, true) }
        #expect(words.contains("both name") || !said.stories.isEmpty, "\(text): \(said.errors)")
    }

    @Test(
        "PRV-01 Two rows that name columns refuse the file: the first may be the title of the collection",
        arguments: [
            "Title,,,\ntitle,lat,lon,privacy\nSecret choir,33.7,-84.3,private\n",
            "Name,Auburn stories,,\n,,,\nname,lat,lon,privacy\nChoir,33.7,-84.3,private\n",
            "Title;Auburn;;\nCreator;Olga;;\ntitle;lat;lon;precision\nA;1;2;hidden\n",
            "Title,Date,,,\nTitle,Date,Lat,Lon,Access\nA,1936,1,2,closed\n",
            "ID,Title,Latitude,Longitude\nID,Title,Latitude,Longitude\n1,A,1,2\n",
        ]
    )
    func twoHeaders(text: String) throws {
        try expectRefusal(text, "both name columns")
    }

    @Test(
        "PRV-01 A note above the names, as a heading or as the name of a column, in the languages of archives",
        arguments: [
            "Ne pas diffuser", "Diffusion interdite", "Réservé à la famille", "Nicht veröffentlichen", "Nur intern",
            "Zugang beschränkt", "No publicar", "Uso interno", "Não publicar", "Apenas para a família", "家族のみ", "仅限家人",
            "Не публиковать", "Только для семьи", "Конфиденциально", "Family eyes only", "Published: no", "Draft",
            "Off the record", "Riservato", "Niet openbaar", "Not public", "For family only",
        ]
    )
    func notes(note: String) throws {
        try expectRefusal("\"\(note)\"\nid,title,lat,lon\n1,Choir,33.7,-84.3\n")
        try expectRefusal("id,title,lat,lon\n1,Choir,33.7,-84.3\n,\"\(note)\",,\n2,Secret,33.8,-84.3\n")
    }

    @Test(
        "PRV-01 A row whose tag, kind, title or text marks it as restricted is not published, and is left out with bad rows",
        arguments: [
            "A,,Auburn; private", "A,,\"choir, do not publish\"", "A,,\"[\"\"Restricted\"\"]\"", "A,,vertraulich",
            "RESTRICTED – Interview,,", "[Private] Choir,,", "Confidential: choir,,", "(Draft) Choir,,",
            "A,Please do not publish this.,", "A,Not for publication without consent,", "A,Do not share online!,",
            "Bitte nicht veröffentlichen,,", "Interview (private),,", "Interview - PRIVATE,,",
            "Choir [do not publish],,",
            "Choir – not for publication,,", "Embargoed until 2040: Choir,,", "A,private,", "A,PRIVATE: she said,",
            "A,CONFIDENTIAL. She said it,", "A,[Not for publication] She said,", "A,Restricted until 2050,",
            "A,,closed until 2050", "A,,#private", "A,,PRIVATE!", "A,,access: restricted", "A,,niet openbaar",
            "A,Ne pas diffuser avant 2050,",
        ]
    )
    func markedRows(row: String) throws {
        let file = "title,text,tags,lat,lon\n\(row),33.7,-84.3\nB,,,33.8,-84.3\n"
        try expectRefusal(file)
        let left = try Fixture.read(Array(file.utf8), name: "a.csv") { $0.skipsBadRows = true }
        #expect(left.stories.map(\.title) == ["B"])
        let said = try Fixture.text("title,text,tags,lat,lon,privacy\n\(row),33.7,-84.3,family_only\n")
        #expect(said.stories.map(\.privacy) == [.familyOnly], "\(said.errors)")
    }

    @Test(
        "PRV-01 A column with a term, or a tick that restricts, refuses the file; the same tick left out does not",
        arguments: [
            ("note", "closed until 2050", "closed for repairs"), ("remarks", "Keep within the family", "kept dry"),
            ("withdrawn", "yes", "no"), ("draft", "1", "0"), ("is_draft", "true", "false"), ("openbaar", "nee", "ja"),
            ("pubblico", "no", "si"), ("toestemming", "nee", "ja"), ("consultable", "non", "oui"),
        ]
    )
    func restrictingColumns(column: String, restricts: String, allows: String) throws {
        try expectRefusal("title,lat,lon,\(column)\nA,33.7,-84.3,\(restricts)\n")
        let open = try Fixture.text("title,lat,lon,\(column)\nA,33.7,-84.3,\(allows)\n")
        #expect(!open.isRefused && open.stories.count == 1, "\(open.errors)")
    }

    @Test("PRV-01 A note below a table restricts all of it, and not just its own row")
    func notesBelow() throws {
        let file = "title,lat,lon\nA,33.7,-84.3\nNote: rows 1 and 2 are restricted until 2050,,\n"
        try expectRefusal(file)
        let left = try Fixture.read(Array(file.utf8), name: "a.csv") { $0.skipsBadRows = true }
        #expect(left.isRefused && left.stories.isEmpty)
    }

    @Test(
        "PRV-01 What is written into a picture restricts it: a keyword, the start of a text, any demand in its terms",
        arguments: [
            (["choir", "Private"], [], [], ["Private"]), (["Access|Private"], [], [], ["Private"]),
            ([], ["CONFIDENTIAL. She said"], [], ["CONFIDENTIAL"]), ([], ["Choir (private)"], [], ["private"]),
            (
                [], ["Please do not publish this, it is a long text about us"], [],
                ["Please do not publish this, it is a long text about us"]
            ),
            ([], [], ["Private. Not for publication"], ["Private"]), ([], [], ["© Ana 1998 - private"], ["private"]),
            ([], [], ["© Ana; the family asks: do not share online"], ["do not share online"]),
            ([], [], ["We ask you that you please do not publish it"], ["please do not publish it"]),
            (["private"], ["private"], ["Private"], ["private", "Private"]),
            (
                ["private schools", "People|Ana"], ["Private John Smith", "A private house"], ["All rights reserved"],
                []
            ),
            ([], ["Private"], ["Courtesy of a private collection", "Reproduction with permission only"], ["Private"]),
        ] as [([String], [String], [String], [String])]
    )
    func pictures(keywords: [String], texts: [String], terms: [String], marks: [String]) throws {
        #expect(RowPrivacy.marks(keywords: keywords, texts: texts, terms: terms) == marks)
        let tags = marks.map { "\"\($0)\"" }.joined(separator: ",")
        let feature =
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"title":"A","tags":["#
        let read = try Fixture.text(
            #"{"type":"FeatureCollection","features":["# + feature + tags + "]}}]}",
            name: "a.geojson"
        )
        #expect(read.isRefused == !marks.isEmpty, "\(read.errors)")
    }

    @Test("Long texts about a picture are looked at quickly")
    func longTerms() {
        let long = String(repeating: "please do not ", count: 40_000)
        #expect(RowPrivacy.marks(keywords: [long], texts: [long], terms: [long]).isEmpty)
    }

    @Test(
        "PRV-01 A collection or folder called private restricts its stories",
        arguments: ["Private", "1998 / Do not publish"]
    )
    func markedCollections(name: String) throws {
        try expectRefusal("title,collection,lat,lon\nA,\(name),1,2\n")
        #expect(try !Fixture.text("title,collection,lat,lon\nA,Private letters,1,2\n").isRefused)
    }

    @Test("PRV-01 A marked row in a file that is given as public gets a warning, and none if the file is private")
    func markedRowsOfPublicFiles() throws {
        let file = Array("title,tags,lat,lon\nA,private,1,2\n".utf8)
        for (privacy, count) in [(Privacy.public, 1), (.private, 0), (.familyOnly, 0)] {
            let read = try Fixture.read(file, name: "a.csv") { ($0.privacy, $0.privacyIsGiven) = (privacy, true) }
            #expect(read.stories.map(\.privacy) == [privacy])
            #expect(read.warnings.count { $0.message.contains("looks like a privacy setting") } == count)
        }
    }

    @Test("A text that may be about its object alone is imported with a warning")
    func wishes() throws {
        let read = try Fixture.text("title,text,lat,lon\nA,not to be released - This photograph was used,1,2\n")
        #expect(read.stories.count == 1 && read.warnings.contains { $0.message.contains("may ask not to publish") })
    }

    @Test(
        "What a story is about is no mark",
        arguments: [
            "A,Don't know who he is. Please share what you know,", "A,Not for profit school. Shared building.,",
            "A,Please don't hesitate to share your own.,",
            "A,,family; friends; secret societies; private schools", "Letters (draft),,", "Mill: a private house,,",
            "A,Private John Smith served here.,", "A,School closed until 1970,",
            "Private John Smith,,", "Draft riots of 1863,,",
            "Non-private clubs: a list,,", "A,They did not publish the paper online until 1940.,", "No: a story,,",
            "Do not go gentle,Do not forget the people who shared this,", "Restricted-area maps,,",
        ]
    )
    func unmarkedRows(row: String) throws {
        let read = try Fixture.text("title,text,tags,lat,lon\n\(row),33.7,-84.3\n")
        #expect(read.stories.count == 1, "\(read.errors)")
    }

    @Test(
        "A story that is a title alone is no note about the others",
        arguments: ["The Secret Garden", "Private John Smith", "Hidden Figures", "Family", "Access road"]
    )
    func titlesAlone(title: String) throws {
        let read = try Fixture.text("title,lat,lon\n\(title),,\nB,33.7,-84.3\n")
        #expect(read.stories.map(\.title) == [title, "B"], "\(read.errors)")
    }

    @Test("PRV-01 A footer below a table restricts it, in whichever column it stands")
    func footers() throws {
        try expectRefusal(
            "id,title,lat,lon\n1,Choir,33.7,-84.3\n,Not for publication without consent of the family,,\n"
        )
        let footer = try Fixture.read(
            Array("id,title,lat,lon\n1,A,33.7,-84.3\nInternal use only,,,\n".utf8),
            name: "a.csv"
        ) {
            $0.skipsBadRows = true
        }
        #expect(footer.isRefused && footer.errors.contains { $0.message.contains("looks like a privacy setting") })
    }

    @Test(
        "PRV-01 What restricts is refused as an object or a list",
        arguments: [
            #""privacy":{"level":"private"}"#, #""is_public":{"value":false}"#, #""precision":{"level":"hidden"}"#,
            #""location":{"precision":["hidden"]}"#, #""privacy":"family_only","family":{"id":"x"}"#,
        ]
    )
    func objects(member: String) throws {
        let read = try Fixture.text("[{\"title\":\"A\",\"lat\":1,\"lon\":2,\(member)}]", name: "a.json")
        #expect(
            read.isRefused && read.errors.contains { $0.message.contains("is an object or a list") },
            "\(read.problems)"
        )
    }

    @Test("Degrees in the location of a file in another reference system are no position")
    func projectedLocation() throws {
        let file =
            #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:26916"}},"features":["#
            + #"{"type":"Feature","geometry":null,"properties":{"title":"A","location":{"lat":5,"lon":5,"precision":"exact"}}}]}"#
        let read = try Fixture.text(file, name: "a.geojson")
        #expect(read.stories.count == 1 && read.stories.first?.location == nil, "\(read.problems)")
    }

    @Test(
        "PRV-01 A restriction of an OHMS record concerns its segments",
        arguments: [
            "<usage>Closed until 2050. Do not publish</usage>", "<rights>Not for publication</rights>",
            "<user_notes>Do not publish</user_notes>", "<userestrict>1</userestrict>",
            "<keyword>choir;private</keyword>",
            "<title>RESTRICTED – Interview with Ann Hill</title>",
        ]
    )
    func interviews(element: String) throws {
        func file(_ element: String) -> String {
            "<ROOT><record id=\"1\">\(element)<index><point><time>5</time><title>A</title><gps>1,2</gps></point></index></record></ROOT>"
        }
        try expectRefusal(file(element), name: "a.xml")
        for element in [
            "<userestrict>0</userestrict><rights>All rights reserved</rights>", "<usage>No restrictions.</usage>",
            "<rights>Unrestricted</rights><keyword>Private schools;Family</keyword><subject>Draft;Friends</subject>",
        ] {
            let open = try Fixture.text(file(element), name: "a.xml")
            #expect(!open.isRefused, "\(element): \(open.errors)")
        }
    }

    @Test("PRV-01 A description of a waypoint or placemark that asks not to be published")
    func descriptions() throws {
        try expectRefusal(
            "<gpx xmlns=\"http://www.topografix.com/GPX/1/1\"><wpt lat=\"1\" lon=\"2\"><name>A</name><desc>Please do not publish</desc></wpt></gpx>",
            name: "a.gpx"
        )
        try expectRefusal(
            "<kml><Document><Placemark><name>A</name><description>Do not share</description><Point><coordinates>2,1</coordinates></Point></Placemark></Document></kml>",
            name: "a.kml"
        )
    }

    @Test("Titles of collections and of stories are no notes")
    func titles() throws {
        for title in [
            "The hidden history of Auburn Avenue", "Smith family collection", "Public schools of Georgia",
            "Stories 2024",
        ] {
            #expect(try !Fixture.text("\(title)\nid,title,lat,lon\n1,A,1,2\n").isRefused, "\(title)")
            #expect(try !Fixture.text("id,title,lat,lon\n1,\(title),,\n").isRefused, "\(title)")
        }
        #expect(try !Fixture.text("title\nConfidential\n").isRefused)
    }

    @Test("PRV-01 Names above the names count as well")
    func namesAbove() throws {
        try expectRefusal("Nr,Titel,Öffentlich\nid,title,flag\n1,Choir,nein\n")
        #expect(try !Fixture.text("Nr,Titel,Größe\nid,title,flag\n1,Choir,nein\n").isRefused)
    }

    @Test(
        "PRV-01 Ticks in a column about publishing, and gaps in others, refuse the file",
        arguments: [("published", "x"), ("web", "yes"), ("pub", "1"), ("Consent", "✓"), ("Freigabe", "ja")]
    )
    func ticks(column: String, tick: String) throws {
        try expectRefusal("title,\(column)\nA,\(tick)\nSecret,\n")
        #expect(try !Fixture.text("title,\(column)\nA,\(tick)\nB,\(tick)\n").isRefused)
        #expect(try !Fixture.text("title,\(column)\nA,\nB,\n").isRefused)
        try expectRefusal("title,Hide\nA,yes\n")
    }

    @Test(
        "PRV-01 What JSON, KML and GPX say about themselves refuses the file",
        arguments: [
            ("a.json", #"{"items":[{"id":1,"title":"A"}],"privacy":"private"}"#),
            ("a.json", #"{"items":[{"id":1,"title":"A"}],"meta":{"access":"restricted"}}"#),
            ("a.geojson", #"{"type":"FeatureCollection","public":false,"features":[FEATURE]}"#),
            ("a.geojson", #"{"type":"FeatureCollection","properties":{"privacy":"private"},"features":[FEATURE]}"#),
            (
                "a.geojson",
                #"{"type":"FeatureCollection","name":"Private stories - do not publish","features":[FEATURE]}"#
            ),
            ("a.kml", "<kml><Document><name>Confidential - do not publish</name>MARK</Document></kml>"),
            ("a.kml", "<kml><Document><Folder><name>Private</name>MARK</Folder></Document></kml>"),
            (
                "a.kml",
                "<kml><Document><ExtendedData><Data name=\"privacy\"><value>private</value></Data></ExtendedData>MARK"
                    + "</Document></kml>"
            ),
            ("a.gpx", "<gpx><metadata><keywords>private</keywords></metadata>POINT</gpx>"),
            ("a.gpx", "<gpx><metadata><extensions><p:privacy>private</p:privacy></extensions></metadata>POINT</gpx>"),
            ("a.gpx", #"<gpx><wpt lat="1" lon="2"><name>W</name><extensions><private/></extensions></wpt></gpx>"#),
            ("a.gpx", #"<gpx><wpt lat="1" lon="2"><name>W</name><p:x privacy="private"/></wpt></gpx>"#),
        ]
    )
    func whole(name: String, text: String) throws {
        let file = text.replacing("FEATURE", with: #"{"type":"Feature","geometry":null,"properties":{"title":"A"}}"#)
            .replacing("MARK", with: "<Placemark><name>A</name></Placemark>")
            .replacing("POINT", with: #"<wpt lat="1" lon="2"><name>W</name></wpt>"#)
        try expectRefusal(file, name: name)
    }

    @Test("Names of files and folders that say nothing about privacy are read")
    func names() throws {
        let feature = #"{"type":"Feature","geometry":null,"properties":{"title":"A"}}"#
        let collection = #"{"type":"FeatureCollection","name":"stories","generator":"x","features":[\#(feature)]}"#
        #expect(try !Fixture.text(collection, name: "a.geojson").isRefused)
        let folder = "<kml><Document><name>My map</name><Folder><name>Walks</name><Placemark><name>A</name></Placemark>"
        #expect(try !Fixture.text(folder + "</Folder></Document></kml>", name: "a.kml").isRefused)
    }

    @Test("The reference system beside an array of objects is no member of GeoJSON")
    func referenceSystem() throws {
        let result = try Fixture.text(#"{"crs":"EPSG:4326","items":[{"id":1,"title":"A"}]}"#, name: "a.json")
        #expect(result.stories.map(\.title) == ["A"], "\(result.errors)")
    }

    @Test("The position in an object called location is read where there is no geometry")
    func location() throws {
        let text = #"[{"id":1,"title":"A","location":{"lat":33.7,"lon":-84.3,"precision":"hidden"}}]"#
        let story = try #require(try Fixture.text(text, name: "a.json").stories.first)
        #expect(story.location?.coordinate.latitude == 33.7 && story.location?.precision == .hidden)
    }

    @Test("PRV-01 A note of a family tree that a line below it restricts is left out")
    func treeNotes() throws {
        for line in ["3 _PRIV Y", "3 RESN confidential"] {
            let tree = """
                0 HEAD
                1 SOUR RootsMagic
                0 @I1@ INDI
                1 NAME D /X/
                1 BIRT
                2 DATE 1885
                2 PLAC P
                2 NOTE secret
                \(line)
                2 NOTE open {a {nested} secret} end
                0 TRLR

                """
            let result = try Fixture.read(Array(tree.utf8), name: "a.ged") {
                ($0.privacy, $0.privacyIsGiven) = (.public, true)
            }
            #expect(result.stories.map(\.text) == ["open  end"], "\(line)")
        }
    }
}
