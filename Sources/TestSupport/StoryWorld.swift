public import Geometry
public import Stories

/// A random world of users, families and stories, reproducible by its seed.
///
/// Its points include difficult cases: towns, several stories at one point, both sides of the antimeridian and the
/// antimeridian itself, the poles, and noise everywhere. Owners belong to every family they name.
public struct StoryWorld: Sendable {
    /// The members of each family.
    public let families: [FamilyID: Set<UserID>]
    /// All users who may own stories.
    public let users: [UserID]
    /// The stories, in no particular order.
    public let stories: [Story]

    private var generator: SplitMix64
    private let towns: [Coordinate]

    /// Creates a world with `count` stories.
    public init(seed: UInt64, count: Int) {
        var generator = SplitMix64(seed: seed)
        let users = ["ana", "ben", "cora", "dora", "emil"].compactMap { UserID($0) }
        var families: [FamilyID: Set<UserID>] = [:]
        for (name, members) in [("north", [0, 1]), ("south", [1, 2, 3]), ("east", [0, 3])] {
            if let family = FamilyID(name) { families[family] = Set(members.map { users[$0] }) }
        }
        var towns = (0..<6).map { _ in StoryWorld.anywhere(&generator) }
        towns.append(Coordinate(wrappingLatitude: -17.8, longitude: 179.99))
        towns.append(Coordinate(wrappingLatitude: 66.1, longitude: -179.98))
        self.families = families
        self.users = users
        self.towns = towns
        var stories: [Story] = []
        for _ in 0..<count {
            let id = StoryID(using: &generator)
            stories.append(StoryWorld.story(id, users: users, families: families, towns: towns, using: &generator))
        }
        self.stories = stories
        self.generator = generator
    }

    /// The viewers to test: the anonymous one, each user with their families, and a user without families or stories.
    public var viewers: [Viewer] {
        var viewers = [Viewer.anonymous] + users.map(viewer(of:))
        if let stranger = UserID("stranger") { viewers.append(Viewer(user: stranger)) }
        return viewers
    }

    /// Returns the viewer for a user.
    public func viewer(of user: UserID) -> Viewer {
        Viewer(user: user, families: families.filter { $0.value.contains(user) })
    }

    /// Returns a random story: a new one, or a new version of the story with the given `id`.
    public mutating func randomStory(id: StoryID? = nil) -> Story {
        let id = id ?? StoryID(using: &generator)
        return StoryWorld.story(id, users: users, families: families, towns: towns, using: &generator)
    }

    /// Returns a random box of any size; many are near points of interest, some cross the antimeridian or touch a pole.
    public mutating func randomBox() -> BoundingBox {
        if Int.random(in: 0..<20, using: &generator) == 0 { return .world }
        let near = towns[Int.random(in: 0..<towns.count, using: &generator)]
        let center = Bool.random(using: &generator) ? near : StoryWorld.anywhere(&generator)
        let width = 360 * Math.power(2, -12 * generator.unit())
        let height = min(180, width * (0.2 + generator.unit()))
        let south = max(-90, center.latitude - height * generator.unit())
        let north = min(90, max(south, center.latitude + height * generator.unit()))
        let west = Coordinate.wrap(longitude: center.longitude - width * 0.5 * generator.unit())
        let east = Coordinate.wrap(longitude: center.longitude + width * 0.5 * generator.unit())
        return BoundingBox(west: west, south: south, east: east, north: north) ?? .world
    }

    /// Returns a random filter, often empty.
    public mutating func randomFilter() -> StoryFilter {
        var filter = StoryFilter()
        if Bool.random(using: &generator) { return filter }
        func chance(_ generator: inout SplitMix64) -> Bool { Int.random(in: 0..<4, using: &generator) == 0 }
        if chance(&generator) { filter.kinds = [.photo, .interview] }
        if chance(&generator) { filter.tags = ["blues", "unheard of"] }
        if chance(&generator) { filter.people = ["Ida"] }
        if chance(&generator) { filter.owners = Set(users.prefix(2)) }
        if chance(&generator) { filter.collections = ["summer"] }
        if chance(&generator) { filter.families = Set(families.keys.sorted().prefix(1)) }
        if chance(&generator) { filter.views = [StoryFilter.View.allCases.randomElement(using: &generator) ?? .mine] }
        if chance(&generator) { filter.from = CalendarDay(year: 1930, month: 1, day: 1) }
        if chance(&generator) { filter.to = CalendarDay(year: 1960, month: 6, day: 30) }
        return filter
    }

