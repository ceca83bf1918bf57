import Formats
import Geometry
import Importing
import Stories
import Testing

@Suite("LOC-10 Further places in files")
struct FurtherPlaceTests {
    private static func feature(_ places: String) -> String {
        #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"1","geometry":null,"properties":{"title":"Good"}},"#
            + #"{"type":"Feature","id":"2","geometry":null,"properties":{"title":"Ida","places":\#(places)}}]}"#
    }

    @Test("A list of places has roles, seconds, shapes, precisions and names; derived names are left to the gazetteer")
    func whole() throws {
        let places = """
            [{"role":"born","lat":33.75,"lon":-84.39,"name":"Here","city":"Atlanta","derived":["city"],"doubtful":false},
            {"seconds":760.2504,"precision":"approximate","cell":0.1,"family_sees_exact":true,"lat":1,"lon":1,
            "geometry":{"type":"LineString","coordinates":[[10,50],[11,51]]}},{"lat":5,"lon":6,"source":"ai_extracted"}]
            """
        let result = try Fixture.text(Self.feature(places), name: "a.geojson")
        #expect(!result.isRefused && result.problems.isEmpty, "\(result.problems)")
        let found = try #require(result.stories.last?.places)
        #expect(found.map(\.role.rawValue) == ["born", "spoken_of", "spoken_of"])
        #expect(found[0].location.names == [.name: "Here"] && found[0].isConfirmed)
        #expect(found[1].seconds == 760.25 && found[1].location.precision == .approximate(.tenth))
        #expect(found[1].shape?.cornerCount == 2 && found[1].location.familySeesExact)
        #expect(found[1].location.coordinate == Coordinate(latitude: 50.5, longitude: 10.5), "not lat and lon")
        #expect(!found[2].isConfirmed, "what a program extracted waits")
    }

