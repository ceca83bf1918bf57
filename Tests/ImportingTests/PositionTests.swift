import Geometry
import Importing
import Stories
import Testing

@Suite("Positions in tables")
struct PositionTests {
    private func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }

    @Test(
        "LOC-09 One column, in the notations of archives",
        arguments: [
            "40.714349, -74.005970", "40°42'51.66\"N 74°00'21.49\"W", "40 deg 42' 51.66\" N, 74 deg 0' 21.49\" W",
            "POINT(-74.005970 40.714349)", "SRID=4326;POINT(-74.005970 40.714349)", "SRID=26918;POINT(583960 4507523)",
            "18N 583960 4507523", "583960mE 4507523mN 18T", "zone 18 north 583960 4507523", "18TWL8396007523",
            "18T WL 83960 07523", "{\"type\":\"Point\",\"coordinates\":[-74.00597,40.714349]}",
            "geo:40.714349,-74.00597",
        ]
    )
    func oneColumn(text: String) throws {
        let result = try Fixture.text("title,coordinates\nA,\(quoted(text))\n")
        let coordinate = try #require(result.stories.first?.location?.coordinate, "\(result.errors)")
        #expect(abs(coordinate.latitude - 40.714349) < 2e-5 && abs(coordinate.longitude + 74.00597) < 2e-5)
    }

    @Test(
        "What is no position, or could be two, is an error",
        arguments: [
            "nowhere", "18S 583960 4507523", "-98.5, 33.7", "95, 200", "POINT(1 2", "61N 583960 4507523", "0, 0",
        ]
    )
    func notPositions(text: String) throws {
        #expect(try Fixture.text("title,coordinates\nA,\(quoted(text))\n").errors.map(\.row) == [2])
        #expect(try Fixture.text("title,coordinates\nA,\n").stories.map(\.location) == [nil])
    }

    @Test("Squares of MGRS are taken at their middle, and say how accurate they are")
    func squares() throws {
        let result = try Fixture.text("title,mgrs\nA,18TWL8307\nB,33XVG74594359\n")
        let location = try #require(result.stories.first?.location)
        #expect(location.accuracy == 707)
        // The square from 583000, 4507000 to 584000, 4508000.
        #expect(
            abs(location.coordinate.latitude - 40.7141) < 0.01 && abs(location.coordinate.longitude + 74.0055) < 0.01
        )
        // Svalbard, from the standard's examples: 33XVG 74594 43594 is at 78° N.
        let svalbard = try #require(result.stories.last?.location?.coordinate)
        #expect(abs(svalbard.latitude - 78) < 1 && abs(svalbard.longitude - 14) < 1)
    }

    @Test("Easting and northing need a zone or a reference system; NAD27 is moved")
    func grids() throws {
        let table = "title,easting,northing,utm_zone,datum_note\nA,583960,4507523,18N,x\n"
        let story = try #require(try Fixture.text(table).stories.first)
        #expect(abs((story.location?.coordinate.latitude ?? 0) - 40.714349) < 1e-5)
        let bare = "title,easting,northing\nA,583960,4507523\n"
        #expect(try Fixture.text(bare).errors.map(\.field) == ["easting"])
        let given = try Fixture.read(Array(bare.utf8)) { $0.referenceSystem = "EPSG:26918" }
        #expect(abs((given.stories.first?.location?.coordinate.latitude ?? 0) - 40.714349) < 1e-5)
        let old = try Fixture.text(
            "title,lat,lon,geodeticDatum\nA,33.7,-84.3,NAD27\nB,33.7,-84.3,WGS84\nC,33.7,-84.3,unknown\n"
        )
        let latitudes = old.stories.compactMap { $0.location?.coordinate.latitude }
        #expect(latitudes.count == 3 && latitudes[1] == 33.7 && latitudes[2] == 33.7)
        #expect(abs(latitudes[0] - 33.7) > 1e-5)
        #expect(try Fixture.text("title,lat,lon,crs\nA,1,2,Narnia\n").errors.map(\.field) == ["crs"])
    }

    @Test("A hemisphere in its own column sets the sign")
    func hemispheres() throws {
        let header = "title,GPSLatitude,GPSLatitudeRef,GPSLongitude,GPSLongitudeRef\n"
        let result = try Fixture.text(header + "A,33.5,South,84.25,W\nB,33.5,N,84.25,E\nC,33.5,up,84,E\n")
        #expect(result.errors.map(\.row) == [4])
        let read = try Fixture.text(header + "A,33.5,South,84.25,W\nB,33.5,N,84.25,E\n").stories
        #expect(read.map { $0.location?.coordinate.latitude } == [-33.5, 33.5])
        #expect(read.map { $0.location?.coordinate.longitude } == [-84.25, 84.25])
    }

    @Test("Damaged positions never crash")
    func fuzz() throws {
        var generator = SplitMix64(seed: 5)
        let originals = [
            "18TWL8396007523", "18N 583960 4507523", "40°42'51.66\"N 74°00'21.49\"W", "SRID=4326;POINT(1 2)",
        ]
        var rows = "title,coordinates\n"
        for _ in 0..<1_500 {
            var scalars = Array((originals.randomElement(using: &generator) ?? "").unicodeScalars)
            for _ in 0..<Int.random(in: 1...3, using: &generator) where !scalars.isEmpty {
                let index = Int.random(in: scalars.indices, using: &generator)
                scalars[index] = Unicode.Scalar(UInt8.random(in: 32...126, using: &generator))
            }
            rows += "A," + quoted(String(String.UnicodeScalarView(scalars))) + "\n"
        }
        let result = try Fixture.read(Array(rows.utf8)) { $0.skipsBadRows = true }
        #expect(result.stories.count + result.badRows == 1_500)
    }
}
