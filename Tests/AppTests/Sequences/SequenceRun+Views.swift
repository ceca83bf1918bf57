import App
import Library
import Formats
import Stories
import StoryMap
import TestSupport
import Testing

// What is seen on the surfaces that everybody has.
extension SequenceRun {
    func compare() async throws {
        for viewer in SequenceRun.viewers {
            let why = context(viewer)
            let listed = oracle.listed(for: viewer)
            try await compareLists(viewer, listed, why)
            try await compareViews(viewer, listed, why)
            try await compareMap(viewer, listed, why)
            try await compareTiles(viewer, listed, why)
            try await compareInsides(viewer, listed, why)
            try await comparePlaces(viewer, listed, why)
            try await compareSingles(viewer, why)
            try await compareChanges(viewer, why)
            try await comparePackage(viewer, listed, why)
            guard let viewer else { continue }
            #expect(try await feed(of: viewer) == feedExpected(of: viewer), why)
        }
        try await compareReports()
        // After everybody looked at everything, so that there are accesses.
        for user in SequenceRun.users { try await comparePerson(user) }
    }

    func ids(_ reply: JSONValue?) -> [String] {
        (reply?["features"]?.array ?? []).compactMap { $0["id"]?.string }
    }

    func point(_ geometry: JSONValue?) -> SequenceOracle.Point? {
        guard let longitude = geometry?["coordinates"]?[0]?.number, let latitude = geometry?["coordinates"]?[1]?.number
        else { return nil }
        return SequenceOracle.Point(latitude: latitude, longitude: longitude)
    }

    /// Compares a list of stories with their points and levels.
    func compareFeatures(_ list: JSONValue?, _ viewer: String?, _ expected: SequenceOracle.Found, _ why: Comment) {
        #expect(ids(list) == expected.map(\.id), why)
        #expect(list?["numberMatched"]?.integer == expected.count, why)
        for (feature, found) in zip(list?["features"]?.array ?? [], expected) {
            #expect(point(feature["geometry"]) == oracle.point(viewer, found.item), why)
            compareStory(feature["properties"], viewer, found.id, found.item, why)
            if let point = point(feature["geometry"]) { places[point] = feature["properties"]?["place_id"]?.string }
        }
    }

    /// Compares what a story says of itself.
    private func compareStory(
        _ story: JSONValue?,
        _ viewer: String?,
        _ id: String,
        _ item: SequenceOracle.Item,
        _ why: Comment
    ) {
        let location = story?["location"]
        let point = oracle.point(viewer, item)
        #expect(location?["lat"]?.number == point?.latitude && location?["lon"]?.number == point?.longitude, why)
        let knows = item.place != nil && oracle.coarseness(viewer, item) == SequenceOracle.Coarseness.exact
        #expect((location?["address"]?.string != nil) == knows, why)
        #expect(story?["privacy"]?.string == item.level && story?["owner"]?.string == item.owner, why)
        // Which family it names is known to that family, and to its owner.
        let isKnown =
            viewer == item.owner
            || viewer.map { viewer in item.family.map { oracle.families[$0]?.contains(viewer) == true } == true }
                == true
        #expect(story?["family"]?.string == (isKnown ? item.family : nil), why)
        #expect(story?["auto_private"]?.bool == item.isAutoPrivate, why)
        #expect((story?["withheld"]?.bool == true) == oracle.isWithheld(id), why)
    }

    private func compareLists(_ viewer: String?, _ listed: SequenceOracle.Found, _ why: Comment) async throws {
        compareFeatures(try await client.get("/v1/stories?limit=500", as: viewer).json, viewer, listed, why)
        let box = "-84.3745,33.75,-84.37,33.76"
        let inside = listed.filter { found in
            guard let point = oracle.point(viewer, found.item) else { return false }
            return (-84.3745...(-84.37)).contains(point.longitude) && (33.75...33.76).contains(point.latitude)
        }
        let boxed = try await client.get("/v1/stories?limit=500&bbox=\(box)", as: viewer).json
        compareFeatures(boxed, viewer, inside, why)
        let common = try await client.get("/v1/stories?limit=500&q=common", as: viewer).json
        compareFeatures(common, viewer, listed, why)
        let placed = listed.filter {
            $0.item.place != nil && oracle.coarseness(viewer, $0.item) == SequenceOracle.Coarseness.exact
        }
        let elm = try await client.get("/v1/stories?limit=500&q=common%20elm", as: viewer).json
        compareFeatures(elm, viewer, placed, why)
        guard viewer != nil else { return }
        let hidden = oracle.visible(to: viewer).filter { found in found.item.hiddenBy.contains { $0 == viewer } }
        compareFeatures(try await client.get("/v1/me/hidden?limit=500", as: viewer).json, viewer, hidden, why)
    }

    /// The views and families of the filters, in lists and counted on the map.
    private func compareViews(_ viewer: String?, _ listed: SequenceOracle.Found, _ why: Comment) async throws {
        var filters = ["shared", "family", "mine"]
            .map { view in
                ("view=\(view)", listed.filter { oracle.isInView(view, viewer, $0.id, $0.item) })
            }
        filters += oracle.families.keys.sorted()
            .map { family in
                ("family=\(family)", listed.filter { oracle.isGiven(to: family, viewer, $0.id, $0.item) })
            }
        if let viewer { filters.append(("favourites=true", listed.filter { $0.item.likedBy.contains(viewer) })) }
        for (filter, expected) in filters {
            let list = try await client.get("/v1/stories?limit=500&\(filter)", as: viewer).json
            compareFeatures(list, viewer, expected, "\(why) \(filter)")
            let map = try await client.get("/v1/clusters?bbox=-180,-85,180,85&zoom=3&\(filter)", as: viewer).json
            let points = expected.compactMap { oracle.point(viewer, $0.item) }
            compareClusters(map, points, expected, "\(why) \(filter)")
        }
    }