    @Test(
        "A shape of several parts is kept as given, in GeoJSON and in well-known text; other parts make another place",
        arguments: [
            (#"{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}"#, "MULTIPOINT((1 2),(3 4))"),
            (#"{"type":"MultiLineString","coordinates":[[[1,2],[3,4]]]}"#, "SRID=4326;MULTILINESTRING((1 2,3 4))"),
            (
                #"{"type":"MultiPolygon","coordinates":[[[[0,0],[2,0],[2,2],[0,0]]],[[[5,5],[6,5],[6,6],[5,5]]]]}"#,
                "MULTIPOLYGON (((0 0, 2 0, 2 2, 0 0)), ((5 5, 6 5, 6 6, 5 5)))"
            ),
            (
                #"{"type":"MultiPolygon","coordinates":[[[[0,0],[9,0],[9,9],[0,0]],[[5,2],[6,2],[6,3],[5,2]]]]}"#,
                "MULTIPOLYGON Z(((0 0 1, 9 0 1, 9 9 1, 0 0 1), (5 2 1, 6 2 1, 6 3 1, 5 2 1)))"
            ),
        ]
    )
    func parts(json: String, text: String) throws {
        let places = try [json, #""\#(text)""#]
            .map { geometry in
                let result = try Fixture.text(Self.feature(#"[{"geometry":\#(geometry)}]"#), name: "a.geojson")
                #expect(!result.isRefused, "\(result.problems)")
                return try #require(result.stories.last?.places.first)
            }
        #expect(places[0] == places[1] && places[0].shape?.hasParts == true)
        var written = JSONWriter()
        PlaceGeometry.write(places[0].place(id: StoryID(high: 0, low: 1)), to: &written)
        #expect(written.text == json)
    }

    @Test("Shapes with the same corners in other parts are not the same place")
    func identity() {
        let ring = [(0.0, 0.0), (2, 0), (2, 2), (0, 0)].map { PlaceShape.Corner(longitude: $0.0, latitude: $0.1) }
        let shapes: [PlaceShape] = [
            .line(ring), .multiPoint(ring), .multiLine([ring]), .multiLine([ring, ring]), .multiPolygon([[ring]]),
            .multiPolygon([[ring, ring]]), .multiPolygon([[ring], [ring]]),
        ]
        let point = StoryLocation(coordinate: Coordinate(wrappingLatitude: 0, longitude: 0))
        let places = shapes.map { StoryPlace(id: StoryID(high: 0, low: 1), role: .born, location: point, shape: $0) }
        #expect(Set(places.map(\.identity)).count == shapes.count)
    }

    @Test("A table has them as JSON in the column places; other words there are left out, and it is said")
    func table() throws {
        let json = #""[{""role"":""born"",""lat"":1,""lon"":2}]""#
        let result = try Fixture.text("title,places\nA,\(json)\nB,\nC,Selma; Rome\nD,\"[\"\"Selma\"\"]\"\n")
        #expect(result.stories.map(\.places.count) == [1, 0, 0, 0])
        #expect(result.warnings.map(\.row) == [4, 5] && result.warnings.allSatisfy { $0.field == "places" })
    }

    @Test(
        "LOC-07 A wrong place names its row, its number and its field, and nothing of the row is read",
        arguments: [
            (#"[{"lat":1,"lon":2},{"lat":91,"lon":2}]"#, "places[1].lat"), (#"[{"role":"born"}]"#, "places[0].lat"),
            (#"[{"lat":1,"lon":2,"role":"Born!"}]"#, "places[0].role"),
            (#"[{"lat":1,"lon":2,"role":7}]"#, "places[0].role"),
            (#"[{"lat":1,"lon":2,"seconds":"x"}]"#, "places[0].seconds"),
            (#"[{"lat":1,"lon":2,"seconds":-1}]"#, "places[0].seconds"),
            (#"[{"lat":1,"lon":2,"precision":"roughly"}]"#, "places[0].precision"),
            (#"[{"lat":1,"lon":2,"precision":"approximate","cell":0.5}]"#, "places[0].cell"),
            (#"[{"lat":1,"lon":2,"cell":0.1}]"#, "places[0].cell"),
            (#"[{"lat":1,"lon":2,"source":"dream"}]"#, "places[0].source"),
            (#"[{"lat":1,"lon":2,"confirmed":"yes"}]"#, "places[0].confirmed"),
            (#"[{"lat":1,"lon":2,"name":7}]"#, "places[0].name"),
            (#"[{"lat":1,"lon":2,"role":"recorded","precision":"hidden"}]"#, "places[0].role"),
            (#"[{"geometry":{"type":"MultiPoint","coordinates":[]}}]"#, "places[0].geometry"),
            (#"[{"geometry":"MULTIPOLYGON(((0 0,2 0,2 2,0 2)))"}]"#, "places[0].geometry"),
            (#"[{"geometry":"SRID=26918;POINT(1 2)"}]"#, "places[0].geometry"),
            (#"[{"geometry":"POINT EMPTY"}]"#, "places[0].geometry"),
            (#"[{"geometry":{"type":"LineString","coordinates":[[170,0],[550,0]]}}]"#, "places[0].geometry"),
        ]
    )
    func wrong(places: String, field: String) throws {
        let refused = try Fixture.text(Self.feature(places), name: "a.geojson")
        #expect(refused.isRefused && Set(refused.errors.map(\.row)) == [2] && refused.errors.first?.field == field)
        #expect(refused.errors.first?.description.hasPrefix("a.geojson:2: \(field): ") == true)
        let skipped = try Fixture.read(Array(Self.feature(places).utf8), name: "a.geojson") { $0.skipsBadRows = true }
        #expect(skipped.stories.map(\.title) == ["Good"])
        // The same in a table.
        let cell = places.replacing("\"", with: "\"\"")
        let table = try Fixture.text("title,places\nGood,\nIda,\"\(cell)\"\n")
        #expect(table.isRefused && Set(table.errors.map(\.row)) == [3] && table.errors.first?.field == field)
    }

    @Test("Damaged JSON, too many places, and an id that occurs twice are errors")
    func limits() throws {
        #expect(try Fixture.text("title,places\nA,\"[{\"\"lat\"\":1,\"\n").errors.first?.field == "places")
        let place = #"{"lat":1,"lon":2}"#
        let many = "[" + Array(repeating: place, count: 51).joined(separator: ",") + "]"
        #expect(try Fixture.text(Self.feature(many), name: "a.geojson").errors.first?.field == "places")
        let id = String(repeating: "0", count: 31)
        func row(_ number: Int) -> String {
            let times = #""created_at":"2020-01-01T00:00:00Z","updated_at":"2020-01-01T00:00:00Z""#
            let list = #"[{"id":"\#(id)1","lat":1,"lon":2}]"#
            let properties = #"{"title":"A",\#(times),"places":\#(list)}"#
            return #"{"type":"Feature","id":"\#(id)\#(number)","geometry":null,"properties":\#(properties)}"#
        }
        let twice = Array("\(row(1))\n\(row(2))\n".utf8)
        let result = try Fixture.read(twice, name: "a.ndjson") { $0.keepsIDs = true }
        #expect(result.errors.map(\.row) == [2] && result.errors.first?.field == "places")
        let once = try Fixture.read(Array(row(1).utf8), name: "a.ndjson") { $0.keepsIDs = true }
        #expect(once.stories.first?.places.first?.keptID == StoryID(id + "1"))
    }
}
