import GRDB
import Geometry
public import Notifications
public import Stories

/// The subjects of narrowings that an older copy of the database still contains, by their digests.
public struct NarrowingSubjects: Sendable {
    private var users: [StoryID: UserID] = [:]
    private var stories: [StoryID: StoryID] = [:]
    private var families: [StoryID: FamilyID] = [:]
    private var texts: [StoryID: String] = [:]
    private var places: [StoryID: PlaceID] = [:]
    private var storyPlaces: [StoryID: (story: StoryID, place: StoryID)] = [:]

    /// Finds the subjects of these lines.
    ///
    /// - Complexity: O(*n*) for *n* stories, users, families, channels and invitations, each with one digest.
    public init(of entries: [ErasureList.Entry], on list: ErasureList, in reader: StoreReader) throws {
        let db = reader.db
        let kinds = Set(entries.map(\.kind))
        for user in try reader.users().map(\.id) { users[list.digest(of: .user(user))] = user }
        for family in try reader.families().map(\.id) { families[list.digest(of: .family(family))] = family }
        if !kinds.isDisjoint(with: [.storyReach, .hide]) {
            let ids = try String.fetchCursor(db, sql: "SELECT id FROM stories")
            while let id = try ids.next() {
                if let id = StoryID(id) { stories[list.digest(of: .story(id))] = id }
            }
        }
        if kinds.contains(.placeReach) {
            for row in try Row.fetchAll(db, sql: "SELECT id, story FROM story_places") {
                guard let place = StoryID(row["id"] as String), let story = StoryID(row["story"] as String) else {
                    continue
                }
                storyPlaces[list.digest(of: .storyPlace(place))] = (story, place)
            }
        }
        if kinds.contains(.channel) {
            for id in try String.fetchAll(db, sql: "SELECT id FROM channels") {
                texts[list.digest(of: .channel(id))] = id
            }
        }
        if kinds.contains(.invitation) {
            for id in try String.fetchAll(db, sql: "SELECT id FROM invitations WHERE state = 'pending'") {
                texts[list.digest(of: .invitation(id))] = id
            }
        }
        guard kinds.contains(.silence) else { return }
        func add(_ place: PlaceID) { places[list.digest(of: .place(place.description))] = place }
        for user in users.values {
            for setting in try reader.notificationSettings(of: user).places { add(setting.place) }
        }
        try reader.forEachStory { story in
            if let point = story.publishedPoint { add(PlaceID(point)) }
            for place in story.places where place.makesFence { add(PlaceID(place.location.coordinate)) }
        }
    }

    /// Returns the story of a line, if the copy has it.
    public func story(of entry: ErasureList.Entry) -> StoryID? { stories[entry.subject] }
    /// Returns the further place of a line with its story, if the copy has it.
    public func storyPlace(of entry: ErasureList.Entry) -> (story: StoryID, place: StoryID)? {
        storyPlaces[entry.subject]
    }
    /// Returns the user of a line, if the copy has the account.
    public func user(of entry: ErasureList.Entry) -> UserID? { users[entry.subject] }
    /// Returns the id of the channel or of the pending invitation of a line, if the copy has it.
    public func text(of entry: ErasureList.Entry) -> String? { texts[entry.subject] }

    /// Returns the family with a digest, if the copy has it.
    public func family(_ digest: StoryID) -> FamilyID? { families[digest] }

    /// Returns who is a member of what in which role, or in none, if the copy has both.
    public func membership(of entry: ErasureList.Entry) -> (user: UserID, family: FamilyID, role: FamilyRole?)? {
        let words = (entry.state ?? "").split(separator: ",")
        guard words.count == 3, let user = StoryID(words[0]).flatMap({ users[$0] }),
            let family = StoryID(words[1]).flatMap({ families[$0] })
        else { return nil }
        return (user, family, FamilyRole(rawValue: String(words[2])))
    }

    /// Returns who hides which story, if the copy has both.
    public func hide(of entry: ErasureList.Entry) -> (user: UserID, story: StoryID)? {
        let words = (entry.state ?? "").split(separator: ",")
        guard words.count == 2, let user = StoryID(words[0]).flatMap({ users[$0] }),
            let story = StoryID(words[1]).flatMap({ stories[$0] })
        else { return nil }
        return (user, story)
    }

    /// Returns the settings of a line; places that the copy does not know are left out.
    public func settings(of entry: ErasureList.Entry) -> NotificationSettings? {
        SettingsReach.settings(entry.state ?? "") { digest in places[digest].map { PlaceSetting(place: $0) } }
    }
}

extension ErasureList.Entry {
    /// For a line about a story: who may see it.
    public var reach: StoryReach? { state.map { StoryReach(text: $0) } }
    /// For a line about a further place of a story: who may see it.
    public var placeReach: PlaceReach? { state.map { PlaceReach(text: $0) } }
    /// For a line about a channel: what may be sent through it.
    public var channel: ChannelReach { state.flatMap { ChannelReach(rawValue: $0) } ?? .removed }
}
