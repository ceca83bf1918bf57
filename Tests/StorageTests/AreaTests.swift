import Foundation
import GRDB
import Geometry
import Storage
import Stories
import TestSupport
import Testing

@Suite("Sensitive areas in the store")
struct AreaTests {
    typealias Corners = [(Double, Double)]

    static func area(
        _ polygons: [[Corners]],
        _ precision: LocationPrecision = .approximate(.tenth),
        name: String = "Area"
    ) throws -> SensitiveArea {
        try SensitiveArea(
            name: name,
            precision: precision,
            polygons: polygons.map { $0.map { $0.map { SensitiveArea.Corner(longitude: $0.0, latitude: $0.1) } } }
        )
    }

    static func square(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> Corners {
        [(west, south), (east, south), (east, north), (west, north), (west, south)]
    }

    /// The floors that a list of areas gives to exact points.
    private func floors(
        _ areas: [SensitiveArea],
        at points: [(latitude: Double, longitude: Double)],
        precision: LocationPrecision = .exact
    ) async throws -> [LocationPrecision] {
        let fixture = try StoreFixture()
        let stories = try points.enumerated()
            .map { index, point in
                var story = try makeStory(UInt64(index), latitude: point.latitude, longitude: point.longitude)
                story.location?.precision = precision
                return story
            }
        return try await fixture.store.write { transaction in
            try transaction.replaceAreas(areas)
            return try stories.map { try transaction.heldToAreas($0).location?.floor ?? .exact }
        }
    }

    @Test("PRV-09 LOC-08 An area applies to every whole cell it touches, but not to cells within a hole")
    func borders() async throws {
        let area = try AreaTests.area([
            [AreaTests.square(10.02, 10.02, 19.98, 19.98), AreaTests.square(14.02, 14.02, 15.98, 15.98)]
        ])
        let inside = [
            (11.0, 11.0), (10.0001, 10.0001), (19.999, 19.999), (10.01, 15), (15, 19.999), (14.01, 15),
            (15.999, 15.999),
        ]
        let outside = [(9.999999, 15.0), (15, 20.000001), (15, 15), (14.11, 15), (21, 21), (-15, 15), (15, -15)]
        let found = try await floors([area], at: (inside + outside).map { ($0.0, $0.1) })
        #expect(found == inside.map { _ in .approximate(.tenth) } + outside.map { _ in .exact })
    }

    @Test("LOC-08 Areas across the antimeridian apply on both sides, and ±180 are one meridian")
    func antimeridian() async throws {
        let unwrapped = try AreaTests.area([[AreaTests.square(177, -20, 182, -15)]])
        let split = try AreaTests.area([
            [AreaTests.square(177, -20, 180, -15)], [AreaTests.square(-180, -20, -178, -15)],
        ])
        let eastOnly = try AreaTests.area([[AreaTests.square(-180, -20, -178, -15)]])
        let points = [(-17.0, 178.0), (-17, -179), (-17, 180), (-17, -180), (-17, 176), (-17, -177), (-17, 0)]
        for area in [unwrapped, split] {
            let found = try await floors([area], at: points)
            #expect(found.map { $0 != .exact } == [true, true, true, true, false, false, false])
        }
        let found = try await floors([eastOnly], at: points)
        #expect(found.map { $0 != .exact } == [false, true, true, true, false, false, false])
        let belt = try AreaTests.area([[AreaTests.square(-180, 60, 180, 90)]])
        let polar = try await floors([belt], at: [(90, 0), (60, -180), (75, 12), (59.85, 0)])
        #expect(polar.map { $0 != .exact } == [true, true, true, false])
    }

    @Test("LOC-08 The strictest of several areas applies, in any order")
    func strictest() async throws {
        let areas = [
            try AreaTests.area([[AreaTests.square(0, 0, 30, 30)]], .approximate(.hundredth)),
            try AreaTests.area([[AreaTests.square(10, 10, 30, 30)]], .hidden),
            try AreaTests.area([[AreaTests.square(5, 5, 30, 30)]], .approximate(.degree)),
        ]
        let points = [(1.0, 1.0), (6, 6), (11, 11), (31, 31)]
        for list in [areas, areas.reversed()] {
            let found = try await floors(list, at: points)
            #expect(found == [.approximate(.hundredth), .approximate(.degree), .hidden, .exact])
        }
    }

    @Test("LOC-08 An area cutting the cell of an approximate story does not reveal which part holds its point")
    func cutCells() async throws {
        let area = try AreaTests.area([[AreaTests.square(10.002, 10.002, 10.004, 10.004)]], .approximate(.degree))
        let points = [(10.003, 10.003), (10.009, 10.009), (10.001, 10.001), (10.9, 10.9), (9.995, 10.003)]
        let held = LocationPrecision.approximate(.degree)
        let found = try await floors([area], at: points, precision: .approximate(.hundredth))
        #expect(found == [held, held, held, held, .exact])
        // The owner's cell counts where it is the larger one.
        let fine = try AreaTests.area([[AreaTests.square(10.002, 10.002, 10.004, 10.004)]], .approximate(.hundredth))
        let wide = try await floors([fine], at: [(10.9, 10.9), (11.5, 11.5)], precision: .approximate(.degree))
        #expect(wide == [.approximate(.hundredth), .exact])
    }

    @Test(
        "PRV-09 Probing with stories of all precisions and with places reveals only an area's cells",
        arguments: [LocationPrecision.approximate(.hundredth), .approximate(.tenth), .approximate(.degree), .hidden]
    )
    func probing(precision: LocationPrecision) async throws {
        // Some 200 metres wide, in the middle of cells of every size.
        let (south, west) = (33.5534, -84.4467)
        let area = try AreaTests.area([[AreaTests.square(west, south, west + 0.002, south + 0.002)]], precision)
        let cell = try #require(precision.areaCell)
        let inside = Coordinate(wrappingLatitude: south + 0.001, longitude: west + 0.001)
        let box = cell.box(of: inside)
        let fixture = try StoreFixture()
        let owner = try #require(UserID("cora"))
        let id = try #require(NamedPlaceID(String(repeating: "c", count: 32)))
        try await fixture.store.write { transaction in
            try transaction.replaceAreas([area])
            func isHeld(_ latitude: Double, _ longitude: Double, _ own: LocationPrecision) throws -> Bool {
                var story = try makeStory(1, owner: "cora", latitude: latitude, longitude: longitude)
                story.privacy = .private
                story.location?.precision = own
                return try transaction.heldToAreas(story).location?.floor != .exact
            }
            /// Where along a line from the inside out the answer changes, to a centimetre.
            func edge(_ out: Double, _ isHeld: (Double) throws -> Bool) throws -> Double {
                var (low, high) = (0.0, out)
                #expect(try isHeld(low) && !isHeld(high))
                while abs(high - low) > 1e-7 {
                    let middle = (low + high) / 2
                    if try isHeld(middle) { low = middle } else { high = middle }
                }
                return low
            }
            for own in [LocationPrecision.exact, .approximate(.hundredth), .hidden] {
                let north = try edge(1.2) { try isHeld(inside.latitude + $0, inside.longitude, own) }
                let east = try edge(1.2) { try isHeld(inside.latitude, inside.longitude + $0, own) }
                let down = try edge(-1.2) { try isHeld(inside.latitude + $0, inside.longitude, own) }
                #expect(abs(inside.latitude + north - box.north) < 1e-6)
                #expect(abs(inside.longitude + east - box.east) < 1e-6)
                #expect(abs(inside.latitude + down - box.south) < 1e-6)
            }
            let reach = try edge(1.2) { step in
                let point = Coordinate(wrappingLatitude: inside.latitude - step, longitude: inside.longitude)
                let place = NamedPlace(
                    id: id,
                    owner: owner,
                    name: "Probe",
                    coordinate: point,
                    radius: 50,
                    privacy: .private,
                    createdAt: Timestamp(milliseconds: 0)
                )
                return try transaction.isHeld(place)
            }
            let touched = inside.latitude - reach + 50 / GreatCircle.metresPerDegree
            #expect(abs(touched - box.south) < 1e-4)
        }
    }

    @Test(
        "LOC-08 The store agrees with the even-odd rule on cells and random stars with holes",
        arguments: UInt64(0)..<4
    )
    func oracle(seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        var areas: [SensitiveArea] = []
        var polygons: [[Corners]] = []
        for _ in 0..<12 {
            let center = (generator.unit() * 20, generator.unit() * 20)
            let outer = AreaTests.star(center, 2 + 3 * generator.unit(), &generator)
            let inner = outer.map { (center.0 + ($0.0 - center.0) * 0.3, center.1 + ($0.1 - center.1) * 0.3) }
            polygons.append([outer, inner])
            areas.append(try AreaTests.area([[outer, inner]]))
        }
        let points = (0..<500).map { _ in (latitude: generator.unit() * 20, longitude: generator.unit() * 20) }
        let found = try await floors(areas, at: points)
        for (point, floor) in zip(points, found) {
            let cell = PublishedCell.tenth.box(
                of: Coordinate(wrappingLatitude: point.latitude, longitude: point.longitude)
            )
            let isInside = polygons.contains { AreaTests.touches($0, cell) }
            #expect((floor != .exact) == isInside, "\(point)")
        }
    }

    private static func star(
        _ center: (Double, Double),
        _ radius: Double,
        _ generator: inout SplitMix64
    ) -> Corners {
        var corners: Corners = []
        for step in 0..<24 {
            let angle = Double(step) / 24 * 2 * Double.pi
            let reach = radius * (0.4 + 0.6 * generator.unit())
            corners.append((center.0 + reach * cos(angle), center.1 + reach * sin(angle)))
        }
        return corners + [corners[0]]
    }

    /// Whether rings and a box have a point in common: one of its corners is inside, or an edge comes into it.
    private static func touches(_ rings: [Corners], _ box: BoundingBox) -> Bool {
        if evenOdd(rings, (box.south, box.west)) { return true }
        return rings.contains { ring in
            zip(ring, ring.dropFirst())
                .contains { a, b in
                    var (first, last) = (0.0, 1.0)
                    for (start, step, low, high) in [
                        (a.0, b.0 - a.0, box.west, box.east), (a.1, b.1 - a.1, box.south, box.north),
                    ] {
                        let (one, two) = ((low - start) / step, (high - start) / step)
                        first = max(first, min(one, two))
                        last = min(last, max(one, two))
                    }
                    return first <= last
                }
        }
    }

    private static func evenOdd(_ rings: [Corners], _ point: (latitude: Double, longitude: Double)) -> Bool {
        var isInside = false
        for ring in rings {
            for (a, b) in zip(ring, ring.dropFirst()) where (a.1 > point.latitude) != (b.1 > point.latitude) {
                let x = a.0 + (point.latitude - a.1) / (b.1 - a.1) * (b.0 - a.0)
                if x > point.longitude { isInside.toggle() }
            }
        }
        return isInside
    }

    @Test("LOC-08 A self-intersecting area is rejected by name, and the list stays unchanged")
    func crossed() async throws {
        let fixture = try StoreFixture()
        let good = try AreaTests.area([[AreaTests.square(0, 0, 1, 1)]], name: "Good")
        let bow = try AreaTests.area([[[(0, 0), (1, 1), (1, 0), (0, 1), (0, 0)]]], name: "Bow")
        try await fixture.store.write { try $0.replaceAreas([good]) }
        let error = await #expect(throws: StoreError.self) {
            try await fixture.store.write { try $0.replaceAreas([good, bow]) }
        }
        #expect(error?.code == .refused)
        #expect(error?.description.contains("Area 2 (Bow)") == true)
        let listed = try await fixture.store.read { try $0.areas() }
        #expect(listed.map(\.name) == ["Good"])
        #expect(listed.map(\.precision) == [.approximate(.tenth)] && listed.map(\.corners) == [5])
    }

