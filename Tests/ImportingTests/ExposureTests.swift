import Importing
import Stories
import Testing

/// What files say about who may see a story, where an import does not look for it by itself: nothing is published more
/// widely than a file hints.
@Suite("Hints at privacy in files")
struct ExposureTests {
    @Test(
        "PRV-01 A column that may restrict stories refuses the file",
        arguments: [
            ("Publish", "N"), ("Consent", "N"), ("Public on site", "nein"), ("Release form", "No"),
            ("Permission", "Declined"),
            ("Consent", "No, please do not publish my story on the internet"), ("Status", "Not for publication"),
            ("Rights", "Restricted - do not publish"), ("Notes", "DO NOT PUBLISH"),
            ("Column1", "Don't share this online"),
            ("Do Not Publish", "x"), ("Staff only", ""), ("Closed until", "2040"), ("Opt out", "yes"),
            ("Suppressed", "yes"),
            ("p_accessrestrict", "Closed"), ("Vertraulich", "ja"), ("Sperrfrist", "2050"), ("Veröffentlichung", "nein"),
            ("Accès", "restreint"), ("Restrição de acesso", "sim"), ("Publicar", "no"), ("公開", "非公開"), ("閲覧制限", "有"),
            ("geoprivacy", "obscured"), ("OK for web", "n"), ("Who can see this?", "My family"),
            ("Column2", "confidentiel"),
            ("", "Restricted"), ("", "private"), ("Withhold", "yes"), ("Cultural protocol", "Elders only"),
            ("Audience", "Staff"), ("Approved", "No"), ("Zugang", "intern"), ("Publier", "non"),
            ("公開しない", ""), ("非公開", "はい"), ("非公開フラグ", ""), ("公開不可", "○"), ("公開可否", "不可"), ("公開", "×"), ("閲覧", "不可"),
            ("不公开", "是"), ("非公开", ""), ("保密", ""), ("是否保密", "是"), ("公开", "否"), ("备注", "不公开"), ("備考", "公開しない"),
            ("Closed", "yes"), ("CLOSED", "TRUE"), ("is_closed", "1"), ("Closed", "x"), ("Closed", "until 2050"),
            ("Closed", "2050"), ("Closed", "private"), ("Sealed", "till 2050"),
        ]
    )
    func columns(name: String, value: String) throws {
        let result = try Fixture.text("title,\"\(name)\"\nA,\"\(value)\"\n")
        #expect(result.isRefused, "\(name): \(value)")
        let message = result.errors.first?.message ?? ""
        #expect(message.contains(name.isEmpty ? "column 2 has no name" : name) && message.contains("privacy setting"))
    }

    @Test(
        "A column that says something else is left out with a remark",
        arguments: [
            ("Rights", "No known restrictions on publication."), ("Rights", "All rights reserved"), ("Publish", "Y"),
            ("Rights", "No copyright - United States"), ("Edition", "12"), ("Status", "Not restricted"),
            ("Notes", "He did not want to leave, but the family could not stay"), ("Web site", "https://example.org/"),
            ("Notes", "Never married; showed his garden to everybody"), ("Publication", "1936"),
            ("Protocol", "Interview B"), ("公開日", "1936-05-01"), ("公開", "はい"), ("公开", "是"), ("Closed", "no"),
            ("Closed", "1987"),
            ("Closed", ""), ("Closed", "until 1998"), ("Year closed", "1987"),
        ]
    )
    func others(name: String, value: String) throws {
        let result = try Fixture.text("title,\(name)\nA,\"\(value)\"\n")
        #expect(!result.isRefused && result.stories.count == 1, "\(result.errors)")
        #expect(result.warnings.contains { $0.message == "nothing was read from the column \(name)" })
    }

    @Test("Values under no name are reported, empty ones are not")
    func unnamed() throws {
        let result = try Fixture.text("title,,lat,lon,,\nA,,1,2,,z\nB,,1,2,,\n")
        #expect(result.stories.count == 2)
        #expect(result.warnings.map(\.message) == ["nothing was read from column 6, which has no name"])
        #expect(try Fixture.text("title,lat,lon,,\nA,1,2,,\n").warnings.isEmpty)
    }

    @Test("PRV-01 Of two columns that contradict each other the stricter one counts")
    func contradiction() throws {
        let rows =
            "title,privacy,is_public\nA,public,0\nB,private,1\nC,public,yes\nD,family_only,no\nE,public,perhaps\n"
        let result = try Fixture.text(rows)
        #expect(result.stories.map(\.privacy) == [.private, .private, .public, .private, .public])
    }

