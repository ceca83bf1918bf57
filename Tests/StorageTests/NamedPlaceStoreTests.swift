import Geometry
import Storage
import Stories
import TestSupport
import Testing

@Suite("Named places in the store")
struct NamedPlaceStoreTests {
    @Test("NTF-03 PRV-02 Places containing a point match a full scan, even at the edges of the map")
    func holding() async throws {
        let fixture = try StoreFixture()
        let world = StoryWorld(seed: 4, count: 0)
        var random = SplitMix64(seed: 11)
        let centres: [(Double, Double)] = [
            (33.7554, -84.3736), (12, 179.9995), (-12, -179.9995), (89.999, 20), (-90, 0),
        ]
        var places: [NamedPlace] = []
        for _ in 0..<400 {
            let centre = try #require(centres.randomElement(using: &random))
            let middle = GreatCircle.destination(
                from: Coordinate(wrappingLatitude: centre.0, longitude: centre.1),
                bearing: Double.random(in: 0..<360, using: &random),
                distance: Double.random(in: 0..<600, using: &random)
            )
            let owner = try #require(world.users.sorted().randomElement(using: &random))
            let families = world.families.filter { $0.value.contains(owner) }.keys.sorted()
            let privacy = try #require(Privacy.allCases.randomElement(using: &random))
            places.append(
                NamedPlace(
                    id: NamedPlaceID(using: &random),
                    owner: owner,
                    name: "A",
                    coordinate: middle,
                    radius: Double.random(in: NamedPlace.radii, using: &random),
                    privacy: privacy,
                    family: privacy == .familyOnly && Bool.random(using: &random)
                        ? families.randomElement(using: &random) : nil,
                    isHeld: Int.random(in: 0..<5, using: &random) == 0,
                    createdAt: Timestamp(milliseconds: 1_000)
                )
            )
        }
        let all = places
        try await fixture.store.write { transaction in
            let now = Timestamp(milliseconds: 1_000)
            for user in world.users { try transaction.save(User(id: user, name: user.rawValue), at: now) }
            for family in world.families.keys { try transaction.saveFamily(family, name: "F", at: now) }
            for place in all { try transaction.save(place) }
        }
        var found = 0
        for place in all.prefix(50) {
            let edge = GreatCircle.destination(
                from: place.coordinate,
                bearing: Double.random(in: 0..<360, using: &random),
                distance: place.radius * [0.3, 0.999, 1.001].randomElement(using: &random)!
            )
            let holding = all.filter { $0.contains(edge) }
            let close = all.filter { GreatCircle.distance($0.coordinate, edge) <= $0.radius + 150 }
            for viewer in world.viewers {
                let expected = holding.filter { $0.isVisible(to: viewer) }.sorted { $0.id < $1.id }
                let (held, near) = try await fixture.store.read { transaction in
                    (
                        try transaction.namedPlaces(of: [edge], visibleTo: viewer),
                        try transaction.namedPlaces(within: 150, of: [edge], visibleTo: viewer)
                    )
                }
                #expect(held.filter { $0.contains(edge) } == expected)
                // The last centimetre is the planner's to decide.
                let wanted = close.filter { $0.isVisible(to: viewer) }
                #expect(Set(near.map(\.id)).isSuperset(of: wanted.map(\.id)) && near.count <= wanted.count + 3)
                #expect(held.naming(edge)?.radius == expected.map(\.radius).min())
                found += expected.count
            }
        }
        #expect(found > 1_000)
    }
}
