import Geometry
import MapDrawing
import Stories
import Testing

@Suite("Views of pictures")
struct MapViewTests {
    private static func box(_ west: Double, _ south: Double, _ east: Double, _ north: Double) throws -> BoundingBox {
        try #require(BoundingBox(west: west, south: south, east: east, north: north))
    }

    private static func failure(_ make: () throws -> MapView) -> MapView.Failure? {
        do {
            _ = try make()
            return nil
        } catch {
            return error as? MapView.Failure
        }
    }

    @Test("A box at a zoom has the size of its 512-pixel tiles, and its corners are those of the picture")
    func boxes() throws {
        let box = try MapViewTests.box(-90, 0, 0, 66.51326044311186)
        let view = try MapView(box: box, zoom: 2)
        #expect((view.width, view.height) == (512, 512))
        let corner = view.position(Coordinate(wrappingLatitude: box.north, longitude: box.west))
        #expect(abs(corner.x) < 0.01 && abs(corner.y) < 0.01)
        #expect(view.box == box)
    }

    @Test("A view that crosses the antimeridian puts both sides where they are")
    func antimeridian() throws {
        let view = try MapView(box: try MapViewTests.box(170, -20, -170, -10), zoom: 5)
        let (fiji, samoa) = (
            Coordinate(wrappingLatitude: -18, longitude: 178), Coordinate(wrappingLatitude: -14, longitude: -172)
        )
        let (west, east) = (view.position(fiji), view.position(samoa))
        #expect((0...Double(view.width)).contains(west.x) && (0...Double(view.width)).contains(east.x))
        #expect(abs(west.x / Double(view.width) - 0.4) < 0.01 && abs(east.x / Double(view.width) - 0.9) < 0.01)
        let cell = view.rectangle(of: .tenth, around: Coordinate(wrappingLatitude: -15.05, longitude: 179.95))
        #expect(cell.width > 0 && cell.width < 10 && (0...Double(view.width)).contains(cell.left))
    }

    @Test("A box that fits lies in the picture with its margin, whatever its shape", arguments: UInt64(0)..<50)
    func fitting(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let west = generator.unit() * 360 - 180
        let south = generator.unit() * 120 - 60
        let span = Math.power(10, generator.unit() * 4 - 3)
        let box = try MapViewTests.box(west, south, Coordinate.wrap(longitude: west + span), min(80, south + span))
        let view = try MapView(fitting: box, width: 560, height: 320, margin: 40, deepest: 14)
        for (longitude, latitude) in [(box.west, box.south), (box.east, box.north)] {
            let (x, y) = view.position(Coordinate(wrappingLatitude: latitude, longitude: longitude))
            #expect((-0.5...560.5).contains(x) && (-0.5...320.5).contains(y), "\(box) \(x) \(y)")
        }
        #expect(view.zoom <= 14 && view.world >= 560 - 0.5)
        #expect(view.box.contains(box.center))
    }

    @Test("What cannot be drawn is refused before anything is made of it")
    func refusals() throws {
        let box = try MapViewTests.box(-90, 30, -80, 40)
        #expect(MapViewTests.failure { try MapView(box: box, zoom: 21) } == .zoom)
        #expect(MapViewTests.failure { try MapView(box: box, zoom: .nan) } == .zoom)
        #expect(MapViewTests.failure { try MapView(box: box, zoom: -1) } == .zoom)
        guard case .tooLarge? = MapViewTests.failure({ try MapView(box: box, zoom: 20) }) else {
            Issue.record("a picture of millions of pixels was accepted")
            return
        }
        let line = try MapViewTests.box(-90, 30, -90, 40)
        #expect(MapViewTests.failure { try MapView(box: line, zoom: 5) } == .empty)
        let pole = try MapViewTests.box(-90, 86, -80, 90)
        #expect(MapViewTests.failure { try MapView(box: pole, zoom: 5) } == .empty)
        let wide = MapViewTests.failure { try MapView(center: box.center, zoom: 0, width: 1_024, height: 512) }
        #expect(wide == .widerThanWorld(pixels: 512))
        for (width, height) in [(8_193, 10), (10, 8_193), (8_000, 8_000)] {
            guard case .tooLarge? = MapViewTests.failure({ try MapView(fitting: box, width: width, height: height) })
            else {
                Issue.record("\(width) x \(height) was accepted")
                continue
            }
        }
    }
}
