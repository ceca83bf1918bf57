import Formats
import Stories
import Testing

@Suite("KML, OHMS and GEDCOM")
struct FeatureDocumentTests {
    private static let kml = """
        <?xml version="1.0" encoding="UTF-8"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Map</name>
        <Folder><name>Mills</name><Placemark id="p1"><name>Old mill</name><description><![CDATA[<img src="x"/><br>By the \
        creek.<br>Built &amp; burnt]]></description><TimeStamp><when>1936-05-04T00:00:00Z</when></TimeStamp><ExtendedData>
        <Data name="tags"><value>work</value></Data></ExtendedData><Point><coordinates>-84.39,33.75,0</coordinates></Point>
        </Placemark></Folder><Placemark><name>Field</name><TimeSpan><begin>1900</begin><end>1910</end></TimeSpan>
        <MultiGeometry><Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 2,0 2,2 0,2 0,0</coordinates></LinearRing>
        </outerBoundaryIs></Polygon><Point><coordinates>9,9</coordinates></Point></MultiGeometry></Placemark>
        <Folder><visibility>0</visibility><Placemark><name>Off</name></Placemark></Folder><NetworkLink/></Document></kml>
        """
    private static let ohms = """
        <ROOT><record id="12"><date value="1978-05-04" format="yyyy-mm-dd"/><title>Ida Reed</title><interviewee>Ida</interviewee>
        <media_url>https://x.org/ida.mp3</media_url><index><point><time>0</time><title>Childhood</title><partial_transcript>I was
        born.</partial_transcript><synopsis>Ida is born.</synopsis><keywords>birth;river</keywords><gpspoints><gps>33.75,
        -84.39</gps><gps_zoom>17</gps_zoom><gps_text>Atlanta</gps_text></gpspoints><gpspoints><gps>38,-84</gps><gps_text>Lexington
        </gps_text></gpspoints></point><point><time>754</time><title></title><gps>38,-84.5</gps></point></index></record></ROOT>
        """
    private static let gedcom = """
        0 HEAD
        1 CHAR UTF-8
        0 @I1@ INDI
        1 NAME Jane /Doe/
        1 BIRT
        2 DATE ABT 1880
        2 PLAC Selma
        3 MAP
        4 LATI N32.4
        4 LONG W87.0
        2 NOTE Born at home
        3 CONT in the kit
        3 CONC chen.
        1 OCCU Miller
        0 @I2@ INDI
        1 NAME Jo /Doe/
        1 BIRT
        2 DATE 1990
        2 PLAC Boston
        0 @I3@ INDI
        1 NAME Eve /Roe/
        1 DEAT Y
        2 PLAC Rome
        2 RESN confidential
        0 @F1@ FAM
        1 HUSB @I2@
        1 WIFE @I1@
        1 MARR
        2 PLAC Selma
        0 TRLR
        """

    private func gedcom(_ text: String) throws(FeatureDocumentError) -> FeatureDocument {
        try FeatureDocument(gedcom: Array(text.utf8), bornBefore: 1916)
    }

    @Test("Placemarks have their folder, time, data and a point; HTML becomes text; what is switched off says so")
    func placemarks() throws {
        let document = try FeatureDocument(kml: Array(Self.kml.utf8))
        #expect(document.features.count == 3 && document.remarks.first == "1 NetworkLink element was not read")
        let mill = document.features[0]
        #expect(mill.id == "p1" && mill.position == .init(x: -84.39, y: 33.75) && mill.drawn == nil)
        #expect(mill.properties["description"] == .string("By the creek.\nBuilt & burnt"))
        #expect(mill.properties["collection"] == .string("Mills") && mill.properties["tags"] == .string("work"))
        #expect(mill.properties["date"] == .string("1936-05-04T00:00:00Z"))
        #expect(mill.properties["visibility"] == nil)
        let field = document.features[1]
        #expect(field.position == .init(x: 1, y: 1) && field.drawn?["geometries"]?.array?.count == 2)
        #expect(field.properties["date"] == .string("1900/1910") && field.properties["collection"] == .string("Map"))
        #expect(document.features[2].properties["visibility"] == .string("0") && document.features[2].position == nil)
    }

