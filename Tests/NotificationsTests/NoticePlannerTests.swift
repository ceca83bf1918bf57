import Geometry
import Notifications
import Stories
import Testing

/// Builds stories and visits on a street running east.
enum Street {
    static let start = Coordinate(wrappingLatitude: 33.7554, longitude: -84.3736)

    static func point(_ metres: Double) -> Coordinate {
        GreatCircle.destination(from: start, bearing: 90, distance: metres)
    }

    static func story(
        _ number: UInt64,
        at metres: Double,
        kind: StoryKind = .interview,
        title: String = "A title",
        epoch: Int = 0,
        place: String? = "Auburn Avenue",
        city: String? = "Atlanta"
    ) -> NearbyStory {
        NearbyStory(
            id: StoryID(high: 1, low: number),
            locationEpoch: epoch,
            kind: kind,
            title: title,
            point: point(metres),
            sourceID: "s\(number)",
            placeName: place,
            city: city
        )
    }

    static func visit(_ metres: Double, second: Double, kind: FeedItem.Kind = .entered) -> PlaceVisit {
        PlaceVisit(
            placeID: PlaceID(point(metres)),
            coordinate: point(metres),
            kind: kind,
            at: Timestamp(milliseconds: Int64(second * 1000)),
            confidence: 0.98
        )
    }
}

/// A gazetteer that has one name for everything.
struct OneName: PlaceNaming {
    var label: PlaceLabel?
    /// What it calls points that stand for a cell, if that is something else.
    var around: PlaceLabel?

    func label(of point: Coordinate, isExact: Bool) -> PlaceLabel? { isExact ? label : around ?? label }
}

@Suite("Notices")
struct NoticePlannerTests {
    private let planner = NoticePlanner()

    private func body(_ stories: [NearbyStory], _ preview: NotificationSettings.Preview) -> String? {
        var options = NoticeOptions()
        options.preview = preview
        return NoticePlanner(options: options).plan(visits: [Street.visit(0, second: 0)], nearby: stories).first?.body
    }

    @Test("NTF-03 A notice gives the number of stories and the name of the place")
    func words() throws {
        let stories = [Street.story(3, at: 0), Street.story(1, at: 60, place: "Sweet Auburn"), Street.story(2, at: 0)]
        let notices = planner.plan(visits: [Street.visit(0, second: 7)], nearby: stories)
        let notice = try #require(notices.first)
        #expect(notices.count == 1)
        #expect(notice.title == "Auburn Avenue" && notice.body == "3 stories nearby, 1 of them at Sweet Auburn")
        #expect(notice.placeName == "Auburn Avenue" && notice.place == Street.start)
        #expect(notice.stories.map(\.id.low) == [1, 2, 3] && notice.content.map(\.sourceID) == ["s1", "s2", "s3"])
        #expect(notice.at.milliseconds == 7_000 && notice.readyAt.milliseconds == 12_000)
        #expect(notice.kind == .entered && notice.confidence == 0.98 && !notice.isSimulated)
        #expect(body([Street.story(1, at: 0)], .count) == "1 story nearby")
    }

    @Test("NTF-03 The full preview names kinds and the title of a single story; no preview names nothing")
    func previews() {
        let mixed = [
            Street.story(1, at: 0), Street.story(2, at: 0), Street.story(3, at: 0, kind: .photo),
        ]
        #expect(body(mixed, .full) == "2 interviews and 1 family object nearby")
        let more = mixed + [Street.story(4, at: 0, kind: .document), Street.story(5, at: 0, kind: .observation)]
        #expect(body(more, .full) == "2 interviews, 2 family objects and 1 observation nearby")
        #expect(body([Street.story(1, at: 0, title: "Line\nbreak")], .full) == "1 interview nearby: Line break")
        let long = body([Street.story(1, at: 0, title: String(repeating: "x", count: 500))], .full)
        #expect(long == "1 interview nearby: " + String(repeating: "x", count: 99) + "…")
        #expect(body(mixed, .none) == "You have a new notification")
        #expect(body(mixed, .count) == "3 stories nearby")
    }

    @Test("An operator's own kinds are called stories")
    func ownKinds() throws {
        let song = try #require(StoryKind("song"))
        #expect(body([Street.story(1, at: 0, kind: song, title: "S")], .full) == "1 story nearby: S")
        let mixed = [Street.story(1, at: 0, kind: song), Street.story(2, at: 0)]
        #expect(body(mixed, .full) == "1 interview and 1 other story nearby")
    }

