import Foundation
import Geometry
import Pictures
import TestSupport
import Testing

@Suite("Thumbnails")
struct ThumbnailTests {
    private static func sample(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Samples")
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    /// The colours in the middle of the four quarters, from the top left, of a thumbnail.
    private static func quarters(_ thumbnail: Thumbnail) throws -> [[Int]] {
        let pixels = try Thumbnail.pixels(of: thumbnail.jpeg)
        #expect(pixels.width == thumbnail.width && pixels.height == thumbnail.height)
        return [(1, 1), (3, 1), (1, 3), (3, 3)]
            .map { column, row in
                let start = (pixels.height * row / 4 * pixels.width + pixels.width * column / 4) * 4
                return pixels.bytes[start..<(start + 3)].map { Int($0) }
            }
    }

    private static let colours = [[220, 20, 20], [20, 180, 40], [30, 40, 210], [250, 250, 250]]

    /// Whether the quarters have the colours of the samples, as far as JPEG and inks keep them.
    private static func isUpright(_ quarters: [[Int]], tolerance: Int = 12) -> Bool {
        zip(quarters, colours)
            .allSatisfy { found, wanted in
                zip(found, wanted).allSatisfy { abs($0 - $1) <= tolerance }
            }
    }

    @Test("MAP-06 Every orientation that a camera records is turned upright", arguments: 1...8)
    func orientations(number: Int) throws {
        let thumbnail = try Thumbnail(of: ThumbnailTests.sample("turned-\(number).jpg"))
        #expect(thumbnail.width == 400 && thumbnail.height == 300)
        #expect(ThumbnailTests.isUpright(try ThumbnailTests.quarters(thumbnail)))
    }

    @Test(
        "MAP-06 Every kind of JPEG, PNG and WebP has a thumbnail",
        arguments: ["progressive.jpg", "ink.jpg", "palette.png", "clear.png", "plain.webp", "clear.webp"]
    )
    func kinds(name: String) throws {
        let thumbnail = try Thumbnail(of: ThumbnailTests.sample(name))
        #expect(thumbnail.width == 400 && thumbnail.height == 300)
        #expect(ThumbnailTests.isUpright(try ThumbnailTests.quarters(thumbnail), tolerance: 16))
    }

    @Test(
        "MAP-06 A PNG is turned by its EXIF as well, grey and deep pictures keep their brightness, tiny ones their size"
    )
    func others() throws {
        let turned = try Thumbnail(of: ThumbnailTests.sample("plain.png"))
        #expect(turned.width == 300 && turned.height == 400)
        let grey = try ThumbnailTests.quarters(Thumbnail(of: ThumbnailTests.sample("grey.jpg")))
        #expect(grey.allSatisfy { abs($0[0] - $0[1]) <= 2 && abs($0[1] - $0[2]) <= 2 } && grey[3][0] > 240)
        let deep = try ThumbnailTests.quarters(Thumbnail(of: ThumbnailTests.sample("deep.png")))
        #expect(deep.allSatisfy { abs($0[0] - 156) <= 4 })
        let tiny = try Thumbnail(of: ThumbnailTests.sample("tiny.png"))
        #expect(tiny.width == 3 && tiny.height == 2)
    }

    @Test(
        "PRV-01 A thumbnail has no metadata: no camera, no position",
        arguments: ["turned-3.jpg", "plain.png", "plain.webp"]
    )
    func metadata(name: String) throws {
        let source = try ThumbnailTests.sample(name)
        #expect(source.firstRange(of: Array("Secret camera".utf8)) != nil)
        let jpeg = try Thumbnail(of: source).jpeg
        #expect(
            jpeg.firstRange(of: Array("Secret camera".utf8)) == nil && jpeg.firstRange(of: Array("Exif".utf8)) == nil
        )
        // A plain JPEG has the segments of JFIF and of the picture alone: no APP1 to APP15, no comment.
        for marker in UInt8(0xE1)...0xEF { #expect(jpeg.prefix(600).firstRange(of: [0xFF, marker]) == nil) }
        #expect(jpeg.prefix(600).firstRange(of: [0xFF, 0xFE]) == nil)
    }

    @Test(
        "MAP-06 A picture of which a part is missing is damaged; one that lacks only the marker of its end is not",
        arguments: ["turned-1.jpg", "progressive.jpg", "ink.jpg", "plain.png", "plain.webp"]
    )
    func truncated(name: String) throws {
        let bytes = try ThumbnailTests.sample(name)
        for share in [50, 75, 95] {
            let part = Array(bytes.prefix(bytes.count * share / 100))
            #expect(throws: PictureError.damaged, "\(share) %") { try Thumbnail(of: part) }
        }
        guard name.hasSuffix(".jpg") else { return }
        #expect(Array(bytes.suffix(2)) == [0xFF, 0xD9])
        #expect(try Thumbnail(of: Array(bytes.dropLast(2))).jpeg == Thumbnail(of: bytes).jpeg)
    }

    @Test("MAP-06 Bombs are rejected by the size they declare, before anything is decoded")
    func bombs() throws {
        for name in ["bomb.png", "bomb.jpg"] {
            #expect(throws: PictureError.tooManyPixels(width: 50_000, height: 50_000)) {
                try Thumbnail(of: ThumbnailTests.sample(name))
            }
        }
        for name in ["script.svg", "plain.gif"] {
            #expect(throws: PictureError.unknownFormat) { try Thumbnail(of: ThumbnailTests.sample(name)) }
        }
        #expect(throws: PictureError.animated) { try Thumbnail(of: ThumbnailTests.sample("moving.webp")) }
        #expect(throws: PictureError.unknownFormat) { try Thumbnail(of: []) }
    }

    @Test(
        "MAP-06 Damaged pictures are reported or shown as far as they go, and nothing crashes",
        arguments: ["turned-6.jpg", "progressive.jpg", "clear.png", "palette.png", "plain.webp", "clear.webp"]
    )
    func damage(name: String) throws {
        let whole = try ThumbnailTests.sample(name)
        var generator = SplitMix64(seed: UInt64(whole.count))
        var rejected = 0
        for _ in 0..<300 {
            var broken = whole
            if Bool.random(using: &generator) {
                broken.removeLast(Int.random(in: 1..<whole.count, using: &generator))
            } else {
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    broken[Int.random(in: 0..<whole.count, using: &generator)] = .random(in: 0...255, using: &generator)
                }
            }
            do {
                let thumbnail = try Thumbnail(of: broken)
                #expect(thumbnail.width <= 400 && thumbnail.height <= 400)
            } catch {
                rejected += 1
            }
        }
        #expect(rejected > 0)
    }

    @Test("MAP-06 A fine pattern keeps its brightness when it is reduced")
    func brightness() {
        // Black and white in turn have half the light of white, which is stored as 187 or 188, not as 128.
        let pattern = Thumbnail.reduced(width: 800, height: 800, side: 100) { column, row in
            (column + row).isMultiple(of: 2) ? [255, 255, 255, 255] : [0, 0, 0, 255]
        }
        #expect(pattern.allSatisfy { (187...188).contains($0[0]) && Set($0[0...2]).count == 1 })
    }
}
