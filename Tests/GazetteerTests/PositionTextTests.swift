import Gazetteer
import Geometry
import Testing

@Suite("Pasted positions")
struct PositionTextTests {
    let index: GazetteerIndex

    init() throws {
        index = try Fixture.index()
    }

    @Test(
        "GEO-01 Every common notation is parsed",
        arguments: [
            "33.749, -84.388", "33.749 -84.388", "33.749;-84.388", "33,749; -84,388", "33,749 -84,388",
            "(33.749, -84.388)", "[33.749, -84.388]", "+33.749 -084.388", "33.749 \u{2212}84.388", "33.749° -84.388°",
            "N33.749 W84.388", "33.749N, 84.388W", "33.749° N, 84.388° W", "84.388 W 33.749 N", "N 33.749, W 84.388",
            "33.749 north, 84.388 west", "lat: 33.749, lon: -84.388", "lon=-84.388 lat=33.749",
            "33° 44.94' N, 84° 23.28' W", "33 44.94 N 84 23.28 W", "33°44.94′ -84°23.28′",
            "33°44'56.4\"N 84°23'16.8\"W", "33°44′56.4″N, 84°23′16.8″W", "33 44 56.4 N 84 23 16.8 W",
            "33:44:56.4N 84:23:16.8W", "33d44m56.4sN 84d23m16.8sW", "33°44’56.4’’N 84°23’16.8’’W",
            "N 33°44'56.4\" W 84°23'16.8\"", "geo:33.749,-84.388", "geo:33.749,-84.388,320;u=35",
            "geo:0,0?q=33.749,-84.388(Atlanta)", "POINT(-84.388 33.749)", "point (-84.388 33.749)",
            "https://www.google.com/maps/@33.749,-84.388,15z",
            "https://www.google.com/maps/place/Atlanta/@33.7,-84.3,17z/data=!3m1!4b1!8m2!3d33.749!4d-84.388",
            "https://www.google.com/maps/search/?api=1&query=33.749%2C-84.388",
            "https://maps.google.com/?q=33.749,-84.388", "https://www.openstreetmap.org/#map=15/33.749/-84.388",
            "https://www.openstreetmap.org/?mlat=33.749&mlon=-84.388#map=12/33.7/-84.3",
            "https://maps.apple.com/?ll=33.749,-84.388&q=Here", "https://www.bing.com/maps?cp=33.749~-84.388&lvl=11",
        ]
    )
    func notations(text: String) throws {
        let match = try #require(index.search(text).first)
        #expect(match.matchType == .coordinate)
        #expect(match.confidence == 1)
        let expected = Coordinate(wrappingLatitude: 33.749, longitude: -84.388)
        #expect(GreatCircle.distance(match.coordinate, expected) < 0.01)
        #expect(index.suggest(text).first?.coordinate == match.coordinate)
    }

    @Test("Longitude first is accepted if only that makes sense")
    func swapped() throws {
        let match = try #require(index.search("-122.4, 37.8").first)
        #expect(match.coordinate == Coordinate(latitude: 37.8, longitude: -122.4))
        #expect(match.confidence < 1)
        let whole = try #require(index.search("91, 10").first)
        #expect(whole.coordinate == Coordinate(latitude: 10, longitude: 91))
        #expect(whole.confidence <= 0.5)
    }

    @Test("GEO-01 Both orders are returned if only longitude first leads to a settlement")
    func bothOrders() throws {
        let matches = index.search("-84.388, 33.749")
        #expect(matches.map(\.coordinate.latitude) == [-84.388, 33.749])
        #expect(matches.map(\.isAmbiguous) == [true, true])
        #expect(matches.map(\.confidence) == [0.55, 0.45])
        #expect(index.search("33.749, -84.388").count == 1)
        #expect(index.search("lat: -84.388, lon: 33.749").count == 1)
        #expect(index.search("-84.388, 33.749", options: SearchOptions(minimumConfidence: 0.5)).count == 1)
    }

    @Test(
        "GEO-01 Digits of other scripts count as digits",
        arguments: [
            "٣٣.٧٤٩, -٨٤.٣٨٨", "٣٣٫٧٤٩، -٨٤٫٣٨٨", "۳۳.۷۴۹, -۸۴.۳۸۸", "३३.७४९, -८४.३८८", "３３．７４９，－８４．３８８",
        ]
    )
    func digits(text: String) throws {
        let match = try #require(index.search(text).first)
        #expect(match.matchType == .coordinate)
        #expect(match.coordinate == Coordinate(latitude: 33.749, longitude: -84.388))
    }

    @Test("Impossible positions are distinguished from other texts")
    func impossible() {
        for text in ["120, 200", "95 N, 10 E", "95.5 200.5", "٩٥٫٥، ٢٠٠٫٥", "lat: 91, lon: 5"] {
            #expect(GazetteerIndex.isImpossiblePosition(text), "\(text)")
        }
        for text in ["33.7, -84.4", "91, 10", "Atlanta", "74106 1234", "12 Main Street, 5", "", "1.2.3, 4"] {
            #expect(!GazetteerIndex.isImpossiblePosition(text), "\(text)")
        }
    }

    @Test(
        "Full and short plus codes, and geohashes",
        arguments: [
            ("7FG49Q00+", 20.375, 2.775), ("7fg49qcj+2v", 20.370_062_5, 2.782_187_5),
            ("8FVC2222+22", 47.000_062_5, 8.000_062_5), ("62G20000+", 0.5, -179.5),
            ("865QQJX6+C8", 33.798_562_5, -84.389_187_5), ("QJX6+C8 Atlanta, GA", 33.798_562_5, -84.389_187_5),
            ("Atlanta QJX6+C8", 33.798_562_5, -84.389_187_5), ("geohash:ezs42", 42.605, -5.603),
            ("geohash:djgzzx", 33.747_25, -84.391_48),
        ]
    )
    func codes(text: String, latitude: Double, longitude: Double) throws {
        let match = try #require(index.search(text).first)
        #expect(match.matchType == .coordinate)
        #expect(abs(match.coordinate.latitude - latitude) < 0.001)
        #expect(abs(match.coordinate.longitude - longitude) < 0.001)
    }

    @Test(
        "Other numbers are not positions",
        arguments: [
            "74106 1234", "200.5, 300.5", "1.2.3, 4", "33 61 0 N 84 0 0 W", "33.5 30 N 84 W", "N33 N84", "33N",
            "95 N, 10 E",
            "12 Main Street, 5", "geo:abc", "geo:91,0", "geohash:ailo!", "https://example.org/", "https://", "+",
            "++++", "2+2",
            "33.7,-84.4,5,6", "POINT(1)", "1,2,3,4,5,6,7,8", "°°°", "N,E", "lat lon", "lat: 5",
        ]
    )
    func others(text: String) {
        #expect(!index.search(text).contains { $0.matchType == .coordinate })
    }
}
