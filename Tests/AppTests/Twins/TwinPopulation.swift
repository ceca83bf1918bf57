import Foundation
import Storage
import Stories

/// What is in the database of a twin world when it starts.
struct TwinPopulation: Sendable {
    /// Which of the twins.
    enum Variant: String, CaseIterable, Sendable {
        /// Everything, also what the viewer may not see.
        case whole
        /// Only what the viewer may see.
        case bare
        /// What the viewer may see, and other things that they may not.
        case varied
    }

    let variant: Variant
    let viewer: Viewer
    private(set) var stories: [Story] = []
    private(set) var people: [String] = []
    private(set) var families: [String] = []
    private(set) var members: [TwinCast.Member] = []
    private(set) var collections: [StoryCollection] = []
    private(set) var namedPlaces: [NamedPlace] = []
    /// The same seed gives the same names to what differs.
    private let seed: UInt64

    /// Makes the world of `variant` around `count` stories.
    init(_ variant: Variant, viewer: Viewer, seed: UInt64, count: Int, now: Timestamp) throws {
        self.variant = variant
        self.viewer = viewer
        self.seed = seed
        let owners = TwinCast.people + ["olga", "olga", "mia", "ann"] + TwinCast.hidden
        var maker = TwinStories(seed: seed, owners: owners, now: now)
        let whole = try (0..<count).map { _ in try maker.next() }
        let user = viewer.user?.rawValue
        guard variant != .whole else {
            stories = whole
            people = TwinCast.people + TwinCast.hidden + ["zoe"]
            families = TwinCast.families
            members = TwinCast.members
            collections = try TwinCollections.all(at: now)
            namedPlaces = try TwinNamedPlaces.all(at: now)
            return
        }
        let isVaried = variant == .varied
        var other = TwinStories(seed: seed &+ 1, owners: owners, now: now)
        stories = whole.filter { $0.isVisible(to: viewer) }
            .map { other.twin(of: $0, for: viewer, isVaried: isVaried) }
        let mine = Set(viewer.families.keys.map(\.rawValue))
        let named = Set(stories.compactMap { $0.family?.rawValue })
        families = TwinCast.families.filter { mine.contains($0) || named.contains($0) || isVaried }
        members = TwinCast.members.filter { mine.contains($0.family) }
        let seen = members.map(\.user) + stories.map(\.owner.rawValue) + [user].compactMap(\.self)
        let seenPeople = Set(seen + TwinActors.visible)
        let trips = try TwinCollections.all(at: now)
        collections = trips.filter { $0.isVisible(to: viewer) }
        let circles = try TwinNamedPlaces.all(at: now)
        namedPlaces = circles.filter { $0.isVisible(to: viewer) }
        let needed = seenPeople.union(collections.map(\.owner.rawValue) + namedPlaces.map(\.owner.rawValue))
        people = (TwinCast.people + TwinCast.hidden + ["zoe"]).filter { isVaried || needed.contains($0) }
        guard isVaried else { return }
        collections += TwinCollections.others(than: trips, for: viewer)
        namedPlaces += TwinNamedPlaces.others(than: circles, for: viewer)
        try vary(whole: whole, others: &other, count: count)
    }

    /// Adds things that the viewer may not see and that are not those of the whole world; some under the same ids.
    private mutating func vary(whole: [Story], others: inout TwinStories, count: Int) throws {
        let mine = Set(viewer.families.keys.map(\.rawValue))
        members += TwinCast.members.filter { !mine.contains($0.family) }.reversed()
            .map { TwinCast.Member(user: $0.user, family: $0.family, role: .owner) }
        let taken = Set(stories.map(\.id))
        var reusable = whole.map(\.id).filter { !taken.contains($0) }[...]
        for _ in 0..<(count / 3) {
            let story = try others.next()
            guard !story.isVisible(to: viewer) else { continue }
            var draw = TwinDraw(seed: story.id.low)
            if draw.chance(50), let id = reusable.popFirst() {
                stories.append(story.copied(under: id))
            } else {
                stories.append(story)
            }
        }
    }

    /// Writes it.
    func store(in transaction: StoreTransaction, at now: Timestamp) throws {
        let user = viewer.user?.rawValue
        for name in people {
            guard let id = UserID(name) else { throw TwinFault("\(name) is no id") }
            // What others than the viewer gave as their address is nobody's business.
            let email =
                name == user ? "\(name)@example.org" : variant == .whole ? "\(name)@secret.example" : nil
            try transaction.save(User(id: id, name: name.capitalized, email: email), at: createdAt(now))
        }
        for name in families {
            guard let id = FamilyID(name) else { throw TwinFault("\(name) is no id") }
            let isSeen = viewer.families[id] != nil
            let title = isSeen || variant == .whole ? name.capitalized : "Other \(seed)"
            try transaction.saveFamily(id, name: try DisplayName(title, in: "name"), at: now)
        }
        for member in members {
            guard let family = FamilyID(member.family), let id = UserID(member.user) else { continue }
            try transaction.saveMember(id, of: family, role: member.role, at: now)
        }
        // Somebody who was in the family for a day; the viewer's own past, and so the same in every twin.
        if let north = FamilyID("north"), let fred = UserID("fred"), viewer.user == fred {
            try transaction.saveFamily(north, name: try DisplayName("North", in: "name"), at: now)
            try transaction.saveMember(fred, of: north, role: .member, at: now)
            try transaction.removeMember(fred, of: north)
        }
        for story in stories {
            try transaction.insert(story)
            guard let picture = story.picture else { continue }
            // What it shows does not matter, only whose it is.
            try transaction.savePicture(Array(picture.name.utf8), picture, of: story.id, at: now)
        }
        for collection in collections { try transaction.insert(collection) }
        for place in namedPlaces { try transaction.save(place) }
    }

    private func createdAt(_ now: Timestamp) -> Timestamp {
        // The same for everybody: when somebody joined may be shown to their family.
        Timestamp(milliseconds: now.milliseconds - 86_400_000)
    }
}

extension Story {
    /// The same story with another id.
    func copied(under id: StoryID) -> Story {
        var copy = Story(id: id, kind: kind, title: title, owner: owner, createdAt: createdAt)
        copy.text = text
        copy.date = date
        copy.tags = tags
        copy.people = people
        copy.privacy = privacy
        copy.family = family
        copy.autoPrivate = autoPrivate
        copy.location = location
        copy.picture = picture
        copy.places = places
        return copy
    }

    /// The same story with another time of creation; all else stays.
    func copied(under id: StoryID, createdAt: Timestamp) -> Story {
        var copy = Story(id: id, kind: kind, title: title, owner: owner, createdAt: createdAt)
        (copy.text, copy.date, copy.tags, copy.people) = (text, date, tags, people)
        (copy.privacy, copy.family, copy.autoPrivate, copy.isWithheld) = (privacy, family, autoPrivate, isWithheld)
        (copy.clientID, copy.source, copy.sourceID) = (clientID, source, sourceID)
        (copy.mentions, copy.collection, copy.location) = (mentions, collection, location)
        (copy.mediaURL, copy.thumbnailURL, copy.alt, copy.mediaChecksum) = (mediaURL, thumbnailURL, alt, mediaChecksum)
        (copy.updatedAt, copy.shownUpdatedAt, copy.picture) = (updatedAt, shownUpdatedAt, picture)
        copy.places = places
        return copy
    }
}
