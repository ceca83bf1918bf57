import Geometry
import Importing
import Stories
import Testing

@Suite("Columns of imports")
struct ColumnTests {
    private func choices(map: [String] = [], ignore: [String] = []) throws -> ColumnChoices {
        var choices = ColumnChoices()
        for text in map { try choices.map(text) }
        for name in ignore { choices.ignore(name) }
        return choices
    }

    private func read(
        _ text: String,
        name: String = "file.csv",
        map: [String] = [],
        ignore: [String] = [],
        privacy: Privacy? = nil
    ) throws -> ImportResult {
        let columns = try choices(map: map, ignore: ignore)
        return try Fixture.read(Array(text.utf8), name: name) {
            $0.columns = columns
            if let privacy { ($0.privacy, $0.privacyIsGiven) = (privacy, true) }
        }
    }

    @Test("Fields are read from the columns that the operator names, and from no other")
    func mapped() throws {
        let text = "Titel,Breite,Länge,lat,Notiz\nMühle,47.5,8.5,1,x\n"
        let result = try read(text, map: ["title=titel", "lat=Breite", "lon=Länge", "text = Notiz"], ignore: ["lat"])
        #expect(result.problems.isEmpty, "\(result.problems)")
        let story = try #require(result.stories.first)
        #expect(story.title == "Mühle" && story.text == "x")
        #expect(story.location?.coordinate.latitude == 47.5 && story.location?.coordinate.longitude == 8.5)
        let absent = try read(text, map: ["title=Titel", "lat=Höhe"])
        #expect(absent.errors.first?.message.hasPrefix("no column is called Höhe") == true && absent.stories.isEmpty)
        let feature = #"{"type":"Feature","geometry":null,"properties":{"Titel":"Mühle","Autor":"x"}}"#
        #expect(
            try read(feature, name: "a.json", map: ["title=Titel"], ignore: ["Autor"]).stories.first?.title == "Mühle"
        )
        #expect(try read(feature, name: "a.json", map: ["title=Titel", "text=Text"]).isRefused)
    }

    @Test("A choice that cannot be meant is refused", arguments: ["lat", "lat=", "breite=lat", "lon=A"])
    func badChoices(text: String) throws {
        #expect(throws: ImportProblem.self) { try choices(map: ["lat=A", text]) }
    }

    @Test(
        "PRV-01 A column that restricts who sees what can be neither ignored nor read as something else",
        arguments: ["privacy,private", "public,0", "precision,hidden", "location_source,ai_extracted", "cell,1"]
    )
    func restricting(cell: String) throws {
        let parts = cell.split(separator: ",").map(String.init)
        let text = "title,\(parts[0])\nA,\(parts[1])\n"
        #expect(try read(text, ignore: [parts[0]]).isRefused)
        #expect(try read(text, map: ["text=\(parts[0])"]).isRefused)
        let feature =
            "{\"type\":\"Feature\",\"geometry\":null,\"properties\":{\"title\":\"A\",\"\(parts[0])\":\"\(parts[1])\"}}"
        #expect(try read(feature, name: "a.json", ignore: [parts[0]]).isRefused)
        let isPrivacy = ["privacy", "public"].contains(parts[0])
        #expect(try read(text, ignore: [parts[0]], privacy: .private).isRefused == !isPrivacy)
    }

    @Test("PRV-08 The size of a cell without a precision is an error: the point would be published")
    func cellAlone() throws {
        let text = "title,lat,lon,cell\nA,1,2,0.1\nB,1,2,\nC,1,2,404 555 0100\n"
        #expect(try read(text).errors.map(\.row) == [2])
        #expect(try read("title,lat,lon,cell,precision\nA,1,2,0.1,approximate\n").errors.isEmpty)
    }

    @Test("PRV-01 An empty cell in a column for the privacy is an error, unless the operator gives one")
    func emptyPrivacy() throws {
        for name in ["privacy", "is_public"] {
            let text = "title,\(name)\nA,\(name == "privacy" ? "private" : "no")\nB,\n"
            #expect(try read(text).errors.map(\.row) == [3])
            #expect(try read(text, privacy: .familyOnly).stories.map(\.privacy) == [.private, .familyOnly])
        }
        let features =
            #"{"type":"Feature","geometry":null,"properties":{"title":"A","privacy":"private"}}"#
            + "\n" + #"{"type":"Feature","geometry":null,"properties":{"title":"B","privacy":null}}"#
        #expect(try read(features, name: "a.ndjson").isRefused)
        #expect(try read(features, name: "a.ndjson", privacy: .private).stories.count == 2)
    }

    @Test(
        "PRV-01 Columns that seem to say who may see a story reject the file",
        arguments: [
            "isPrivate,0", "Confidential,", "RESTRICTIONS,x", "visibility,1", "access,3", "Access Rights,x",
            "Embargoed until,x",
            "published,no", "Status,closed", "who,family", "Audience,staff only", "Consent,false",
        ]
    )
    func guessed(cell: String) throws {
        let parts = cell.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let refused = try read("title,\(parts[0])\nA,\(parts[1])\n")
        #expect(refused.isRefused && refused.errors.first?.message.contains("--ignore") == true)
        #expect(try read("title,\(parts[0])\nA,\(parts[1])\n", ignore: [parts[0]]).stories.count == 1)
        #expect(try read("title,\(parts[0])\nA,\(parts[1])\n", privacy: .public).stories.count == 1)
    }

    @Test(
        "Columns that only look like it do not",
        arguments: [
            "confidence,0.9", "Accession Number,7", "Secretary,Jane", "Privileges,none", "accessURI,https://x.org",
            "rank,private;sergeant", "theme,family;work", "Status,open", "published,1936", "Access Point,7",
        ]
    )
    func notGuessed(cell: String) throws {
        let parts = cell.split(separator: ",").map(String.init)
        let rows = parts[1].split(separator: ";").map { "A,\($0)\n" }.joined()
        let result = try read("title,\(parts[0])\n" + rows)
        #expect(!result.isRefused, "\(result.errors)")
    }

    @Test("PRV-08 Our own exports come back: beside a privacy, marks and names of people are no settings")
    func ownExports() throws {
        let header = "id,title,privacy,owner,owner_name,auto_private\n"
        #expect(try read(header + "1,A,public,family,Family,0\n").stories.count == 1)
        let feature =
            #"{"type":"Feature","geometry":null,"properties":{"title":"A","privacy":"public","owner":"family","#
            + #""hidden":true,"favourite":false,"family":"reed","auto_private":false}}"#
        #expect(try read(feature, name: "a.ndjson").stories.count == 1)
        #expect(try read("title,privacy,restricted\nA,public,yes\n").isRefused)
    }

    @Test("PRV-08 Our own export as GDAL makes it a table keeps the precision, the names and the lists")
    func exportThroughGDAL() throws {
        let location =
            #"{ "lat": 33.75, "precision": "approximate", "cell": 0.1, "city": "Port", "derived": [ "city" ] }"#
        let quoted = "\"" + location.replacing("\"", with: "\"\"") + "\""
        let table =
            "WKT,title,tags,privacy,location\nPOINT (-84.39 33.75),A,\"[ \"\"a, b\"\", \"\"c\"\" ]\",public,\(quoted)\n"
        let feature =
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[-84.39,33.75]},"properties":{"title":"A","#
            + #""privacy":"public","tags":["a, b","c"],"location":"\#(location.replacing("\"", with: "\\\""))"}}"#
        for result in [try read(table), try read(feature, name: "a.json")] {
            let story = try #require(result.stories.first, "\(result.problems)")
            #expect(story.location?.precision == .approximate(.tenth) && story.location?.names == [:])
            #expect(story.tags == ["a, b", "c"])
        }
    }

    @Test("The survey says what each column is read as")
    func survey() throws {
        let text = "Dublin Core:Title,title,public,sensitivity,Breite,x\nA,,1,,47,1\n"
        var options = try Fixture.options()
        options.columns = try choices(map: ["lat=Breite"], ignore: ["x"])
        let survey = try ColumnSurvey(Array(text.utf8), fileName: "a.csv", options: options)
        #expect(survey.columns.map(\.field) == ["title", "title", "is_public", nil, "lat", nil])
        #expect(survey.columns.map(\.example) == ["A", nil, "1", nil, "47", "1"])
        #expect(survey.columns[3].note == "looks like a privacy setting" && survey.columns[5].note == "ignored")
        #expect(survey.encoding == "UTF-8" && survey.format == .csv)
    }

    @Test("Columns without a name are surveyed one by one, and gaps between ticks are seen")
    func unnamed() throws {
        let text = "title,,lat,lon,,Published\nA,foo,1,2,,x\nB,,1,2,bar,\n"
        let survey = try ColumnSurvey(Array(text.utf8), fileName: "a.csv", options: try Fixture.options())
        #expect(survey.columns.map(\.name) == ["title", "column 2", "lat", "lon", "column 5", "Published"])
        #expect(survey.columns[1].example == "foo" && survey.columns[4].example == "bar")
        #expect(survey.columns[5].note == "looks like a privacy setting")
    }

    @Test("What 'geocode --batch' wrote is read with the name and the kind as the place's, not the story's")
    func geocoded() throws {
        let header = "title,where,lat,lon,name,kind,confidence\n"
        let story = try #require(try read(header + "A,Selma AL,32.4,-87.0,\"Selma, Alabama\",city,0.9\n").stories.first)
        #expect(story.title == "A" && story.kind == .interview && story.location?.names == [.name: "Selma, Alabama"])
    }

    @Test(
        "What 'geocode --batch' wrote is read the same after ogr2ogr made another table of it",
        arguments: [
            "title,where,lat,lon,name,kind,confidence\nA,Selma AL,32.4,-87.0,\"Selma, Alabama\",city,0.9\n",
            "X,Y,title,where,name,kind,confidence\n-87.0,32.4,A,Selma AL,\"Selma, Alabama\",city,0.9\n",
            "WKT,title,lat,lon,name,kind,confidence\nPOINT (-87.0 32.4),A,32.4,-87.0,\"Selma, Alabama\",city,0.9\n",
            "name,city,lat,lon,name,kind,confidence\nA,,32.4,-87.0,\"Selma, Alabama\",city,0.9\n",
            "name,city,lat,lon,name2,kind,confidence\nA,,32.4,-87.0,\"Selma, Alabama\",city,0.9\n",
            "name,city,lat,lon,name_1,kind,confidence\nA,,32.4,-87.0,\"Selma, Alabama\",city,0.9\n",
        ]
    )
    func geocodedTables(text: String) throws {
        let result = try read(text)
        let story = try #require(result.stories.first, "\(result.problems)")
        #expect(story.title == "A" && story.kind == .interview && story.location?.names == [.name: "Selma, Alabama"])
        #expect(story.location?.coordinate == Coordinate(latitude: 32.4, longitude: -87))
    }

    @Test("What 'geocode --batch' wrote is read the same after ogr2ogr made features of it")
    func geocodedFeatures() throws {
        let found = #""kind":"city","confidence":"0.9""#
        let point = #"{"type":"Point","coordinates":[-87,32.4]}"#
        for (geometry, properties) in [
            (point, #""title":"A","lat":"32.4","lon":"-87.0","name":"Selma, Alabama""#),
            (point, #""title":"A","name":"Selma, Alabama""#),
            ("null", #""title":"A","lat":"32.4","lon":"-87.0","name":"Selma, Alabama""#),
            (point, #""name":"A","city":"","name2":"Selma, Alabama""#),
        ] {
            let feature = "{\"type\":\"Feature\",\"geometry\":\(geometry),\"properties\":{\(properties),\(found)}}"
            let result = try read(feature, name: "a.json")
            let story = try #require(result.stories.first, "\(result.problems)")
            #expect(story.title == "A" && story.kind == .interview)
            #expect(story.location?.names == [.name: "Selma, Alabama"])
            #expect(story.location?.coordinate == Coordinate(latitude: 32.4, longitude: -87))
        }
        // A row for which nothing was found, and a story that has a kind and a confidence of its own.
        let empty = #""title":"A","lat":"","lon":"","name":"","kind":"","confidence":"""#
        let own = #""title":"A","name":"B","kind":"photo","confidence":0.9"#
        for (properties, kind) in [(empty, StoryKind.interview), (own, .photo)] {
            let feature = "{\"type\":\"Feature\",\"geometry\":null,\"properties\":{\(properties)}}"
            let result = try read(feature, name: "a.json")
            let story = try #require(result.stories.first, "\(result.problems)")
            #expect(story.title == "A" && story.kind == kind && story.location == nil)
        }
        let feature =
            "{\"type\":\"Feature\",\"geometry\":\(point),\"properties\":{\"title\":\"A\",\"name\":\"B\",\(found)}}"
        let survey = try ColumnSurvey(Array(feature.utf8), fileName: "a.json", options: try Fixture.options())
        #expect(survey.columns.map(\.name) == ["confidence", "kind", "name", "title"])
        #expect(survey.columns.map(\.field) == [nil, nil, "place_name", "title"])
    }

    @Test("Files of common programs", arguments: CollectionStyle.all)
    func styles(style: CollectionStyle) throws {
        let result = try read(style.text)
        #expect(!result.isRefused, "\(result.errors)")
        let story = try #require(result.stories.first)
        #expect(story.sourceID == style.id && story.title == style.title)
        let coordinate = try #require(story.location?.coordinate)
        #expect(abs(coordinate.latitude - 33.75) < 0.001 && abs(coordinate.longitude + 84.39) < 0.001)
    }
}

/// A table as a program writes it, of one story at 33.75, -84.39.
struct CollectionStyle: CustomTestStringConvertible, Sendable {
    let program: String
    let text: String
    let id: String
    let title = "Mill"

    var testDescription: String { program }

    static let all: [CollectionStyle] = [
        .init(
            program: "Omeka Classic",
            text:
                "Dublin Core:Title,Dublin Core:Identifier,geolocation:latitude,geolocation:longitude,public\nMill,om-1,33.75,-84.39,1\n",
            id: "om-1"
        ),
        .init(
            program: "Omeka S",
            text: "o:id,dcterms:title[en],dcterms:spatial,o:is_public\n7,Mill,\"33.75, -84.39\",1\n",
            id: "7"
        ),
        .init(
            program: "CollectionBuilder",
            text:
                "objectid,filename,title,location,latitude,longitude,image_thumb\nd_1,a.jpg,Mill,Atlanta,33.75,-84.39,\n",
            id: "d_1"
        ),
        .init(
            program: "Darwin Core",
            text:
                "occurrenceID,scientificName,decimalLatitude,decimalLongitude,geodeticDatum\nurn:1,Mill,33.75,-84.39,WGS84\n",
            id: "urn:1"
        ),
        .init(
            program: "exiftool",
            text:
                "SourceFile,Title,GPSLatitude,GPSLongitude\na.jpg,Mill,\"33 deg 45' 0.00\"\" N\",\"84 deg 23' 24.00\"\" W\"\n",
            id: "a.jpg"
        ),
        .init(
            program: "exiftool with references",
            text: "SourceFile,Title,EXIF:GPSLatitude,EXIF:GPSLatitudeRef,EXIF:GPSLongitude,EXIF:GPSLongitudeRef\n"
                + "a.jpg,Mill,33.75,N,84.39,W\n",
            id: "a.jpg"
        ),
        .init(program: "ArcGIS", text: "OBJECTID,GlobalID,Name,POINT_X,POINT_Y\n1,{A},Mill,-84.39,33.75\n", id: "{A}"),
        .init(
            program: "PastPerfect",
            text: "OBJECTID,OBJNAME,TITLE,Accession Number,LAT,LONG\n78.1,Photograph,Mill,78,33.75,-84.39\n",
            id: "78.1"
        ),
        .init(program: "Google My Maps", text: "WKT,name,id\nPOINT (-84.39 33.75),Mill,1\n", id: "1"),
    ]
}
