import Geometry
import Stories

/// Who takes part in a simulation, and what stands there from the beginning.
enum Cast {
    /// People who write stories.
    ///
    /// Ana and Ben are a family; Cora is not in it.
    static let writers = ["ana", "ben", "cora"]
    /// People who drive along a road of their own; Dan is in no family.
    static let drivers = ["ben", "dan"]
    static let everybody = ["ana", "ben", "cora", "dan"]

    /// The places along a road, and the metres from each to the next.
    static let landmarks = 6
    static let apart = 400.0
    /// The speed of a car in metres a second.
    static let speed = 11.0

    /// The name of a place along a road; Ana wrote the story.
    static func landmark(_ number: Int, on driver: String) -> String { "landmark-\(driver)-\(number)" }

    /// Who sees the story of a place.
    static func privacy(ofLandmark number: Int) -> String { ["public", "family_only", "private"][number % 3] }

    /// The stories that a driver has to be notified of, and no others.
    static func owed(to driver: String) -> Set<String> {
        Set(
            (0..<landmarks).filter { sees(driver, privacy(ofLandmark: $0), of: "ana") }.map { landmark($0, on: driver) }
        )
    }

    /// Whether somebody sees a story: the rule in one line, independent of the service's own.
    static func sees(_ viewer: String?, _ privacy: String, of owner: String) -> Bool {
        privacy == "public" || viewer == owner
            || privacy == "family_only" && viewer.map { ["ana", "ben"].contains($0) } == true
                && ["ana", "ben"].contains(owner)
    }

    /// A point so many metres along a driver's road.
    static func point(_ metres: Double, on driver: String) -> Coordinate {
        let start = Coordinate(wrappingLatitude: driver == "dan" ? 10 : 10.1, longitude: 20)
        return GreatCircle.destination(from: start, bearing: 90, distance: metres)
    }
}
