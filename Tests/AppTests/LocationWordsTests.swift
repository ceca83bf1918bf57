import Formats
import HTTPTypes
import Testing

@Suite("The words about locations in requests")
struct LocationWordsTests {
    /// The problems in the answer to a request, as `field message`.
    private static func problems(
        _ client: Client,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String
    ) async throws -> [String] {
        let reply = try await client.send(method, path, as: "ana", body)
        #expect(reply.status == 422)
        return (reply.json["errors"]?.array ?? [])
            .map { "\($0["field"]?.string ?? "") \($0["message"]?.string ?? "")" }
    }

    @Test("LOC-07 Each problem of a location says what to send, and those of one part stand together")
    func locationWords() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let story = "/v1/stories/\(try await client.create(as: "ana", title: "x", latitude: nil))"
                let north = "must be a number between -90 and 90"
                let cell = "cell must be 0.01, 0.1 or 1"
                let table: [(body: String, problems: [String])] = [
                    (#"{"lat":"1","lon":2}"#, ["lat \(north), not text"]), (#"{"lat":91,"lon":2}"#, ["lat \(north)"]),
                    (#"{"lat":1,"lon":2,"cell":"1"}"#, [cell]), (#"{"lat":1,"lon":2,"cell":5}"#, [cell]),
                    (#"{"lat":1,"lon":2,"cell":0.5,"precision":"approximate"}"#, [cell]),
                    (#"{"lat":1}"#, ["lon is missing"]),
                ]
                for (body, expected) in table {
                    let found = try await Self.problems(client, .put, story + "/location", body)
                    #expect(found == expected, "\(body)")
                }
                let bare = try await Self.problems(client, .put, story + "/location", #"{"precision":"approximate"}"#)
                #expect(bare.count == 2 && bare.allSatisfy { $0.contains("PATCH /v1/stories/{id}") })
                let mixed = #"{"places":[{"lat":"1","lon":2,"cell":3},{"lon":2}],"location":{"cell":2}}"#
                let fields = try await Self.problems(client, .patch, story, mixed).map { $0.prefix { $0 != " " } }
                #expect(
                    fields == [
                        "places[0].lat", "places[0].cell", "places[1].lat", "location.lat", "location.lon",
                        "location.cell",
                    ]
                )
            }
    }

    @Test("PRV-08 A change of the precision alone keeps the position and the names")
    func precisionAlone() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let place = #"{"kind":"photo","title":"A","location":{"lat":33.7,"lon":-84.3,"name":"Mill"}}"#
                let made = try await client.send(.post, "/v1/stories", as: "ana", place)
                let story = "/v1/stories/\(made.json["id"]?.string ?? "")"
                let body = #"{"location":{"precision":"approximate"}}"#
                let location = try await client.send(.patch, story, as: "ana", body).json["location"]
                #expect(location?["precision"]?.string == "approximate" && location?["name"]?.string == "Mill")
                #expect(location?["lat"]?.number == 33.7 && location?["lon"]?.number == -84.3)
            }
    }
}
