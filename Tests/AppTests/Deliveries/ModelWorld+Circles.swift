import Formats
import HTTPTypes
import Testing

// Named places: they change what people read, and never what they are told of or how often.
extension ModelWorld {
    /// A named place as it is at the moment.
    struct Circle: Sendable {
        var name: String
        var level: TellingOracle.Level
    }

    /// Ana draws a circle around a site or near one, changes one, or takes one away.
    func changeCircle(_ client: Client) async throws {
        guard circles.count > 2, let id = any(circles.keys.sorted()) else {
            return try await drawCircle(any(TellingOracle.Level.allCases) ?? .everyone, client)
        }
        tally.others += 1
        switch number(4) {
        case 0:
            try await ask(client, .delete, "\(ModelWorld.circlePath)/\(id)", as: "ana")
            circles[id] = nil
        case 1:
            circlesMade += 1
            let name = "Circle \(circlesMade)"
            // A public one is renamed by a service alone.
            try await ask(
                client,
                .patch,
                "\(ModelWorld.circlePath)/\(id)",
                as: nil,
                "{\"name\":\"\(name)\"}",
                headers: anaByService
            )
            circles[id]?.name = name
        default:
            let level = any(TellingOracle.Level.allCases) ?? .everyone
            let body = "{\(circleBody(level))}"
            try await ask(client, .patch, "\(ModelWorld.circlePath)/\(id)", as: nil, body, headers: anaByService)
            circles[id]?.level = level
        }
    }

    /// Ana draws a circle of a level.
    func drawCircle(_ level: TellingOracle.Level, _ client: Client) async throws {
        tally.others += 1
        circlesMade += 1
        let circle = Circle(name: "Circle \(circlesMade)", level: level)
        let body = "{\"name\":\"\(circle.name)\",\(circleBody(level))}"
        let made = try await ask(client, .post, ModelWorld.circlePath, as: nil, body, headers: anaByService)
        if let id = made["id"]?.string { circles[id] = circle }
    }

    private static let circlePath = "/v1/named-places"

    /// The service's key, acting for Ana.
    private var anaByService: HTTPFields {
        var headers = service
        if let user = HTTPField.Name("Waymark-User") { headers[user] = "ana" }
        return headers
    }

    private func circleBody(_ level: TellingOracle.Level) -> String {
        let site = oracle.sites[number(oracle.sites.count)]
        let middle = TellingOracle.Point(x: site.x + Double(number(60)), y: site.y)
        let (latitude, longitude) = ModelWorld.degrees(middle)
        let radius = 10 + number(491)
        return "\"lat\":\(latitude),\"lon\":\(longitude),\"radius\":\(radius),\(ModelWorld.privacy(level))"
    }

    /// Nobody reads the name of a circle that is not there for them, and none that it had once.
    func judgeName(of item: JSONValue, to name: String) {
        let shown = item["place"]?["name"]?.string ?? ""
        let id = item["place"]?["named_place"]?.string
        guard id != nil || shown.hasPrefix("Circle") else { return }
        let circle = id.flatMap { circles[$0] }
        let isTheirs = circle.map { $0.level == .everyone || $0.level == .family && name == "ben" } ?? false
        #expect(isTheirs && circle?.name == shown, "\(context): \(name) reads \(shown)")
        tally.named += 1
    }
}
