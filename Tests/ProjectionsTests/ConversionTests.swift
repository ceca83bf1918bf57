import Projections
import Testing

@Suite("Conversions between reference systems")
struct ConversionTests {
    @Test("LOC-09 A position is converted, with the error to expect, and back")
    func utm() throws {
        let there = try #require(try Conversion(from: "EPSG:26918", to: "EPSG:4326").convert(x: 583_960, y: 4_507_523))
        #expect(abs(there.x + 74.006) < 0.0002 && abs(there.y - 40.714) < 0.001)
        let back = try #require(try Conversion(from: "EPSG:4326", to: "EPSG:26918").convert(x: there.x, y: there.y))
        #expect(abs(back.x - 583_960) < 0.001 && abs(back.y - 4_507_523) < 0.001)
        #expect(there.accuracy.map { $0 >= 0 && $0 < 10 } ?? true)
    }

    @Test("A grid that is missing is named, with what it would improve")
    func missing() throws {
        // The grid of Hawaii's old datum is in no package of Debian.
        let result = try #require(try Conversion(from: "EPSG:4135", to: "EPSG:6782").convert(x: -157.86, y: 21.3))
        #expect(abs(result.x + 157.857) < 0.01)
        if let missing = result.missing {
            #expect(!missing.grid.isEmpty)
            #expect((missing.accuracy ?? 0) <= (result.accuracy ?? 1_000))
        }
    }

    @Test("LOC-09 The old datum of the USA is exact with its grid; without it the grid is named, with the larger error")
    func oldDatum() throws {
        let result = try #require(try Conversion(from: "EPSG:4267", to: "EPSG:4269").convert(x: -84.39, y: 33.75))
        let error = result.accuracy ?? 100
        if let missing = result.missing {
            #expect(missing.grid.contains("conus") && (missing.accuracy ?? 100) < error)
        } else {
            #expect(error < 1)
        }
    }

    @Test("PROJ says where its database is; a grid that it misses is named")
    func data() throws {
        let data = ProjectionData()
        #expect(data.version.split(separator: ".").count == 3)
        let database = try #require(data.database)
        #expect(database.hasSuffix("proj.db"))
        #expect(data.register?.hasPrefix("v") == true)
        let result = try Conversion(from: "EPSG:4267", to: "EPSG:4326").convert(x: -84.39, y: 33.75)
        #expect(ProjectionData.missingGrid == result?.missing)
    }

    @Test("Unknown systems are rejected, and places out of reach have no result")
    func errors() throws {
        #expect(throws: ProjectionError.self) { try Conversion(from: "EPSG:1", to: "EPSG:4326") }
        #expect(throws: ProjectionError.self) { try Conversion(from: "EPSG:4326", to: "EPSG:1") }
        #expect(try Conversion(from: "EPSG:4326", to: "EPSG:3857").convert(x: .infinity, y: 0) == nil)
    }

    @Test("A definition has authority, code and well-known text")
    func definition() throws {
        let definition = try #require(try Projection(from: "EPSG:26918").definition)
        #expect(definition.authority == "EPSG" && definition.code == 26_918 && definition.text.hasPrefix("PROJCS["))
        #expect(try !Projection(from: "EPSG:26918").isGeographic && Projection(from: "EPSG:4269").isGeographic)
    }
}