    @Test("A place is named by most stories, then the gazetteer, then its city, then here")
    func names() {
        func name(_ stories: [NearbyStory], gazetteer: String? = nil) -> String? {
            planner.plan(
                visits: [Street.visit(0, second: 0)],
                nearby: stories,
                names: OneName(label: gazetteer.map { PlaceLabel(name: $0) })
            )
            .first?
            .placeName
        }
        let tie = [Street.story(1, at: 0, place: "B"), Street.story(2, at: 0, place: "A")]
        #expect(name(tie, gazetteer: "G") == "A")
        #expect(name(tie + [Street.story(3, at: 0, place: "B")]) == "B")
        let nameless = [Street.story(1, at: 0, place: nil)]
        #expect(name(nameless, gazetteer: "Old Fourth Ward") == "Old Fourth Ward")
        #expect(name(nameless) == "Atlanta")
        #expect(name([Street.story(1, at: 0, place: "", city: nil)]) == "here")
        let notice = planner.plan(
            visits: [Street.visit(0, second: 0)],
            nearby: [Street.story(1, at: 0, place: nil, city: nil)]
        )
        #expect(notice.map(\.title) == ["Near you"] && notice.map(\.body) == ["1 story nearby"])
    }

    @Test("Points within 150 m of one another are one place, whichever is entered", arguments: [0.0, 60, 140])
    func grouping(entered: Double) throws {
        let stories = [0.0, 60, 140, 400].enumerated().map { Street.story(UInt64($0), at: $1) }
        let notices = planner.plan(visits: [Street.visit(entered, second: 0)], nearby: stories.reversed())
        let notice = try #require(notices.first)
        #expect(notices.count == 1 && notice.stories.map(\.id.low) == [0, 1, 2])
        #expect(notice.groupKey == stories.prefix(3).map(\.placeID).min())
        #expect(notice.place == Street.point(entered))
    }

    @Test("No two points of a place are further apart than the diameter")
    func completeLinkage() {
        let stories = [Street.story(1, at: -100), Street.story(2, at: 0), Street.story(3, at: 100)]
        let told = planner.plan(visits: [Street.visit(0, second: 0)], nearby: stories).flatMap(\.stories)
        #expect(told.count == 2)
    }

    @Test("NTF-05 Places of one group entered one after the other are announced once")
    func oneGroupOnce() {
        let stories = [Street.story(1, at: 0), Street.story(2, at: 60)]
        for second in [0.0, 3, 43, 4_000] {
            let visits = [Street.visit(0, second: 0), Street.visit(60, second: second)]
            #expect(planner.plan(visits: visits, nearby: stories).map(\.stories.count) == [2])
        }
    }

    @Test("Two places entered together make two notices, three make one")
    func merging() throws {
        let stories = [Street.story(1, at: 0, place: "A"), Street.story(2, at: 300), Street.story(3, at: 600)]
        let visits = [Street.visit(0, second: 0), Street.visit(300, second: 2), Street.visit(600, second: 5)]
        let two = planner.plan(visits: Array(visits.prefix(2)), nearby: stories)
        #expect(two.map(\.placeName) == ["A", "Auburn Avenue"])
        let merged = planner.plan(visits: visits, nearby: stories, names: OneName(label: .init(name: "Sweet Auburn")))
        let notice = try #require(merged.first)
        #expect(merged.count == 1 && notice.groups.count == 3 && notice.stories.count == 3)
        #expect(notice.title == "Sweet Auburn" && notice.body == "3 stories around Sweet Auburn")
        let late = planner.plan(visits: visits.dropLast() + [Street.visit(600, second: 5.001)], nearby: stories)
        #expect(late.count == 3)
    }

    @Test("A notice counts as entered if any of its places was entered")
    func kinds() {
        let stories = [Street.story(1, at: 0), Street.story(2, at: 60)]
        let passed = Street.visit(0, second: 0, kind: .passed)
        #expect(planner.plan(visits: [passed], nearby: stories).map(\.kind) == [.passed])
        #expect(planner.plan(visits: [passed, Street.visit(60, second: 1)], nearby: stories).map(\.kind) == [.entered])
    }

    @Test("Nothing to announce makes no notice")
    func empty() {
        #expect(planner.plan(visits: [Street.visit(0, second: 0)], nearby: []).isEmpty)
        #expect(planner.plan(visits: [], nearby: [Street.story(1, at: 0)]).isEmpty)
        #expect(planner.plan(visits: [Street.visit(0, second: 0)], nearby: [Street.story(1, at: 151)]).isEmpty)
    }

    @Test("Ten thousand stories at ten thousand points make one notice")
    func many() {
        let stories = (0..<10_000).map { Street.story(UInt64($0), at: Double($0) * 0.0148) }
        let notices = planner.plan(visits: [Street.visit(0, second: 0)], nearby: stories)
        #expect(notices.count == 1 && (notices.first?.stories.count ?? 0) > 5_000)
    }