    /// Returns a random query for one of the viewers.
    public mutating func randomQuery() -> StoryQueryParts {
        let viewer = viewers[Int.random(in: 0..<viewers.count, using: &generator)]
        let filter = randomFilter()
        var parts = StoryQueryParts(viewer: viewer, filter: filter)
        if Int.random(in: 0..<6, using: &generator) == 0 {
            let step: UInt64 = Bool.random(using: &generator) ? 3 : 20
            parts.among = Set(stories.filter { $0.id.low.isMultiple(of: step) }.map(\.id))
        }
        if Int.random(in: 0..<6, using: &generator) == 0 {
            parts.except = Set(stories.filter { $0.id.low.isMultiple(of: 5) }.map(\.id))
        }
        return parts
    }

    private static func anywhere(_ generator: inout SplitMix64) -> Coordinate {
        let latitude = Math.degrees(Math.arcSine(2 * generator.unit() - 1))
        return Coordinate(wrappingLatitude: latitude, longitude: generator.unit() * 360 - 180)
    }

    private static func point(towns: [Coordinate], using generator: inout SplitMix64) -> Coordinate {
        let town = towns[Int.random(in: 0..<towns.count, using: &generator)]
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: return Coordinate(wrappingLatitude: town.latitude, longitude: 180)
        case 1: return Coordinate(wrappingLatitude: town.latitude, longitude: -180)
        case 2: return Coordinate(wrappingLatitude: 84 + 6 * generator.unit(), longitude: town.longitude)
        case 3: return Coordinate(wrappingLatitude: -90, longitude: 360 * generator.unit() - 180)
        case 4, 5, 6: return anywhere(&generator)
        case 7, 8, 9: return town
        default:
            let spread = Math.power(10, -4 * generator.unit())
            return Coordinate(
                wrappingLatitude: town.latitude + spread * (generator.unit() - 0.5),
                longitude: town.longitude + spread * (generator.unit() - 0.5)
            )
        }
    }

    /// No events, so that the worlds of recorded seeds stay as they are.
    private static let kinds = StoryKind.known.filter { $0 != .event }

    private static func story(
        _ id: StoryID,
        users: [UserID],
        families: [FamilyID: Set<UserID>],
        towns: [Coordinate],
        using generator: inout SplitMix64
    ) -> Story {
        let owner = users[Int.random(in: 0..<users.count, using: &generator)]
        let kind = kinds[Int.random(in: 0..<kinds.count, using: &generator)]
        // Uses few distinct instants, so that lists have ties.
        let created = Timestamp(milliseconds: Int64.random(in: 0..<40, using: &generator) * 1_000)
        var story = Story(id: id, kind: kind, title: "Story \(id.low % 1_000)", owner: owner, createdAt: created)
        story.updatedAt = Timestamp(milliseconds: created.milliseconds + Int64.random(in: 0..<1_000, using: &generator))
        story.privacy = Privacy.allCases[Int.random(in: 0..<3, using: &generator)]
        if story.privacy != .public, Bool.random(using: &generator) {
            let mine = families.filter { $0.value.contains(owner) }.keys.sorted()
            story.family = mine.randomElement(using: &generator)
        }
        story.autoPrivate = Int.random(in: 0..<15, using: &generator) == 0
        story.isWithheld = id.low.isMultiple(of: 23)
        if id.low.isMultiple(of: 5) { story.picture = StoryPicture(version: id.low, width: 400, height: 300) }
        if Bool.random(using: &generator) { story.tags = [id.low.isMultiple(of: 3) ? "Blues" : "blues"] }
        if Bool.random(using: &generator) { story.tags.append("railway") }
        if Bool.random(using: &generator) { story.people = ["Ida", "Ralph"] }
        if Bool.random(using: &generator) { story.collection = Bool.random(using: &generator) ? "summer" : "winter" }
        if Int.random(in: 0..<4, using: &generator) != 0 {
            story.date = StoryDate(String(1900 + Int.random(in: 0..<100, using: &generator)))
        }
        guard Int.random(in: 0..<10, using: &generator) != 0 else { return story }
        var location = StoryLocation(coordinate: point(towns: towns, using: &generator))
        location.familySeesExact = Bool.random(using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: location.precision = .hidden
        case 1: location.precision = .approximate(.tenth)
        case 2: location.precision = .approximate(.hundredth)
        default: break
        }
        location.showsExactTimes = id.low.isMultiple(of: 7)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: location.floor = .hidden
        case 1: location.floor = .approximate(.degree)
        case 2: location.floor = .approximate(.hundredth)
        default: break
        }
        story.location = location
        return story
    }
}

/// The parts of a query, for reference implementations that do not use the index.
public struct StoryQueryParts: Sendable {
    /// The viewer.
    public var viewer: Viewer
    /// The filter.
    public var filter: StoryFilter
    /// The stories to consider; `nil` for all.
    public var among: Set<StoryID>?
    /// The stories to exclude.
    public var except: Set<StoryID> = []

    /// Creates the parts of a query.
    public init(viewer: Viewer, filter: StoryFilter = StoryFilter()) {
        self.viewer = viewer
        self.filter = filter
    }
}
