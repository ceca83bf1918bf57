import Gazetteer
import Geometry

/// Areas of our own making, written in the format of `areas.bin`.
struct AreaFixture {
    /// A position in whole 1e-4 degrees.
    struct Point: Hashable {
        var x: Int
        var y: Int
    }

    /// An area: what it belongs to, and its closed rings, in any direction; even-odd tells its inside.
    struct Area {
        var country: String
        var region: String
        var county = ""
        var name = ""
        var rings: [[Point]]

        /// The independent judge: counts the crossings of a ray to the east.
        func contains(x: Double, y: Double) -> Bool {
            var isInside = false
            for ring in rings {
                for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
                    let (ax, ay, bx, by) = (Double(a.x), Double(a.y), Double(b.x), Double(b.y))
                    if (ay > y) != (by > y), x < (bx - ax) * (y - ay) / (by - ay) + ax { isInside.toggle() }
                }
            }
            return isInside
        }
    }

    var counties: [Area] = []
    var regions: [Area] = []
    var waters: [(name: String, outline: [Point])] = []

    /// The file.
    var bytes: [UInt8] {
        var out = Array("WMAREAS1".utf8)
        Self.varint(2, to: &out)
        for layer in [counties, regions] { Self.write(layer, to: &out) }
        Self.varint(waters.count, to: &out)
        for water in waters {
            Self.text(water.name, to: &out)
            Self.varint(water.outline.count, to: &out)
            var last = Point(x: 0, y: 0)
            for point in water.outline {
                Self.zigzag(point.x - last.x, to: &out)
                Self.zigzag(point.y - last.y, to: &out)
                last = point
            }
        }
        return out
    }

    /// Writes every edge as a border of its own, with the areas on its sides found by asking the judge.
    private static func write(_ areas: [Area], to out: inout [UInt8]) {
        varint(areas.count, to: &out)
        for area in areas { for part in [area.country, area.region, area.county, area.name] { text(part, to: &out) } }
        var sides: [[Point]: (left: Int, right: Int)] = [:]
        var order: [[Point]] = []
        for (number, area) in areas.enumerated() {
            for ring in area.rings {
                for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
                    let isForward = (a.x, a.y) < (b.x, b.y)
                    let key = isForward ? [a, b] : [b, a]
                    if sides[key] == nil { order.append(key) }
                    // A step to the left of the middle of the edge, in the direction of the key.
                    let (dx, dy) = (Double(key[1].x - key[0].x), Double(key[1].y - key[0].y))
                    let length = (dx * dx + dy * dy).squareRoot()
                    let x = Double(key[0].x + key[1].x) / 2 - dy / length * 0.01
                    let y = Double(key[0].y + key[1].y) / 2 + dx / length * 0.01
                    if area.contains(x: x, y: y) {
                        sides[key, default: (0, 0)].left = number + 1
                    } else {
                        sides[key, default: (0, 0)].right = number + 1
                    }
                }
            }
        }
        var (heads, xs, ys): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        var left = 0
        var last = Point(x: 0, y: 0)
        for key in order {
            let side = sides[key] ?? (0, 0)
            zigzag(side.left - left, to: &heads)
            left = side.left
            varint(side.right, to: &heads)
            // Long edges are cut, as the format wants it.
            let parts = max(abs(key[1].x - key[0].x), abs(key[1].y - key[0].y)) / 20_000 + 1
            varint(parts + 1, to: &heads)
            for part in 0...parts {
                let point = Point(
                    x: key[0].x + (key[1].x - key[0].x) * part / parts,
                    y: key[0].y + (key[1].y - key[0].y) * part / parts
                )
                zigzag(point.x - last.x, to: &xs)
                zigzag(point.y - last.y, to: &ys)
                last = point
            }
        }
        varint(order.count, to: &out)
        for run in [heads, xs, ys] {
            varint(run.count, to: &out)
            out += run
        }
    }

    private static func varint(_ value: Int, to out: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            out.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        out.append(UInt8(rest))
    }

    private static func zigzag(_ value: Int, to out: inout [UInt8]) {
        varint(value >= 0 ? value << 1 : (-value << 1) - 1, to: &out)
    }

    private static func text(_ text: String, to out: inout [UInt8]) {
        varint(text.utf8.count, to: &out)
        out += Array(text.utf8)
    }
}

extension AreaFixture {
    /// Quadrilaterals between jittered corners, some of them missing, some with an island of another area inside.
    ///
    /// `corner` is the south-west corner and `size` the extent of the whole, in 1e-4 degrees; `count` is of cells per side.
    static func patchwork(corner: Point, size: Int, count: Int, random: inout SplitMix64) -> [Area] {
        let step = size / count
        func jitter(_ index: Int) -> Int {
            // The outer corners stay, so that the whole may end at the edge of the map.
            index == 0 || index == count ? 0 : Int(random.next() % UInt64(max(1, step * 3 / 5))) - step * 3 / 10
        }
        var corners: [[Point]] = []
        for row in 0...count {
            corners.append(
                (0...count)
                    .map { column in
                        Point(x: corner.x + column * step + jitter(column), y: corner.y + row * step + jitter(row))
                    }
            )
        }
        var areas: [Area] = []
        for row in 0..<count {
            for column in 0..<count where random.next() % 5 != 0 {
                let ring = [
                    corners[row][column], corners[row + 1][column], corners[row + 1][column + 1],
                    corners[row][column + 1],
                ]
                var area = Area(country: "FR", region: "", rings: [ring])
                area.name = "r\(areas.count)"
                let middle = Point(x: ring.map(\.x).reduce(0, +) / 4, y: ring.map(\.y).reduce(0, +) / 4)
                if random.next() % 3 == 0, step >= 40 {
                    let reach = step / 10
                    let island = [
                        Point(x: middle.x - reach, y: middle.y), Point(x: middle.x, y: middle.y + reach),
                        Point(x: middle.x + reach, y: middle.y), Point(x: middle.x, y: middle.y - reach),
                    ]
                    area.rings.append(island)
                    areas.append(area)
                    areas.append(Area(country: "DE", region: "", name: "r\(areas.count)", rings: [island]))
                } else {
                    areas.append(area)
                }
            }
        }
        return areas
    }
}
