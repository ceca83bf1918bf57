import Geometry
import Notifications
import Stories
import Testing

/// Ana and Ben are a family; Ben was notified of stories on a street, and reads that again.
struct FeedScene {
    /// When everything was created.
    static let start = Timestamp(milliseconds: 1_000_000)
    /// When Ben was notified.
    static let told = Timestamp(milliseconds: 2_000_000)
    /// When something changed after that.
    static let later = Timestamp(milliseconds: 3_000_000)

    let ana: UserID
    let ben: UserID
    let family: FamilyID
    let viewer: Viewer
    let yardID: NamedPlaceID

    init() throws {
        ana = try #require(UserID("ana"))
        ben = try #require(UserID("ben"))
        family = try #require(FamilyID("f"))
        viewer = Viewer(user: ben, families: [family: [ana, ben]])
        yardID = try #require(NamedPlaceID("0123456789abcdef0123456789abcdef"))
    }

    static func id(_ number: UInt64) -> StoryID { StoryID(high: 1, low: number) }

    /// A public interview of Ana's, or of another owner's, so many metres down the street.
    func story(
        _ number: UInt64,
        at metres: Double = 0,
        owner: UserID? = nil,
        place: String? = "Auburn Avenue",
        _ change: (inout Story) -> Void = { _ in }
    ) -> Story {
        var story = Story(
            id: FeedScene.id(number),
            kind: .interview,
            title: "Title \(number)",
            owner: owner ?? ana,
            createdAt: FeedScene.start
        )
        var location = StoryLocation(coordinate: Street.point(metres), names: [.city: "Atlanta"])
        location.names[.name] = place
        story.location = location
        story.privacy = .public
        change(&story)
        return story
    }

    /// A named place of Ana's for her family, a hundred metres around the beginning of the street.
    func yard(_ name: String = "The yard", at metres: Double = 0) -> NamedPlace {
        NamedPlace(
            id: yardID,
            owner: ana,
            name: name,
            coordinate: Street.point(metres),
            radius: 100,
            privacy: .familyOnly,
            createdAt: FeedScene.start
        )
    }

    /// What Ben was notified of, in words that nothing else would find.
    func visit(
        _ numbers: [UInt64],
        placeName: String = "As told",
        at metres: Double = 0,
        isArea: Bool = false,
        under place: NamedPlaceID? = nil
    ) -> FeedItem {
        item(
            .nearby(
                FeedItem.Visit(
                    kind: .entered,
                    placeName: placeName,
                    place: Street.point(metres),
                    content: numbers.map { FeedItem.Content(id: FeedScene.id($0), sourceID: nil) },
                    confidence: 0.9,
                    isArea: isArea,
                    namedPlace: place
                )
            )
        )
    }

    func news(_ numbers: [UInt64], title: String = "Aunt Ana") -> FeedItem {
        let content = numbers.map { FeedItem.Content(id: FeedScene.id($0), sourceID: nil) }
        return item(.newStories(FeedItem.NewStories(author: ana, content: content)), title: title)
    }

    func message(_ numbers: [UInt64]) -> FeedItem {
        let content = numbers.map { FeedItem.Content(id: FeedScene.id($0), sourceID: nil) }
        return item(.message(FeedItem.Message(type: .syncFinished, link: "/", content: content)))
    }

    func item(_ subject: FeedItem.Subject, title: String = "As told") -> FeedItem {
        FeedItem(
            id: "n",
            user: ben,
            at: FeedScene.told,
            createdAt: FeedScene.told,
            subject: subject,
            title: title,
            body: "As told",
            readAt: FeedScene.later,
            position: 7
        )
    }

    func context(
        _ stories: [Story],
        named: [NamedPlace] = [],
        tellers: [UserID: String] = [:],
        preview: NotificationSettings.Preview = .count
    ) -> FeedContext {
        FeedContext(
            viewer: viewer,
            stories: Dictionary(stories.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }),
            namedPlaces: Dictionary(named.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }),
            tellers: tellers,
            preview: preview
        )
    }
}

extension FeedItem {
    /// The headline, the sentence below it and the stories, to be compared at a glance.
    var words: String { "\(title) | \(body) | \(content.map { "\($0.id.low)" }.joined(separator: " "))" }
}
