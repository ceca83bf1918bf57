import App
import Library
import Formats
import Geometry
import HTTPTypes
import Stories
import TestSupport
import Testing

/// A street with three places within 150 m of one another, each with a name of its own.
struct FenceStreet: Sendable {
    static let start = Coordinate(wrappingLatitude: 33.7554, longitude: -84.3736)
    static let settings = "/v1/me/notification-settings"

    let fixture: ServiceFixture
    let client: Client

    static func point(_ metres: Double) -> Coordinate {
        GreatCircle.destination(from: start, bearing: 90, distance: metres)
    }

    static func run(
        in given: ServiceFixture? = nil,
        _ body: @escaping @Sendable (FenceStreet) async throws -> Void
    ) async throws {
        let fixture = if let given { given } else { try await ServiceFixture() }
        try await fixture.run { client async throws in
            _ = try await client.send(.put, FenceStreet.settings, as: "ben", "{\"enabled\":true}")
            try await body(FenceStreet(fixture: fixture, client: client))
        }
    }

    /// A story so far down the street; returns its id.
    func story(_ owner: String, at metres: Double, named name: String, city: String? = nil) async throws -> String {
        let point = FenceStreet.point(metres)
        let more = city.map { ",\"city\":\"\($0)\"" } ?? ""
        let location = "\"lat\":\(point.latitude),\"lon\":\(point.longitude),\"name\":\"\(name)\"\(more)"
        return try await client.create(as: owner, title: name, latitude: nil, extra: ",\"location\":{\(location)}")
    }

    /// The ids of Ben's fences, by how far down the street they are.
    func fences() async throws -> [Int: String] {
        let query = "lat=\(FenceStreet.start.latitude)&lon=\(FenceStreet.start.longitude)&limit=20"
        let fences = try await client.get("/v1/fences?" + query, as: "ben").json["fences"]?.array ?? []
        var found: [Int: String] = [:]
        for fence in fences {
            let latitude = try #require(fence["lat"]?.number)
            let longitude = try #require(fence["lon"]?.number)
            let point = Coordinate(wrappingLatitude: latitude, longitude: longitude)
            found[Int(GreatCircle.distance(FenceStreet.start, point).rounded())] = fence["id"]?.string
        }
        return found
    }

    func enter(_ fence: String, _ body: String = "{}") async throws -> Int? {
        let reply = try await client.send(.post, "/v1/fences/\(fence)/entered", as: "ben", body)
        #expect(reply.status == 200)
        return reply.json["notifications"]?.array?.count
    }

    func report(_ metres: Double, speed: Double? = nil) async throws {
        let (point, time) = (FenceStreet.point(metres), RFC3339.format(fixture.clock.now))
        let more = speed.map { ",\"speed\":\($0)" } ?? ""
        let fix = "{\"t\":\"\(time)\",\"lat\":\(point.latitude),\"lon\":\(point.longitude),\"acc\":8\(more)}"
        let body = "{\"device\":\"phone\",\"fixes\":[\(fix)]}"
        #expect(try await client.send(.post, "/v1/fixes", as: "ben", body).status == 200)
    }

    /// What Ben was told, newest first.
    func feed() async throws -> [JSONValue] {
        try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array ?? []
    }

    func words() async throws -> [String] {
        try await feed().map { "\($0["title"]?.string ?? ""): \($0["body"]?.string ?? "")" }
    }
}
