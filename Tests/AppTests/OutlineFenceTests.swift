import App
import Formats
import Geometry
import HTTPTypes
import Library
import Stories
import TestSupport
import Testing

@Suite("Fences of a story's lines and areas")
struct OutlineFenceTests {
    /// A position in metres east and north of the beginning of the street.
    private static func point(_ east: Double, _ north: Double) -> Coordinate {
        GreatCircle.destination(from: FenceStreet.point(east), bearing: north < 0 ? 180 : 0, distance: abs(north))
    }

    private static func geometry(_ type: String, _ lines: [[(Double, Double)]]) -> String {
        let texts = lines.map { line in
            let corners = line.map { east, north in
                let corner = point(east, north)
                return "[\(corner.longitude),\(corner.latitude)]"
            }
            return "[\(corners.joined(separator: ","))]"
        }
        let coordinates = type == "Polygon" ? "[\(texts.joined(separator: ","))]" : texts[0]
        return "\"geometry\":{\"type\":\"\(type)\",\"coordinates\":\(coordinates)}"
    }

    private static func square(_ half: Double, around east: Double = 0) -> [(Double, Double)] {
        [
            (east - half, -half), (east + half, -half), (east + half, half), (east - half, half), (east - half, -half),
        ]
    }

    /// Two kilometres of quarter around the beginning of the street.
    private static let quarter = geometry("Polygon", [square(1_000)])
    /// The same with a park of one kilometre in its middle, which does not belong to it.
    private static let ring = geometry("Polygon", [square(1_000), square(500)])
    /// Six kilometres of the street.
    private static let road = geometry("LineString", [[(-3_000, 0), (0, 0), (3_000, 0)]])

    /// Adds a story with a named area.
    private static func addNamedQuarter(_ street: FenceStreet) async throws {
        _ = try await add(quarter, ",\"name\":\"The quarter\"", to: story(street), street)
    }