    @Test("LOC-08 A story's floor and its owner's choice are stored in separate columns")
    func roundTrip() async throws {
        let fixture = try StoreFixture()
        let area = try AreaTests.area([[AreaTests.square(-85, 33, -84, 34)]], .approximate(.degree))
        var story = try makeStory(1)
        story.location?.precision = .approximate(.hundredth)
        let given = story
        let (read, held) = try await fixture.store.write { transaction in
            try transaction.replaceAreas([area])
            try transaction.insert(given)
            return (try transaction.story(given.id), try transaction.countHeldStories())
        }
        #expect(read?.location?.floor == .approximate(.degree))
        #expect(read?.location?.precision == .approximate(.hundredth))
        #expect(held == 1)
        try fixture.store.inspect { db throws in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT precision, cell, floor, floor_cell FROM stories"))
            #expect(row["precision"] == "approximate" && row["cell"] == 0.01)
            #expect(row["floor"] == "approximate" && row["floor_cell"] == 1.0)
        }
    }

    @Test("NTF-05 A new list of areas does not announce any story again")
    func epochs() async throws {
        let fixture = try StoreFixture()
        let story = try makeStory(1)
        let area = try AreaTests.area([[AreaTests.square(-85, 33, -84, 34)]], .approximate(.degree))
        let epochs = try await fixture.store.write { transaction in
            try transaction.insert(story)
            var epochs: [Int] = []
            for list in [[area], [], [area]] {
                try transaction.replaceAreas(list)
                try transaction.updateFloor(of: try transaction.heldToAreas(story))
                epochs.append(try transaction.locationEpochs([story.id])[story.id] ?? -1)
            }
            return epochs
        }
        #expect(epochs == [0, 0, 0])
    }

