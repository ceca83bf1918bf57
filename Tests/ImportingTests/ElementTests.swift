import Geometry
import Importing
import Stories
import Testing

@Suite("LOC-07 What waypoints and placemarks say besides their names and descriptions")
struct ElementTests {
    private func waypoint(
        _ inside: String,
        change: (inout StoryImporter.Options) -> Void = { _ in }
    ) throws -> ImportResult {
        let text = #"<gpx version="1.1"><wpt lat="1" lon="2"><name>Mill</name>\#(inside)</wpt></gpx>"#
        return try Fixture.read(Array(text.utf8), name: "a.gpx", change: change)
    }

    private func placemark(
        _ inside: String,
        change: (inout StoryImporter.Options) -> Void = { _ in }
    ) throws -> ImportResult {
        let text = "<kml><Document><Placemark><name>Mill</name>\(inside)</Placemark></Document></kml>"
        return try Fixture.read(Array(text.utf8), name: "a.kml", change: change)
    }

    private func described(_ html: String, _ more: String = "") throws -> ImportResult {
        try placemark("<description><![CDATA[\(html)]]></description>\(more)")
    }

    private func story(_ result: ImportResult) throws -> ImportedStory {
        try #require(result.stories.first, "\(result.problems)")
    }

    // MARK: - GPX

