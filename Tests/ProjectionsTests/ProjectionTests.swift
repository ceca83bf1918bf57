import Geometry
import Projections
import Testing

@Suite("Reference systems")
struct ProjectionTests {
    // Values by cs2cs of PROJ 9.1.1 without the network.
    @Test(
        "LOC-09 Known points in UTM, State Plane, Web Mercator and national grids",
        arguments: [
            ("EPSG:26918", 583_960.0, 4_507_523.0, 40.714349213, -74.005969527),
            ("urn:ogc:def:crs:EPSG::26918", 583_960, 4_507_523, 40.714349213, -74.005969527),
            ("EPSG:32616", 741_000, 3_740_000, 33.772720656, -84.397557464),
            ("EPSG:3857", -9_392_328, 3_997_000, 33.762828696, -84.372717959),
            ("EPSG:2264", 1_450_000, 540_000, 35.219731947, -80.841662039),
            ("EPSG:2240", 2_230_000, 1_370_000, 33.766039020, -84.385764722),
            ("EPSG:2263", 987_000, 213_000, 40.751311873, -73.990074618),
            ("EPSG:4269", -84.39, 33.75, 33.75, -84.39),
            ("EPSG:4326", -84.39, 33.75, 33.75, -84.39),
            ("OGC:CRS84", -84.39, 33.75, 33.75, -84.39),
        ]
    )
    func known(name: String, x: Double, y: Double, latitude: Double, longitude: Double) throws {
        let coordinate = try #require(try Projection(from: name).coordinate(x: x, y: y))
        #expect(abs(coordinate.latitude - latitude) < 2e-9)
        #expect(abs(coordinate.longitude - longitude) < 2e-9)
    }

    // Which conversion is best depends on the grids that are installed; they differ by a few metres.
    @Test(
        "LOC-09 Older datums shift by their difference, a few metres or more",
        arguments: [
            ("EPSG:4267", -84.39, 33.75, 33.750141720, -84.389917118),
            ("EPSG:26717", 500_000, 3_700_000, 33.441277440, -80.999815798),
            ("EPSG:27700", 530_000, 180_000, 51.503990828, -0.128353940),
        ]
    )
    func datums(name: String, x: Double, y: Double, latitude: Double, longitude: Double) throws {
        let coordinate = try #require(try Projection(from: name).coordinate(x: x, y: y))
        #expect(abs(coordinate.latitude - latitude) < 3e-4)
        #expect(abs(coordinate.longitude - longitude) < 3e-4)
    }

    @Test("Round trips lead back", arguments: ["EPSG:26918", "EPSG:3857", "EPSG:2263", "EPSG:4326"], UInt64(0)..<10)
    func roundTrip(name: String, seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let projection = try Projection(from: name)
        let start = Coordinate(wrappingLatitude: 40 + generator.unit(), longitude: -75 + generator.unit())
        let point = try #require(projection.point(of: start))
        let end = try #require(projection.coordinate(x: point.x, y: point.y))
        #expect(Geodesic.distance(start, end) < 1e-3)
    }

    @Test("Many points are projected at once; an invalid one does not affect the others")
    func many() throws {
        let projection = try Projection(from: "EPSG:26918")
        let points = projection.coordinates(x: [583_960, 1e30, .nan, 583_960], y: [4_507_523, 5, 5, 4_507_523])
        #expect(points.map { $0 == nil } == [false, true, true, false])
        #expect(points[0] == points[3])
        #expect(projection.coordinates(x: [], y: []).isEmpty)
        #expect(projection.coordinates(x: [1, 2], y: [1]).count == 1)
    }

    @Test(
        "LOC-09 Every form that names the reference system is accepted, in either case",
        arguments: [
            "epsg:26918", " EPSG:26918", "http://www.opengis.net/def/crs/EPSG/0/26918",
            "+proj=utm +zone=18 +datum=NAD83 +type=crs",
            """
            PROJCS["UTM 18N",GEOGCS["NAD83",DATUM["North_American_Datum_1983",SPHEROID["GRS 1980",6378137,298.257222101]],\
            PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],\
            PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",-75],PARAMETER["scale_factor",0.9996],\
            PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1]]
            """,
        ]
    )
    func forms(name: String) throws {
        let coordinate = try #require(try Projection(from: name).coordinate(x: 583_960, y: 4_507_523))
        #expect(abs(coordinate.latitude - 40.714349213) < 1e-5)
        #expect(abs(coordinate.longitude - -74.005969527) < 1e-5)
    }

    @Test(
        "An unknown reference system is named in the error",
        arguments: [
            "EPSG:999999", "", "nonsense", "EPSG:7030", "EPSG:4978", "EPSG:5703", "EPSG:5701", "+proj=nothing",
            "EPSG:26918\0", "4326 ; drop",
            "foo", "NAD83",
            "WGS 84", "foo:bar", "EPSG:NAD83", "UTM:18N", "26918", "[", "{}", "+",
        ]
    )
    func unknown(name: String) {
        let error = #expect(throws: ProjectionError.self) { try Projection(from: name) }
        #expect(error?.description.contains("EPSG:26918") == true)
    }

    @Test("The full name of a system")
    func title() throws {
        #expect(try Projection(from: "EPSG:26918").title == "NAD83 / UTM zone 18N")
    }

    @Test("The area in which a system is used, where its definition names one")
    func area() throws {
        let area = try #require(try Projection(from: "EPSG:32118").areaOfUse)
        #expect(area.contains(try #require(Coordinate(latitude: 40.7, longitude: -73.9))))
        #expect(area.north < 42 && area.south > 40 && area.west < -74 && area.east > -72)
        #expect(try Projection(from: "+proj=utm +zone=18 +datum=WGS84 +type=crs").areaOfUse == nil)
    }
}
