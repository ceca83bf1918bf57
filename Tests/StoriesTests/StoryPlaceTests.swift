import Geometry
import Stories
import TestSupport
import Testing

@Suite("Who sees which place of a story")
struct StoryPlaceTests {
    private static let precisions: [LocationPrecision] = [
        .exact, .approximate(.hundredth), .approximate(.tenth), .approximate(.degree), .hidden,
    ]

    private static func id(_ user: String) throws -> UserID { try #require(UserID(user)) }

    /// The owner, their kin, a member of another family, and nobody in particular.
    private static func viewers() throws -> [(viewer: Viewer, isOwner: Bool, isKin: Bool)] {
        let (north, lake) = (try #require(FamilyID("north")), try #require(FamilyID("lake")))
        let (ana, ben, cora) = (try id("ana"), try id("ben"), try id("cora"))
        return [
            (Viewer(user: ana, families: [north: [ana, ben]]), true, false),
            (Viewer(user: ben, families: [north: [ana, ben]]), false, true),
            (Viewer(user: cora, families: [lake: [cora]]), false, false), (.anonymous, false, false),
        ]
    }

    private static func story(_ draw: inout SplitMix64) throws -> Story {
        let created = Timestamp(milliseconds: 1_700_000_000_000)
        var story = Story(
            id: StoryID(using: &draw),
            kind: .interview,
            title: "A",
            owner: try id("ana"),
            createdAt: created
        )
        if Bool.random(using: &draw) {
            story.location = StoryLocation(
                coordinate: Coordinate(wrappingLatitude: 1, longitude: 2),
                precision: try #require(precisions.randomElement(using: &draw))
            )
        }
        for _ in 0..<Int.random(in: 0...6, using: &draw) {
            var location = StoryLocation(
                coordinate: Coordinate(
                    wrappingLatitude: Double.random(in: -89...89, using: &draw),
                    longitude: Double.random(in: -179...179, using: &draw)
                ),
                precision: try #require(precisions.randomElement(using: &draw)),
                familySeesExact: Bool.random(using: &draw),
                names: [.name: "N"]
            )
            location.floor = try #require(precisions.randomElement(using: &draw))
            let line = [
                PlaceShape.Corner(longitude: location.coordinate.longitude, latitude: location.coordinate.latitude),
                PlaceShape.Corner(longitude: location.coordinate.longitude, latitude: 0),
            ]
            story.places.append(
                StoryPlace(
                    id: StoryID(using: &draw),
                    role: .spokenOf,
                    seconds: Bool.random(using: &draw) ? Double.random(in: 0...99, using: &draw).rounded() : nil,
                    location: location,
                    shape: try [nil, PlaceShape(line: line), PlaceShape(multiPoint: line)][
                        Int.random(in: 0..<3, using: &draw)
                    ],
                    isConfirmed: Double.random(in: 0...1, using: &draw) < 0.7
                )
            )
        }
        return story
    }

    /// How exactly somebody should see a place, by the words of the requirement; `nil` for not at all.
    private static func wanted(_ place: StoryPlace, isOwner: Bool, isKin: Bool) -> LocationPrecision? {
        if isOwner { return .exact }
        guard place.isConfirmed else { return nil }
        let (own, limit) = (place.location.precision, place.location.floor)
        let sizes: [LocationPrecision] = precisions
        let chosen = isKin && place.location.familySeesExact ? 0 : sizes.firstIndex(of: own) ?? 4
        let precision = sizes[max(chosen, sizes.firstIndex(of: limit) ?? 4)]
        return precision == .hidden ? nil : precision
    }

    @Test("LOC-10 NTF-03 A shape of several parts makes no fence, however exactly and small it is published")
    func parts() {
        let corners = [(7.0, 50.0), (7.001, 50), (7.001, 50.001), (7, 50)]
            .map { PlaceShape.Corner(longitude: $0.0, latitude: $0.1) }
        let location = StoryLocation(coordinate: Coordinate(wrappingLatitude: 50, longitude: 7))
        #expect(StoryPlace.makesFence(at: location, nil))
        for shape: PlaceShape in [.multiPoint(corners), .multiLine([corners]), .multiPolygon([[corners]])] {
            #expect(!StoryPlace.makesFence(at: location, shape), "\(shape.type)")
        }
    }

    @Test("LOC-10 LOC-08 Every viewer sees each place as exactly as its own precision allows, whatever the others")
    func oracle() throws {
        var draw = SplitMix64(seed: 10)
        for _ in 0..<400 {
            let story = try StoryPlaceTests.story(&draw)
            for (viewer, isOwner, isKin) in try StoryPlaceTests.viewers() {
                let shown = story.places(for: viewer)
                let wanted = story.places.filter {
                    StoryPlaceTests.wanted($0, isOwner: isOwner, isKin: isKin) != nil
                }
                #expect(Set(shown.map(\.id)) == Set(wanted.map(\.id)))
                for (a, b) in zip(shown, shown.dropFirst()) { #expect((a.seconds ?? 1e9) <= (b.seconds ?? 1e9)) }
                for place in shown {
                    let whole = try #require(story.places.first { $0.id == place.id })
                    let precision = try #require(StoryPlaceTests.wanted(whole, isOwner: isOwner, isKin: isKin))
                    if case .approximate(let cell) = precision {
                        #expect(place.location.coordinate == cell.center(of: whole.location.coordinate))
                        #expect(place.shape == nil && place.location.names.isEmpty && place.location.accuracy == nil)
                    } else {
                        #expect(place.location.coordinate == whole.location.coordinate)
                        #expect(place.shape == whole.shape && place.location.names == whole.location.names)
                    }
                }
            }
        }
    }

    @Test("PRV-03 PRV-09 A hidden or unconfirmed place changes nothing that others see: places, times, order, versions")
    func noTrace() throws {
        var draw = SplitMix64(seed: 11)
        for _ in 0..<400 {
            let story = try StoryPlaceTests.story(&draw)
            for (viewer, isOwner, isKin) in try StoryPlaceTests.viewers() where !isOwner {
                var without = story
                without.places.removeAll {
                    StoryPlaceTests.wanted($0, isOwner: false, isKin: isKin) == nil
                        && StoryPlaceTests.wanted($0, isOwner: false, isKin: false) == nil
                }
                #expect(without.places(for: viewer) == story.places(for: viewer))
                #expect(without.times(for: viewer) == story.times(for: viewer))
                #expect(without.publishedTimePrecision == story.publishedTimePrecision)
            }
            // Adding what nobody else sees is a change for its owner alone.
            var more = story
            more.places.append(
                StoryPlace(
                    id: StoryID(using: &draw),
                    role: .born,
                    location: StoryLocation(
                        coordinate: Coordinate(wrappingLatitude: 5, longitude: 6),
                        precision: .hidden
                    )
                )
            )
            #expect(more.change(from: story) == .owner)
            more.touch(at: Timestamp(milliseconds: 1_800_000_000_000), replacing: story)
            #expect(more.shownUpdatedAt == story.shownUpdatedAt && more.updatedAt > story.updatedAt)
        }
    }

    @Test("PRV-09 A coarse place makes the times coarser for those who see it, and family no less exact than others")
    func times() throws {
        var draw = SplitMix64(seed: 12)
        for _ in 0..<400 {
            let story = try StoryPlaceTests.story(&draw)
            let published = story.timePrecision(for: .anonymous)
            for place in story.places(for: .anonymous) {
                #expect(published >= TimePrecision(beside: place.location.precision))
            }
            for (viewer, isOwner, _) in try StoryPlaceTests.viewers() where !isOwner {
                #expect(story.timePrecision(for: viewer) <= published)
            }
        }
    }
}
