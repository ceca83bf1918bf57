import App
import Formats
import Foundation
import Geometry
import HTTPTypes
import Importing
import Library
import Storage
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("LOC-10 Lines and areas of files as extents of locations")
struct DrawnImportTests {
    private static let square = "[[10,50],[12,50],[12,52],[10,52],[10,50]]"
    private static let hole = "[[10.5,50.25],[10.5,50.5],[10.75,50.5],[10.5,50.25]]"
    private static let area = #"{"type":"Polygon","coordinates":[\#(square),\#(hole)]}"#
    private static let wider = #"{"type":"Polygon","coordinates":[[[10,50],[12,50],[12,52.5],[10,52],[10,50]]]}"#
    private static let line = #"{"type":"LineString","coordinates":[[10.123456789,50],[11,51],[12,51]]}"#
    private static let areas =
        #"{"type":"MultiPolygon","coordinates":[[\#(square),\#(hole)],[[[20,40],[21,40],[21,41],[20,40]]]]}"#

    private static func row(_ geometry: String, _ properties: String = "", title: String = "One") -> String {
        #"{"type":"Feature","id":"1","geometry":\#(geometry),"properties":{"title":"\#(title)"\#(properties)}}"#
    }

    @discardableResult
    private static func send(_ client: Client, _ body: String) async throws -> JSONValue {
        let reply = try await client.send(.post, "/v1/imports?name=a.ndjson&source=a", as: "ana", body)
        #expect(reply.json["state"]?.string == "complete", "\(String(decoding: reply.bytes, as: UTF8.self))")
        return reply.json
    }

    private static func feature(_ client: Client, as user: String?) async throws -> JSONValue {
        try #require(try await client.get("/v1/stories", as: user).json["features"]?[0])
    }

    private static func places(_ client: Client, as user: String?) async throws -> [JSONValue] {
        try await feature(client, as: user)["properties"]?["places"]?.array ?? []
    }

    private static func path(_ client: Client) async throws -> String {
        let id = try #require(try await feature(client, as: "ana")["id"]?.string)
        return "/v1/stories/" + id
    }

    private static func patch(_ client: Client, _ path: String, _ body: String) async throws {
        let reply = try await client.send(.patch, path, as: "ana", body)
        #expect(reply.status == 200, "\(String(decoding: reply.bytes, as: UTF8.self))")
    }