    private static func add(
        _ geometry: String,
        _ fields: String = "",
        to story: String,
        _ street: FenceStreet
    )
        async throws -> String
    {
        let body = "{\(geometry)\(fields)}"
        let reply = try await street.client.send(.post, "/v1/stories/\(story)/places", as: "ana", body)
        #expect([201, 202].contains(reply.status), "\(String(decoding: reply.bytes, as: UTF8.self))")
        let path = try #require(reply.headers[.location])
        return String(try #require(path.split(separator: "/").last))
    }

    /// Walks down the street at a metre and a half a second, and waits for what is still undecided.
    private static func walk(from start: Double, to end: Double, _ street: FenceStreet) async throws {
        for metres in stride(from: start, through: end, by: start < end ? 30 : -30) {
            street.fixture.clock.advance(seconds: 20)
            try await street.report(metres)
        }
        street.fixture.clock.advance(seconds: 30)
        _ = try await street.fixture.library.fences.fireTimers()
    }

    /// A story whose own location is far away.
    private static func story(_ street: FenceStreet) async throws -> String {
        try await street.story("ana", at: 20_000, named: "The mill")
    }

    @Test("NTF-03 NTF-05 LOC-10 Who walks into an area is notified once, of it alone, however they come and go")
    func area() async throws {
        try await FenceStreet.run { street in
            let story = try await OutlineFenceTests.story(street)
            let name = ",\"role\":\"lived\",\"name\":\"The quarter\""
            let place = try await OutlineFenceTests.add(OutlineFenceTests.quarter, name, to: story, street)
            // Near the point of the area, and far from where it is entered.
            _ = try await street.story("ana", at: 60, named: "The bakery")
            try await OutlineFenceTests.walk(from: 1_500, to: 1_200, street)
            #expect(try await street.feed().isEmpty)
            try await OutlineFenceTests.walk(from: 1_200, to: 900, street)
            #expect(try await street.words() == ["The quarter: 1 story nearby"])
            let told = try #require(try await street.feed().first)
            #expect(told["content_ids"]?.array?.compactMap(\.string) == [story])
            #expect(told["story_places"]?[0]?["story_place"]?.string == place)
            // Out, and in again; then as far as the bakery.
            try await OutlineFenceTests.walk(from: 900, to: 1_500, street)
            try await OutlineFenceTests.walk(from: 1_500, to: 600, street)
            #expect(try await street.feed().count == 1)
            try await OutlineFenceTests.walk(from: 600, to: 60, street)
            #expect(try await street.words().first == "The bakery: 1 story nearby")
            #expect(try await street.feed().count == 2)
        }
    }

    @Test("NTF-05 Who walks along a line is notified once, beside it, far from its point")
    func line() async throws {
        try await FenceStreet.run { street in
            let story = try await OutlineFenceTests.story(street)
            _ = try await OutlineFenceTests.add(OutlineFenceTests.road, ",\"name\":\"The road\"", to: story, street)
            try await OutlineFenceTests.walk(from: 3_600, to: 2_400, street)
            #expect(try await street.words() == ["The road: 1 story nearby"])
            try await OutlineFenceTests.walk(from: 2_370, to: 900, street)
            #expect(try await street.feed().count == 1)
        }
    }

    @Test("LOC-10 A hole does not belong to an area; a story is announced at whichever place is reached first")
    func hole() async throws {
        try await FenceStreet.run { street in
            let story = try await OutlineFenceTests.story(street)
            _ = try await OutlineFenceTests.add(OutlineFenceTests.ring, ",\"name\":\"The ring\"", to: story, street)
            let hidden = ",\"name\":\"The road\",\"precision\":\"hidden\""
            let road = try await OutlineFenceTests.add(OutlineFenceTests.road, hidden, to: story, street)
            let path = "/v1/stories/\(story)/places/\(road)"
            try await OutlineFenceTests.walk(from: -240, to: 240, street)
            #expect(try await street.feed().isEmpty)
            try await OutlineFenceTests.walk(from: 270, to: 510, street)
            #expect(try await street.words() == ["The ring: 1 story nearby"])
            #expect(try await street.client.send(.patch, path, as: "ana", "{\"precision\":\"exact\"}").status == 200)
            try await OutlineFenceTests.walk(from: 540, to: 2_000, street)
            #expect(try await street.feed().count == 1)
        }
    }

    @Test(
        "PRV-03 LOC-08 LOC-11 An area that is coarse, hidden or waiting, or whose story one may not see, is no fence",
        arguments: [
            ("", 1), (",\"precision\":\"approximate\"", 0), (",\"precision\":\"hidden\"", 0),
            (",\"precision\":\"hidden\",\"family_sees_exact\":true", 0), (",\"source\":\"ai_extracted\"", 0),
            ("private", 0), ("hide", 0),
        ]
    )
    func none(fields: String, count: Int) async throws {
        try await FenceStreet.run { street in
            let story = try await OutlineFenceTests.story(street)
            let isField = fields.hasPrefix(",")
            _ = try await OutlineFenceTests.add(OutlineFenceTests.quarter, isField ? fields : "", to: story, street)
            let path = "/v1/stories/\(story)"
            switch fields {
            case "private":
                #expect(
                    try await street.client.send(.patch, path, as: "ana", "{\"privacy\":\"private\"}").status == 200
                )
            case "hide": #expect(try await street.client.send(.put, path + "/hide", as: "ben").status == 204)
            default: break
            }
            try await OutlineFenceTests.walk(from: 1_300, to: 0, street)
            #expect(try await street.feed().count == count)
            // What is left is the story's own location, if it has not been announced.
            #expect(try await street.fences().keys.sorted() == (isField ? [20_000] : []))
        }
    }