    private func compareClusters(
        _ map: JSONValue?,
        _ points: [SequenceOracle.Point],
        _ listed: SequenceOracle.Found,
        _ why: Comment
    ) {
        let features = map?["features"]?.array ?? []
        let count = features.reduce(0) { $0 + ($1["properties"]?["point_count"]?.integer ?? 1) }
        #expect(map?["numberMatched"]?.integer == points.count && count == points.count, why)
        let singles = Set(features.compactMap { $0["id"]?.string })
        #expect(singles.isSubset(of: listed.map(\.id)), why)
    }

    private func compareMap(_ viewer: String?, _ listed: SequenceOracle.Found, _ why: Comment) async throws {
        let points = listed.compactMap { oracle.point(viewer, $0.item) }
        let world = try await client.get("/v1/clusters?bbox=-180,-85,180,85&zoom=3", as: viewer).json
        compareClusters(world, points, listed, why)
        let near = points.filter { point in
            (-84.41...(-84.34)).contains(point.longitude) && (33.73...33.78).contains(point.latitude)
        }
        let town = try await client.get("/v1/clusters?bbox=-84.41,33.73,-84.34,33.78&zoom=16", as: viewer).json
        compareClusters(town, near, listed, why)
        for feature in town["features"]?.array ?? [] {
            guard let found = listed.first(where: { $0.id == feature["id"]?.string }) else { continue }
            #expect(point(feature["geometry"]) == oracle.point(viewer, found.item), why)
        }
        let bounds = try await client.get("/v1/bounds", as: viewer).json["bbox"]
        #expect(bounds?[0]?.number == points.map(\.longitude).min(), why)
        #expect(bounds?[1]?.number == points.map(\.latitude).min(), why)
        #expect(bounds?[2]?.number == points.map(\.longitude).max(), why)
        #expect(bounds?[3]?.number == points.map(\.latitude).max(), why)
    }

    private func compareSingles(_ viewer: String?, _ why: Comment) async throws {
        for (id, item) in oracle.items.sorted(by: { $0.key < $1.key }) {
            let reply = try await client.get("/v1/stories/\(id)", as: viewer)
            let sees = oracle.sees(viewer, id, item)
            #expect(reply.status == (sees ? 200 : 404), why)
            guard sees else { continue }
            compareStory(reply.json, viewer, id, item, why)
            let isHidden = item.hiddenBy.contains { $0 == viewer }
            #expect((reply.json["hidden"]?.bool == true) == isHidden, why)
            let isLiked = item.likedBy.contains { $0 == viewer }
            #expect((reply.json["favourite"]?.bool == true) == isLiked, why)
            noteAccess(viewer, id, item)
        }
        for id in oracle.deleted.keys.sorted() {
            #expect(try await client.get("/v1/stories/\(id)", as: viewer).status == 404, why)
        }
    }

    private func noteAccess(_ viewer: String?, _ id: String, _ item: SequenceOracle.Item) {
        guard let viewer, viewer != item.owner, oracle.point(viewer, item) != oracle.publishedPoint(item) else {
            return
        }
        let day = Int(fixture.clock.now.milliseconds / 86_400_000)
        oracle.accesses.insert(.init(owner: item.owner, story: id, reader: viewer, day: day))
    }

    /// A client that only ever asks what changed knows what there is to know.
    private func compareChanges(_ viewer: String?, _ why: Comment) async throws {
        let name = viewer ?? ""
        var isMore = true
        while isMore {
            let since = cursors[name].map { "&since=" + $0 } ?? ""
            let page = try await client.get("/v1/changes?limit=7" + since, as: viewer).json
            for story in page["changed"]?.array ?? [] {
                if let id = story["id"]?.string { replicas[name, default: [:]][id] = story }
            }
            for id in (page["gone"]?.array ?? []).compactMap(\.string) { replicas[name]?[id] = nil }
            cursors[name] = page["next"]?.string
            isMore = page["more"]?.bool == true
        }
        let visible = oracle.listed(for: viewer)
        let replica = replicas[name] ?? [:]
        #expect(Set(replica.keys) == Set(visible.map(\.id)), why)
        for (id, item) in visible { compareStory(replica[id], viewer, id, item, "\(why) changes") }
    }

    /// The map built anew from the database is the map that followed the changes.
    func compareRestart() async throws {
        let library = fixture.library
        let clock = fixture.clock
        let again = try await StoryLibrary(store: library.store, gazetteer: nil, now: { clock.now })
        for name in SequenceRun.users {
            let user = try #require(UserID(name))
            let viewer = try #require(try await library.viewer(of: user))
            #expect(
                again.map.snapshot().version(for: viewer) == library.map.snapshot().version(for: viewer),
                context(name)
            )
        }
        #expect(again.map.snapshot().version(for: .anonymous) == library.map.snapshot().version(for: .anonymous))
    }
}
