import Geometry
import Stories
import TestSupport
import Testing

@Suite("Visibility")
struct VisibilityTests {
    /// Every combination that decides who sees what; owners belong to the family they name.
    static var combinations: [Story] {
        let world = StoryWorld(seed: 1, count: 0)
        let precisions: [LocationPrecision?] =
            [nil, .exact, .hidden] + PublishedCell.allCases.map { .approximate($0) }
        var stories: [Story] = []
        for owner in world.users {
            let families: [FamilyID?] = [nil] + world.families.filter { $0.value.contains(owner) }.keys.sorted()
            for privacy in Privacy.allCases {
                for family in families {
                    for precision in precisions {
                        for bits in 0..<32 {
                            let id = StoryID(high: 1, low: UInt64(stories.count))
                            let created = Timestamp(milliseconds: 0)
                            var story = Story(id: id, kind: .photo, title: "A", owner: owner, createdAt: created)
                            story.privacy = privacy
                            story.family = family
                            story.autoPrivate = bits & 1 == 1
                            story.isWithheld = bits & 16 == 16
                            if let precision {
                                story.location = StoryLocation(
                                    coordinate: Coordinate(wrappingLatitude: 33.7554, longitude: -84.3736),
                                    accuracy: 12,
                                    precision: precision,
                                    familySeesExact: bits & 2 == 2,
                                    names: [.name: "Sweet Auburn", .city: "Atlanta"]
                                )
                                story.location?.floor =
                                    [.exact, .approximate(.hundredth), .approximate(.degree), .hidden][bits >> 2 & 3]
                            }
                            stories.append(story)
                        }
                    }
                }
            }
        }
        return stories
    }

    @Test("PRV-02 A named place has the visibility of a story with its level; a restricted one is only its owner's")
    func namedPlaces() throws {
        let id = try #require(NamedPlaceID(String(repeating: "0", count: 32)))
        for viewer in StoryWorld(seed: 1, count: 0).viewers {
            for story in VisibilityTests.combinations
            where story.location == nil && story.effectivePrivacy == story.privacy {
                var place = NamedPlace(
                    id: id,
                    owner: story.owner,
                    name: "A",
                    coordinate: Coordinate(wrappingLatitude: 1, longitude: 2),
                    privacy: story.privacy,
                    family: story.privacy == .familyOnly ? story.family : nil,
                    createdAt: story.createdAt
                )
                #expect(place.isVisible(to: viewer) == story.isVisible(to: viewer), "\(story) \(viewer)")
                place.isHeld = true
                #expect(place.isVisible(to: viewer) == (viewer.user == story.owner))
            }
        }
    }

    @Test("PRV-02 A story's placements over a viewer's layers add up to the viewer's point")
    func placements() {
        for viewer in StoryWorld(seed: 1, count: 0).viewers {
            let layers = Set(viewer.layers)
            for story in VisibilityTests.combinations {
                var sum: [Coordinate: Int] = [:]
                for placement in story.mapPlacements where layers.contains(placement.layer) {
                    sum[placement.coordinate, default: 0] += placement.weight
                }
                let point = story.isVisible(to: viewer) ? story.point(for: viewer) : nil
                #expect(sum.filter { $0.value != 0 } == (point.map { [$0: 1] } ?? [:]), "\(story) \(viewer)")
            }
        }
    }

    @Test("PRV-02 A story is visible to everyone, the owner's families or the named one, or only the owner")
    func audiences() throws {
        let world = StoryWorld(seed: 1, count: 0)
        for story in VisibilityTests.combinations {
            for viewer in world.viewers {
                let user = viewer.user
                let shared = world.families.filter { family in
                    guard let user else { return false }
                    let isWanted = story.family.map { $0 == family.key } ?? family.value.contains(story.owner)
                    return isWanted && family.value.contains(user)
                }
                let expected: Bool
                switch story.autoPrivate || story.isWithheld ? .private : story.privacy {
                case .public: expected = true
                case .familyOnly: expected = user == story.owner || !shared.isEmpty
                case .private: expected = user == story.owner
                }
                #expect(story.isVisible(to: viewer) == expected)
                #expect(Set(viewer.layers).contains(story.layer) == expected)
                #expect(viewer.sees(story.layer) == expected)
            }
        }
    }