    @Test("GEO-04 LOC-08 Searching a place name finds a story only for viewers of its exact point")
    func searchByPlace() async throws {
        let fixture = try StoreFixture()
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        let family = try #require(FamilyID("whitfield"))
        let precisions: [(LocationPrecision, Bool, LocationPrecision)] = [
            (.exact, false, .exact), (.approximate(.hundredth), false, .exact), (.hidden, true, .exact),
            (.exact, false, .hidden), (.exact, true, .approximate(.tenth)),
        ]
        let stories = try precisions.enumerated()
            .map { number, choice in
                // Inside the area, or outside of it.
                var story = try makeStory(UInt64(number), owner: "ana", latitude: choice.2 == .exact ? 10 : 20)
                story.location?.precision = choice.0
                story.location?.familySeesExact = choice.1
                story.location?.names = [.address: "12 Elm Street", .city: "Chicago"]
                return story
            }
        let viewers = [Viewer.anonymous, Viewer(user: ben, families: [family: [ana, ben]]), Viewer(user: ana)]
        let area = try AreaTests.area([[AreaTests.square(-90, 15, -80, 25)]], .approximate(.tenth))
        let found = try await fixture.store.write { transaction in
            for user in [ana, ben] { try transaction.ensureUser(user, at: Timestamp(milliseconds: 0)) }
            try transaction.replaceAreas([area])
            for story in stories { try transaction.insert(story) }
            return try viewers.map { try transaction.storyIDs(containing: ["story", "elm"], viewer: $0) }
        }
        let numbers = found.map { $0.map(\.low).sorted() }
        #expect(numbers == [[0], [0, 2], [0, 1, 2, 3, 4]])
    }