    @Test(
        "NTF-03 The first place entered gives the name (the nearest if simultaneous); others are listed"
    )
    func named() {
        let stories = [
            Street.story(1, at: 0, place: "Butler Street"), Street.story(2, at: 60, place: "Big Bethel"),
            Street.story(3, at: 60, place: "Big Bethel"), Street.story(4, at: 61, place: "Big Bethel"),
        ]
        func plan(_ visits: [PlaceVisit], _ stories: [NearbyStory]) -> [String] {
            planner.plan(visits: visits, nearby: stories).map { "\($0.title): \($0.body)" }
        }
        func visit(_ metres: Double, away: Double) -> PlaceVisit {
            let visit = Street.visit(metres, second: 0)
            return PlaceVisit(
                placeID: visit.placeID,
                coordinate: visit.coordinate,
                kind: .entered,
                at: visit.at,
                confidence: 1,
                distance: away
            )
        }
        let butler = "Butler Street: 4 stories nearby, 3 of them at Big Bethel"
        let bethel = "Big Bethel: 4 stories nearby, 1 of them at Butler Street"
        #expect(plan([visit(0, away: 20)], stories) == [butler])
        #expect(plan([visit(0, away: 20), visit(60, away: 90)], stories) == [butler])
        #expect(plan([visit(0, away: 90), visit(60, away: 20)], stories) == [bethel])
        let third = stories + [Street.story(5, at: 100, place: "Odd Fellows")]
        #expect(
            plan([visit(0, away: 0)], third) == [
                "Butler Street: 5 stories nearby, 3 of them at Big Bethel and 1 at Odd Fellows"
            ]
        )
        let fourth = third + [Street.story(6, at: 101, place: "Prince Hall"), Street.story(7, at: 0, place: nil)]
        #expect(
            plan([visit(0, away: 0)], fourth) == [
                "Butler Street: 7 stories nearby, 3 of them at Big Bethel and 2 at 2 other places"
            ]
        )
        // Neighbours without a name, or of the same one, are counted.
        let plain = [
            Street.story(1, at: 0, place: "A"), Street.story(2, at: 60, place: nil),
            Street.story(3, at: 70, place: "A"),
        ]
        #expect(plan([visit(0, away: 0)], plain) == ["A: 3 stories nearby"])
        var options = NoticeOptions()
        options.preview = .full
        let full = NoticePlanner(options: options).plan(visits: [visit(0, away: 0)], nearby: stories)
        #expect(full.map(\.body) == ["4 interviews nearby, 3 of them at Big Bethel"])
        options.preview = .none
        let none = NoticePlanner(options: options).plan(visits: [visit(0, away: 0)], nearby: stories)
        #expect(none.map(\.body) == ["You have a new notification"])
    }

    @Test("NTF-05 A place with nothing left to announce leaves its neighbours to their own entries")
    func notUsedUp() {
        let stories = [Street.story(2, at: 60, place: "Big Bethel")]
        #expect(planner.plan(visits: [Street.visit(0, second: 0)], nearby: stories).isEmpty)
        for second in [0.0, 3, 70] {
            let visits = [Street.visit(0, second: 0), Street.visit(60, second: second)]
            #expect(planner.plan(visits: visits, nearby: stories).map(\.title) == ["Big Bethel"])
        }
    }

    @Test("The order of stories and visits does not matter", arguments: UInt64(0)..<40)
    func order(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var stories = (0..<40).map { Street.story($0, at: 800 * random.unit()) }
        // One place in seven has nothing to tell.
        let points =
            stories.map { GreatCircle.distance(Street.start, $0.point) } + (0..<6).map { _ in 800 * random.unit() }
        var visits = (0..<9)
            .map { _ in Street.visit(points[Int(random.next() % 46)], second: 20 * random.unit()) }
        let expected = planner.plan(visits: visits, nearby: stories)
        stories.shuffle(using: &random)
        visits.shuffle(using: &random)
        #expect(planner.plan(visits: visits, nearby: stories) == expected)
        let told = expected.flatMap(\.stories).map(\.id)
        #expect(Set(told).count == told.count)
        for group in expected.flatMap(\.groups) {
            for a in group.stories {
                for b in group.stories { #expect(GreatCircle.distance(a.point, b.point) <= 150.01) }
            }
        }
    }

    @Test("NTF-05 The identity depends on user, places and content, not on time or device")
    func identity() throws {
        func bytes(_ user: String, _ stories: [NearbyStory], second: Double = 0) throws -> [UInt8] {
            let notice = planner.plan(visits: [Street.visit(0, second: second)], nearby: stories)
            return try #require(notice.first).identityBytes(user: try #require(UserID(user)))
        }
        let one = [Street.story(1, at: 0)]
        let ana = try bytes("ana", one)
        #expect(try bytes("ana", one, second: 99) == ana)
        #expect(try bytes("ben", one) != ana)
        #expect(try bytes("ana", one + [Street.story(2, at: 0)]) != ana)
        #expect(try bytes("ana", [Street.story(1, at: 0, epoch: 1)]) != ana)
        #expect(ana.starts(with: Array("waymark notice 1".utf8) + [0, 3] + Array("ana".utf8)))
        #expect(ana.count == 16 + 1 + 1 + 3 + 8 + 24)
    }
}