    @Test("LOC-08 Each viewer gets the right point and names")
    func points() {
        let world = StoryWorld(seed: 1, count: 0)
        for story in VisibilityTests.combinations {
            for viewer in world.viewers where story.isVisible(to: viewer) {
                let shown = story.location(for: viewer)
                #expect(shown?.coordinate == story.point(for: viewer))
                #expect(shown == expectedLocation(of: story, for: viewer))
            }
        }
    }

    private func expectedLocation(of story: Story, for viewer: Viewer) -> StoryLocation? {
        guard var location = story.location else { return nil }
        let isFamily = story.family.map { viewer.families[$0] != nil } ?? viewer.kin.contains(story.owner)
        if viewer.user == story.owner { return location }
        // The operator's areas are a floor for all but the owner; the owner's choice for all but trusted family.
        let wanted = location.familySeesExact && isFamily ? .exact : location.precision
        let order: [LocationPrecision] = [.exact] + PublishedCell.allCases.map { .approximate($0) } + [.hidden]
        let shown = order.last { $0 == wanted || $0 == location.floor }
        location.floor = .exact
        // Whom the owner trusts with more is nobody else's business.
        location.familySeesExact = location.familySeesExact && isFamily
        switch shown {
        case .exact?: return location
        case .hidden?, nil: return nil
        case .approximate(let cell)?:
            location.coordinate = cell.center(of: location.coordinate)
            location.precision = .approximate(cell)
            location.accuracy = nil
            location.names = [:]
            location.derived = []
            return location
        }
    }

    @Test("The layers of a viewer are listed once, sorted, and match visibility")
    func layers() {
        for viewer in StoryWorld(seed: 1, count: 0).viewers {
            #expect(viewer.layers == Set(viewer.layers).sorted())
            #expect(viewer.layers.allSatisfy(viewer.sees))
        }
        #expect(Viewer.anonymous.layers == [.public])
    }

    @Test("LOC-08 Published cells are fixed and nest", arguments: UInt64(0)..<20)
    func cells(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let point = Coordinate(
                wrappingLatitude: generator.unit() * 180 - 90,
                longitude: generator.unit() * 360 - 180
            )
            for cell in PublishedCell.allCases {
                let center = cell.center(of: point)
                #expect(cell.center(of: center) == center)
                let box = cell.box(of: point)
                #expect(box.contains(point) && abs(box.width - cell.degrees) < 1e-9)
                #expect(abs(box.center.latitude - center.latitude) < 1e-9)
                #expect(abs(box.center.longitude - center.longitude) < 1e-9)
                #expect(abs(center.latitude - point.latitude) <= cell.degrees / 2 + 1e-9)
                #expect(abs(center.longitude - point.longitude) <= cell.degrees / 2 + 1e-9)
                for smaller in PublishedCell.allCases where smaller.degrees <= cell.degrees {
                    #expect(cell.center(of: smaller.center(of: point)) == center)
                }
                // Every other point of the cell is published as the same centre.
                let other = Coordinate(
                    wrappingLatitude: center.latitude + (generator.unit() - 0.5) * cell.degrees * 0.999,
                    longitude: center.longitude + (generator.unit() - 0.5) * cell.degrees * 0.999
                )
                #expect(cell.center(of: other) == center)
            }
        }
    }

    @Test("LOC-08 The edges of the globe are in cells of their own size", arguments: PublishedCell.allCases)
    func cellEdges(cell: PublishedCell) {
        for (latitude, longitude) in [(90.0, 180.0), (-90, -180), (90, -180), (0, 0), (-0.0, 180)] {
            let center = cell.center(of: Coordinate(wrappingLatitude: latitude, longitude: longitude))
            #expect(abs(abs(center.latitude - latitude) - cell.degrees / 2) < 1e-9)
            #expect(abs(abs(center.longitude - longitude) - cell.degrees / 2) < 1e-9)
        }
        #expect(PublishedCell(degrees: cell.degrees) == cell)
        #expect(PublishedCell(degrees: 0.02) == nil)
    }
}
