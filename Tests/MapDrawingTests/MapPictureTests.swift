import Formats
import Foundation
import Geometry
import MapDrawing
import Stories
import Testing

@Suite("Maps as SVG")
struct MapPictureTests {
    private static func view(_ width: Int = 480, _ height: Int = 320, zoom: Double = 1) throws -> MapView {
        let center = Coordinate(wrappingLatitude: 20, longitude: 30)
        return try MapView(center: center, zoom: zoom, width: width, height: height)
    }

    private static func text(_ picture: MapPicture) -> String { String(decoding: picture.svg, as: UTF8.self) }

    @Test("A map of known tiles and markers is drawn as it was recorded", arguments: MapLook.allCases)
    func golden(look: MapLook) throws {
        let view = try MapPictureTests.view()
        let tiles = try SampleMap.tiles(names: [
            ("Timbuktu", "city", 2_000, 1_700), ("A Long Lake Name", "water", 3_200, 1_200),
        ])
        var markers = SampleMap.markers(5, in: view, seed: 1)
        let center = Coordinate(wrappingLatitude: 20.5, longitude: 40.5)
        let kind = StoryKind("photo")
        markers.append(
            DrawnMarker(position: center, count: 1, kind: kind, cell: .degree, title: "Near <here> & \"there\"")
        )
        let picture = try MapPicture(of: view, tiles: tiles, markers: markers, look: look, title: "Map of 6 stories")
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/map-\(look.rawValue).svg")
        if ProcessInfo.processInfo.environment["WAYMARK_GOLDEN_RECORD"] == "1" {
            try Data(picture.svg).write(to: file)
        }
        let recorded = try Data(contentsOf: file)
        #expect(picture.svg == [UInt8](recorded), "record anew with WAYMARK_GOLDEN_RECORD=1, and look at the picture")
    }

    @Test("Names never lie under markers, over each other or beyond the edge", arguments: UInt64(0)..<30)
    func names(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let view = try MapPictureTests.view(700, 500, zoom: 1.5)
        let kinds = ["country", "city", "town", "village", "water", "ocean", "island"]
        let names = (0..<120)
            .map { number in
                (
                    text: "Name \(number) of \(String(repeating: "x", count: Int(generator.next() % 12)))",
                    kind: kinds[number % kinds.count], x: Int(generator.next() % 4_096),
                    y: Int(generator.next() % 4_096)
                )
            }
        let markers = SampleMap.markers(25, in: view, seed: seed)
        let tiles = try SampleMap.tiles(names: names) + [try SampleMap.streets()]
        let picture = try MapPicture(of: view, tiles: tiles, markers: markers, look: .light, title: "")
        let frame = PixelBox(left: 0, top: 0, right: Double(view.width), bottom: Double(view.height))
        let rooms = picture.nameRooms
        #expect(!rooms.isEmpty)
        for (number, name) in rooms.enumerated() {
            #expect(frame.contains(name.room), "\(name.text)")
            #expect(!picture.markerRooms.contains { $0.overlaps(name.room) }, "\(name.text)")
            #expect(!rooms.dropFirst(number + 1).contains { $0.room.overlaps(name.room) }, "\(name.text)")
        }
    }

    @Test(
        "MAP-01 MAP-03 Every marker is whole in the picture, and the numbers in it are exact",
        arguments: UInt64(0)..<30
    )
    func markers(seed: UInt64) throws {
        let view = try MapPictureTests.view(360, 240)
        let markers = SampleMap.markers(40, in: view, seed: seed)
        let picture = try MapPicture(of: view, tiles: [], markers: markers, look: .dark, title: "")
        let frame = PixelBox(left: 0, top: 0, right: 360, bottom: 240)
        #expect(picture.markerCount == 40 && picture.markerRooms.allSatisfy(frame.contains))
        let numbers = MapPictureTests.text(picture).matches(of: /<text [^>]*font-weight="bold"[^>]*>([0-9,]+)<\/text>/)
            .compactMap { Int($0.1.replacing(",", with: "")) }
        let singles = markers.count { $0.count == 1 }
        #expect(numbers.reduce(singles, +) == markers.reduce(0) { $0 + $1.count })
        #expect(picture.storyCount == markers.reduce(0) { $0 + $1.count })
    }

