import Geometry
import Stories
import Testing

@Suite("LOC-10 The extent of a location")
struct StoryExtentTests {
    private static let area: PlaceShape = .polygon([
        [(10.0, 50.0), (12, 50), (12, 52), (10, 52), (10, 50)]
            .map { PlaceShape.Corner(longitude: $0.0, latitude: $0.1) }
    ])

    /// A story at the middle of its extent, with another place there.
    private static func story() throws -> Story {
        let created = Timestamp(milliseconds: 1_700_000_000_000)
        let owner = try #require(UserID("ana"))
        var story = Story(id: StoryID(high: 1, low: 1), kind: .interview, title: "A", owner: owner, createdAt: created)
        let location = StoryLocation(coordinate: area.anchor)
        story.location = location
        story.places = [
            StoryPlace(id: StoryID(high: 0, low: 1), role: .extent, location: location, shape: area),
            StoryPlace(id: StoryID(high: 0, low: 2), role: .born, location: location, shape: area),
        ]
        return story
    }

    private static func extent(_ story: Story) -> StoryPlace? { story.places.first { $0.role == .extent } }

    @Test("LOC-02 LOC-08 It is hidden, coarsened and removed with the location; other places stay as they are")
    func follows() throws {
        let old = try Self.story()
        for precision in [LocationPrecision.approximate(.tenth), .hidden] {
            for isTrusted in [false, true] {
                var story = old
                story.location?.precision = precision
                story.location?.familySeesExact = isTrusted
                story.settleExtents(replacing: old)
                let extent = try #require(Self.extent(story))
                #expect(extent.location.precision == precision && !extent.location.familySeesExact)
                #expect(extent.shape == Self.area && story.places[1] == old.places[1])
                #expect(story.places(for: .anonymous).allSatisfy { $0.role == .born || $0.shape == nil })
            }
        }
        var story = old
        story.location = nil
        story.settleExtents(replacing: old)
        #expect(story.places == [old.places[1]])
    }

    @Test("It goes with a location that leaves it, and stays with one that is corrected, renamed or shown again")
    func moves() throws {
        let old = try Self.story()
        let middle = Self.area.anchor
        for (latitude, longitude, stays) in [(51.9, 10.1, true), (51, 13, false), (49.9, 11, false)] {
            var story = old
            story.location?.coordinate = Coordinate(wrappingLatitude: latitude, longitude: longitude)
            story.settleExtents(replacing: old)
            #expect((Self.extent(story) != nil) == stays, "\(latitude), \(longitude)")
            #expect(story.places.contains(old.places[1]))
        }
        // Of a line, only a small step is a correction.
        var line = old
        line.places[0].shape = .line([(10.0, 51.0), (12, 51)].map { .init(longitude: $0.0, latitude: $0.1) })
        for (metres, stays) in [(40.0, true), (60, false)] {
            var story = line
            story.location?.coordinate = GreatCircle.destination(from: middle, bearing: 0, distance: metres)
            story.settleExtents(replacing: line)
            #expect((Self.extent(story) != nil) == stays, "\(metres) m")
        }
        var renamed = old
        renamed.location?.names[.name] = "Here"
        renamed.settleExtents(replacing: old)
        #expect(renamed.places == old.places)
        // What was hidden is shown again by its owner's word alone.
        var hidden = old
        hidden.location?.precision = .hidden
        hidden.settleExtents(replacing: old)
        var shown = hidden
        shown.location?.precision = .exact
        shown.settleExtents(replacing: hidden)
        #expect(Self.extent(shown)?.location.precision == .hidden)
    }

    @Test("Where another program may have changed the location, the extent is no more exact, and hidden without it")
    func outside() throws {
        let old = try Self.story()
        var story = old
        story.holdExtents()
        #expect(story.places == old.places)
        story.location?.precision = .approximate(.tenth)
        story.holdExtents()
        #expect(Self.extent(story)?.location.precision == .approximate(.tenth) && story.places[1] == old.places[1])
        for away in [nil, Coordinate(wrappingLatitude: 1, longitude: 1)] {
            var story = old
            story.places[0].location.familySeesExact = true
            if let away { story.location?.coordinate = away } else { story.location = nil }
            story.holdExtents()
            let extent = try #require(Self.extent(story)?.location)
            #expect(extent.precision == .hidden && !extent.familySeesExact && story.places[1] == old.places[1])
        }
    }

    @Test("PRV-09 The owner's choice of times holds for the extent, unless something keeps that coarser")
    func times() throws {
        var story = try Self.story()
        story.places.removeLast()
        story.location?.precision = .approximate(.tenth)
        story.places[0].location.precision = .approximate(.tenth)
        #expect(story.publishedTimePrecision == .year)
        story.location?.showsExactTimes = true
        #expect(story.publishedTimePrecision == .exact)
        // No other place is covered, nor one that is coarser, by its owner's word or an operator's.
        var other = story
        other.places[0].role = .born
        #expect(other.publishedTimePrecision == .year)
        other = story
        other.places[0].location.precision = .approximate(.degree)
        #expect(other.publishedTimePrecision == .decade)
        other = story
        other.places[0].location.floor = .approximate(.hundredth)
        #expect(other.publishedTimePrecision == .year)
        other = story
        other.location = nil
        #expect(other.publishedTimePrecision == .year)
    }

