import Formats
import Geometry
import Importing
import Stories
import Testing

@Suite("Story import")
struct StoryImporterTests {
    @Test(
        "PRV-01 An unread column that seems to set visibility rejects the file",
        arguments: ["privcy", "Visibility", "is_private", "access_level"]
    )
    func privacyByAnotherName(column: String) throws {
        let text = "title,\(column)\nx,private\n"
        let refused = try Fixture.text(text)
        #expect(refused.isRefused && refused.stories.isEmpty)
        #expect(refused.errors.first?.description.contains("--privacy") == true)
        let given = try Fixture.read(Array(text.utf8)) { options in
            options.privacy = .private
            options.privacyIsGiven = true
        }
        #expect(given.stories.map(\.privacy) == [.private])
    }

    @Test("PRV-08 A story exported as GeoJSON is imported with the same precision, names and level")
    func ownExport() throws {
        let feature = """
            {"type":"Feature","geometry":{"type":"Point","coordinates":[100,-40]},"properties":{"title":"x",
            "privacy":"private","auto_private":true,"location":{"lat":-40,"lon":100,"accuracy":7,"precision":"approximate",
            "cell":0.1,"published_as":"approximate","family_sees_exact":false,"name":"Pier","city":"Port",
            "country":"Nowhere","derived":["country"]}}}
            """
        let result = try Fixture.read(Array(feature.utf8), name: "x.geojson")
        let story = try #require(result.stories.first)
        #expect(!result.isRefused && story.privacy == .private)
        #expect(story.location?.precision == .approximate(.tenth))
        #expect(story.location?.names == [.name: "Pier", .city: "Port"] && story.location?.accuracy == 7)
    }

    @Test("LOC-07 A waypoint with an unreadable position rejects the file, unless bad rows are skipped")
    func badWaypoint() throws {
        let gpx = """
            <gpx version="1.1"><wpt lat="1" lon="2"><name>good</name></wpt>
            <wpt lat="999" lon="2"><name>bad</name></wpt></gpx>
            """
        let refused = try Fixture.read(Array(gpx.utf8), name: "w.gpx")
        #expect(refused.isRefused)
        #expect(refused.errors.map(\.row) == [2])
        let skipped = try Fixture.read(Array(gpx.utf8), name: "w.gpx") { $0.skipsBadRows = true }
        #expect(skipped.stories.map(\.title) == ["good"])
    }