    @Test("Text from outside stays text, and nothing refers to anything outside")
    func hostile() throws {
        let title = "\"/><script>alert(1)</script><image href=\"http://evil.example\"/>\u{0}\u{1B}\u{FFFE}&amp;"
        let view = try MapPictureTests.view()
        let marker = DrawnMarker(position: view.box.center, count: 1, kind: StoryKind("x_y"), title: title)
        let tiles = try SampleMap.tiles(names: [("<b>&\"\u{7}'</b>", "city", 2_100, 1_900)])
        let picture = try MapPicture(of: view, tiles: tiles, markers: [marker], look: .light, title: title)
        let svg = MapPictureTests.text(picture)
        for forbidden in [
            "<script", "<image", "<b>", "href=\"", "<style", "\u{0}", "\u{1B}", "\u{7}", "\u{FFFE}", "url(",
        ] {
            #expect(!svg.contains(forbidden), "\(forbidden.debugDescription)")
        }
        #expect(svg.contains("&lt;script&gt;") && svg.contains("&amp;amp;"))
        // The name of the space of SVG is the only address.
        #expect(svg.components(separatedBy: "://").count - 1 == 1 + 2 * title.components(separatedBy: "://").count - 2)
        // Nothing of it has a quotation mark that ends an attribute early.
        #expect(XMLCheck.isWellFormed(svg))
    }

    @Test("Streets are drawn where added, tunnels apart; without our names their places are named")
    func streets() throws {
        let center = Coordinate(wrappingLatitude: 0, longitude: 0)
        let view = try MapView(center: center, zoom: 12, width: 300, height: 200)
        // Tiles of zoom 0 are enlarged 4,096 times: a road along 0 degrees passes through.
        var roads = VectorTile(name: "transportation")
        let road = [VectorTile.Position(x: 0, y: 2_048), VectorTile.Position(x: 4_096, y: 2_048)]
        roads.addLines([road], properties: [("class", .text("motorway"))])
        let drawn = DrawnTiles(.streets, try SampleMap.archive(roads.bytes), attribution: "Roads: us")
        let with = MapPictureTests.text(
            try MapPicture(of: view, tiles: [drawn], markers: [], look: .light, title: "")
        )
        let without = MapPictureTests.text(try MapPicture(of: view, tiles: [], markers: [], look: .light, title: ""))
        #expect(with.contains("#f5c483") && with.contains("#c98b43") && with.contains("Roads: us"))
        #expect(!without.contains("#f5c483"))
    }

    @Test("Sources are named below the map, in as many lines as the width needs, each once")
    func sources() throws {
        let tiles = try SampleMap.tiles(names: []) + [try SampleMap.streets()]
        for width in [120, 360, 960] {
            let view = try MapView(
                center: Coordinate(wrappingLatitude: 0, longitude: 0),
                zoom: 2,
                width: width,
                height: 90
            )
            let picture = try MapPicture(of: view, tiles: tiles + tiles, markers: [], look: .light, title: "")
            #expect(picture.height == 90 + MapPicture.creditHeight(of: tiles, width: width))
            let svg = MapPictureTests.text(picture)
            #expect(svg.contains("&lt;no&gt;body &amp; sons") || width == 120)
            #expect(svg.components(separatedBy: "nobody").count == 2)
        }
    }
}

/// Checks that tags are closed in their order and that no stray markup is left.
enum XMLCheck: Sendable {
    static func isWellFormed(_ text: String) -> Bool {
        var open: [Substring] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            guard !rest[..<start].contains(">"), let end = rest[start...].firstIndex(of: ">") else { return false }
            let tag = rest[rest.index(after: start)..<end]
            guard !tag.contains("<"), tag.count(where: { $0 == "\"" }).isMultiple(of: 2) else { return false }
            if tag.hasPrefix("/") {
                guard open.popLast() == tag.dropFirst() else { return false }
            } else if !tag.hasSuffix("/") {
                open.append(tag.prefix { $0 != " " })
            }
            rest = rest[rest.index(after: end)...]
        }
        return open.isEmpty
    }
}