    @Test(
        "Entities are the letters that they stand for, and what begins no tag is text",
        arguments: [
            ("Caf&eacute; &mdash; l&rsquo;&Eacute;t&#233; &#8217;98 &ndash; 5 &euro;", "Café — l’Été ’98 – 5 €"),
            ("5 < 6 <i>it</i> <3 <", "5 < 6 it <3 <"), ("<b>a &lt;b&gt; &amp;lt;</b>", "a <b> &lt;"),
            ("&#146;98 &#x41;&nbsp;b&#160;c &Omega;&yuml;&times;", "’98 A b c Ωÿ×"),
            ("AT&T; R&D &unknown; &#0; &#xD800; &; &#;", "AT&T; R&D &unknown; &#0; &#xD800; &; &#;"),
            ("<p>One<!-- a > b --> two</p>", "One two\n"), ("a <b>x<c", "a x<c"), ("Old<br>mill<!-- open", "Old\nmill"),
            ("<i>a</i><b", "a<b"), ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"),
        ]
    )
    func html(description: String, plain: String) throws {
        let mark = "<Placemark><name>A</name><description><![CDATA[\(description)]]></description></Placemark>"
        let document = try FeatureDocument(kml: Array("<kml>\(mark)</kml>".utf8))
        #expect(document.features.first?.properties["description"] == .string(plain))
    }

    @Test("LOC-06 One point beside lines is the position; beside an area or another point it is not")
    func markers() throws {
        let point = "<Point><coordinates>9,9</coordinates></Point>"
        let line = "<LineString><coordinates>0,0 2,0</coordinates></LineString>"
        for (shapes, position) in [
            (point + line, (9.0, 9.0)), (line + point + line, (9, 9)), (line, (1, 0)), (point + point + line, (1, 0)),
        ] {
            let mark = "<Placemark><name>A</name><MultiGeometry>\(shapes)</MultiGeometry></Placemark>"
            let feature = try #require(try FeatureDocument(kml: Array("<kml>\(mark)</kml>".utf8)).features.first)
            #expect(feature.position == .init(x: position.0, y: position.1) && feature.drawn != nil, "\(shapes)")
        }
    }

