import Geometry
import Importing
import Stories
import Testing

@Suite("Positions in several columns")
struct AngleColumnsTests {
    private func position(_ header: String, _ line: String) throws -> Coordinate? {
        try Fixture.text("title,\(header)\nA,\(line)\n").stories.first?.location?.coordinate
    }

    @Test(
        "LOC-07 Degrees, minutes, seconds and hemisphere in columns of their own are read, however they are called",
        arguments: [
            ("Lat Deg,Lat Min,Lat Sec,Lat Dir,Lon Deg,Lon Min,Lon Sec,Lon Dir", "33,45,18,N,84,23,24,W"),
            ("Lat_D,LatMin,lat_s,Long_D,LongMin,long_s", "33,45,18,-84,23,24"),
            ("Deg Lat,Min Lat,Sec Lat,Deg Lon,Min Lon,Sec Lon,lat_ref,lon_ref", "33,45,18,84,23,24,North,west"),
            ("latitude degrees,lat minutes,lat hem,lng degrees,lng minutes,lng hem", "33,45.3,n,84,23.4,w"),
            ("LatDeg,LatMin,LatSec,LonDeg,LonMin,LonSec", "33°,45.3',0,-84°,23.4',0"),
            ("latitude_deg,longitude_deg", "33.755,-84.39"), ("Lat Deg,Lat Dir,Lon Deg,Lon Dir", "33.755,N,84.39,W"),
        ]
    )
    func read(header: String, line: String) throws {
        let coordinate = try #require(try position(header, line))
        #expect(abs(coordinate.latitude - 33.755) < 1e-9 && abs(coordinate.longitude + 84.39) < 1e-9)
    }

    @Test("LOC-07 Below a degree, south and west count too")
    func small() throws {
        let coordinate = try position("LatDeg,LatMin,LonDeg,LonMin", "-0,30,-0,15")
        #expect(coordinate == Coordinate(latitude: -0.5, longitude: -0.25))
    }

    @Test(
        "LOC-07 Parts that make no angle are errors, and none gives a place",
        arguments: ["33,75,84,23", "33,45,84,-1", ",45,84,23", "33,x,84,23", "33,45,,", "33.5,30,84,23"]
    )
    func bad(line: String) throws {
        let result = try Fixture.text("title,LatDeg,LatMin,LonDeg,LonMin\nA,\(line)\n")
        #expect(result.isRefused && result.errors.allSatisfy { ["lat", "lon"].contains($0.field) }, "\(result.errors)")
    }

    @Test(
        "LOC-07 Only the angle that is wrong is named, with its column and what to write",
        arguments: [
            ("abc,45,N,84,1,W", "lat: has \"abc\" for its degrees; write a whole number, such as 33 or -84"),
            ("abc,0,N,84,1,W", "lat: has \"abc\" for its degrees; write a number, such as 33 or -84.39"),
            (
                "33.5°,45,N,84,1,W",
                "lat: has \"33.5\" for its degrees and minutes or seconds besides; write decimal degrees alone, or whole "
                    + "degrees with minutes"
            ),
            ("33,45,Q,84,1,W", "lat: has \"Q\" in the column Lat Dir; write N or S"),
            ("33,45,N,84,1,N", "lon: has \"N\" in the column Lon Dir; write E or W"),
        ]
    )
    func alone(line: String, expected: String) throws {
        let result = try Fixture.text("title,Lat Deg,Lat Min,Lat Dir,Lon Deg,Lon Min,Lon Dir\nA,\(line)\n")
        #expect(result.errors.map(\.description) == ["file.csv:2: \(expected)"])
    }

    @Test("LOC-07 Degrees with their letter have minutes too, and a hemisphere without degrees is none")
    func letters() throws {
        let header = "LatDeg,LatMin,LatDir,LonDeg,LonMin,LonDir"
        #expect(try position(header, "33,45,north,84,15,WEST") == Coordinate(latitude: 33.75, longitude: -84.25))
        #expect(try position(header, ",,-,,,-") == nil)
    }

    @Test("LOC-07 Empty parts are no position, and columns that could mean two things are not read")
    func none() throws {
        #expect(try position("LatDeg,LatMin,LonDeg,LonMin", ",,,") == nil)
        #expect(try position("Lat Deg,LatD,Lat Min,Lon Deg,Lon Min", "33,34,45,-84,23") == nil)
        #expect(try position("Lat Deg,Lat Min,Lon Deg", "33,45,-84") == nil)
        // Columns that are known count alone.
        let coordinate = try position("lat,lon,Lat Deg,Lat Min,Lon Deg,Lon Min", "1,2,33,45,-84,23")
        #expect(coordinate == Coordinate(latitude: 1, longitude: 2))
    }

    @Test("LOC-07 What was read is not named as left out, and --columns says what it is")
    func named() throws {
        let text = "title,Lat Deg,Lat Min,Lon Deg,Lon Min,Other\nA,33,45,-84,23,x\n"
        let result = try Fixture.text(text)
        #expect(result.warnings.map(\.message) == ["nothing was read from the column Other"])
        let survey = try ColumnSurvey(Array(text.utf8), fileName: "a.csv", options: try Fixture.options())
        #expect(survey.columns[1].note == "degrees of the latitude")
        #expect(survey.columns[4].note == "minutes of the longitude")
    }

    @Test(
        "LOC-07 Columns that seem to be feet or metres are named with what to do, if nothing says the position",
        arguments: [
            ("x_feet,y_feet", "feet"), ("X (ft),Y (ft)", "feet"), ("easting m,northing m", "metres"),
            ("x_feet,y_feet,lat,lon", ""), ("x_feet,y_metres", ""), ("x_files,y_files", ""),
        ]
    )
    func feet(header: String, unit: String) throws {
        let values = header.split(separator: ",").map { _ in "12" }.joined(separator: ",")
        let result = try Fixture.text("title,\(header)\nA,\(values)\n")
        let advice = result.warnings.map(\.message).filter { $0.contains("look like positions") }
        #expect(advice.count == (unit.isEmpty ? 0 : 1), "\(result.warnings)")
        #expect(advice.allSatisfy { $0.contains("of their system in \(unit)") && $0.contains("--crs EPSG:…") })
    }
}
