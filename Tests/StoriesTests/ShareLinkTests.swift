import Geometry
import Stories
import TestSupport
import Testing

@Suite("Share links")
struct ShareLinkTests {
    private static let point = Coordinate(wrappingLatitude: 33.7554, longitude: -84.3736)
    private static let start = Timestamp(milliseconds: 1_760_000_123_456)

    private static func link(
        _ subject: ShareSubject,
        of owner: UserID,
        _ precision: SharePrecision = .exact
    ) -> ShareLink {
        ShareLink(
            id: "0123456789abcdef",
            digest: [],
            owner: owner,
            subject: subject,
            precision: precision,
            createdAt: start,
            expiresAt: start.advanced(byMilliseconds: 1_000)
        )
    }

    private static func story(_ owner: UserID, _ privacy: Privacy = .private, in collection: String? = nil) -> Story {
        var story = Story(id: StoryID(high: 1, low: 2), kind: .photo, title: "A", owner: owner, createdAt: start)
        (story.privacy, story.collection) = (privacy, collection)
        story.location = StoryLocation(coordinate: point)
        return story
    }

    private static func trip(of owner: UserID, family: FamilyID? = nil) throws -> StoryCollection {
        StoryCollection(
            id: try #require(CollectionID(String(repeating: "a", count: 32))),
            owner: owner,
            title: "Delta",
            privacy: family == nil ? .public : .familyOnly,
            family: family,
            createdAt: start
        )
    }

