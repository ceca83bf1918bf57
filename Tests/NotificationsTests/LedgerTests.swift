import Geofencing
import Geometry
import Notifications
import Stories
import Testing

/// A user with a ledger in memory: the unique key decides, as in the store.
struct LedgerOf {
    let user: UserID
    var told: Set<LedgerEntry> = []
    private(set) var notices: [Notice] = []

    init(_ name: String) throws {
        user = try #require(UserID(name))
    }

    /// Announces what was not told yet and returns the notices.
    mutating func announce(_ visits: [PlaceVisit], _ stories: [NearbyStory]) -> [Notice] {
        let nearby = stories.filter { story in
            !told.contains(LedgerEntry(user: user, story: story.id, locationEpoch: story.locationEpoch))
        }
        let made = NoticePlanner().plan(visits: visits, nearby: nearby)
        for notice in made {
            for entry in notice.ledgerEntries(for: user) { #expect(told.insert(entry).inserted) }
        }
        notices += made
        return made
    }
}

@Suite("No announcement is repeated")
struct LedgerTests {
    private let day = 86_400.0

    @Test("NTF-05 Returning, on another device or day, announces nothing; only new content is announced")
    func returning() throws {
        var ledger = try LedgerOf("ana")
        let stories = [Street.story(1, at: 0), Street.story(2, at: 60)]
        #expect(ledger.announce([Street.visit(0, second: 0)], stories).map(\.stories.count) == [2])
        for second in [10, 600, day, 400 * day] {
            #expect(ledger.announce([Street.visit(60, second: second)], stories).isEmpty)
        }
        // What is new nearby has a fence of its own, and is told under the name of that place.
        let more = stories + [Street.story(3, at: 30, place: "New")]
        #expect(ledger.announce([Street.visit(0, second: 2 * day)], more).isEmpty)
        let new = ledger.announce([Street.visit(0, second: 2 * day), Street.visit(30, second: 2 * day + 9)], more)
        #expect(new.map { $0.stories.map(\.id.low) } == [[3]] && new.map(\.placeName) == ["New"])
        var other = try LedgerOf("ben")
        #expect(other.announce([Street.visit(0, second: 0)], stories).count == 1)
    }

    @Test("NTF-05 A story moved by 30 m is not announced again, by 80 m it is, and small moves add up")
    func moves() throws {
        var ledger = try LedgerOf("ana")
        var epoch = LocationEpoch(anchor: Street.point(0))
        #expect(ledger.announce([Street.visit(0, second: 0)], [Street.story(1, at: 0)]).count == 1)
        epoch.move(to: Street.point(30))
        #expect(epoch.number == 0)
        let near = Street.story(1, at: 30, epoch: epoch.number)
        #expect(ledger.announce([Street.visit(30, second: day)], [near]).isEmpty)
        var far = epoch
        far.move(to: Street.point(80))
        #expect(far.number == 1)
        let moved = Street.story(1, at: 80, epoch: far.number)
        #expect(ledger.announce([Street.visit(80, second: 2 * day)], [moved]).count == 1)
        epoch.move(to: Street.point(60))
        #expect(epoch == LocationEpoch(number: 1, anchor: Street.point(60)))
    }

    /// Five places 400 m apart, each of one story, and a walk past them.
    private func walk(from day: Double) -> (fixes: [Fix], fences: FenceList, stories: [NearbyStory]) {
        let stories = (0..<5).map { Street.story(UInt64($0), at: Double($0) * 400, place: "Place \($0)") }
        let fixes = (0..<400)
            .map { index in
                Fix(
                    time: Int64(day * 86_400_000) + Int64(index) * 5_000,
                    coordinate: Street.point(-400 + 7 * Double(index)),
                    accuracy: 10
                )
            }
        return (fixes, FenceList(stories.map { Fence($0.point, radius: 150) }), stories)
    }

    private func visits(_ effects: [FenceEffect]) -> [PlaceVisit] {
        effects.compactMap { effect in
            guard case .entered(let entry) = effect else { return nil }
            return PlaceVisit(
                placeID: entry.place,
                coordinate: entry.coordinate,
                kind: entry.kind == .entered ? .entered : .passed,
                at: Timestamp(milliseconds: entry.at),
                decidedAt: Timestamp(milliseconds: entry.decidedAt),
                confidence: entry.confidence,
                isSimulated: entry.isSimulated
            )
        }
    }

    @Test("NTF-10 A walk past five places announces each once; repeating it announces nothing")
    func replay() throws {
        var ledger = try LedgerOf("ana")
        let first = walk(from: 1)
        let evaluator = FenceEvaluator()
        let effects = evaluator.evaluate(trace: [first.fixes], fences: first.fences)
        let notices = ledger.announce(visits(effects), first.stories)
        #expect(notices.map(\.placeName) == ["Place 0", "Place 1", "Place 2", "Place 3", "Place 4"])
        #expect(notices.allSatisfy { $0.body == "1 story nearby" && $0.kind == .entered })
        #expect(zip(notices, notices.dropFirst()).allSatisfy { $0.at < $1.at })
        #expect(ledger.announce(visits(effects), first.stories).isEmpty)
        let next = walk(from: 2)
        let again = evaluator.evaluate(trace: [next.fixes], fences: next.fences)
        #expect(again.entries == 5 && ledger.announce(visits(again), next.stories).isEmpty)
    }

    @Test("NTF-10 Notices are the same whether announced live or all at the end")
    func liveIsReplay() throws {
        let walk = walk(from: 1)
        let all = visits(FenceEvaluator().evaluate(trace: [walk.fixes], fences: walk.fences))
        let whole = NoticePlanner().plan(visits: all, nearby: walk.stories)
        var ledger = try LedgerOf("ana")
        var window = VisitWindow()
        for visit in all { _ = ledger.announce(window.add(visit), walk.stories) }
        #expect(window.closesAt != nil)
        _ = ledger.announce(window.close(), walk.stories)
        #expect(ledger.notices == whole && window.closesAt == nil)
        let bytes = ledger.notices.map { $0.identityBytes(user: ledger.user) }
        #expect(Set(bytes).count == 5)
    }
}

extension [FenceEffect] {
    /// How many entries there are.
    fileprivate var entries: Int { count { if case .entered = $0 { true } else { false } } }
}
