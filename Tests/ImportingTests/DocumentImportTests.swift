import Formats
import Geometry
import Importing
import Stories
import Testing

@Suite("Importing spreadsheets and documents")
struct DocumentImportTests {
    private func zip(_ parts: [(String, String)]) throws -> [UInt8] {
        let writer = ZipWriter()
        for (name, text) in parts {
            try writer.begin(name)
            try writer.write(Array(text.utf8))
        }
        try writer.finish()
        return writer.takeOutput()
    }

    @Test("A spreadsheet is read like the table it shows, with the row numbers of the sheet")
    func spreadsheet() throws {
        func row(_ cells: [String]) -> String {
            let inner = cells.map { "<table:table-cell><text:p>\($0)</text:p></table:table-cell>" }.joined()
            return "<table:table-row>\(inner)</table:table-row>"
        }
        let rows = [["Title", "Latitude", "Longitude"], [], ["Mill", "33.75", "-84.39"], ["Bad", "x", "1"]].map(row)
            .joined()
        let content =
            "<office:document-content><table:table table:name=\"A\">\(rows)</table:table>"
            + "<table:table table:name=\"Notes\"/></office:document-content>"
        let file = try zip([("content.xml", content)])
        let result = try Fixture.read(file, name: "folder/mills.ods") { $0.skipsBadRows = true }
        #expect(result.stories.map(\.title) == ["Mill"] && result.stories.map(\.row) == [3] && result.format == .ods)
        #expect(result.stories.first?.source == "mills" && result.errors.map(\.row) == [4])
        #expect(result.warnings.map(\.message) == ["only the sheet A was read, not Notes"])
        let survey = try ColumnSurvey(file, fileName: "mills.ods", options: try Fixture.options())
        #expect(survey.columns.map(\.field) == ["title", "lat", "lon"])
    }