    @Test("The same shape again is no change, another is one, and undoing it brings the first back")
    func again() async throws {
        try await ServiceFixture()
            .run { client async throws in
                try await Self.send(client, Self.row(Self.area))
                let given = try JSONValue(parsing: Array(Self.area.utf8))
                let other = try JSONValue(parsing: Array(Self.wider.utf8))
                var places = try await Self.places(client, as: nil)
                #expect(places.count == 1 && places[0]["geometry"] == given && places[0]["role"]?.string == "extent")
                let id = places[0]["id"]
                #expect(try await Self.send(client, Self.row(Self.area))["unchanged"]?.integer == 1)
                let changed = try await Self.send(client, Self.row(Self.wider))
                #expect(changed["changed"]?.integer == 1, "\(changed)")
                places = try await Self.places(client, as: nil)
                #expect(places.count == 1 && places[0]["geometry"] == other)
                let number = try #require(changed["id"]?.string)
                let undone = try await client.send(.delete, "/v1/imports/\(number)", as: "ana")
                #expect(undone.json["state"]?.string == "undone", "\(String(decoding: undone.bytes, as: UTF8.self))")
                places = try await Self.places(client, as: nil)
                #expect(places.count == 1 && places[0]["geometry"] == given && places[0]["id"] == id)
                // A row that is a point now has no extent.
                try await Self.send(client, Self.row(#"{"type":"Point","coordinates":[11,51]}"#))
                #expect(try await Self.places(client, as: "ana").isEmpty)
            }
    }

    @Test(
        "PRV-01 PRV-03 LOC-08 Of a coarse or hidden area others get what they get of a point there",
        arguments: [
            (#","precision":"approximate","cell":0.1"#, 1, false), (#","precision":"hidden""#, 0, false),
            (#","precision":"hidden","family_sees_exact":true"#, 0, true),
            (#","location_source":"ai_extracted""#, 0, false), ("", 1, true),
        ]
    )
    func shown(properties: String, count: Int, isFamilyTrusted: Bool) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            try await Self.send(client, Self.row(Self.area, properties))
            for viewer in ["cora", nil] {
                let reply = try await client.get("/v1/stories", as: viewer)
                let text = String(decoding: reply.bytes, as: UTF8.self)
                #expect(text.contains("Polygon") == properties.isEmpty && text.contains("50.25") == properties.isEmpty)
                #expect(try await Self.places(client, as: viewer).count == count)
            }
            let place = try await Self.places(client, as: "cora").first
            if !properties.isEmpty, count == 1 { #expect(place?["geometry"]?["type"]?.string == "Point") }
            let family = try await Self.places(client, as: "ben").first
            #expect((family?["geometry"]?["type"]?.string == "Polygon") == isFamilyTrusted)
            #expect(try await Self.places(client, as: "ana").first?["geometry"]?["type"]?.string == "Polygon")
        }
    }

    @Test("LOC-02 LOC-08 LOC-11 Who hides, moves or removes a location means its extent too, also later")
    func owner() async throws {
        for (change, shown, own) in [
            (#"{"location":{"precision":"hidden"}}"#, 0, 1), (#"{"location":{"lat":1,"lon":1}}"#, 0, 0),
            (#"{"location":null}"#, 0, 0), (#"{"location":{"lat":51.5,"lon":10.5}}"#, 1, 1),
        ] {
            try await ServiceFixture()
                .run { client async throws in
                    try await Self.send(client, Self.row(Self.area))
                    try await Self.patch(client, try await Self.path(client), change)
                    #expect(try await Self.places(client, as: "cora").count == shown, "\(change)")
                    for title in ["Two", "Three"] {
                        try await Self.send(client, Self.row(title == "Two" ? Self.area : Self.wider, title: title))
                        #expect(try await Self.places(client, as: "cora").count == shown, "\(change)")
                        #expect(try await Self.places(client, as: "ana").count == own, "\(change)")
                    }
                }
        }
    }

    @Test("PRV-09 LOC-08 A location moved in its coarse extent shows one cell; one that shows more warns")
    func oneCell() async throws {
        try await ServiceFixture()
            .run { client async throws in
                try await Self.send(client, Self.row(Self.area, #","precision":"approximate","cell":0.1"#))
                let path = try await Self.path(client)
                try await Self.patch(client, path, #"{"location":{"lat":51.72,"lon":10.43}}"#)
                let shown = try await Self.feature(client, as: "cora")
                let place = try #require(shown["properties"]?["places"]?[0])
                let point = shown["geometry"]?["coordinates"]
                #expect(place["role"]?.string == "extent" && place["geometry"]?["coordinates"] == point)
                #expect(place["lat"] == shown["properties"]?["location"]?["lat"])
                let markers = try await client.get("/v1/clusters?bbox=10,50,13,52.5&zoom=10").json["features"]
                #expect(markers?.array?.count == 1)
                // Its owner shows the shape all the same, and is warned of what that tells.
                let id = try #require(place["id"]?.string)
                let exact = #"{"precision":"exact"}"#
                let reply = try await client.send(.patch, path + "/places/\(id)", as: "ana", exact)
                #expect(reply.status == 200 && reply.json["warnings"]?[0]?["code"]?.string == "extent")
                let read = try await client.get(path, as: "ana")
                #expect(read.headers[.eTag] == reply.headers[.eTag] && read.json["warnings"] == reply.json["warnings"])
                let text = String(decoding: try await client.get(path, as: "cora").bytes, as: UTF8.self)
                #expect(text.contains("Polygon") && !text.contains("warnings"))
                let same = try await client.send(.patch, path, as: "ana", #"{"location":{"precision":"exact"}}"#)
                #expect(same.status == 200 && same.json["warnings"] == nil)
            }
    }

    @Test("PRV-01 What was imported as a point and hidden since gets an extent that is as hidden")
    func later() async throws {
        try await ServiceFixture()
            .run { client async throws in
                try await Self.send(client, Self.row(#"{"type":"Point","coordinates":[11,51]}"#))
                try await Self.patch(
                    client,
                    try await Self.path(client),
                    #"{"location":{"precision":"approximate","cell":0.1}}"#
                )
                try await Self.send(client, Self.row(Self.wider))
                let own = try await Self.places(client, as: "ana")
                #expect(own.count == 1 && own[0]["geometry"]?["type"]?.string == "Polygon")
                let shown = try await Self.places(client, as: "cora")
                #expect(shown.count == 1 && shown[0]["geometry"]?["type"]?.string == "Point")
            }
    }

    @Test("LOC-11 An extent that its owner removed does not come back with another title")
    func removed() async throws {
        try await ServiceFixture()
            .run { client async throws in
                try await Self.send(client, Self.row(Self.area))
                let place = try #require(try await Self.places(client, as: "ana").first?["id"]?.string)
                let path = try await Self.path(client) + "/places/\(place)"
                #expect(try await client.send(.delete, path, as: "ana").status == 204)
                try await Self.send(client, Self.row(Self.area, title: "Two"))
                let feature = try await Self.feature(client, as: "ana")
                #expect(feature["properties"]?["title"]?.string == "Two" && feature["geometry"]?.isNull == false)
                #expect(try await Self.places(client, as: "ana").isEmpty)
            }
    }

    @Test("NTF-03 An imported area is entered at its edge, beside its location; one of several parts at its point")
    func fences() async throws {
        func outlines(_ geometry: String, _ properties: String = "") async throws -> [Outline?] {
            let fixture = try await ServiceFixture()
            try await fixture.run { client async throws in
                try await Self.send(client, Self.row(geometry, properties))
            }
            let snapshot = fixture.library.map.snapshot()
            return snapshot.places(in: .world, StoryQuery(viewer: .anonymous), asPublished: true).map(\.outline)
        }
        let small = #"{"type":"Polygon","coordinates":[[[10,50],[10.1,50],[10.1,50.1],[10,50]]]}"#
        let found = try await outlines(small)
        #expect(found.count == 1 && found[0]?.distance(to: Coordinate(wrappingLatitude: 50.001, longitude: 10.09)) == 0)
        #expect(try await outlines(#"{"type":"Point","coordinates":[10,50]}"#) == [nil])
        #expect(try await outlines(small, #","precision":"approximate""#) == [nil])
        #expect(try await outlines(small, #","precision":"hidden""#).isEmpty)
        #expect(try await outlines(Self.areas) == [nil])
    }

    // MARK: - Out and back

    private static func fixture(
        reading bytes: [UInt8],
        _ name: String,
        keepsIDs: Bool = true
    ) async throws -> ServiceFixture {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        var options = StoryImporter.Options(owner: try #require(UserID("ana")))
        options.keepsIDs = keepsIDs
        let (result, _) = try await fixture.library.imports
            .add(reading: bytes, fileName: name, by: StoryImporter(options: options))
        #expect(!result.isRefused && result.errorCount == 0, "\(result.problems)")
        return fixture
    }

    @Test(
        "Stories with lines, areas with holes and several areas go out, come back and go out with the same bytes",
        arguments: [ExportFormat.geojson, .ndjson, .csv, .kml, .geoPackage]
    )
    func roundTrip(format: ExportFormat) async throws {
        let rows = [Self.line, Self.area, Self.areas].enumerated()
            .map { Self.row($1, title: "\($0)").replacing(#""id":"1""#, with: #""id":"\#($0)""#) }
        let given = Array((rows.joined(separator: "\n") + "\n").utf8)
        let first = try await Self.fixture(reading: given, "a.ndjson", keepsIDs: false)
        for name in ["ana", nil] {
            func viewer(_ fixture: ServiceFixture) async throws -> Viewer {
                guard let user = name.flatMap({ UserID($0) }) else { return .anonymous }
                return try #require(try await fixture.library.viewer(of: user))
            }
            let bytes = try await first.exported(format, as: try await viewer(first)).bytes
            let second = try await Self.fixture(reading: bytes, "export.\(format.rawValue)")
            let again = try await second.exported(format, as: try await viewer(second)).bytes
            #expect(again == bytes, "\(String(decoding: again.prefix(2_000), as: UTF8.self))")
            let shapes = try await second.library.store.read { reader in
                var shapes: [PlaceShape?] = []
                try reader.forEachStory { shapes += $0.places.filter { $0.role == .extent }.map(\.shape) }
                return Set(shapes.compactMap { $0?.type })
            }
            #expect(shapes == ["LineString", "Polygon", "MultiPolygon"])
        }
    }

    // MARK: - GeoPackages and Shapefiles of other programs

    private static func sample(_ name: String) throws -> [UInt8] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return Array(try Data(contentsOf: tests.appending(path: "ImportingTests/Samples/\(name)")))
    }

    @Test(
        "LOC-09 The areas of QGIS and GDAL are kept, converted corner by corner",
        arguments: [
            ("areas.gpkg.gz", true), ("areas-utm.gpkg.gz", false), ("areas.zip", false), ("areas.geojson", false),
            ("areas.geojsons", false), ("areas.kml", false), ("areas.csv", false),
        ]
    )
    func samples(name: String, isPromoted: Bool) async throws {
        let fixture = try await Self.fixture(reading: Self.sample(name), name, keepsIDs: false)
        let places = try await fixture.library.store.read { reader in
            var places: [String: [StoryPlace]] = [:]
            try reader.forEachStory { places[$0.title] = $0.places }
            return places
        }
        let mill = try #require(places["Mill"]?.first?.shape)
        let ferry = try #require(places["Ferry"]?.first?.shape)
        #expect(mill.lines.map(\.count) == [5, 4] && ferry.lines.map(\.count) == [5, 4])
        #expect(ferry.type == "MultiPolygon" && mill.type == (isPromoted ? "MultiPolygon" : "Polygon"))
        let corners = [(-84.4, 33.74), (-84.38, 33.76), (-84.399, 33.741)]
        for (longitude, latitude) in corners {
            #expect(
                mill.lines.joined()
                    .contains { abs($0.longitude - longitude) < 1e-8 && abs($0.latitude - latitude) < 1e-8 }
            )
        }
    }
}