    @Test(
        "LOC-07 A link of a waypoint is its recording, picture or address, as in a column",
        arguments: [
            (
                #"<link href="https://x.org/ida.mp3"><text>Ida Reed, 1978</text><type>audio/mpeg</type></link>"#,
                "ida.mp3", nil
            ),
            (#"<link href="https://x.org/mill.JPG"/>"#, nil, "mill.JPG"),
            (#"<link href="https://x.org/f?id=1"><type>image/png</type></link>"#, nil, "f?id=1"),
            (#"<link href="https://x.org/page"/>"#, "page", nil), ("<link>https://x.org/page</link>", "page", nil),
            ("<url>https://x.org/a.ogg</url><urlname>Mill</urlname>", "a.ogg", nil),
            ("<urlname>Mill</urlname><url>//x.org/a.ogg</url>", "a.ogg", nil),
            (#"<link href="https://x.org/a b/Mühle.wav"/>"#, "a%20b/M%C3%BChle.wav", nil),
        ] as [(String, String?, String?)]
    )
    func links(inside: String, medium: String?, picture: String?) throws {
        let result = try waypoint(inside)
        let story = try story(result)
        #expect(story.mediaURL == medium.map { "https://x.org/\($0)" }, "\(result.problems)")
        #expect(story.thumbnailURL == picture.map { "https://x.org/\($0)" } && result.warnings.isEmpty)
        #expect(story.text == (inside.contains("Ida") ? "Ida Reed, 1978 (https://x.org/ida.mp3)" : nil))
    }

    @Test("LOC-07 Of several links the recording comes first, a picture has its words, and the others are in the text")
    func severalLinks() throws {
        let page = #"<link href="https://x.org/ida"><text>The finding aid</text></link>"#
        let picture = #"<link href="https://x.org/a.jpg"><text>The wheel</text></link>"#
        let second = #"<link href="https://x.org/b.jpg"/>"#
        let recording = #"<link href="https://x.org/ida.mp3"/>"#
        let story = try story(waypoint("<desc>By the river</desc>" + page + picture + second + recording + recording))
        #expect(story.mediaURL == "https://x.org/ida.mp3" && story.thumbnailURL == "https://x.org/a.jpg")
        #expect(story.alt == "The wheel")
        #expect(story.text == "By the river\n\nThe finding aid (https://x.org/ida)\n\nhttps://x.org/b.jpg")
    }

    @Test("LOC-07 A link to a file of a device is a warning with its words, and publishes no path")
    func localLinks() throws {
        let result = try waypoint(#"<link href="file:///C:/Users/jane/a.wav"><text>Ida</text></link>"#)
        let story = try story(result)
        #expect(story.mediaURL == nil && story.text == nil)
        #expect(
            result.warnings.map(\.message) == [
                #""file:///C:/Users/jane/a.wav" is not an address beginning with https:// or http:// and is ignored, with its "#
                    + #"words "Ida""#
            ]
        )
        // It is refused nowhere, as it was read before.
        let long = "https://x.org/" + String(repeating: "a", count: 3_000)
        #expect(try self.story(waypoint(#"<link href="\#(long)"/>"#)).text == long)
    }

    @Test(
        "LOC-07 A comment that is not the description is a paragraph behind it",
        arguments: [
            ("<cmt>Closed in 1936</cmt><desc>By the river</desc>", "By the river\n\nClosed in 1936"),
            ("<desc>By the river</desc><cmt> By the\n river</cmt>", "By the river"),
            ("<cmt>By the river</cmt>", "By the river"), ("<desc>By the river</desc><cmt>Mill</cmt>", "By the river"),
        ]
    )
    func comments(inside: String, text: String) throws {
        #expect(try story(waypoint(inside)).text == text)
    }

    @Test(
        "LOC-07 A category is the kind if it is one, and else a tag; it refuses no file",
        arguments: [
            ("Interview", "interview", []), ("Place Story", "place_story", []),
            ("Geocache|Multi", "photo", ["Geocache", "Multi"]),
            ("Churches, old", "photo", ["Churches, old"]),
        ] as [(String, String, [String])]
    )
    func categories(category: String, kind: String, tags: [String]) throws {
        let known = StoryKind("place_story")
        let result = try waypoint("<type>\(category)</type>") { options in
            options.kind = .photo
            options.kinds.allowsNew = false
            if let known { options.knownKinds.insert(known) }
        }
        let story = try story(result)
        #expect(story.kind.rawValue == kind && story.tags == tags && result.warnings.isEmpty)
        for other in ["user", String(repeating: "x", count: 400)] {
            let left = try waypoint("<type>\(other)</type>")
            #expect(left.warnings.map(\.message) == ["nothing was read from the element type (1 row)"])
            #expect(try self.story(left).tags.isEmpty)
        }
    }

    @Test("LOC-07 Links beyond the first 50 are counted, and keep their words to themselves")
    func furtherLinks() throws {
        let links = (0..<60).map { #"<link href="https://x.org/\#($0)"><text>w\#($0)</text></link>"# }
        let result = try waypoint(links.joined())
        #expect(try story(result).text?.hasSuffix("w49 (https://x.org/49)") == true)
        #expect(
            result.warnings.map(\.message) == ["10 links beyond the first 50 of a waypoint were left out (1 row)"]
        )
    }

    @Test("LOC-07 Elements without a field are named with their numbers of rows")
    func unread() throws {
        let symbol = #"<sym>Flag, Blue</sym><src>Survey</src>"#
        let extended = #"<extensions><g:Depth xmlns:g="urn:g" unit="m">3</g:Depth><g:Empty/></extensions>"#
        let one = #"<wpt lat="1" lon="2"><name>A</name>\#(symbol)\#(extended)</wpt>"#
        let two = #"<wpt lat="1" lon="2"><name>B</name><ele>7</ele><sym>Dot</sym></wpt>"#
        let result = try Fixture.text("<gpx>\(one)\(two)</gpx>", name: "a.gpx")
        #expect(
            result.warnings.map(\.message) == [
                "nothing was read from the elements Depth (1 row), ele (1 row), src (1 row), sym (2 rows)"
            ]
        )
    }

    @Test(
        "PRV-01 What is added to a text is looked at like it",
        arguments: [
            "<desc>By the river</desc><cmt>CONFIDENTIAL: she said more</cmt>", "<cmt>Do not publish</cmt>",
            "<desc>A</desc><cmt>Do not publish</cmt>", "<type>Private</type>",
        ]
    )
    func restricted(inside: String) throws {
        // Beside one that says the contrary, which a column alone would believe.
        let other = #"<wpt lat="1" lon="2"><name>B</name><type>Mill</type><cmt>Old</cmt></wpt>"#
        let one = #"<wpt lat="1" lon="2"><name>A</name>\#(inside)</wpt>"#
        #expect(try Fixture.text("<gpx>\(one)\(other)</gpx>", name: "a.gpx").isRefused)
    }

    @Test("PRV-01 A demand in a placemark refuses it whatever it links", arguments: [true, false])
    func restrictedPlacemark(isSummary: Bool) throws {
        let demand = #"Please <a href="https://x.org/why">do not</a> publish"#
        let inside = isSummary ? "<description>By the river</description><Snippet>Do not publish</Snippet>" : ""
        #expect(try (isSummary ? placemark(inside) : described(demand)).isRefused)
        let framed = #"<a href="https://x.org/a"><img src="https://x.org/a.png"></a>CONFIDENTIAL: she said more"#
        #expect(try described(framed).isRefused)
    }

    @Test("LOC-07 A story of our own GPX comes back without the address of its page, its owner and its date in words")
    func own() throws {
        let id = String(repeating: "0", count: 30) + "10"
        func own(_ link: String, _ more: String) -> String {
            "<time>1936-05-04T12:00:00Z</time><cmt>4 May 1936</cmt>\(more)<src>Ana</src><link href=\"\(link)\"/>"
                + "<type>interview</type><extensions><w:story_kind>interview</w:story_kind>"
                + "<w:story_date>4 May 1936</w:story_date></extensions>"
        }
        let page = try waypoint(own("https://map.org/stories/\(id)", ""))
        var story = try story(page)
        #expect(story.mediaURL == nil && story.text == nil && story.tags.isEmpty && page.warnings.isEmpty)
        #expect(story.date?.text == "4 May 1936" && story.kind == .interview)
        story = try self.story(waypoint(own("https://x.org/ida.mp3", "<desc>4 May 1936</desc>")))
        #expect(story.mediaURL == "https://x.org/ida.mp3" && story.text == "4 May 1936")
        // Of others, such an address is a link.
        #expect(try self.story(waypoint("<url>https://map.org/stories/\(id)</url>")).mediaURL != nil)
    }

    @Test("LOC-07 What is read besides does not change which story a waypoint is")
    func identity() throws {
        let plain = try story(waypoint("<desc>A</desc>")).sourceID
        let full = #"<desc>A</desc><cmt>B</cmt><sym>C</sym><link href="https://x.org/a.mp3"/><type>D</type>"#
        #expect(try story(waypoint(full)).sourceID == plain)
        // As it was when the day alone was read, and no address.
        let mark = "<ExtendedData><Data name=\"date\"><value>1936-05-04</value></Data></ExtendedData>"
        let old = try story(placemark("<description>See\nthis.\n</description>\(mark)")).sourceID
        let html = #"See<br><a href="https://x.org/a">this</a>.<br><a href="https://x.org/b"><img></a>"#
        let time = "<TimeStamp><when>1936-05-04T02:00:00Z</when></TimeStamp>"
        #expect(try story(described(html, time)).sourceID == old)
    }

    // MARK: - KML

    @Test(
        "LOC-07 Links of a description are behind their words; pictures and recordings have their fields",
        arguments: [
            (
                #"See <a href="https://x.org/a?b=1&amp;c">the page</a>."#, "See the page (https://x.org/a?b=1&c).", nil,
                nil
            ),
            (#"<a class=x href='https://x.org/a'>https://x.org/a</a>"#, "https://x.org/a", nil, nil),
            (#"<a HREF=https://x.org/>x.org</a>"#, "x.org", nil, nil),
            (#"<img src="https://x.org/a.jpg" alt="Wheel"/>Old"#, "Old", nil, "a.jpg"),
            (#"<img src="https://x.org/show?1">Old"#, "Old", nil, "show?1"),
            (#"<a href="https://x.org/a.mp3">Listen</a>"#, "Listen", "a.mp3", nil),
            (#"<audio controls src="https://x.org/a.mp3"></audio>Old"#, "Old", "a.mp3", nil),
            (
                #"<p><a href="https://x.org/p"><img src="https://x.org/a.jpg"></a></p>Old"#, "Old\nhttps://x.org/p",
                nil, "a.jpg"
            ),
            (#"Old<iframe src="https://x.org/v"></iframe>"#, "Old\nhttps://x.org/v", nil, nil),
            (
                #"<img src="https://x.org/a.jpg"><img src="https://x.org/b.jpg"><img src="https://x.org/c.jpg">Old"#,
                "Old\n\nhttps://x.org/c.jpg", "b.jpg", "a.jpg"
            ),
            ("<a href=\"#other\">there</a>", "there", nil, nil),
            (#"<a title="a>b" href='https://x.org/p'>page</a>"#, "page (https://x.org/p)", nil, nil),
            (#"<img alt='Wheel > 0' src="https://x.org/a.jpg">Old"#, "Old", nil, "a.jpg"),
            (#"<a href="//x.org/p">page</a>"#, "page (https://x.org/p)", nil, nil),
            ("<style>.b>a{}</style><SCRIPT>s(\"<p>\")</Script>Old<hr>New", "Old\nNew", nil, nil),
            ("Old<script>never <b>ended", "Old", nil, nil), ("Old<!-- note: <b>never</b> ended", "Old", nil, nil),
            ("Old <!-- note: never ended", "Old", nil, nil), ("Old<!-- a --> mill<!---->", "Old mill", nil, nil),
            ("<a>1</a> <a href>2</a> <a href=>3</a> <a href=\"\">4</a><img><img src='>", "1 2 3 4", nil, nil),
        ] as [(String, String, String?, String?)]
    )
    func descriptions(html: String, text: String, medium: String?, picture: String?) throws {
        let result = try described(html)
        let story = try story(result)
        #expect(story.text == text && result.warnings.isEmpty, "\(result.warnings)")
        #expect(story.mediaURL == medium.map { "https://x.org/\($0)" })
        #expect(story.thumbnailURL == picture.map { "https://x.org/\($0)" })
        #expect(story.alt == (html.contains("Wheel > 0") ? "Wheel > 0" : html.contains("Wheel") ? "Wheel" : nil))
    }

    @Test("LOC-07 Google My Maps writes its pictures twice, which are read once; a given picture stays")
    func mediaLinks() throws {
        let (one, two) = ("https://mymaps.usercontent.google.com/hostedimage/1", "https://x.org/2")
        func data(_ name: String, _ value: String) -> String {
            "<ExtendedData><Data name=\"\(name)\"><value>\(value)</value></Data></ExtendedData>"
        }
        let html = #"<img src="\#(one)" height="200" width="auto" /><br><br>By the river"#
        var result = try described(html, data("gx_media_links", one))
        #expect(try story(result).thumbnailURL == one && result.warnings.isEmpty)
        #expect(try story(result).text == "By the river" && story(result).mediaURL == nil)
        let film = "https://www.youtube.com/watch?v=1"
        result = try described(html, data("gx_media_links", "\(film) \(one) \(two)"))
        #expect(try story(result).thumbnailURL == one && story(result).mediaURL == film && result.warnings.isEmpty)
        #expect(try story(result).text == "By the river\n\n\(two)")
        result = try described(html, data("image", two))
        #expect(try story(result).thumbnailURL == two && story(result).mediaURL == one)
    }

    @Test("LOC-07 Links of a description that is not the text are left out with it")
    func otherTexts() throws {
        let html = #"<a href="https://x.org/a.mp3">Listen</a>"#
        let data = "<ExtendedData><Data name=\"text\"><value>&lt;b>Own&lt;/b></value></Data></ExtendedData>"
        let own = try described(html, data)
        #expect(try story(own).text == "<b>Own</b>" && story(own).mediaURL == nil)
        #expect(own.warnings.contains { $0.message.contains("description (1 row, beside text)") })
        let ignored = try placemark("<description><![CDATA[\(html)]]></description>") {
            $0.columns.ignored = ["description"]
        }
        #expect(try story(ignored).mediaURL == nil && story(ignored).text == nil)
    }

    @Test(
        "LOC-07 A summary is a paragraph of its own, unless the description says the same",
        arguments: [
            ("By the river, built in 1880", "By the river, …", "By the river, built in 1880"),
            ("By the river", "An old mill", "By the river\n\nAn old mill"), ("", "An <b>old</b> mill", "An old mill"),
            ("By the river", "Mill", "By the river"), ("By the river", "", "By the river"),
        ]
    )
    func summaries(description: String, summary: String, text: String) throws {
        for name in ["Snippet", "snippet"] {
            let inside = "<description>\(description)</description><\(name)><![CDATA[\(summary)]]></\(name)>"
            #expect(try story(placemark(inside)).text == text)
        }
    }

    @Test("LOC-07 Files beside a KML and telephone numbers are counted, and a link of Atom is read")
    func besideDocument() throws {
        let script = #"<a href="javascript:x()"></a>"#
        let html = #"<img src="files/a.jpg"><a href="mailto:ana@x.org">Write</a>"# + script
        let result = try described(html, "<phoneNumber>5</phoneNumber><atom:link href=\"https://x.org/ida.mp3\"/>")
        #expect(try story(result).text == "Write" && story(result).thumbnailURL == nil)
        #expect(try story(result).mediaURL == "https://x.org/ida.mp3")
        #expect(
            result.warnings.map(\.message) == [
                "1 phoneNumber element was not read",
                "links that do not begin with https:// or http:// were left out (3, the first is files/a.jpg); put files on a "
                    + "server, and write the addresses there",
            ]
        )
    }

    @Test("LOC-07 Addresses never make a text too long, and only so many pictures are kept")
    func limits() throws {
        let letters = String(repeating: "a", count: 1_500)
        let links = (0..<200).map { "<a href=\"https://x.org/\($0)\(letters)\">\($0)</a> " }.joined()
        let long = try described(links)
        #expect(try story(long).text?.hasPrefix("0 1 2 ") == true)
        let words = "the addresses of links were left out of descriptions that are too long (1)"
        #expect(long.warnings.map(\.message) == [words])
        let pictures = try described((0..<60).map { "<img src=\"https://x.org/\($0).jpg\">" }.joined())
        #expect(
            pictures.warnings.map(\.message) == ["pictures and recordings of placemarks were left out beyond 50 (10)"]
        )
        let comment = String(repeating: "b", count: 150_000)
        let full = try waypoint("<desc>\(comment)</desc><cmt>c\(comment)</cmt>")
        #expect(try story(full).text == comment && full.warnings.first?.field == "text")
    }

    // MARK: - Times

    @Test(
        "LOC-03 The time of a waypoint or placemark is read like that of a table, with its words",
        arguments: [
            "2001-05-03T02:30:00Z", "2001-05-03T02:30:00.000Z", "2001-05-03T23:30:00-05:00",
            "2001-05-03T02:30:00+09:00",
            "2001-05-03T02:30:00", "2001-05-03", "2001-05", "2001", "before 1914", "someday",
        ]
    )
    func times(words: String) throws {
        let row = try story(try Fixture.text("title,date\nMill,\(words)\n"))
        #expect(row.date?.text == words)
        #expect(try story(waypoint("<time>\(words)</time>")).date == row.date)
        #expect(try story(placemark("<TimeStamp><when>\(words)</when></TimeStamp>")).date == row.date)
        #expect(try waypoint("<time>\(words)</time>").warnings.count == (row.date?.days == nil ? 1 : 0))
    }

    @Test("LOC-03 Seconds since 1970 are a day, a span has its times, and a view has no date of a placemark")
    func otherTimes() throws {
        #expect(try story(waypoint("<time>1556964000</time>")).date?.text == "2019-05-04")
        let span = "<begin>2001-05-03T02:30:00Z</begin><end>2001-05-05T05:00:00Z</end>"
        let date = try story(placemark("<TimeSpan>\(span)</TimeSpan>")).date
        #expect(date?.text == "2001-05-03T02:30:00Z/2001-05-05T05:00:00Z")
        #expect(date?.first?.description == "2001-05-03" && date?.last?.description == "2001-05-05")
        let view = "<LookAt><gx:TimeStamp><when>1999</when></gx:TimeStamp></LookAt>"
        #expect(try story(placemark("<TimeStamp><when>1936</when></TimeStamp>\(view)")).date?.text == "1936")
    }
}