    @Test("KML alone and as KMZ; PRV-01 what is switched off needs the operator's word")
    func kml() throws {
        let place = "<Placemark><name>Mill</name>%<Point><coordinates>-84.39,33.75</coordinates></Point></Placemark>"
        let kml = "<?xml version=\"1.0\"?><kml><Document>\(place)</Document></kml>"
        let plain = kml.replacing("%", with: "")
        for (bytes, name) in [(Array(plain.utf8), "a.kml"), (try zip([("doc.kml", plain), ("a.png", "x")]), "a.kmz")] {
            let story = try #require(try Fixture.read(bytes, name: name).stories.first)
            #expect(story.title == "Mill" && story.location?.coordinate.latitude == 33.75 && story.source == "a")
        }
        let off = Array(kml.replacing("%", with: "<visibility>0</visibility>").utf8)
        #expect(try Fixture.read(off, name: "a.kml").isRefused)
        #expect(
            try Fixture.read(off, name: "a.kml") { ($0.privacy, $0.privacyIsGiven) = (.private, true) }.stories.count
                == 1
        )
        #expect(try Fixture.read(Array(plain.utf8), name: "a.kml") { $0.referenceSystem = "EPSG:26918" }.isRefused)
    }

    @Test("Of several KML files in an archive one is read, and the others are named")
    func severalKML() throws {
        let kml = "<kml><Placemark><name>Mill</name></Placemark></kml>"
        func messages(_ names: String...) throws -> [String] {
            try Fixture.read(try zip(names.map { ($0, kml) }), name: "a.kmz").warnings.map(\.message)
                .filter { $0.contains("archive") }
        }
        let one = "only doc.kml in the archive was read, not b/c.kml; unpack it to import the other"
        #expect(try messages("b/c.kml", "doc.kml") == [one] && messages("doc.kml").isEmpty)
        // An index, as GDAL's LIBKML writes it.
        let index = "<kml><Document><NetworkLink><Link><href>layers/a.kml</href></Link></NetworkLink></Document></kml>"
        let linked = try Fixture.read(
            try zip([("doc.kml", index), ("layers/a.kml", kml), ("layers/b.kml", kml)]),
            name: "a.kmz"
        )
        #expect(linked.stories.count == 1)
        #expect(
            linked.problems.map(\.message) == [
                "only layers/a.kml in the archive was read, not layers/b.kml; unpack it to import the other"
            ]
        )
        #expect(try Fixture.read(try zip([("doc.kml", index)]), name: "a.kmz").isRefused)
        #expect(try messages("__MACOSX/._a.kml", "a.kml").isEmpty)
        let many =
            "only a.kml in the archive was read, not b.kml, c.kml, d.kml and 1 more; unpack it to import the others"
        #expect(try messages("a.kml", "b.kml", "c.kml", "d.kml", "e.kml") == [many])
    }

    @Test("LOC-07 A KMZ that unpacks to blanks, or to more than a document may have, is refused at once")
    func hollow() throws {
        let kml = "<kml><Placemark><name>Mill</name></Placemark></kml>"
        let blanks = String(repeating: " ", count: 1 << 20)
        for text in [blanks, blanks + kml, "title\nA\n"] {
            let refused = try Fixture.read(try zip([("doc.kml", text)]), name: "a.kmz")
            #expect(refused.errors.map(\.message) == ["the KML in the archive is empty or not XML"])
        }
        let large = try Fixture.read(try zip([("doc.kml", blanks + kml)]), name: "a.kmz") { $0.byteLimit = 1 << 20 }
        let words = "doc.kml in the archive has more than 1048576 bytes; split it"
        #expect(large.errors.first?.message.hasPrefix(words) == true)
        #expect(try Fixture.read(try zip([("doc.kml", "\u{FEFF}\n" + kml)]), name: "a.kmz").stories.count == 1)
        // The size in the directory, 144 MiB, decides before anything is unpacked.
        var bomb = try zip([("doc.kml", kml)])
        let entry = try #require(bomb.indices.first { bomb[$0...].starts(with: [0x50, 0x4B, 0x01, 0x02]) })
        bomb.replaceSubrange((entry + 24)..<(entry + 28), with: [0, 0, 0, 9])
        #expect(try Fixture.read(bomb, name: "a.kmz").errors.first?.message.contains("134217728 bytes") == true)
    }

    @Test("PRV-01 A family tree is refused without a privacy, and the living stay private with one")
    func gedcom() throws {
        let text =
            "0 HEAD\n0 @I1@ INDI\n1 NAME Jo /Doe/\n1 BIRT\n2 PLAC Boston\n0 @I2@ INDI\n1 NAME Ed /Doe/\n1 DEAT\n2 PLAC Rome\n"
        #expect(try Fixture.text(text, name: "a.ged").isRefused)
        let given = try Fixture.read(Array(text.utf8), name: "a.ged") { $0.privacyIsGiven = true }
        #expect(given.stories.map(\.privacy) == [.private, .public])
    }

    @Test("LOC-10 LOC-11 The places of an event are those of its story, and wait where a program extracted them")
    func gedcomPlaces() throws {
        let map = "3 MAP\n4 LATI N41.9\n4 LONG E12.5\n"
        let text = "0 HEAD\n0 @I1@ INDI\n1 NAME Ed /Doe/\n1 BURI\n2 PLAC Macon\n2 PLAC Rome\n\(map)"
        for source in [LocationSource.manual, .aiExtracted] {
            let result = try Fixture.read(Array(text.utf8), name: "a.ged") { options in
                (options.privacyIsGiven, options.locationSource) = (true, source)
            }
            let story = try #require(result.stories.first)
            #expect(story.location == nil && story.places.count == 1 && story.privacy == .public)
            let place = try #require(story.places.first)
            #expect(place.role.rawValue == "buried" && place.location.names == [.name: "Rome"])
            #expect(place.location.coordinate == Coordinate(latitude: 41.9, longitude: 12.5))
            #expect(place.isConfirmed == (source == .manual) && place.location.source == source)
        }
    }

    @Test("LOC-10 The segments of an OHMS record are stories with all their places")
    func ohms() throws {
        let text =
            "<ROOT><record id=\"1\"><title>Ida</title><index><point><time>7</time><title>Born</title><gpspoints>"
            + "<gps>33.75,-84.39</gps></gpspoints><gpspoints><gps>38, -84</gps><gps_text>Lexington</gps_text></gpspoints>"
            + "</point></index></record></ROOT>"
        let story = try #require(try Fixture.text(text, name: "ida.xml").stories.first)
        #expect(story.sourceID == "1#7" && story.location?.coordinate.longitude == -84.39 && story.collection == "Ida")
        let place = try #require(story.places.first)
        #expect(place.role == .spokenOf && place.seconds == 7 && place.location.names == [.name: "Lexington"])
        #expect(place.location.coordinate == Coordinate(latitude: 38, longitude: -84) && story.places.count == 1)
    }

    @Test(
        "A doubtful date of GEDCOM keeps its own word, and spans the same years",
        arguments: [
            ("ABT 1850", "about 1850"), ("EST 1850", "estimated 1850"), ("CAL 1850", "calculated 1850"),
            ("Abt 1850", "Abt 1850"), ("BEF 1850", "BEF 1850"), ("ABTEI 1850", "ABTEI 1850"),
        ]
    )
    func doubtfulDates(written: String, shown: String) throws {
        let tree = "0 HEAD\n1 CHAR UTF-8\n0 @I1@ INDI\n1 NAME A /B/\n1 BIRT\n2 DATE \(written)\n2 PLAC C\n0 TRLR\n"
        let result = try Fixture.read(Array(tree.utf8), name: "a.ged") { $0.privacyIsGiven = true }
        let date = try #require(result.stories.first?.date)
        #expect(date.text == shown)
        guard written.uppercased().hasPrefix("ABT ") || shown.hasPrefix("e") || shown.hasPrefix("c") else { return }
        #expect(date.first?.components.year == 1845 && date.last?.components.year == 1855)
    }
}