    @Test("A link is open until the millisecond in which it expires")
    func expiry() throws {
        let link = ShareLinkTests.link(.story(StoryID(high: 1, low: 2)), of: try #require(UserID("ana")))
        #expect(link.isOpen(at: ShareLinkTests.start))
        #expect(link.isOpen(at: ShareLinkTests.start.advanced(byMilliseconds: 999)))
        #expect(!link.isOpen(at: ShareLinkTests.start.advanced(byMilliseconds: 1_000)))
    }

    @Test("PRV-02 A link to a story shows that story of its owner at any level, unless it is withheld")
    func oneStory() throws {
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        let link = ShareLinkTests.link(.story(StoryID(high: 1, low: 2)), of: ana)
        for privacy in Privacy.allCases {
            #expect(link.shows(ShareLinkTests.story(ana, privacy), in: nil))
            #expect(!link.shows(ShareLinkTests.story(ben, privacy), in: nil))
        }
        var closed = ShareLinkTests.story(ana, .public)
        closed.autoPrivate = true
        #expect(!link.shows(closed, in: nil))
        closed = ShareLinkTests.story(ana, .public)
        closed.isWithheld = true
        #expect(!link.shows(closed, in: nil))
        let id = StoryID(high: 1, low: 3)
        let other = Story(id: id, kind: .photo, title: "B", owner: ana, createdAt: ShareLinkTests.start)
        #expect(!link.shows(other, in: nil))
    }

    @Test("PRV-02 A link to a collection shows its owner's stories in it, but no private and nobody else's")
    func wholeCollection() throws {
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        let family = try #require(FamilyID("whitfield"))
        for trip in [try ShareLinkTests.trip(of: ana), try ShareLinkTests.trip(of: ana, family: family)] {
            let link = ShareLinkTests.link(.collection(trip.id), of: ana)
            let rows: [(Story, Bool)] = [
                (ShareLinkTests.story(ana, .public, in: "Delta"), true),
                (ShareLinkTests.story(ana, .familyOnly, in: "Delta"), true),
                (ShareLinkTests.story(ana, .private, in: "Delta"), false),
                (ShareLinkTests.story(ana, .public, in: "Other"), false),
                (ShareLinkTests.story(ana, .public), false),
                (ShareLinkTests.story(ben, .familyOnly, in: "Delta"), false),
            ]
            for (story, isShown) in rows {
                #expect(link.shows(story, in: trip) == isShown, "\(story)")
                // Without the collection, nothing is left to show.
                #expect(!link.shows(story, in: nil))
            }
            #expect(!link.shows(rows[0].0, in: try ShareLinkTests.trip(of: ben)))
        }
    }

    @Test("PRV-02 LOC-08 What a link shows is the owner's, in its subject, and never more precise than link and story")
    func bruteForce() throws {
        var shownCount = 0
        for story in VisibilityTests.combinations {
            let stranger = try #require(UserID("nobody-else"))
            for precision in SharePrecision.allCases {
                for owner in [story.owner, stranger] {
                    let link = ShareLinkTests.link(.story(story.id), of: owner, precision)
                    guard let shown = link.shown(story, in: nil) else {
                        #expect(owner != story.owner || story.autoPrivate || story.isWithheld)
                        continue
                    }
                    shownCount += 1
                    #expect(story.owner == owner && story.id == shown.id && !story.autoPrivate && !story.isWithheld)
                    ShareLinkTests.check(shown, of: story, precision)
                }
            }
        }
        #expect(shownCount > 1_000)
    }

    /// Compares what is shown with the coarser of the two precisions, computed here a second time.
    private static func check(_ shown: Story, of story: Story, _ precision: SharePrecision) {
        #expect(shown.isVisible(to: .anonymous) && shown.family == nil && shown.layer == .public)
        let published = story.location?.published
        let isHidden = published == nil || published == .hidden || precision == .hidden
        let cells = [published?.cell, precision.location.cell].compactMap(\.self)
        let point: Coordinate? =
            isHidden ? nil : cells.max { $0.degrees < $1.degrees }.map { $0.center(of: self.point) } ?? self.point
        #expect(shown.point(for: .anonymous) == point)
        // Nothing of the true point is left in the value, for whatever code comes after.
        if point != self.point { #expect(shown.location?.coordinate != self.point) }
        #expect(shown.mapPlacements.map(\.coordinate) == (point.map { [$0] } ?? []))
        if point != self.point { #expect(shown.location?.names.isEmpty ?? true) }
        #expect(shown.location?.accuracy == nil || point == self.point)
    }

    @Test("PRV-09 Times behind a link are as coarse as its places", arguments: SharePrecision.allCases)
    func times(precision: SharePrecision) throws {
        let ana = try #require(UserID("ana"))
        var story = ShareLinkTests.story(ana, .public)
        story.date = StoryDate("1965-03-21")
        // The owner's choice for an exact place is not one for a coarser.
        story.location?.showsExactTimes = true
        let shown = try #require(ShareLinkTests.link(.story(story.id), of: ana, precision).shown(story, in: nil))
        let expected = ["exact": "1965-03-21", "approximate": "1965-03", "hidden": "1965"]
        #expect(shown.date?.text == expected[precision.rawValue])
        #expect(shown.times(for: .anonymous).date?.text == expected[precision.rawValue])
        #expect((shown.createdAt == story.createdAt) == (precision == .exact))
        #expect((shown.shownUpdatedAt == story.shownUpdatedAt) == (precision == .exact))
    }

    @Test("PRV-03 Content of the owner alone, and a move within the shown cell, change nothing behind a link")
    func invisibleChanges() throws {
        let ana = try #require(UserID("ana"))
        let story = ShareLinkTests.story(ana)
        let link = ShareLinkTests.link(.story(story.id), of: ana, .approximate)
        let before = link.shown(story, in: nil)
        var changed = story
        changed.clientID = "c1"
        changed.mediaChecksum = String(repeating: "0", count: 64)
        changed.collection = "Secret trip"
        (changed.source, changed.sourceID) = ("archive", "1")
        changed.family = FamilyID("whitfield")
        changed.privacy = .familyOnly
        changed.location?.coordinate = Coordinate(wrappingLatitude: 33.7555, longitude: -84.3737)
        changed.location?.names = [.name: "Sweet Auburn"]
        changed.location?.accuracy = 5
        changed.touch(at: ShareLinkTests.start.advanced(byMilliseconds: 60_000), replacing: story)
        #expect(link.shown(changed, in: nil) == before)
        changed.title = "B"
        #expect(link.shown(changed, in: nil) != before)
    }
}