    @Test("Upgrading a database without areas splits its texts and leaves its stories unchanged")
    func migration() async throws {
        let folder = try TemporaryFolder()
        let store = try StoreFixture.open(folder, .readWrite)
        var story = try makeStory(1)
        story.location?.precision = .hidden
        let stored = story
        try await store.write { try $0.insert(stored) }
        try store.inspect { db throws in
            try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier LIKE '7 %'")
            // No trigger of later times notes what an old program, or bringing the file up, does.
            for trigger in ["edited", "renamed", "added", "removed"] {
                try db.execute(sql: "DROP TRIGGER stories_\(trigger)")
            }
            _ = try Int.fetchOne(db, sql: "SELECT DisableSpatialIndex('sensitive_areas', 'geom')")
            _ = try Int.fetchOne(db, sql: "SELECT DiscardGeometryColumn('sensitive_areas', 'geom')")
            try db.execute(
                sql: """
                    \(droppingColumns)
                    DROP TABLE idx_sensitive_areas_geom; DROP TABLE sensitive_areas;
                    ALTER TABLE stories DROP COLUMN place_text; ALTER TABLE stories DROP COLUMN floor;
                    ALTER TABLE stories DROP COLUMN floor_cell;
                    UPDATE stories SET search_text = 'story 1 everything atlanta';
                    """
            )
        }
        try store.close()
        let again = try StoreFixture.open(folder, .readWrite)
        let archive = Viewer(user: try #require(UserID("archive")))
        let found = try await again.read { transaction in
            let words = ["atlanta"]
            return (
                try transaction.story(stored.id), try transaction.storyIDs(containing: words, viewer: .anonymous),
                try transaction.storyIDs(containing: words, viewer: archive)
            )
        }
        #expect(found.0 == stored)
        #expect(found.1.isEmpty && found.2 == [stored.id])
        try again.inspect { db throws in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT search_text, place_text FROM stories"))
            #expect(row["search_text"] == "story 1\n" && row["place_text"] == "atlanta")
        }
    }
}
