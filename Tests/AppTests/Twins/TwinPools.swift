import Formats
import Geometry
import Stories

/// Where the values of requests come from: what the viewer sees, what is there but not for them, what is gone or never was.
struct TwinPools {
    /// The ids of one sort of thing.
    struct Pool {
        var seen: [String] = []
        /// Those of them that are the viewer's own to change.
        var mine: [String] = []
        /// Ids that exist in the whole world alone.
        var unseen: [String] = []
        var gone: [String] = []
        /// What an id of this sort looks like.
        var shape: Shape = .digits(32)
    }

    enum Shape {
        case digits(Int)
        case name
        case place
        case cluster
        case tile
    }

    /// One pool for every name of a path parameter; `{id}` stands for stories.
    private(set) var pools: [String: Pool]

    /// The pools of a new world.
    init(whole: TwinPopulation) {
        let viewer = whole.viewer
        let (seen, unseen) = (
            whole.stories.filter { $0.isVisible(to: viewer) }, whole.stories.filter { !$0.isVisible(to: viewer) }
        )
        let mine = viewer.families.keys.map(\.rawValue).sorted()
        pools = TwinPools.empty
        pools["id"] = Pool(
            seen: seen.map(\.id.description),
            mine: seen.filter { $0.owner == viewer.user }.map(\.id.description),
            unseen: unseen.map(\.id.description)
        )
        pools["place"] = Pool(
            seen: TwinPools.places(of: seen) { story in
                [story.point(for: viewer)] + story.places(for: viewer).map(\.location.coordinate)
            },
            unseen: TwinPools.places(of: whole.stories) { story in
                [story.location?.coordinate] + story.places.map(\.location.coordinate)
            },
            shape: .place
        )
        pools["story_place"] = Pool(
            seen: seen.flatMap { $0.places(for: viewer) }.map(\.id.description),
            mine: seen.filter { $0.owner == viewer.user }.flatMap { $0.places.map(\.id.description) },
            unseen: (unseen.flatMap(\.places) + seen.flatMap { TwinPools.hiddenPlaces(of: $0, from: viewer) })
                .map(\.id.description)
        )
        let (there, elsewhere) = TwinMap.both(of: whole)
        pools["cluster"] = Pool(seen: there.clusters, unseen: elsewhere.clusters, shape: .cluster)
        pools["tile"] = Pool(seen: there.tiles, unseen: elsewhere.tiles, shape: .tile)
        let trips = whole.collections
        pools["collection"] = Pool(
            seen: trips.filter { $0.isVisible(to: viewer) }.map(\.id.rawValue),
            mine: trips.filter { $0.owner == viewer.user }.map(\.id.rawValue),
            unseen: trips.filter { !$0.isVisible(to: viewer) }.map(\.id.rawValue)
        )
        let named = whole.namedPlaces
        pools["named_place"] = Pool(
            seen: named.filter { $0.isVisible(to: viewer) }.map(\.id.rawValue),
            mine: named.filter { $0.owner == viewer.user }.map(\.id.rawValue),
            unseen: named.filter { !$0.isVisible(to: viewer) }.map(\.id.rawValue)
        )
        pools["family"] = Pool(seen: mine, unseen: TwinCast.families.filter { !mine.contains($0) }, shape: .name)
        pools["user"] = Pool(seen: TwinCast.people, unseen: [TwinCast.hidden[0]], shape: .name)
    }

    /// The pools of one of the hidden people, who does nothing to anybody else.
    init(unseen user: String, in world: TwinPopulation) {
        let eyes = TwinCast.viewer(user)
        pools = TwinPools.empty
        pools["id"] = Pool(seen: world.stories.filter { $0.isVisible(to: eyes) }.map(\.id.description))
        pools["family"] = Pool(seen: eyes.families.keys.map(\.rawValue).sorted(), shape: .name)
        pools["user"] = Pool(seen: TwinCast.hidden, shape: .name)
    }

    private static let empty: [String: Pool] = [
        "id": Pool(), "family": Pool(shape: .name), "user": Pool(shape: .name), "invitation": Pool(),
        "report": Pool(), "key": Pool(), "session": Pool(), "passkey": Pool(), "provider_account": Pool(),
        "link": Pool(), "collection": Pool(), "named_place": Pool(), "import": Pool(),
        "place": Pool(shape: .place),
        "cluster": Pool(shape: .cluster), "tile": Pool(shape: .tile),
        "fix": Pool(), "notification": Pool(), "channel": Pool(), "proposal": Pool(), "story_place": Pool(),
        "entry": Pool(seen: ["1", "2"], shape: .digits(4)),
        "device": Pool(seen: ["phone", "walk"], shape: .name),
        "basemap": Pool(seen: ["land"], shape: .name),
    ]

    /// The places of some stories, each once and in their order.
    private static func places(of stories: [Story], _ points: (Story) -> [Coordinate?]) -> [String] {
        Set(stories.flatMap(points).compactMap { $0.map { PlaceID($0) } }).sorted().map(\.description)
    }

    /// The further places of a visible story that the viewer may not see.
    private static func hiddenPlaces(of story: Story, from viewer: Viewer) -> [StoryPlace] {
        let shown = Set(story.places(for: viewer).map(\.id))
        return story.places.filter { !shown.contains($0.id) }
    }

    /// The pool of a path parameter.
    ///
    /// - Throws: ``TwinFault`` for a name it does not know: a new route is not covered by accident only.
    func pool(_ name: String, of path: String) throws -> Pool {
        let key = TwinPools.key(name, of: path)
        guard let pool = pools[key] else {
            throw TwinFault("\(path): the path parameter '\(key)' has no pool. Add one to TwinPools.init.")
        }
        return pool
    }

