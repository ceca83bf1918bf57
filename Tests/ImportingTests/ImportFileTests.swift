import Geometry
import Importing
import Stories
import Testing

private let known =
    "stories are read from CSV, TSV, XLSX, ODS, JSON, GeoJSON, GeoJSON-Seq, Esri JSON, KML, KMZ, GPX, GeoPackage, Shapefile, "
    + "GEDCOM and OHMS"
private let unread =
    ", from which stories are not read; save it as a table with the columns title, lat and lon; \(known)"
private let history =
    "the file is a location history of Google: its positions have no titles and become no stories; 'waymark replay' feeds it "
    + "to the evaluator as a recording"
private let gdal = "convert it with 'ogr2ogr -f GeoJSON a.geojson"

@Suite("Invalid files")
struct ImportFileTests {
    @Test(
        "Each gives one clear error, and nothing is imported",
        arguments: [
            ("", "a.csv", "the file is empty"),
            (" \n\n", "a.geojson", "the file is empty"),
            ("\u{FEFF}", "a.csv", "the file is empty"),
            ("title,lat,lon\n", "a.csv", "the file is valid but contains no stories"),
            (
                "33.7,-84.3\n1,2\n", "a.csv",
                "no column is called title or name; the first line names: 33.7, -84.3. Give --map title=COLUMN"
            ),
            ("title\n\"abc\n", "a.csv", "a quotation mark is opened and never closed"),
            ("PK\u{3}\u{4}xlsx", "a.csv", "the file is not a zip archive, or it is incomplete"),
            ("title\nx\u{0}y\n", "a.csv", "the file is binary; \(known)"),
            (
                "SQLite format 3\u{0}", "maps/a.gpkg",
                "the file is a SQLite database, but not a GeoPackage with a layer; \(gdal) a.gpkg'"
            ),
            (
                "\u{0}\u{0}'\n", "a.shp",
                "the file is the geometry of a Shapefile without its table; put the .shp, .shx, .dbf and .prj into one zip archive"
            ),
            ("fgb\u{3}fgb\u{0}", "a.fgb", "the file is FlatGeobuf; \(gdal) a.fgb'"),
            ("<html></html>", "a.xml", "the file is a page of the web\(unread)"),
            (
                "<?xml version=\"1.0\"?><!-- x --><a:story xmlns:a=\"b\"/>", "a.xml",
                "the file is XML with the outermost element story\(unread)"
            ),
            (
                "<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\"/>", "a",
                "the file is an answer of OAI-PMH\(unread)"
            ),
            (
                "<metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>A</dc:title></metadata>", "a.xml",
                "the file is Dublin Core in XML\(unread)"
            ),
            (
                "<?xml version='1.0'?>\n<VFPData><ppsdata/></VFPData>", "objects.xml",
                "the file is a database in XML, as PastPerfect and Access export it\(unread)"
            ),
            ("<", "a.xml", "the file is XML\(unread)"), ("<html></html>", "a.gpx", "the file is not GPX; \(known)"),
            ("{\"locations\":[{\"latitudeE7\":337500000,\"longitudeE7\":1}]}", "Records.json", history),
            ("{\"semanticSegments\":[{\"startTime\":\"2020\"}]}", "Timeline.json", history),
            ("[{\"startTime\":\"2020\",\"visit\":{\"topCandidate\":{}}}]", "location-history.json", history),
            (
                "{\"timelineObjects\":[{\"placeVisit\":{}}]}", "2020_MAY.json",
                "the file is a month of Google's Semantic Location History, which is not read; 'waymark replay' reads Records.json "
                    + "and Timeline.json as recordings"
            ),
            (
                "{\"type\":", "a.geojson",
                "the file is not GeoJSON: the text ends where a value was expected at line 1, column 9"
            ),
            (
                "{\"type\":\"Other\"}", "a.geojson",
                "the file is not GeoJSON: the JSON is not a GeoJSON Feature or FeatureCollection at line 1, column 1"
            ),
            (
                "{\"type\":\"Topology\"}", "a.geojson",
                "the file is not GeoJSON: the JSON is TopoJSON (convert it with 'ogr2ogr -f GeoJSON stories.geojson FILE') at "
                    + "line 1, column 1"
            ),
            (
                "{\"type\":\"FeatureCollection\"}", "a.json",
                "the file is not GeoJSON: the FeatureCollection has no array of features at line 1, column 1"
            ),
            (
                "{\"type\":\"FeatureCollection\",\"features\":[]}", "a.json",
                "the file is valid but contains no stories"
            ),
            (
                "[1, 2]", "upload",
                "the file is not GeoJSON: expected a Feature or FeatureCollection, which begins with {, "
                    + "at line 1, column 1"
            ),
            (
                "<?xml version=\"1.0\"?><kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document/></kml>", "a.kml",
                "the file is valid but contains no stories"
            ),
            ("\u{1F}\u{8B}", "a.gz", "the data is damaged or is not gzip"),
        ]
    )
    func refused(text: String, name: String, message: String) throws {
        // The mark of gzip is no UTF-8, so it is written as scalars here.
        let bytes = text.hasPrefix("\u{1F}") ? [0x1F, 0x8B, 0, 0, 0, 0, 0, 0, 0, 0, 0] : Array(text.utf8)
        let result = try Fixture.read(bytes, name: name)
        #expect(result.isRefused)
        #expect(result.stories.isEmpty)
        #expect(result.problems.map(\.message) == [message])
        #expect(result.problems.first?.file == name)
    }

