/// Who must and who may be told of what, worked out from what happened and from nothing of the product.
///
/// The world is flat and measured in metres. Walks are laid out so that most of the truth is beyond doubt: whoever stays
/// in the very middle of a place must be told, whoever stays beyond twice the radius must not, and whatever lies between
/// may be told once.
struct TellingOracle: Sendable {
    /// Somewhere on the plane.
    struct Point: Hashable, Sendable {
        var x: Double
        var y: Double

        func distance(to other: Point) -> Double {
            ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
        }

        /// The distance to the nearest point of the way between two others.
        func distance(toWayFrom a: Point, to b: Point) -> Double {
            let (dx, dy) = (b.x - a.x, b.y - a.y)
            let length = dx * dx + dy * dy
            let share = length > 0 ? min(1, max(0, ((x - a.x) * dx + (y - a.y) * dy) / length)) : 0
            return distance(to: Point(x: a.x + share * dx, y: a.y + share * dy))
        }
    }

    /// What a device says of where it is.
    struct Fix: Hashable, Sendable {
        let at: Point
        let accuracy: Double
    }

    /// One of two points of a site, near enough to each other to be the same for whoever is told.
    struct Place: Hashable, Sendable {
        let site: Int
        let isNudged: Bool
    }

    enum Level: String, CaseIterable, Sendable {
        case everyone = "public"
        case family = "family_only"
        case nobody = "private"
    }

    struct Story: Sendable {
        var place: Place
        var level: Level
        /// How often it moved to somewhere else.
        var moves = 0
        let isNews: Bool
    }

    struct Person: Sendable {
        let radius: Double
        let isFamily: Bool
        var isOn = true
        var wantsNearby = true
        var muted: Set<Place> = []
        var hidden: Set<String> = []
        var viewed: Set<String> = []
    }

    /// A story between two of its moves, told to somebody at most once.
    struct Telling: Hashable, Sendable {
        let person: String
        let story: String
        let moves: Int
    }

    struct Device: Hashable, Sendable {
        let person: String
        let name: String
    }

    /// A walk that is under way.
    private struct Stay: Sendable {
        let device: Device
        let path: [Fix]
        /// The point at which the device stays, if it does.
        let middle: Point?
        /// At which sites it may have been already when it came.
        let wasAt: Set<Int>
        /// What was to be told at any time of it, and whether it was all the time.
        var seen: [Telling: (place: Place, ever: Bool, always: Bool)] = [:]
    }

    let sites: [Point]
    var people: [String: Person]
    var stories: [String: Story] = [:]
    private(set) var must: Set<Telling> = []
    private(set) var may: Set<Telling> = []
    private var stays: [Int: Stay] = [:]
    private var begun = 0
    /// At which sites a device may be.
    private var at: [Device: Set<Int>] = [:]

    init(sites: [Point], people: [String: Person]) {
        (self.sites, self.people) = (sites, people)
    }

    func point(of place: Place) -> Point {
        Point(x: sites[place.site].x, y: sites[place.site].y + (place.isNudged ? 20 : 0))
    }

    // MARK: What somebody may be told

    func sees(_ person: Person, _ story: Story) -> Bool {
        story.level == .everyone || story.level == .family && person.isFamily
    }

    /// Whether a feed shows it.
    func shows(_ story: String, to name: String) -> Bool {
        guard let person = people[name], let found = stories[story] else { return false }
        return sees(person, found) && !person.hidden.contains(story)
    }

    private func tells(_ story: String, to name: String) -> Bool {
        guard let person = people[name], let found = stories[story], shows(story, to: name) else { return false }
        return person.isOn && person.wantsNearby && !person.viewed.contains(story)
            && !person.muted.contains(found.place)
    }

    /// Whether nothing may go out to somebody about a story that they were told of when they came near.
    func forbids(_ story: String, to name: String) -> Bool {
        guard let person = people[name], let found = stories[story] else { return true }
        return !shows(story, to: name) || person.muted.contains(found.place)
    }

    /// Whether a device is at no site for certain.
    func isAway(_ device: Device) -> Bool { at[device, default: []].isEmpty }

    // MARK: Walks

    /// A device sets out.
    mutating func begin(_ device: Device, path: [Fix], middle: Point?) -> Int {
        begun += 1
        stays[begun] = Stay(device: device, path: path, middle: middle, wasAt: at[device, default: []])
        note(isBeginning: true)
        return begun
    }

    /// Notes what is true from here on; called after every change.
    mutating func note() { note(isBeginning: false) }

    private mutating func note(isBeginning: Bool) {
        for (number, stay) in stays {
            var seen = stay.seen
            let name = stay.device.person
            for telling in seen.keys where stories[telling.story]?.moves != telling.moves {
                seen[telling]?.always = false
            }
            for (id, story) in stories {
                let telling = Telling(person: name, story: id, moves: story.moves)
                let isTold = tells(id, to: name)
                if var known = seen[telling] {
                    known.ever = known.ever || isTold
                    // Moved by a few metres it is told all the same, but perhaps not at once.
                    known.always = known.always && isTold && known.place == story.place
                    seen[telling] = known
                } else {
                    let isNew = !(isBeginning && number == begun)
                    seen[telling] = (story.place, isTold, isTold && !isNew)
                }
            }
            stays[number]?.seen = seen
        }
    }

    /// A walk is over, and all that waits for the clock is decided.
    mutating func end(_ number: Int) {
        guard let stay = stays.removeValue(forKey: number), let person = people[stay.device.person] else { return }
        for (telling, seen) in stay.seen where seen.ever {
            let point = point(of: seen.place)
            if isFar(stay.path, from: point, radius: person.radius) { continue }
            let isInTheMiddle = stay.middle.map { $0.distance(to: point) <= 30 } ?? false
            if isInTheMiddle, seen.always, !stay.wasAt.contains(seen.place.site) {
                must.insert(telling)
            } else {
                may.insert(telling)
            }
        }
        for site in sites.indices {
            let ends = [false, true].map { point(of: Place(site: site, isNudged: $0)) }
            if let middle = stay.middle, ends.allSatisfy({ middle.distance(to: $0) >= 3 * person.radius }) {
                at[stay.device]?.remove(site)
            } else if ends.contains(where: { !isFar(stay.path, from: $0, radius: person.radius) }) {
                at[stay.device, default: []].insert(site)
            }
        }
    }

    private func isFar(_ path: [Fix], from point: Point, radius: Double) -> Bool {
        let accuracy = path.map(\.accuracy).max() ?? 0
        return zip(path, path.dropFirst() + path.suffix(1))
            .allSatisfy { point.distance(toWayFrom: $0.at, to: $1.at) - 1.5 * accuracy >= 2 * radius }
    }

    // MARK: What must hold

    /// How often somebody must and may be told of a story that they came near.
    func bounds(of story: String, for person: String) -> ClosedRange<Int> {
        let isIt: (Telling) -> Bool = { $0.person == person && $0.story == story }
        let least = must.filter(isIt)
        return least.count...least.union(may.filter(isIt)).count
    }
}