    /// `{id}` means a story below these prefixes; elsewhere it needs a pool named for what it stands for.
    private static let ofStories = [
        "/v1/stories/", "/v1/shared/stories/", "/stories/", "/collections/stories/items/",
    ]

    private static func key(_ name: String, of path: String) -> String {
        // The parts of a tile's address belong together.
        if ["z", "x", "y"].contains(name), path.contains("{z}/{x}/{y}") { return "tile" }
        guard name == "id", !ofStories.contains(where: path.hasPrefix) else { return name }
        let before = path.components(before: "/{id}")
        return "\(before)/id"
    }

    /// A value for a path parameter: mostly something that is there; for a change often something of one's own.
    func value(
        _ name: String,
        of path: String,
        isChange: Bool = false,
        using draw: inout TwinDraw
    ) throws -> String {
        let pool = try pool(name, of: path)
        if isChange, !pool.mine.isEmpty, draw.chance(45) { return draw.pick(pool.mine) }
        switch draw.pick(0...99) {
        case ..<52 where !pool.seen.isEmpty: return draw.pick(pool.seen)
        case ..<74 where !pool.unseen.isEmpty: return draw.pick(pool.unseen)
        case ..<82 where !pool.gone.isEmpty: return draw.pick(pool.gone)
        case ..<93: return TwinPools.unheard(pool.shape, using: &draw)
        default: return draw.pick(TwinPools.malformed)
        }
    }

    /// An id that was never given to anything.
    static func unheard(_ shape: Shape, using draw: inout TwinDraw) -> String {
        switch shape {
        case .digits(let count): draw.digits(count)
        case .name: draw.pick(["nobody", "n-\(draw.digits(4))"])
        case .cluster: TwinMap.cluster(using: &draw)
        case .tile: TwinMap.tile(using: &draw)
        case .place: PlaceID(Coordinate(wrappingLatitude: 60 * draw.unit(), longitude: 170 * draw.unit())).description
        }
    }

    private static let malformed = [
        "nonsense", "0", "%00", "..%2f..", "%F0%9F%92%A9", "A-B.C_D", "%C3%28", String(repeating: "a", count: 65),
        "'--",
        "ABCDEFABCDEFABCDEFABCDEFABCDEFAB",
    ]

    /// Adds something that the viewer made.
    mutating func addMine(_ value: String, to name: String) {
        guard pools[name]?.mine.contains(value) == false else { return }
        pools[name]?.mine.append(value)
    }

    /// Adds something that the viewer knows of.
    mutating func add(_ value: String, to name: String) {
        guard pools[name]?.seen.contains(value) == false else { return }
        pools[name]?.seen.append(value)
    }

    /// Adds something that only the whole world has.
    mutating func addUnseen(_ value: String, to name: String) {
        guard pools[name]?.unseen.contains(value) == false else { return }
        pools[name]?.unseen.append(value)
    }

    /// Moves what the viewer saw and sees no more.
    mutating func lose(_ value: String, from name: String) {
        if pools[name]?.seen.contains(value) == true { remove(value, from: name) }
    }

    /// Moves something that was deleted.
    mutating func remove(_ value: String, from name: String) {
        pools[name]?.seen.removeAll { $0 == value }
        pools[name]?.mine.removeAll { $0 == value }
        pools[name]?.gone.append(value)
    }

    /// The names of members of answers that hold ids, and what they are ids of.
    private static let members = [
        "tracking_id": "report", "invitation": "invitation", "token": "invitation", "family": "family",
        "user": "user", "key_id": "key", "place_id": "place",
    ]

    /// The pool of what an answer of a path calls `id`.
    private static let lists = [
        ("/v1/stories", "id"), ("/v1/me/invitations", "invitation"), ("/invitations", "invitation"),
        ("/v1/families", "family"), ("/v1/me/keys", "key"), ("/v1/me/owntracks", "key"), ("/v1/keys", "key"),
        ("/v1/me/sessions", "session"), ("/v1/me/passkeys", "passkey"),
        ("/v1/me/provider-accounts", "provider_account"), ("/v1/me/share-links", "link"),
        ("/v1/shared/stories", "id"),
        ("/places", "story_place"), ("/v1/me/places/waiting", "story_place"),
        ("/collections/story_places/items", "story_place"),
        ("/members", "user"), ("/v1/notifications", "notification"), ("/v1/collections", "collection"),
        ("/v1/named-places", "named_place"), ("/v1/me/location-proposals", "proposal"),
    ]

    /// The ids an answer tells of, and what they are ids of.
    static func found(in json: JSONValue, operation: String) -> [(pool: String, value: String)] {
        let path = operation.split(separator: " ").last.map(String.init) ?? ""
        let own = lists.last { path.hasSuffix($0.0) }?.1
        var found: [(pool: String, value: String)] = []
        collect(json, own: own, into: &found, depth: 0)
        return found
    }

    private static func collect(
        _ json: JSONValue,
        own: String?,
        into found: inout [(pool: String, value: String)],
        depth: Int
    ) {
        guard found.count < 60 else { return }
        for item in json.array ?? [] { collect(item, own: own, into: &found, depth: depth + 1) }
        for (name, member) in (json.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            if let number = member.integer {
                if name == "cluster_id" { found.append(("cluster", "\(number)")) }
            } else if let text = member.string {
                if name == "id", let own { found.append((own, text)) }
                if let pool = members[name] { found.append((pool, text)) }
            } else {
                collect(member, own: own, into: &found, depth: depth + 1)
            }
        }
    }
}

extension String {
    /// The last part of a path before `end`.
    fileprivate func components(before end: String) -> String {
        guard let range = firstRange(of: end) else { return self }
        return self[..<range.lowerBound].split(separator: "/").last.map(String.init) ?? self
    }
}