    @Test("A story about a location history is one", arguments: ["title", "geometry"])
    func histories(name: String) throws {
        let text = "[{\"\(name)\":\"A\",\"startTime\":\"2020\",\"timelinePath\":\"B\"}]"
        let messages = try Fixture.text(text, name: "a.json").errors.map(\.message)
        #expect(!messages.contains { $0.contains("Google") })
    }

    @Test(
        "LOC-06 What a server of ArcGIS cut, drew with curves or left empty is remarked on",
        arguments: [
            (
                #"{"exceededTransferLimit":true,"features":[{"attributes":{"title":"A"},"geometry":{"x":1,"y":2}}]}"#,
                "the server cut the list (exceededTransferLimit), so features are missing; ask it for the rest as well, with "
                    + "resultOffset=1"
            ),
            (
                #"{"type":"FeatureCollection","properties":{"exceededTransferLimit":true},"features":[{"type":"Feature","#
                    + #""geometry":null,"properties":{"title":"A"}}]}"#,
                "the server cut the list (exceededTransferLimit), so features are missing; ask it for the rest as well, with "
                    + "resultOffset"
            ),
            (
                #"{"features":[{"attributes":{"title":"A"},"geometry":{"curveRings":[[[0,0],{"c":[[3,3],[1,4]]}]]}}]}"#,
                "features drawn with curves (1) have no place, because curveRings and curvePaths are not read; ask the server with "
                    + "returnTrueCurves=false"
            ),
            (
                #"{"features":[{"attributes":{"title":"A"},"geometry":{"x":"NaN","y":"NaN"}}]}"#,
                "the Point is empty and gives no place"
            ),
            (
                #"{"features":[{"attributes":{"title":"A"},"geometry":{"x":null,"y":null}}]}"#,
                "the Point is empty and gives no place"
            ),
        ]
    )
    func servers(text: String, remark: String) throws {
        let result = try Fixture.text(text, name: "a.json")
        #expect(result.stories.count == 1 && result.warnings.map(\.message).contains(remark), "\(result.problems)")
    }

