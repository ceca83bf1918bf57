import Formats
import Geometry
import HTTPTypes
import Stories
import TestSupport
import Testing

/// The rules of OGC API – Features Part 1 about `bbox` and `datetime`: features without a geometry lie in every box, and
/// those without a time in every interval (17-069r4, /req/core/fc-bbox-response C and /req/core/fc-time-response C).
@Suite("OGC API – Features: what bbox and datetime find")
struct FeatureWindowTests {
    private static let items = "/collections/stories/items"
    private static let mercator = "http%3A%2F%2Fwww.opengis.net%2Fdef%2Fcrs%2FEPSG%2F0%2F3857"

    /// A question, and the obvious way to answer it.
    private struct Question {
        let query: String
        /// Whether the index alone answers it, so that the first page has the number of all.
        var isPlain = true
        /// Whether a story that the viewer may see belongs to the answer.
        let isAnswer: (_ story: Story, _ viewer: Viewer) -> Bool
    }

    /// Gives some stories further places: shown and hidden ones, confirmed ones and ones that wait.
    private static func placed(_ stories: [Story], seed: UInt64) -> [Story] {
        var generator = SplitMix64(seed: seed + 41)
        return stories.map { story in
            var story = story
            let count = max(0, Int.random(in: -2...2, using: &generator))
            for _ in 0..<count {
                let point = Coordinate(
                    wrappingLatitude: 160 * generator.unit() - 80,
                    longitude: 360 * generator.unit() - 180
                )
                var location = StoryLocation(coordinate: point)
                if Bool.random(using: &generator) { location.precision = .hidden }
                let place = StoryPlace(
                    id: StoryID(using: &generator),
                    role: .spokenOf,
                    location: location,
                    isConfirmed: Int.random(in: 0..<3, using: &generator) > 0
                )
                story.places.append(place)
            }
            return story
        }
    }

    /// The stories that a viewer may see, in the order of the list.
    private static func visible(_ stories: [Story], to viewer: Viewer) -> [Story] {
        stories.filter { $0.isVisible(to: viewer) }
            .sorted {
                let (a, b) = ($0.times(for: viewer).createdAt, $1.times(for: viewer).createdAt)
                return a != b ? a > b : $0.id < $1.id
            }
    }

    private static func points(of story: Story, for viewer: Viewer) -> [Coordinate] {
        let own = story.point(for: viewer).map { [$0] } ?? []
        return own + story.places(for: viewer).filter { $0.isConfirmed }.map { $0.location.coordinate }
    }

    private static func lies(_ story: Story, for viewer: Viewer, where isInside: (Coordinate) -> Bool) -> Bool {
        let points = points(of: story, for: viewer)
        return points.isEmpty || points.contains(where: isInside)
    }

    /// Returns whether a story may be of the days from `from` to `to`; one without a date may be of any.
    private static func isOf(_ from: String?, _ to: String?, _ story: Story, _ viewer: Viewer) -> Bool {
        let date = story.times(for: viewer).date
        guard let first = date?.first, let last = date?.last else { return true }
        let (from, to) = (from.flatMap { StoryDate($0)?.first }, to.flatMap { StoryDate($0)?.first })
        return (from.map { last >= $0 } ?? true) && (to.map { first <= $0 } ?? true)
    }

    private static func isDated(_ story: Story, _ viewer: Viewer) -> Bool {
        story.times(for: viewer).date?.first != nil
    }

