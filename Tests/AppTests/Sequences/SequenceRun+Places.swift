import Formats
import Testing

// What lies near a point, at a place, and over time.
extension SequenceRun {
    func comparePlaces(_ viewer: String?, _ listed: SequenceOracle.Found, _ why: Comment) async throws {
        let spot = SequenceRun.spots[0]
        let nearby = try await client.get("/v1/nearby?lat=\(spot.0)&lon=\(spot.1)&limit=100", as: viewer).json
        let features = nearby["features"]?.array ?? []
        let placed = listed.filter { oracle.point(viewer, $0.item) != nil }
        #expect(Set(ids(nearby)) == Set(placed.map(\.id)) && features.count == placed.count, why)
        for feature in features {
            let found = listed.first { $0.id == feature["id"]?.string }
            #expect(point(feature["geometry"]) == found.flatMap { oracle.point(viewer, $0.item) }, why)
        }
        let distances = features.compactMap { $0["properties"]?["distance"]?.number }
        #expect(distances == distances.sorted() && distances.count == placed.count, why)
        // Also the places that somebody else knows of: where the viewer sees nothing they are empty.
        for (point, place) in places.sorted(by: { $0.value < $1.value }) {
            let here = listed.filter { oracle.point(viewer, $0.item) == point }
            let list = try await client.get("/v1/places/\(place)/stories?limit=500", as: viewer).json
            compareFeatures(list, viewer, here, "\(why) place")
        }
        let histogram = try await client.get("/v1/histogram?bins=3", as: viewer).json
        let years = listed.compactMap { oracle.years(viewer, $0.item) }
        #expect(histogram["numberMatched"]?.integer == years.count, why)
        #expect(histogram["undated"]?.integer == listed.count - years.count, why)
        #expect(histogram["from"]?.string == years.map(\.lowerBound).min().map { "\($0)-01-01" }, why)
        #expect(histogram["to"]?.string == years.map(\.upperBound).max().map { "\($0)-12-31" }, why)
    }
}