    @Test(
        "LOC-07 A file that is no text says what it is",
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xE1], "picture"), (Array("GIF89a".utf8), "picture"),
            ([0x4D, 0x4D, 0, 0x2A], "picture"),
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "picture"), (Array("RIFF----WEBPVP8 ".utf8), "picture"),
            (Array("RIFF----WAVEfmt ".utf8), "recording"), (Array("----ftypheic".utf8), "picture"),
            (Array("----ftypisom".utf8), "recording"), (Array("ID3\u{4}".utf8), "recording"),
            ([0x81, 0x02, 0xFE, 0x8D, 0xC3, 0x28], "binary"),
        ] as [([UInt8], String)]
    )
    func notText(bytes: [UInt8], kind: String) throws {
        let result = try Fixture.read(bytes, name: "a.jpg")
        let message = result.errors.first?.message ?? ""
        #expect(result.isRefused && result.errors.count == 1)
        let words = kind == "binary" ? "the file is binary; " : "the file is a \(kind); "
        #expect(message.hasPrefix(words), "\(message)")
    }

    @Test("A problem of the whole file rejects it even if bad rows may be skipped")
    func alwaysRefused() throws {
        let result = try Fixture.read(Array("title\nGood\n\"bad".utf8)) { $0.skipsBadRows = true }
        #expect(result.isRefused)
        #expect(result.stories.isEmpty)
        #expect(result.problems.map(\.row) == [3])
    }

    @Test("A file that is too large")
    func tooLarge() throws {
        let large = try Fixture.read(Array("title\nabc".utf8)) { $0.byteLimit = 8 }
        #expect(large.problems.first?.message == "the file has 9 bytes, more than the limit of 8; split it")
    }

    @Test("A row with bytes that are not UTF-8 in a file that is UTF-8 is an error, never U+FFFD")
    func damaged() throws {
        let result = try Fixture.read(Array("title\nZürich\nMünchen\nCaf".utf8) + [0xE9, 0x0A]) {
            $0.skipsBadRows = true
        }
        #expect(result.stories.map(\.title) == ["Zürich", "München"])
        #expect(result.errors.map(\.row) == [4])
    }

    @Test("LOC-07 Overlong values are rejected", arguments: ["text", "tags", "city", "media_url", "alt", "id"])
    func tooLong(field: String) throws {
        let long = String(repeating: "x", count: StoryLimits.textLength + 1)
        let result = try Fixture.text("title,\(field),lat,lon\nA,\(long),1,2\n")
        #expect(result.errors.map(\.field) == [field])
        #expect(result.errors.map(\.row) == [2])
    }

    @Test("A slightly long title is shortened, with the full title in the text; a longer one is rejected")
    func longTitle() throws {
        let sentence = String(repeating: "word ", count: StoryLimits.titleLength / 5) + "end."
        let result = try Fixture.text("title,text\n\(sentence),Body\n")
        let story = try #require(result.stories.first)
        #expect(story.title.count <= StoryLimits.titleLength)
        #expect(story.title.hasSuffix("word…"))
        #expect(story.text == sentence + "\n\nBody")
        #expect(result.warnings.map(\.field) == ["title"])
        let refused = try Fixture.text("title\n" + String(repeating: "é", count: StoryLimits.longestTitle + 1))
        #expect(refused.errors.map(\.field) == ["title"])
    }

    @Test("Too many tags are rejected; repeated and empty ones do not count")
    func tags() throws {
        let many = (1...51).map(String.init).joined(separator: ";")
        #expect(try Fixture.text("title,tags\nA,\(many)\n").errors.map(\.field) == ["tags"])
        #expect(try Fixture.text("title,tags\nA,a;;b; a ;|b\n").stories.first?.tags == ["a", "b"])
    }

    @Test("LOC-08 A sensitive location stays sensitive; a word that is not a precision is rejected")
    func precision() throws {
        let header = "title,lat,lon,precision,cell\n"
        let result = try Fixture.text(header + "A,1,2,hidden,\nB,1,2,approximate,0.1\nC,1,2,approximate,\nD,1,2,,\n")
        let precisions = result.stories.map { $0.location?.precision }
        #expect(precisions == [.hidden, .approximate(.tenth), .approximate(.hundredth), .exact])
        let refused = try Fixture.text(header + "A,1,2,vague,\nB,1,2,approximate,0.5\n")
        #expect(refused.errors.map(\.field) == ["precision", "cell"])
    }

    @Test(
        "Numbers in programming notation are rejected",
        arguments: ["nan", "inf", "0x10", "1_0", "١", "1e999", "--1"]
    )
    func numbers(text: String) throws {
        let result = try Fixture.text("title,lat,lon\nA,\(text),2\n")
        #expect(result.errors.map(\.field) == ["lat"])
    }

    @Test("The family is only named where it matters")
    func family() throws {
        let text = Array("title,privacy\nA,family\nB,public\nC,\nD,Private\n".utf8)
        let result = try Fixture.read(text) {
            $0.family = FamilyID("reed")
            $0.privacy = .familyOnly
            $0.privacyIsGiven = true
        }
        #expect(result.stories.map(\.privacy) == [.familyOnly, .public, .familyOnly, .private])
        #expect(result.stories.map { $0.family?.rawValue } == ["reed", nil, "reed", nil])
    }

    @Test(
        "PRV-03 A row may name a family of its owner; elsewhere a wrong one is an error where it would widen the audience"
    )
    func namedFamily() throws {
        func read(_ rows: String, default privacy: Privacy = .public) throws -> ImportResult {
            try Fixture.read(Array(("title,privacy,family,lat,lon,precision,family_sees_exact\n" + rows).utf8)) {
                $0.ownerFamilies = Set(["reed", "choir"].compactMap(FamilyID.init))
                $0.privacy = privacy
            }
        }
        let good = try read(
            "A,family_only,reed,,,,\nB,family_only,,,,,\nC,private,choir,,,,\nD,public,choir,1,2,hidden,yes\nE,public,Rosaceae,,,,\n"
        )
        #expect(good.stories.map { $0.family?.rawValue } == ["reed", nil, "choir", "choir", nil])
        #expect(good.warnings.map(\.field) == ["family"])
        for row in ["A,family_only,Rosaceae,,,,", "A,family_only,whitfield,,,,", "A,public,no id!,1,2,hidden,yes"] {
            let bad = try read(row + "\n", default: .familyOnly)
            #expect(bad.errors.map(\.field) == ["family"], "\(row)")
            #expect(bad.stories.isEmpty, "\(row)")
        }
        let nobody = try Fixture.text("title,privacy,family\nA,family_only,reed\n")
        #expect(nobody.errors.map(\.field) == ["family"])
    }

    @Test("PRV-03 A family in a file narrows a story without one, and never replaces the owner's choice")
    func laterFamily() throws {
        let result = try Fixture.read(Array("id,title,privacy,family\n1,A,family_only,reed\n".utf8)) {
            $0.ownerFamilies = Set(["reed", "choir"].compactMap(FamilyID.init))
        }
        let row = try #require(result.stories.first)
        var generator = SplitMix64(seed: 5)
        for (before, after) in [(nil, "reed"), ("choir", "choir"), ("reed", "reed")] as [(String?, String)] {
            var story = row.story(id: StoryID(using: &generator), now: Timestamp(milliseconds: 1))
            story.family = before.flatMap(FamilyID.init)
            row.update(&story)
            #expect(story.family?.rawValue == after)
        }
    }

    @Test("An id that looks like a repetition of another does not take its place")
    func ids() throws {
        let result = try Fixture.text("id,title\na#2,One\na,Two\na,Three\na,Four\n")
        #expect(result.stories.map(\.sourceID) == ["a#2", "a", "a#3", "a#4"])
    }

    @Test("Progress counts rows and ends with all bytes")
    func progress() throws {
        let text = "title\n" + String(repeating: "x\n", count: 2500)
        var calls: [ImportProgress] = []
        _ = StoryImporter(options: try Fixture.options()).read(Array(text.utf8), fileName: "a.csv") { calls.append($0) }
        #expect(calls.map(\.rows) == [1000, 2000, 2500])
        #expect(calls.last?.bytes == text.utf8.count)
        #expect(calls.allSatisfy { $0.totalBytes == text.utf8.count && $0.bytes <= $0.totalBytes })
    }

    @Test("Problems are listed up to a limit, and all are counted")
    func manyProblems() throws {
        let result = try Fixture.text("title,date\n" + String(repeating: "x,soon\n", count: 1500))
        #expect(result.warningCount == 1500)
        #expect(result.warnings.count == ImportResult.problemLimit)
        #expect(result.warningSummary().last == "… and 1480 more warnings")
        #expect(result.stories.count == 1500)
    }

    @Test(
        "Damaged files never crash",
        arguments: ["stories.csv", "stories.geojson", "stories.geojsonseq", "waypoints.gpx"]
    )
    func fuzz(name: String) throws {
        var generator = SplitMix64(seed: 11)
        let original = try Fixture.bytes(name)
        for _ in 0..<300 {
            let bytes = Fixture.damaged(original, using: &generator)
            let result = try Fixture.read(bytes, name: name) { $0.skipsBadRows = true }
            #expect(
                result.stories.allSatisfy {
                    !$0.title.isEmpty && StoryLimits.fits($0.title, characters: StoryLimits.titleLength)
                }
            )
            #expect(result.isRefused || result.stories.count + result.badRows == result.rows)
        }
    }

    @Test(
        "An encoding that is given counts, with a remark if the letters of the file are UTF-8",
        arguments: [
            ("iso-8859-1", "Café Zürich", "ZÃ¼rich", true), ("windows-1251", "Café Zürich", "ZГјrich", true),
            ("iso-8859-1", "Cafe", "Cafe", false), ("utf-8", "Café Zürich", "Zürich", false),
        ]
    )
    func givenEncoding(name: String, title: String, kept: String, isRemarked: Bool) throws {
        let result = try Fixture.read(Array("title\n\(title)\n".utf8)) { options in
            try? options.columns.setEncoding(name)
        }
        #expect(result.stories.first?.title.contains(kept) == true)
        let words = "the file is valid UTF-8, for example \"Café\""
        let remarks = result.warnings.map(\.message).filter { $0.contains(words) }
        #expect(remarks.count == (isRemarked ? 1 : 0), "\(result.warnings)")
        #expect(remarks.allSatisfy { $0.contains("leave out --encoding") })
        // The same letters in the encoding that is given.
        let other = try Fixture.read([UInt8]("title\nCaf".utf8) + [0xE9, 0x0A]) { options in
            try? options.columns.setEncoding("iso-8859-1")
        }
        #expect(other.warnings.isEmpty && other.stories.first?.title == "Café")
    }
}
