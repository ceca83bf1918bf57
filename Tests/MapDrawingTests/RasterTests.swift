import Geometry
import MapDrawing
import Rasters
import Testing

@Suite("Drawings as pixels")
struct RasterTests {
    private static func svg(_ content: String) -> [UInt8] {
        Array("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\">\(content)</svg>".utf8)
    }

    /// The number of four bytes, the highest first.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    @Test("A map becomes a PNG of the size that was asked for")
    func size() throws {
        let view = try MapView(center: Coordinate(wrappingLatitude: 0, longitude: 0), zoom: 1, width: 200, height: 100)
        let tiles = try SampleMap.tiles(names: [])
        let picture = try MapPicture(of: view, tiles: tiles, markers: [], look: .light, title: "")
        let png = try Raster.png(of: picture.svg, width: 400, height: picture.height * 2)
        #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        #expect(RasterTests.number(png[16..<20]) == 400 && RasterTests.number(png[20..<24]) == 2 * picture.height)
        #expect(png == (try Raster.png(of: picture.svg, width: 400, height: picture.height * 2)))
    }

    @Test(
        "A size beyond the limits is refused before anything is allocated",
        arguments: [(0, 10), (10, 0), (-1, 10), (16_385, 1), (1, 16_385), (16_000, 16_000), (Int.max, Int.max)]
    )
    func limits(width: Int, height: Int) {
        #expect(throws: RasterError.size(width: width, height: height)) {
            try Raster.png(of: RasterTests.svg(""), width: width, height: height)
        }
    }

    @Test(
        "What is no drawing is refused",
        arguments: ["", "text", "<svg", "<html></html>", "<svg xmlns='x'><g></svg>"]
    )
    func damage(text: String) {
        #expect(throws: RasterError.damaged) { try Raster.png(of: Array(text.utf8), width: 10, height: 10) }
    }

    @Test("Files and servers that a drawing refers to are not read")
    func references() throws {
        let plain = try Raster.png(of: RasterTests.svg(""), width: 40, height: 20)
        for address in [
            "file:///usr/share/pixmaps/debian-logo.png", "/usr/share/pixmaps/debian-logo.png",
            "http://127.0.0.1:9/x.png",
        ] {
            let image = "<image href=\"\(address)\" width=\"40\" height=\"20\"/>"
            #expect(try Raster.png(of: RasterTests.svg(image), width: 40, height: 20) == plain, "\(address)")
        }
    }
}
