import Geometry
import Stories

/// A seeded world for benchmarks: most stories are around cities of very different sizes, some of them at a shared
/// point; the others are anywhere.
///
/// Stories are generated on demand, so that ten million of them take no memory.
struct BenchWorld: Sendable {
    /// The number of stories.
    let count: Int
    /// The number of stories per thousand shared with families instead of the public.
    let familyShare: Int
    let seed: UInt64
    /// The number of families, each with ``relatives`` owners.
    let families: Int
    /// The fraction of stories anywhere in the world instead of around a city, 0...1.
    let scattered: Double
    private let cities: [City]

    private struct City: Sendable {
        let centre: Coordinate
        let kilometres: Double
        /// The share of stories in this city and all cities before it, 0...1.
        let share: Double
    }

    private static let cityCount = 500
    /// The number of owners in each family who share stories with the family.
    private static let relatives = 5

    /// Creates the world for a seed.
    init(count: Int, seed: UInt64, familyShare: Int = 100, families: Int = 1_000, scattered: Double = 0.3) {
        self.count = count
        self.scattered = scattered
        self.families = families
        self.familyShare = familyShare
        self.seed = seed
        var generator = SplitMix64(seed: seed)
        var total = 0.0
        let weights = (0..<BenchWorld.cityCount).map { 1 / Double($0 + 8) }
        let sum = weights.reduce(0, +)
        cities = weights.map { weight in
            total += weight / sum
            return City(
                centre: Coordinate(
                    wrappingLatitude: generator.unit() * 105 - 40,
                    longitude: generator.unit() * 360 - 180
                ),
                kilometres: Math.exponential(1.1 + 2.3 * generator.unit()),
                share: total
            )
        }
    }

    /// No events: the worlds stay those of earlier measurements.
    private static let kinds = StoryKind.known.filter { $0 != .event }
    private static let tags = (0..<50).map { "topic \($0)" }
    private static let people = (0..<200).map { "person \($0)" }

    /// Returns the user with a number.
    static func user(_ number: Int) -> UserID? { UserID("user\(number)") }

    /// Returns a viewer who belongs to the given number of families, whose other members share their stories with them.
    func viewer(families: Int) -> Viewer {
        guard let me = UserID("viewer") else { return .anonymous }
        var groups: [FamilyID: Set<UserID>] = [:]
        for family in 0..<families {
            guard let id = FamilyID("family\(family)") else { continue }
            let members = (0..<BenchWorld.relatives).compactMap { BenchWorld.user(family * BenchWorld.relatives + $0) }
            groups[id] = Set(members + [me])
        }
        return Viewer(user: me, families: groups)
    }

    /// Returns the position of the story with a number.
    func coordinate(_ number: Int) -> Coordinate {
        var generator = SplitMix64(seed: SplitMix64.mix(seed ^ 0xC0_0D) &+ UInt64(number))
        return coordinate(using: &generator)
    }

    private func coordinate(using generator: inout SplitMix64) -> Coordinate {
        let choice = generator.unit()
        if choice < scattered {
            return rounded(latitude: generator.unit() * 135 - 60, longitude: generator.unit() * 360 - 180)
        }
        // A fifth of the stories in cities share a point with others: an archive, a square, a concert.
        let isShared = generator.unit() < 0.2
        let share = generator.unit()
        let index = cities.firstIndex { share <= $0.share } ?? 0
        let city = cities[index]
        if isShared {
            var place = SplitMix64(seed: SplitMix64.mix(UInt64(index)) &+ generator.next() % 40)
            return near(city, using: &place)
        }
        return near(city, using: &generator)
    }

    private func near(_ city: City, using generator: inout SplitMix64) -> Coordinate {
        // Box and Muller (1958): a normal deviate along each axis.
        let radius = (-2 * Math.naturalLogarithm(max(1e-12, generator.unit()))).squareRoot() * city.kilometres / 111.2
        let angle = generator.unit() * 2 * .pi
        let latitude = city.centre.latitude + radius * Math.sine(angle)
        let width = max(0.01, Math.cosine(Math.radians(latitude)))
        return rounded(latitude: latitude, longitude: city.centre.longitude + radius * Math.cosine(angle) / width)
    }

    /// Rounds to six decimals, as phones report.
    private func rounded(latitude: Double, longitude: Double) -> Coordinate {
        Coordinate(
            wrappingLatitude: (latitude * 1e6).rounded() / 1e6,
            longitude: (longitude * 1e6).rounded() / 1e6
        )
    }

    /// Returns the story with a number.
    func story(_ number: Int) -> Story? {
        var generator = SplitMix64(seed: SplitMix64.mix(seed ^ 0xC0_0D) &+ UInt64(number))
        let point = coordinate(using: &generator)
        let isFamily = Int(generator.next() % 1_000) < familyShare
        let owners = families * BenchWorld.relatives
        guard let owner = BenchWorld.user(Int(generator.next() % UInt64(owners))) else { return nil }
        var story = Story(
            id: StoryID(high: SplitMix64.mix(UInt64(number) ^ seed), low: SplitMix64.mix(UInt64(number))),
            kind: BenchWorld.kinds[Int(generator.next() % UInt64(BenchWorld.kinds.count))],
            title: "Story",
            owner: owner,
            createdAt: Timestamp(milliseconds: 1_600_000_000_000 + Int64(number) * 100)
        )
        if isFamily { story.privacy = .familyOnly }
        story.tags = [BenchWorld.tags[Int(generator.next() % UInt64(BenchWorld.tags.count))]]
        story.people = [BenchWorld.people[Int(generator.next() % UInt64(BenchWorld.people.count))]]
        // From 1900 to 2019.
        let day = CalendarDay(daysSince1970: Int32(generator.next() % 43_829) - 25_567)
        story.date = StoryDate(text: "day", first: day, last: day)
        story.location = StoryLocation(coordinate: point)
        return story
    }

    /// All stories, generated one by one.
    var stories: some Sequence<Story> { (0..<count).lazy.compactMap { story($0) } }

    /// Returns viewports of the given size in pixels around random stories, as a visitor's map would request them;
    /// `zoom` refers to tiles of 512 pixels.
    func viewports(_ number: Int, zoom: Int, width: Double, height: Double, seed: UInt64) -> [BoundingBox] {
        var generator = SplitMix64(seed: SplitMix64.mix(seed) ^ UInt64(zoom))
        return (0..<number)
            .compactMap { _ in
                let middle = coordinate(Int(generator.next() % UInt64(max(1, count))))
                return BenchWorld.viewport(around: middle, zoom: zoom, width: width, height: height)
            }
    }

    /// Returns the viewport of the given size in pixels around a coordinate.
    static func viewport(around middle: Coordinate, zoom: Int, width: Double, height: Double) -> BoundingBox? {
        let unit = MercatorPoint(middle)
        let pixel = Double(1 << (23 - zoom))
        let west = Double(unit.x) - width / 2 * pixel
        let east = Double(unit.x) + width / 2 * pixel
        let upper = WebMercator.coordinate(x: west, y: max(0, Double(unit.y) - height / 2 * pixel))
        let lower = WebMercator.coordinate(x: east, y: min(WebMercator.size, Double(unit.y) + height / 2 * pixel))
        let isWorld = east - west >= WebMercator.size
        return BoundingBox(
            west: isWorld ? -180 : upper.longitude,
            south: lower.latitude,
            east: isWorld ? 180 : lower.longitude,
            north: upper.latitude
        )
    }
}
