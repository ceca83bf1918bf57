import Foundation
import WaymarkClient

/// A small app: signs in, makes a story, looks at the map around it, asks for a place, and follows notifications.
///
/// usage: WAYMARK_TOKEN=… waymark-example http://127.0.0.1:8080 [--follow]
@main
enum Example {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let address = arguments.first.flatMap({ URL(string: $0) }), address.host() != nil,
            let token = ProcessInfo.processInfo.environment["WAYMARK_TOKEN"]
        else {
            print("usage: WAYMARK_TOKEN=… waymark-example http://127.0.0.1:8080 [--follow]")
            exit(2)
        }
        do {
            try await run(Waymark(at: address), token: token, follows: arguments.contains("--follow"))
        } catch let failure as WaymarkFailure where failure.kind == .unauthenticated {
            print("The token is not valid: \(failure)")
            exit(1)
        } catch {
            print("It did not work: \(error)")
            exit(1)
        }
    }

    private static func run(_ everybody: Waymark, token: String, follows: Bool) async throws {
        let (waymark, account) = try await everybody.signedIn(with: token)
        print("signed in as \(account.name)")

        let point = GeoPoint(latitude: 33.7554, longitude: -84.3736)
        let draft = NewStory(kind: "interview", title: "What the bakery smelled of", location: .init(point))
        let story = try await waymark.create(draft)
        print("created \(story.title) in \(story.location?.city ?? "a place without a name")")
        print("there are \(try await waymark.stories().matched) stories")

        let box = GeoBox(west: -84.5, south: 33.6, east: -84.2, north: 33.9)
        for marker in try await waymark.markers(in: box, zoom: 12) {
            switch marker {
            case .cluster(let cluster):
                print("a cluster of \(cluster.count), which splits at zoom \(cluster.expansionZoom)")
            case .story(let story): print("a story: \(story.title)")
            }
        }
        if let place = try? await waymark.geocode("Atlanta").first { print("Atlanta is \(place.label ?? place.name)") }
        let fix = PositionFix(at: point, time: Date(), accuracy: 8)
        let outcomes = try await waymark.report([fix], of: "example")
        print(outcomes.isMonitoring ? "the position was taken" : "notifications are off, so the position was ignored")

        guard follows else { return }
        for try await event in waymark.notifications() {
            guard case .notification(let notification) = event.content else { continue }
            print("\(notification.title): \(notification.body)")
        }
    }
}