    private static func readable(_ drawn: BoundingBox) throws -> (box: BoundingBox, text: String) {
        func rounded(_ edge: Double) -> Double { (edge * 100).rounded() / 100 }
        let box = try #require(
            BoundingBox(
                west: rounded(drawn.west),
                south: rounded(drawn.south),
                east: rounded(drawn.east),
                north: rounded(drawn.north)
            )
        )
        return (box, "\(box.west),\(box.south),\(box.east),\(box.north)")
    }

    private static func questions(about boxes: inout StoryWorld) throws -> [Question] {
        var questions: [Question] = []
        let times: [(text: String, from: String?, to: String?)] = [
            ("1930-01-01/1960-06-30", "1930-01-01", "1960-06-30"), ("../1925-12-31", nil, "1925-12-31"),
            ("1980-02-01T00:00:00Z/..", "1980-02-01", nil), ("1950-05-05", "1950-05-05", "1950-05-05"),
        ]
        let photos = "kind%3D'photo'"
        for (text, from, to) in times {
            questions.append(Question(query: "datetime=\(text)") { Self.isOf(from, to, $0, $1) })
            let (box, edges) = try readable(boxes.randomBox())
            questions.append(
                Question(query: "bbox=\(edges)") { story, viewer in
                    Self.lies(story, for: viewer) { box.contains($0) }
                }
            )
            questions.append(
                Question(query: "bbox=\(edges)&datetime=\(text)") { story, viewer in
                    Self.lies(story, for: viewer) { box.contains($0) } && Self.isOf(from, to, story, viewer)
                }
            )
            // The service's own filters of days want a date.
            questions.append(
                Question(query: "bbox=\(edges)&from=1940&datetime=\(text)") { story, viewer in
                    Self.lies(story, for: viewer) { box.contains($0) } && Self.isDated(story, viewer)
                        && Self.isOf(from, to, story, viewer) && Self.isOf("1940-01-01", nil, story, viewer)
                }
            )
            questions.append(
                Question(query: "bbox=\(edges)&datetime=\(text)&filter=\(photos)", isPlain: false) { story, viewer in
                    Self.lies(story, for: viewer) { box.contains($0) } && Self.isOf(from, to, story, viewer)
                        && story.kind == .photo
                }
            )
        }
        return questions + (try otherQuestions(about: &boxes))
    }

    /// Questions that are asked of stories one by one: of a geometry, and in metres.
    private static func otherQuestions(about boxes: inout StoryWorld) throws -> [Question] {
        let (box, edges) = try readable(boxes.randomBox())
        let half = try #require(BoundingBox(west: -100, south: -60, east: 80, north: 70))
        let query = "bbox=\(edges)&filter=S_INTERSECTS(geometry%2CBBOX(-100%2C-60%2C80%2C70))"
        let shaped = Question(query: query, isPlain: false) { story, viewer in
            // What has no geometry intersects nothing.
            let isInHalf = story.point(for: viewer).map { half.contains($0) } ?? false
            return isInHalf && Self.lies(story, for: viewer) { box.contains($0) }
        }
        let low = (x: -9_000_000, y: -4_000_000)
        let high = (x: 12_000_000, y: 8_500_000)
        // Spherical Mercator with the radius 6,378,137 m: x = R·λ, y = R·ln tan(π/4 + φ/2).
        func isInside(_ point: Coordinate) -> Bool {
            guard abs(point.latitude) < 85 else { return false }
            let x = 6_378_137 * Math.radians(point.longitude)
            let angle = Double.pi / 4 + Math.radians(point.latitude) / 2
            let y = 6_378_137 * Math.naturalLogarithm(Math.tangent(angle))
            return Double(low.x) <= x && x <= Double(high.x) && Double(low.y) <= y && y <= Double(high.y)
        }
        let metres = "bbox=\(low.x),\(low.y),\(high.x),\(high.y)&bbox-crs=\(mercator)"
        let projected = Question(query: metres, isPlain: false) { story, viewer in
            Self.lies(story, for: viewer, where: isInside)
        }
        return [shaped, projected]
    }

    @Test(
        "A box and days find what lies in them and what its viewer sees without, as going through all stories does",
        arguments: UInt64(0)..<3
    )
    func bruteForce(seed: UInt64) async throws {
        let world = StoryWorld(seed: seed, count: 120)
        let fixture = try await ServiceFixture()
        let stories = try await fixture.store(world, Self.placed(world.stories, seed: seed))
        try await fixture.run { client async throws in
            var boxes = world
            for viewer in world.viewers where viewer.user?.rawValue != "stranger" {
                let visible = Self.visible(stories, to: viewer)
                #expect(visible.contains { Self.points(of: $0, for: viewer).isEmpty })
                #expect(visible.contains { !Self.isDated($0, viewer) })
                for question in try Self.questions(about: &boxes) {
                    let wanted = visible.filter { question.isAnswer($0, viewer) }.map { $0.id.description }
                    let query = "limit=20&\(question.query)"
                    let found = try await client.features(Self.items, query, as: viewer.user?.rawValue)
                    #expect(found.features.map { $0["id"]?.string } == wanted, "\(question.query)")
                    if question.isPlain { #expect(found.matched == wanted.count, "\(question.query)") }
                }
            }
        }
    }

    /// Returns where two answers begin to differ.
    private static func difference(_ a: Client.Reply, _ b: Client.Reply) -> String {
        let same = zip(a.bytes, b.bytes).prefix { $0 == $1 }.count
        return [a, b].map { String(decoding: $0.bytes.dropFirst(max(0, same - 200)).prefix(300), as: UTF8.self) }
            .joined(separator: "\n")
    }

    @Test("PRV-03 Where a hidden location lies changes no byte of an answer about a box")
    func hidden() async throws {
        let world = StoryWorld(seed: 9, count: 120)
        // Emil is in no family, so nobody lets him see more than everybody.
        let isMoved: (Story) -> Bool = { story in
            // Not what an area of the made-up world hides: this service has no areas.
            story.location?.precision == .hidden && story.owner.rawValue != "emil"
        }
        #expect(world.stories.filter { isMoved($0) && $0.isVisible(to: .anonymous) }.count >= 2)
        let moved = world.stories.map { story in
            var story = story
            if isMoved(story) {
                story.location?.coordinate = Coordinate(wrappingLatitude: -3, longitude: 7)
            }
            return story
        }
        let (here, elsewhere) = (try await ServiceFixture(), try await ServiceFixture())
        try await here.store(world)
        try await elsewhere.store(world, moved)
        try await here.run { client async throws in
            try await elsewhere.run { other async throws in
                for query in [
                    "bbox=6,-4,8,-2", "bbox=-180,-90,180,90", "bbox=-180,0,0,90", "bbox=6,-4,8,-2&datetime=1950-05-05",
                    "bbox=700000,-400000,800000,-300000&bbox-crs=\(Self.mercator)",
                    "bbox=6,-4,8,-2&filter=kind%3D'photo'",
                ] {
                    for user in [nil, "emil"] as [String?] {
                        let path = "\(Self.items)?limit=1000&\(query)"
                        let (a, b) = (try await client.get(path, as: user), try await other.get(path, as: user))
                        #expect(
                            a.status == 200 && b.status == 200 && a.bytes == b.bytes,
                            "\(query) \(Self.difference(a, b))"
                        )
                        #expect(a.headers[.eTag] == b.headers[.eTag], "\(query)")
                    }
                }
            }
        }
    }

    @Test("A further place of a story without a date belongs to every datetime, one of a dated story to its days")
    func places() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for (title, date) in [("Undated", ""), ("Dated", #","date":"1961-05-02""#)] {
                    let extra = #","privacy":"public""# + date
                    let id = try await client.create(as: "ana", title: title, extra: extra)
                    let place = #"{"role":"born","lat":10,"lon":20}"#
                    let made = try await client.send(.post, "/v1/stories/\(id)/places", as: "ana", place)
                    #expect(made.status == 201)
                }
                for (query, wanted) in [
                    ("datetime=1961-05-02", ["Dated", "Undated"]), ("datetime=1970-01-01/..", ["Undated"]),
                    ("datetime=1970-01-01/..&bbox=30,30,40,40", []), ("from=1961&datetime=1961-05-02", ["Dated"]),
                ] {
                    let page = try await client.get("/collections/story_places/items?\(query)")
                    let titles = (page.json["features"]?.array ?? []).compactMap { $0["properties"]?["title"]?.string }
                    #expect(titles.sorted() == wanted, "\(query)")
                }
            }
    }
}