    @Test("LOC-07 The problems of a folder name its files", arguments: ["photos", "photos/"])
    func membersOfAFolder(folder: String) throws {
        let features = #"""
            {"type":"FeatureCollection","features":[
            {"type":"Feature","geometry":null,"properties":{"title":"one"}},
            {"type":"Feature","geometry":null,"properties":{"title":"two","date":"2999-01-01"}}]}
            """#
        let result = try Fixture.read(Array(features.utf8), name: folder) { $0.members = ["a.jpg", "farm/b.jpg"] }
        let problem = try #require(result.errors.first)
        #expect(problem.file == "photos/farm/b.jpg" && problem.row == nil && problem.field == "date")
        let apart = try Fixture.read(Array(features.utf8), name: "file.geojson")
        #expect(apart.errors.first?.file == "file.geojson" && apart.errors.first?.row == 2)
    }

    @Test("A table becomes stories with every field; doubtful values give warnings")
    func table() throws {
        let result = try Fixture.file("stories.csv")
        #expect(!result.isRefused)
        #expect(result.format == .csv)
        #expect(result.rows == 4)
        let first = try #require(result.stories.first)
        #expect(first.row == 2)
        #expect(first.source == "stories")
        #expect(first.sourceID == "a-1")
        #expect(first.title == "The barber shop on Hunter Street")
        #expect(first.text == "He said: \"Sit down.\"\nA second line.")
        #expect(first.date?.text == "1936; 1941")
        #expect(first.date?.first?.description == "1936-01-01")
        #expect(first.date?.last?.description == "1941-12-31")
        #expect(first.tags == ["work", "city life"])
        #expect(first.people == ["Doe, Jane", "Roe, Richard"])
        #expect(first.mediaURL == "https://example.org/a-1")
        #expect(first.location?.coordinate == Coordinate(latitude: 33.7501, longitude: -84.4012))
        #expect(first.location?.names == [.city: "Atlanta", .state: "Georgia"])
        #expect(first.location?.source == .manual)
        #expect(result.stories.map(\.row) == [2, 5, 6, 7])
        #expect(result.stories.map(\.sourceID) == ["a-1", "a-2", "a-3", "a-3#2"])
        #expect(result.stories[1].location == nil)
        #expect(result.stories[2].mediaURL == nil)
        #expect(result.stories[3].date == StoryDate(words: "1939-2-42956"))
        let expected = [
            "stories.csv:6: media_url: \"ftp://example.org/a-3\" is not an address beginning with https:// or http:// "
                + "and is ignored",
            "stories.csv:7: date: \"1939-2-42956\" is not a date; only its words are kept. "
                + "Write YYYY, YYYY-MM or YYYY-MM-DD",
            "stories.csv:7: id: row 6 has the same id; this row is imported as a separate story, a-3#2",
            "stories.csv: 1 row names a place without coordinates; without them a new story has no location",
            "stories.csv: nothing was read from the column Occupation",
        ]
        #expect(result.problems.map(\.description) == expected)
    }

    @Test("The story of a row has the row's fields and the given identity and time")
    func story() throws {
        let imported = try #require(try Fixture.file("stories.csv").stories.first)
        let story = imported.story(id: StoryID(high: 1, low: 2), now: Timestamp(milliseconds: 3))
        #expect(story.id == StoryID(high: 1, low: 2))
        #expect(story.createdAt == Timestamp(milliseconds: 3))
        #expect(story.owner == UserID("ana"))
        #expect(story.title == imported.title)
        #expect(story.source == "stories")
        #expect(story.sourceID == "a-1")
        #expect(story.location == imported.location)
        #expect(story.privacy == .public)
    }

    @Test("A tab-separated table with decimal commas; equal rows without ids stay separate and stable")
    func tabs() throws {
        let result = try Fixture.file("stories.tsv")
        #expect(result.format == .tsv)
        #expect(result.problems.isEmpty)
        let ids = result.stories.map(\.sourceID)
        #expect(ids.count == 2)
        #expect(ids[1] == ids[0] + "#2")
        #expect(ids[0].count == 32)
        #expect(result.stories[0].location?.coordinate == Coordinate(latitude: 29.9511, longitude: -90.0715))
        #expect(result.stories[0].tags == ["river", "boats"])
        #expect(try Fixture.file("stories.tsv").stories == result.stories)
        // The digest must never change, or a repeated import would double what an older program wrote.
        #expect(ids[0] == "64b2aea355dda67a73152089719df933")
    }

    @Test("REL-06 A line that cannot be a table's is refused before its characters are looked at")
    func endlessLine() throws {
        func words(_ text: String) throws -> [String] {
            let owner = try #require(UserID("ana"))
            let read = StoryImporter(options: .init(owner: owner)).read(Array(text.utf8), fileName: "a.csv")
            return read.errors.map(\.description)
        }
        let x = String(repeating: "x", count: 4_000_001)
        #expect(try words(x).first?.hasPrefix("a.csv:1: a field has 4000001 bytes") == true)
        let name = "a.csv:1: the first line has a name of 2000 bytes"
        #expect(try words(String(x.prefix(2_000)) + "\n1\n").first?.hasPrefix(name) == true)
        #expect(try words(String(repeating: "a,", count: 10_001) + "\n").first?.contains("more than 10000") == true)
        #expect(try words("title,text\nMill,\"\(x)\"\n").first?.hasPrefix("a.csv:2: a field has 4000001 bytes") == true)
    }

    @Test("LOC-07 Bad rows reject the whole file, each with its row and field")
    func badRows() throws {
        let result = try Fixture.file("bad.csv")
        #expect(result.isRefused)
        #expect(result.stories.isEmpty)
        let expected = [
            "bad.csv:3: title: is missing; every story needs a title",
            "bad.csv:4: lat: 91.0 is not between -90 and 90; latitude and longitude seem to be swapped",
            "bad.csv:5: lat: \"abc\" is not a number",
            "bad.csv:6: lon: is missing while the latitude is given; give both or neither",
            "bad.csv:7: lat: 0, 0 is in the open sea and usually means unknown; if so, leave both empty",
            "bad.csv:8: lat: -98.5 is not between -90 and 90; latitude and longitude seem to be swapped",
            "bad.csv:9: privacy: \"secret\" is not a privacy level; use public, family_only or private",
            "bad.csv:10: kind: \"Saga of Ida\" is not a kind of story; use document, event, interview, observation, "
                + "photo, video_object, or one of your own in a–z, 0–9 and _",
            "bad.csv:11: date: \"2999\" is in the future; only a story of the kind event may lie ahead",
            "bad.csv:12: the row has 8 values, the first line names 7 columns; put values that contain commas in "
                + "quotation marks",
        ]
        #expect(result.errors.map(\.description) == expected)
        #expect(result.errorSummary(limit: 2) == Array(expected.prefix(2)) + ["… and 8 more errors"])
    }

    @Test(
        "LOC-07 A title that shows nothing is missing",
        arguments: ["\u{200B}", "\u{200B} \u{2060}", "\u{FEFF}\u{A0}", " \u{301}", "\u{2800}"]
    )
    func blankTitle(title: String) throws {
        let result = try Fixture.text("id,title\n1,\(title)\n2,\(title)Mill\n")
        #expect(result.errors.map(\.description) == ["file.csv:2: title: is missing; every story needs a title"])
    }

    @Test("Bad rows can be skipped instead")
    func skipping() throws {
        let result = try Fixture.file("bad.csv") { $0.skipsBadRows = true }
        #expect(!result.isRefused)
        #expect(result.stories.map(\.title) == ["Good one"])
        #expect(result.badRows == 10)
        #expect(result.rows == 11)
        #expect(result.errorCount == 10)
    }

    @Test("LOC-09 A collection in the reference system it names")
    func geoJSON() throws {
        let result = try Fixture.file("stories.geojson")
        #expect(result.format == .geoJSON)
        #expect(result.errorCount == 0, "\(result.errorSummary())")
        #expect(result.stories.map(\.title) == ["City Hall", "A parade", "Nowhere"])
        #expect(result.stories.map(\.row) == [1, 2, 3])
        #expect(result.stories[0].sourceID == "17")
        #expect(result.stories[1].sourceID == "p")
        #expect(result.stories[0].kind == .photo)
        #expect(result.stories[1].kind == .interview)
        #expect(result.stories[0].date?.text == "1936")
        #expect(result.stories[0].tags == ["photo", "street"])
        let hall = try #require(result.stories[0].location?.coordinate)
        #expect(abs(hall.latitude - 40.714349213) < 1e-8)
        #expect(abs(hall.longitude + 74.005969527) < 1e-8)
        let parade = try #require(result.stories[1].places.first?.shape)
        #expect(parade.type == "LineString" && result.stories[1].location?.coordinate == parade.anchor)
        #expect(result.stories[2].location == nil)
        let expected = [
            "stories.geojson: type: a type that is not a kind of story was ignored (rows: 1)",
            "stories.geojson: nothing was read from the property colour",
        ]
        #expect(result.problems.map(\.description) == expected)
    }

    @Test("A sequence of features: a broken record is a bad row, not a broken file")
    func sequence() throws {
        let result = try Fixture.file("stories.geojsonseq") { $0.skipsBadRows = true }
        #expect(result.format == .geoJSONSequence)
        #expect(result.stories.map(\.title) == ["One"])
        #expect(result.errors.map(\.row) == [2, 3])
        let unnamed = try Fixture.read(Fixture.bytes("stories.geojsonseq"), name: "upload") { $0.skipsBadRows = true }
        #expect(unnamed.stories.map(\.title) == ["One"])
    }

    @Test("Waypoints of a GPX file")
    func waypoints() throws {
        let result = try Fixture.file("waypoints.gpx")
        #expect(result.errorCount == 0, "\(result.errorSummary())")
        #expect(result.format == .gpx)
        #expect(result.stories.map(\.title) == ["Old mill", "Bridge"])
        #expect(result.stories.map(\.row) == [3, 4])
        #expect(result.stories[0].text == "By the creek.")
        #expect(result.stories[0].date?.text == "2019-05-04T10:00:00Z")
        #expect(result.stories[0].location?.coordinate == Coordinate(latitude: 33.7554, longitude: -84.3736))
        #expect(try Fixture.read(Fixture.bytes("waypoints.gpx"), name: "upload").stories.count == 2)
        let projected = try Fixture.file("waypoints.gpx") { $0.referenceSystem = "EPSG:26918" }
        #expect(projected.isRefused)
    }

    @Test("Packed files are unpacked whatever their names", arguments: ["stories.csv.gz", "stories.csv", "upload"])
    func packed(name: String) throws {
        let packed = try Gzip.compress(try Fixture.bytes("stories.csv"))
        let result = try Fixture.read(packed, name: name)
        #expect(result.stories.count == 4)
        #expect(result.stories.first?.source == (name == "upload" ? "upload" : "stories"))
        let cut = try Fixture.read(Array(packed.dropLast(9)), name: name)
        #expect(cut.isRefused)
        #expect(cut.problems.count == 1)
    }

    @Test("Two columns with the same name are rejected with their positions, as ambiguous")
    func repeatedColumn() throws {
        let text = Array("id,title,lat,lon,ID\n1,One,33.7,-84.3,2\n".utf8)
        let result = try Fixture.read(text)
        #expect(result.isRefused && result.stories.isEmpty)
        let message = "the first line names the column ID twice, as columns 1 and 5; remove one or give it another name"
        #expect(result.errors.map(\.message) == [message] && result.errors.map(\.row) == [1])
        // What nothing is read from may stand there as often as it likes.
        #expect(try Fixture.read(Array("title,lat,lon,x1,x1\nOne,33.7,-84.3,,\n".utf8)).stories.count == 1)
    }

    @Test("LOC-09 Columns x and y in a given reference system")
    func projectedTable() throws {
        let text = Array("title,x,y\nCity Hall,583960,4507523\nBeyond,1e30,5\n".utf8)
        let result = try Fixture.read(text) {
            $0.referenceSystem = "EPSG:26918"
            $0.skipsBadRows = true
        }
        let hall = try #require(result.stories.first?.location?.coordinate)
        #expect(abs(hall.latitude - 40.714349213) < 1e-8)
        #expect(result.errors.map(\.row) == [3])
        let unknown = try Fixture.read(text) { $0.referenceSystem = "EPSG:999999" }
        #expect(unknown.isRefused)
        #expect(unknown.problems.first?.field == "crs")
        #expect(unknown.problems.first?.message.contains("EPSG:999999") == true)
        let plain = try Fixture.read(text)
        #expect(plain.errors.first?.message == "583960.0 is not between -180 and 180; for metres or feet give --crs")
    }
}