    @Test(
        "PRV-01 Members beside or inside of properties that restrict refuse the file",
        arguments: [
            (#""privacy":"private","properties":{"title":"A"}"#, "privacy"),
            (#""access":"restricted","properties":{"title":"A"}"#, "access"),
            (#""properties":{"title":"A","admin":{"privacy":"private"}}"#, "privacy"),
            (#""properties":{"title":"A","permissions":{"public":false}}"#, "public"),
            (#""properties":{"title":"A","rights":["restricted"]}"#, "rights"),
        ]
    )
    func members(feature: String, name: String) throws {
        let text = #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,\#(feature)}]}"#
        let result = try Fixture.text(text, name: "a.geojson")
        #expect(result.isRefused)
        #expect(
            result.errors.first?.message.hasPrefix(name + " looks like a privacy setting") == true,
            "\(result.errors)"
        )
        let open = try Fixture.text(
            text.replacing("private", with: "x").replacing("restricted", with: "x"),
            name: "b.geojson"
        )
        #expect(open.isRefused == ["privacy", "access"].contains(name) || feature.contains("false"))
    }

    @Test("PRV-01 A repeated name in JSON is refused, with its place")
    func repeated() throws {
        for text in [
            #"[{"title":"A","privacy":"private","privacy":"public"}]"#,
            #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":{"title":"A","privacy":"private","privacy":"public"}}]}"#,
        ] {
            let result = try Fixture.text(text, name: "a.json")
            #expect(result.isRefused)
            let message = result.errors.first?.message ?? ""
            #expect(
                message.contains("has the member \"privacy\" twice") && message.contains("line 1, column"),
                "\(message)"
            )
        }
        let comma = try Fixture.text(#"[{"title":"A"},]"#, name: "a.json")
        #expect(comma.errors.first?.message.hasPrefix("the file is not JSON: ") == true, "\(comma.errors)")
    }

    @Test("PRV-01 What Omeka S marks as not public is left out, and counted")
    func omeka() throws {
        let text = """
            [{"o:id":1,"o:is_public":true,"o:title":"T","dcterms:description":[{"@value":"private text","is_public":false},\
            {"@value":"open text","is_public":true}],"dcterms:creator":[{"@value":"Jane","is_public":false}]}]
            """
        let result = try Fixture.text(text, name: "items.json")
        let story = try #require(result.stories.first)
        #expect(story.text == "open text" && story.people.isEmpty && story.privacy == .public)
        #expect(result.warnings.contains { $0.message == "values that Omeka S marks as not public were left out (2)" })
    }

    @Test("LOC-01 Numbers beyond 2^53 keep their digits, and are refused as ids where they lack some")
    func largeNumbers() throws {
        let rows =
            #"[{"id":1234567890123456789,"title":12345678901234567890,"text":-98765432109876543210},"#
            + #"{"id":1234567890123456788,"title":"B","date":1936},{"id":7,"title":9007199254740993}]"#
        let result = try Fixture.text(rows, name: "a.json")
        #expect(result.errors.isEmpty)
        #expect(result.stories.map(\.sourceID) == ["1234567890123456789", "1234567890123456788", "7"])
        #expect(result.stories.map(\.title) == ["12345678901234567890", "B", "9007199254740993"])
        #expect(result.stories.first?.text == "-98765432109876543210")
        let line = #"{"type":"Feature","id":9007199254740993,"geometry":null,"properties":{"title":"A"}}"#
        for name in ["a.geojson", "a.ndjson"] {
            #expect(try Fixture.text(line, name: name).stories.map(\.sourceID) == ["9007199254740993"])
        }
        let inexact = line.replacing("9007199254740993", with: "9.1e18")
        #expect(try Fixture.text(inexact, name: "a.geojson").errors.map(\.field) == ["id"])
    }

    @Test("Tracks beside waypoints are reported")
    func tracks() throws {
        let points = #"<trk><trkseg><trkpt lat="1" lon="2"/><trkpt lat="1.1" lon="2"/></trkseg></trk>"#
        func read(_ more: String) throws -> ImportResult {
            try Fixture.text(
                #"<gpx version="1.1"><wpt lat="1" lon="2"><name>W</name></wpt>\#(more)</gpx>"#,
                name: "a.gpx"
            )
        }
        let remark = "the tracks and routes of the file were not read; only waypoints become stories"
        #expect(try read(points).warnings.map(\.message) == [remark])
        #expect(try read("").warnings.isEmpty)
    }

    @Test(
        "PRV-01 In a family tree only a death that took place ends a life",
        arguments: [
            ("1 DEAT N", Privacy.private), ("1 DEAT", .private), ("1 DEAT Y", .public),
            ("1 DEAT\n2 DATE 1999", .public),
            ("1 BURI\n2 PLAC Atlanta", .public), ("1 DEAT Y\n1 _PRIV Y", .private), ("1 DEAT Y\n1 _PRIV N", .public),
            ("1 DEAT Y\n1 _FLGS\n2 __PRIVATE", .private),
        ]
    )
    func deaths(lines: String, privacy: Privacy) throws {
        let text =
            "0 HEAD\n1 GEDC\n2 VERS 5.5.1\n0 @I1@ INDI\n1 NAME D /X/\n1 BIRT\n2 DATE 1985\n2 PLAC P\n\(lines)\n0 TRLR\n"
        let result = try Fixture.read(Array(text.utf8), name: "a.ged") {
            $0.privacy = .public
            $0.privacyIsGiven = true
        }
        let birth = try #require(result.stories.first { $0.title == "Birth of D X" }, "\(result.errors)")
        #expect(birth.privacy == privacy)
    }
}