    @Test("An extent that the same change gives stays as given")
    func given() throws {
        let old = try Self.story()
        var story = old
        story.location?.precision = .hidden
        story.places[0].location.precision = .approximate(.degree)
        story.places[0].location.names[.name] = "A county"
        let given = story.places
        story.settleExtents(replacing: old)
        #expect(story.places == given)
    }

    @Test("PRV-09 LOC-08 A coarse extent shows no cell but that of the location, on lists, links and maps alike")
    func oneCell() throws {
        let (ana, ben, north) = (
            try #require(UserID("ana")), try #require(UserID("ben")), try #require(FamilyID("north"))
        )
        let family = Viewer(user: ben, families: [north: [ana, ben]])
        let levels: [LocationPrecision] = [
            .exact, .approximate(.hundredth), .approximate(.tenth), .approximate(.degree), .hidden,
        ]
        let far = Coordinate(wrappingLatitude: 51.9, longitude: 10.1)
        for own in levels {
            for level in levels {
                for trusts in [0, 1, 2, 3] {
                    var story = try Self.story()
                    story.places.removeLast()
                    story.location?.coordinate = far
                    story.location?.precision = own
                    story.location?.familySeesExact = trusts & 1 > 0
                    story.places[0].location.precision = level
                    story.places[0].location.familySeesExact = trusts & 2 > 0
                    for viewer in [Viewer.anonymous, family] { check(story, viewer) }
                }
            }
        }
    }

    private func check(_ story: Story, _ viewer: Viewer) {
        let extent = story.places[0]
        let (shown, precision) = (story.places(for: viewer).first, story.precision(of: extent, for: viewer))
        let own = story.precision(for: viewer)
        let what = "\(own), \(precision)"
        guard let cell = precision.cell else {
            #expect((shown?.location.coordinate == extent.location.coordinate) == (precision == .exact), "\(what)")
            return
        }
        // Coarser than the location, or as coarse: the cell that follows from what is shown of the location.
        let point = story.location?.coordinate ?? Self.area.anchor
        let isCovered = own == .exact || own.cell.map { $0.degrees <= cell.degrees } ?? false
        let everybody = story.location?.published ?? .hidden
        let isCoveredForAll = everybody == .exact || everybody.cell.map { $0.degrees <= cell.degrees } ?? false
        if isCoveredForAll { #expect(shown?.location.coordinate == cell.center(of: point), "\(what)") }
        if !isCovered { #expect(shown?.location.coordinate == cell.center(of: Self.area.anchor), "\(what)") }
        // What a viewer's layers sum up to is what they are shown.
        var points: [Coordinate: Int] = [:]
        for placement in story.placements(of: extent.location, isExtent: true).placements
        where viewer.sees(placement.layer) {
            points[placement.coordinate, default: 0] += placement.weight
        }
        #expect(points.filter { $0.value != 0 } == (shown.map { [$0.location.coordinate: 1] } ?? [:]), "\(what)")
    }

    @Test("PRV-09 Other roles keep the cell of their own")
    func otherRoles() throws {
        var story = try Self.story()
        let point = Coordinate(wrappingLatitude: 51.91, longitude: 10.11)
        story.location?.coordinate = point
        for index in story.places.indices { story.places[index].location.precision = .approximate(.tenth) }
        let points = story.places(for: .anonymous).map(\.location.coordinate)
        #expect(points == [point, Self.area.anchor].map(PublishedCell.tenth.center))
        // A location that moves within its cell moves nothing for others.
        var moved = story
        moved.location?.precision = .approximate(.tenth)
        story.location?.precision = .approximate(.tenth)
        moved.location?.coordinate = Coordinate(wrappingLatitude: 51.93, longitude: 10.17)
        #expect(moved.change(from: story) == .owner)
    }

    @Test("PRV-09 An extent that shows more than the location tells where that is")
    func telling() throws {
        let rows: [(LocationPrecision, LocationPrecision, Bool)] = [
            (.exact, .exact, false), (.exact, .hidden, false), (.approximate(.tenth), .exact, true),
            (.approximate(.tenth), .approximate(.hundredth), true),
            (.approximate(.tenth), .approximate(.tenth), false), (.approximate(.tenth), .approximate(.degree), false),
            (.hidden, .approximate(.degree), true), (.hidden, .hidden, false),
        ]
        for (own, level, isTelling) in rows {
            var story = try Self.story()
            story.location?.precision = own
            story.places[0].location.precision = level
            #expect(story.hasTellingExtent == isTelling, "\(own), \(level)")
            var other = story
            other.privacy = .private
            #expect(!other.hasTellingExtent)
            other = story
            other.places[0].isConfirmed = false
            #expect(!other.hasTellingExtent)
            other = story
            other.places[0].role = .born
            #expect(!other.hasTellingExtent)
            // Family that sees the area but not the location.
            other = story
            other.places[0].location.familySeesExact = true
            #expect(other.hasTellingExtent == (own != .exact), "\(own), \(level)")
            other.location?.familySeesExact = true
            #expect(other.hasTellingExtent == isTelling, "\(own), \(level)")
        }
    }
}
