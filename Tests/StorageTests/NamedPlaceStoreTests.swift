import Geometry
import Storage
import Stories
import TestSupport
import Testing

@Suite("Named places in the store")
struct NamedPlaceStoreTests {
    @Test("NTF-03 PRV-02 Those that hold a point are found as by asking all of them, at the edges of the map too")
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
        for place in all {
            let edge = GreatCircle.destination(
                from: place.coordinate,
                bearing: Double.random(in: 0..<360, using: &random),
                distance: place.radius * [0.3, 0.999, 1.001].randomElement(using: &random)!
            )
            for viewer in world.viewers {
                let expected = all.filter { $0.contains(edge) && $0.isVisible(to: viewer) }.sorted { $0.id < $1.id }
                let held = try await fixture.store.read { try $0.namedPlaces(of: [edge], visibleTo: viewer) }
                #expect(held.filter { $0.contains(edge) } == expected)
                let near = try await fixture.store.read {
                    try $0.namedPlaces(within: 150, of: [edge], visibleTo: viewer)
                }
                let wanted = all.filter { place in
                    place.isVisible(to: viewer) && GreatCircle.distance(place.coordinate, edge) <= place.radius + 150
                }
                #expect(Set(near.map(\.id)).isSuperset(of: wanted.map(\.id)) && near.count <= wanted.count + 3)
                let name = held.naming(edge)
                #expect(name?.radius == expected.map(\.radius).min())
                found += held.count
            }
        }
        #expect(found > 10_000)
    }
}