    @Test("A file that only links to others says so", arguments: [1, 2])
    func links(count: Int) throws {
        let links = String(
            repeating: "<NetworkLink><Link><href>https://x.org/a.kml</href></Link></NetworkLink>",
            count: count
        )
        let words =
            count == 1 ? "another file; download that file and import it" : "2 other files; download and import those"
        let error = try #require(throws: FeatureDocumentError.self) {
            try FeatureDocument(kml: Array("<kml><Document>\(links)</Document></kml>".utf8))
        }
        #expect(error.reason == "the file is valid but contains no stories: it only links to " + words)
    }

    @Test("LOC-10 A placemark of a further place is none of a story, and is remarked on where the stories are missing")
    func placesOfStories() throws {
        func read(_ first: String) throws -> FeatureDocument {
            let place =
                "<Placemark><name>B</name><ExtendedData><Data name=\"story_place\"><value>1</value></Data>"
                + "</ExtendedData><Point><coordinates>1,2</coordinates></Point></Placemark>"
            let text = "<kml><Document>\(first)<Folder>\(place)</Folder></Document></kml>"
            return try FeatureDocument(kml: Array(text.utf8))
        }
        let whole = try read("<Placemark><name>A</name></Placemark>")
        #expect(whole.features.map { $0.properties["name"] } == [.string("A")] && whole.remarks.isEmpty)
        let alone = try read("")
        let remark = "places (1) were not read, because their stories are not in the file"
        #expect(alone.features.isEmpty && alone.remarks == [remark])
    }

    @Test("Every segment of an interview has its time, place, words and link into the recording")
    func segments() throws {
        let document = try FeatureDocument(ohms: Array(Self.ohms.utf8))
        #expect(document.features.map(\.id) == ["12#0", "12#754"] && document.remarks == [])
        let first = document.features[0].properties
        #expect(first["title"] == .string("Childhood") && first["text"] == .string("Ida is born.\n\nI was\nborn."))
        #expect(first["place_name"] == .string("Atlanta") && first["mentions"] == nil)
        let lexington = try #require(first["places"]?[0])
        #expect(lexington["role"]?.string == "spoken_of" && lexington["seconds"]?.number == 0)
        #expect(lexington["lat"]?.number == 38 && lexington["lon"]?.number == -84)
        #expect(lexington["name"]?.string == "Lexington" && document.features[1].properties["places"] == nil)
        #expect(
            first["media_url"] == .string("https://x.org/ida.mp3#t=0") && first["people"] == .array([.string("Ida")])
        )
        #expect(document.features[1].properties["title"] == .string("Ida Reed (12:34)"))
        #expect(document.features[1].properties["media_url"] == .string("https://x.org/ida.mp3#t=754"))
    }

    @Test(
        "The format of an interview's date says which number is the day",
        arguments: [
            ("mm/dd/yyyy", "07/03/1985", "1985-07-03"), ("dd/mm/yyyy", "07/03/1985", "1985-03-07"),
            ("yyyy-mm-dd", "1985-07-03", "1985-07-03"), ("MM/DD/YYYY", "7/3/1985", "1985-07-03"),
            ("yyyy-mm-dd", "1985", "1985"), ("", "07/03/1985", "07/03/1985"), ("mm/dd/yyyy", "07/00/1985", "1985-07"),
            ("mm/dd/yyyy", "July 3, 1985", "July 3, 1985"), ("mm/mm/mm", "1/2/1985", "1/2/1985"),
            ("mm/dd/yyyy", "007/3/1985", "007/3/1985"), ("mm/dd/yy", "07/03/85", "07/03/85"),
        ]
    )
    func interviewDates(format: String, value: String, date: String) throws {
        let text = "<record id=\"1\"><date format=\"\(format)\" value=\"\(value)\"/><title>A</title></record>"
        let document = try FeatureDocument(ohms: Array("<ROOT>\(text)</ROOT>".utf8))
        #expect(document.features.first?.properties["date"] == .string(date))
    }

    @Test("A further place of a segment whose position cannot be read stays a mention, and is counted")
    func unreadable() throws {
        let text = Self.ohms.replacing("<gps>38,-84</gps>", with: "<gps>near the river</gps>")
        let document = try FeatureDocument(ohms: Array(text.utf8))
        let first = document.features[0].properties
        #expect(first["mentions"] == .array([.string("Lexington")]) && first["places"] == nil)
        #expect(document.remarks == ["1 further places of segments are kept as mentions, without a position"])
    }

    @Test("PRV-01 Events of people who may be alive, and of restricted ones, are private; others say nothing")
    func events() throws {
        let document = try gedcom(Self.gedcom)
        let titles = ["Birth of Jane Doe", "Birth of Jo Doe", "Death of Eve Roe", "Marriage of Jo Doe and Jane Doe"]
        #expect(document.features.map { $0.properties["title"]?.string } == titles)
        #expect(document.features.map { $0.properties["privacy"]?.string } == [nil, "private", "private", "private"])
        let birth = document.features[0]
        #expect(birth.id == "I1-BIRT-1" && birth.position == .init(x: -87, y: 32.4))
        #expect(birth.properties["text"] == .string("Born at home\nin the kitchen."))
        #expect(birth.properties["date"] == .string("about 1880"))
        #expect(document.remarks == ["1 event without a place was not read"])
    }

    @Test(
        "LOC-10 An event with several places has the first as its location, the others with the part that they play",
        arguments: [
            ("BIRT", "born"), ("DEAT", "died"), ("BURI", "buried"), ("RESI", "lived"), ("CENS", "lived"),
            ("OCCU", "worked"), ("EDUC", "studied"), ("EMIG", "happened"), ("ADOP", "happened"),
        ]
    )
    func severalPlaces(tag: String, role: String) throws {
        let map = "3 MAP\n4 LATI N38.0\n4 LONG W84.5\n"
        let lexington = "2 PLAC Lexington\n\(map)"
        let event = "1 \(tag)\n2 PLAC Selma\n\(lexington)2 PLAC Rome\n\(lexington)2 PLAC Selma\n"
        let document = try gedcom("0 HEAD\n0 @I1@ INDI\n1 NAME Jane /Doe/\n\(event)")
        #expect(document.features.map(\.id) == ["I1-\(tag)-1"] && PlaceRole(role) != nil)
        let properties = try #require(document.features.first?.properties)
        #expect(properties["place_name"] == .string("Selma") && properties["mentions"] == .array([.string("Rome")]))
        #expect(properties["places"]?.array?.count == 1)
        let place = try #require(properties["places"]?[0])
        #expect(place["role"]?.string == role && place["name"]?.string == "Lexington")
        #expect(place["lat"]?.number == 38 && place["lon"]?.number == -84.5 && place["seconds"] == nil)
        #expect(document.remarks == ["1 further places of events are kept as mentions, without a position"])
    }

    @Test(
        "PRV-01 Whatever restricts a person, an event or one of its places makes the event private, with all its places",
        arguments: [
            ("", "", "", nil), ("1 RESN privacy\n", "", "", "private"), ("1 RESN locked\n", "", "", nil),
            ("", "2 RESN CONFIDENTIAL, LOCKED\n", "", "private"), ("", "", "3 RESN confidential\n", "private"),
        ] as [(String, String, String, String?)]
    )
    func restricted(person: String, event: String, place: String, privacy: String?) throws {
        let jane = "0 @I1@ INDI\n1 NAME Jane /Doe/\n\(person)1 DEAT Y\n"
        let bill = "0 @I2@ INDI\n1 NAME Bill /Doe/\n1 DEAT Y\n"
        let married = "1 MARR\n\(event)2 PLAC Selma\n2 PLAC Rome\n\(place)3 MAP\n4 LATI N41.9\n4 LONG E12.5\n"
        let document = try gedcom("0 HEAD\n\(jane)\(bill)0 @F1@ FAM\n1 HUSB @I2@\n1 WIFE @I1@\n\(married)")
        #expect(document.features.map { $0.properties["privacy"]?.string } == [privacy])
        #expect(document.features[0].properties["places"]?[0]?["role"]?.string == "married")
    }

    @Test(
        "LOC-06 Positions of a family tree are read with minutes, seconds and decimal commas",
        arguments: [
            ("N33.75", "W84.5", (33.75, -84.5)), ("N33°45'0\"", "W84°30'", (33.75, -84.5)),
            ("33,75 N", "84,5 W", (33.75, -84.5)), ("N 33 45 0", "W 84 30 0", (33.75, -84.5)),
            ("n33:45:36", "84.5e", (33.76, 84.5)), ("-33.75", "-84 30", (-33.75, -84.5)),
            ("S33°45.6′", "E0", (-33.76, 0)), ("N.5", "W0,25", (0.5, -0.25)), ("33.75N", "84º30’W", (33.75, -84.5)),
        ]
    )
    func angles(latitude: String, longitude: String, expected: (Double, Double)) throws {
        let map = "3 MAP\n4 LATI \(latitude)\n4 LONG \(longitude)\n"
        let document = try gedcom("0 HEAD\n0 @I1@ INDI\n1 DEAT\n2 PLAC Selma\n\(map)")
        #expect(document.features.map(\.position) == [.init(x: expected.1, y: expected.0)] && document.remarks.isEmpty)
    }

    @Test(
        "A position of a family tree that is no angle is remarked on",
        arguments: [
            "N33.75.1", "N33 60", "X33.75", "N33.5 45", "N1,234.5", "NS3", "north", "N", "N3N3", "N1 2 3 4", "N--3",
        ]
    )
    func noAngles(latitude: String) throws {
        let map = "3 MAP\n4 LATI \(latitude)\n4 LONG W84.5\n"
        let document = try gedcom("0 HEAD\n0 @I1@ INDI\n1 DEAT\n2 PLAC Selma\n\(map)1 BURI\n2 PLAC Selma\n3 MAP\n")
        #expect(document.features.map(\.position) == [nil, nil])
        let words = "the first in line 5; write them as LATI N33.75 and LONG W84.39"
        #expect(document.remarks == ["positions that are not degrees were not read (1), \(words)"])
    }

    @Test("A date that is only a phrase keeps it")
    func phrases() throws {
        func date(_ lines: String) throws -> String? {
            let document = try gedcom("0 HEAD\n0 @I1@ INDI\n1 DEAT\n2 PLAC Selma\n\(lines)")
            return document.features.first?.properties["date"]?.string
        }
        #expect(try date("2 DATE\n3 PHRASE after the flood\n") == "after the flood")
        #expect(try date("2 DATE (after the flood)\n") == "after the flood")
        #expect(try date("2 DATE 1880\n3 PHRASE after the flood\n") == "1880" && date("2 DATE\n") == nil)
    }

    @Test("What is no such file is an error with its line")
    func errors() {
        #expect { try gedcom("0 HEAD\nnonsense\n") } throws: { ($0 as? FeatureDocumentError)?.line == 2 }
        #expect(throws: FeatureDocumentError.self) { try gedcom("0 @I1@ INDI\n") }
        #expect(throws: FeatureDocumentError.self) { try gedcom("0 HEAD\n1 CHAR ANSEL\n1 NOTE José\n") }
        #expect(throws: FeatureDocumentError.self) { try FeatureDocument(ohms: Array("<ROOT/>".utf8)) }
        #expect(throws: FeatureDocumentError.self) { try FeatureDocument(kml: Array("<html/>".utf8)) }
        let bomb = "<!DOCTYPE kml [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]><kml>&b;</kml>"
        #expect(throws: FeatureDocumentError.self) { try FeatureDocument(kml: Array(bomb.utf8)) }
        let deep = String(repeating: "<Folder>", count: 10_000)
        #expect(throws: FeatureDocumentError.self) { try FeatureDocument(kml: Array("<kml>\(deep)".utf8)) }
    }

    @Test("Damaged documents never crash")
    func fuzz() {
        var mutator = Mutator(seed: 7)
        for _ in 0..<200 {
            _ = try? FeatureDocument(kml: mutator.mutate(Array(Self.kml.utf8)))
            _ = try? FeatureDocument(ohms: mutator.mutate(Array(Self.ohms.utf8)))
            _ = try? FeatureDocument(gedcom: mutator.mutate(Array(Self.gedcom.utf8)), bornBefore: 1916)
        }
    }
}