    @Test("LOC-02 NTF-05 An area that is moved, narrowed or removed is a fence where it is now, at once")
    func edited() async throws {
        try await FenceStreet.run { street in
            let story = try await OutlineFenceTests.story(street)
            let place = try await OutlineFenceTests.add(OutlineFenceTests.quarter, to: story, street)
            let path = "/v1/stories/\(story)/places/\(place)"
            func patch(_ geometry: String) async throws {
                #expect(try await street.client.send(.patch, path, as: "ana", "{\(geometry)}").status == 200)
            }
            // While it is being decided about, it moves away.
            try await street.report(950)
            try await patch(OutlineFenceTests.geometry("Polygon", [OutlineFenceTests.square(500, around: 4_000)]))
            street.fixture.clock.advance(seconds: 30)
            _ = try await street.fixture.library.fences.fireTimers()
            try await OutlineFenceTests.walk(from: 900, to: 600, street)
            #expect(try await street.feed().isEmpty)
            try await patch(OutlineFenceTests.geometry("Polygon", [OutlineFenceTests.square(200)]))
            try await OutlineFenceTests.walk(from: 600, to: 420, street)
            #expect(try await street.feed().isEmpty)
            #expect(try await street.client.send(.delete, path, as: "ana").status == 204)
            try await OutlineFenceTests.walk(from: 420, to: 60, street)
            #expect(try await street.feed().isEmpty)
            _ = try await OutlineFenceTests.add(OutlineFenceTests.road, to: story, street)
            try await OutlineFenceTests.walk(from: 90, to: 600, street)
            #expect(try await street.feed().count == 1)
        }
    }

    @Test("NTF-11 A phone watches the circle around an area's point; an entry there is announced once, as with fixes")
    func packed() async throws {
        try await FenceStreet.run { street in
            try await OutlineFenceTests.addNamedQuarter(street)
            let fences = try await street.fences()
            #expect(fences.keys.sorted() == [0, 20_000])
            let fence = try #require(fences[0])
            #expect(try await street.enter(fence) == 1)
            #expect(try await street.words() == ["The quarter: 1 story nearby"])
            #expect(try await street.fences().isEmpty)
            try await OutlineFenceTests.walk(from: 1_300, to: 900, street)
            #expect(try await street.feed().count == 1)
        }
    }

    @Test("NTF-08 An area is muted, and has its own radius, as a point")
    func settings() async throws {
        try await FenceStreet.run { street in
            let story = try await OutlineFenceTests.story(street)
            _ = try await OutlineFenceTests.add(OutlineFenceTests.quarter, to: story, street)
            let fence = try #require(try await street.fences()[0])
            func set(_ fields: String) async throws {
                let body = "{\"enabled\":true,\"places\":[{\"place_id\":\"\(fence)\",\(fields)}]}"
                #expect(try await street.client.send(.put, FenceStreet.settings, as: "ben", body).status == 200)
            }
            try await set("\"enabled\":false")
            try await OutlineFenceTests.walk(from: 1_300, to: 600, street)
            #expect(try await street.feed().isEmpty)
            try await OutlineFenceTests.walk(from: 600, to: 2_400, street)
            try await set("\"radius\":900")
            try await OutlineFenceTests.walk(from: 2_400, to: 1_700, street)
            #expect(try await street.feed().count == 1)
        }
    }

    @Test("NTF-10 A walk past an area, replayed or drawn, is judged by the same rule")
    func walked() async throws {
        try await FenceStreet.run { street in
            try await OutlineFenceTests.addNamedQuarter(street)
            for (north, count) in [(900.0, 1), (1_400, 0)] {
                let ends = [OutlineFenceTests.point(-1_600, north), OutlineFenceTests.point(-700, north)]
                let line = ends.map { "[\($0.longitude),\($0.latitude)]" }.joined(separator: ",")
                let body = """
                    {"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[\(line)]}}
                    """
                let reply = try await street.client.send(.post, "/v1/walk", as: "ben", body)
                #expect(reply.status == 200, "\(reply.json)")
                #expect(reply.json["notifications"]?.array?.count == count)
                let titles = reply.json["notifications"]?.array?.compactMap { $0["title"]?.string }
                #expect(titles == (count == 0 ? [] : ["The quarter"]))
            }
        }
    }
}
