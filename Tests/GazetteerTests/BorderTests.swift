import Gazetteer
import Geometry
import Testing

@Suite("Borders of the data in geodata/")
struct BorderTests {
    /// What a position must be called.
    struct Case: Sendable, CustomTestStringConvertible {
        let latitude: Double
        let longitude: Double
        let country: String?
        var region: String?
        var county: String?
        var water: String?

        var testDescription: String { "\(latitude), \(longitude)" }
    }

    @Test(
        "GEO-02 Positions near borders are on the right side",
        arguments: [
            // The north of Montana, nearer to a town of Canada than to any of its own.
            Case(latitude: 48.8597, longitude: -113.4360, country: "us", region: "Montana", county: "Glacier County"),
            Case(latitude: 49.02, longitude: -113.4360, country: "ca", region: "Alberta"),
            // Müstair, whose surroundings are Italian but for the valley.
            Case(latitude: 46.6240, longitude: 10.4490, country: "ch"),
            Case(latitude: 42.3314, longitude: -83.0458, country: "us", region: "Michigan", county: "Wayne County"),
            Case(latitude: 42.3000, longitude: -83.0200, country: "ca", region: "Ontario"),
            Case(latitude: 31.7619, longitude: -106.4850, country: "us", region: "Texas", county: "El Paso County"),
            Case(latitude: 31.7200, longitude: -106.4600, country: "mx", region: "Chihuahua"),
            Case(latitude: 40.8116, longitude: -73.9465, country: "us", region: "New York", county: "New York County"),
            Case(latitude: 40.8270, longitude: -73.9750, country: "us", region: "New Jersey", county: "Bergen County"),
            Case(
                latitude: 37.7785,
                longitude: -122.4056,
                country: "us",
                region: "California",
                county: "San Francisco County"
            ),
            Case(latitude: 38.8977, longitude: -77.0365, country: "us", region: "District of Columbia"),
            Case(latitude: 38.8816, longitude: -77.0910, country: "us", region: "Virginia", county: "Arlington County"),
            Case(latitude: 35.1495, longitude: -90.0490, country: "us", region: "Tennessee", county: "Shelby County"),
            Case(latitude: 35.1465, longitude: -90.1845, country: "us", region: "Arkansas"),
            Case(latitude: 39.0997, longitude: -94.5786, country: "us", region: "Missouri", county: "Jackson County"),
            Case(latitude: 39.1141, longitude: -94.6275, country: "us", region: "Kansas", county: "Wyandotte County"),
            Case(latitude: 18.4655, longitude: -66.1057, country: "pr"),
            Case(latitude: 61.2181, longitude: -149.9003, country: "us", region: "Alaska"),
            Case(latitude: 52.9, longitude: 172.9, country: "us", region: "Alaska"),
            Case(latitude: 21.3069, longitude: -157.8583, country: "us", region: "Hawaii", county: "Honolulu County"),
            Case(latitude: 48.5734, longitude: 7.7521, country: "fr"),
            Case(latitude: 48.5730, longitude: 7.8150, country: "de"),
            Case(latitude: 47.5596, longitude: 7.5886, country: "ch"),
            Case(latitude: 41.0082, longitude: 28.9784, country: "tr"),
            Case(latitude: 67.0, longitude: -179.0, country: "ru"),
            Case(latitude: 67.0, longitude: 179.0, country: "ru"),
            Case(latitude: -16.6, longitude: 179.3, country: "fj"),
            Case(latitude: -90, longitude: 0, country: "aq"),
            Case(latitude: -86, longitude: 180, country: "aq"),
            Case(latitude: -86, longitude: -180, country: "aq"),
            Case(latitude: 90, longitude: 0, country: nil, water: "Arctic Ocean"),
            Case(latitude: 0, longitude: -30, country: nil, water: "Atlantic Ocean"),
            Case(latitude: 0, longitude: 180, country: nil, water: "Pacific Ocean"),
            Case(latitude: 0, longitude: -180, country: nil, water: "Pacific Ocean"),
            Case(latitude: -30, longitude: 80, country: nil, water: "Indian Ocean"),
            Case(latitude: 25.5, longitude: -90, country: nil, water: "Gulf of Mexico"),
            Case(latitude: 43.5, longitude: -87.2, country: "us", water: "Lake Michigan"),
            Case(latitude: 15, longitude: -75, country: nil, water: "Caribbean Sea"),
            Case(latitude: 43, longitude: 34, country: nil, water: "Black Sea"),
            Case(latitude: 60, longitude: -86, country: nil, water: "Hudson Bay"),
        ]
    )
    func border(_ border: Case) throws {
        let index = try RealGazetteer.index.get()
        let position = try #require(Coordinate(latitude: border.latitude, longitude: border.longitude))
        let match = try #require(index.reverse(position))
        #expect(match.place.countryCode == border.country, "\(match.label)")
        if let region = border.region { #expect(match.place.admin1 == region, "\(match.label)") }
        if let county = border.county { #expect(match.place.admin2 == county, "\(match.label)") }
        #expect(match.water == border.water, "\(match.label)")
    }

    @Test("Every point of a global grid has an answer, and neighbours across the antimeridian agree")
    func everywhere() throws {
        let index = try RealGazetteer.index.get()
        for latitude in stride(from: -90.0, through: 90, by: 2.5) {
            for longitude in stride(from: -180.0, through: 180, by: 2.5) {
                let position = Coordinate(wrappingLatitude: latitude, longitude: longitude)
                #expect(index.locate(position).isEmpty == false, "\(latitude), \(longitude)")
            }
            let west = index.reverse(Coordinate(wrappingLatitude: latitude, longitude: -180))
            let east = index.reverse(Coordinate(wrappingLatitude: latitude, longitude: 180))
            #expect(west?.place.country == east?.place.country, "\(latitude)")
            #expect(west?.water == east?.water, "\(latitude)")
        }
    }
}
