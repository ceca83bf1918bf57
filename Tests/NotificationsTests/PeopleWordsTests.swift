import Geometry
import Notifications
import Stories
import Testing

/// NTF-13: notices, subjects and dates in words of people.
@Suite("Text for people")
struct PeopleWordsTests {
    private func story(
        _ number: UInt64,
        kind: StoryKind = .interview,
        teller: String?,
        street: String? = nil,
        place: String? = nil,
        isExact: Bool = true
    ) -> NearbyStory {
        NearbyStory(
            id: StoryID(high: 1, low: number),
            locationEpoch: 0,
            kind: kind,
            title: "The mill",
            point: Street.start,
            isExact: isExact,
            placeName: place,
            city: "Atlanta",
            street: street,
            teller: teller
        )
    }

    private func notice(
        _ stories: [NearbyStory],
        names: OneName = OneName(),
        preview: NotificationSettings.Preview = .full
    ) throws -> Notice {
        var options = NoticeOptions()
        options.preview = preview
        let planner = NoticePlanner(options: options)
        let visits = [Street.visit(0, second: 0)]
        return try #require(planner.plan(visits: visits, nearby: stories, names: names).first)
    }

    @Test("NTF-13 The storyteller is named where the preview allows, and nowhere else")
    func tellers() throws {
        let joe = story(1, teller: "Grandpa Joe", place: "Wheat Street")
        #expect(try notice([joe]).body == "Grandpa Joe told a story here: The mill")
        #expect(try notice([joe], preview: .count).body == "1 story nearby")
        #expect(try notice([joe], preview: .none).body == "You have a new notification")
        #expect(try notice([story(1, kind: .photo, teller: "Ana")]).body == "Ana left a photo here: The mill")
        #expect(try notice([story(1, teller: "Ana", isExact: false)]).body == "Ana told a story nearby: The mill")
        let many = [story(1, teller: "Ana"), story(2, teller: "Grandpa Joe"), story(3, teller: "Grandpa Joe")]
        #expect(try notice(many).body == "3 interviews nearby, told by Grandpa Joe and Ana")
        let crowd = (1...4).map { story($0, teller: "T\($0)") }
        #expect(try notice(crowd).body == "4 interviews nearby, told by T1, T2 and 2 others")
        // One without a teller is everybody's: nobody else is said to have told it.
        #expect(try notice(many + [story(4, teller: nil)]).body == "4 interviews nearby")
    }

    @Test("NTF-13 An unnamed place is distinguished by its street, else by its distance from the centre")
    func whereabouts() throws {
        let auburn = PlaceLabel(name: "Sweet Auburn", detail: "1.5 km north-east of the centre of Atlanta")
        let names = OneName(label: auburn, around: PlaceLabel(name: "Atlanta"))
        let plain = try notice([story(1, teller: nil)], names: names, preview: .count)
        #expect(plain.title == "Sweet Auburn" && plain.placeName == "Sweet Auburn")
        #expect(plain.body == "1 story nearby, 1.5 km north-east of the centre of Atlanta")
        let street = try notice([story(1, teller: "Grandpa Joe", street: "30 Wheat Street")], names: names)
        #expect(street.body == "Grandpa Joe told a story here, at 30 Wheat Street: The mill")
        let named = try notice([story(1, teller: nil, street: "30 Wheat Street", place: "Mill")], names: names)
        #expect(named.title == "Mill" && named.body == "1 interview nearby: The mill")
    }

    @Test("LOC-02 NTF-13 An approximate story is named by what contains its cell, without a position within it")
    func approximate() throws {
        let auburn = PlaceLabel(name: "Sweet Auburn", detail: "1.5 km north-east of the centre of Atlanta")
        let names = OneName(label: auburn, around: PlaceLabel(name: "Atlanta"))
        let notice = try notice([story(1, teller: nil, isExact: false)], names: names, preview: .count)
        #expect(notice.title == "Atlanta" && notice.body == "1 story nearby")
    }

    @Test("Distances are rounded the way people say them")
    func distances() {
        func words(_ metres: Double, _ bearing: Double) -> String {
            PlaceLabel.distance(metres, bearing: bearing, of: "the mill")
        }
        #expect(words(0, 0) == "at the mill" && words(149, 90) == "at the mill")
        #expect(words(150, 0) == "150 m north of the mill" && words(949, 359) == "950 m north of the mill")
        #expect(words(1_508, 61.8) == "1.5 km north-east of the mill" && words(2_010, -90) == "2 km west of the mill")
        #expect(words(15_500, 210.9) == "16 km south-west of the mill")
        #expect(words(.nan, .infinity) == "at the mill" && words(1e300, 180) == "100000 km south of the mill")
    }

    @Test("Dates are human-readable, in the reader's time zone and language")
    func dates() throws {
        let time = Timestamp(milliseconds: 1_795_266_300_000)  // 2026-11-21T13:05:00Z
        let west = { (_: Timestamp) in -5 * 3_600 }
        #expect(DateWords.words(time, zone: { _ in 0 }) == "Saturday, 21 November 2026 at 13:05")
        #expect(DateWords.words(time, zone: west) == "Saturday, 21 November 2026 at 08:05")
        let american = try #require(DateLanguage.named("en-US"))
        #expect(DateWords.words(time, zone: west, language: american) == "Saturday, November 21, 2026 at 8:05 AM")
        let night = time.advanced(byMilliseconds: (15 * 60 + 55) * 60_000)
        #expect(DateWords.words(night, zone: west, language: american) == "Sunday, November 22, 2026 at 12:00 AM")
        let noon = time.advanced(byMilliseconds: (3 * 60 + 55) * 60_000)
        #expect(DateWords.words(noon, zone: west, language: american) == "Saturday, November 21, 2026 at 12:00 PM")
        #expect(DateWords.words(time, zone: { _ in 0 }, zoneName: "UTC").hasSuffix("at 13:05 (UTC)"))
        for milliseconds in [Int64.min / 2, Int64.max / 2, -1] {
            #expect(!DateWords.words(Timestamp(milliseconds: milliseconds), zone: { _ in 0 }).isEmpty)
        }
    }

    @Test("Subjects of e-mails describe the event")
    func subjects() throws {
        let (ana, now) = (try #require(UserID("ana")), Timestamp(milliseconds: 0))
        func subject(
            _ subject: FeedItem.Subject,
            _ title: String,
            _ body: String,
            _ preview: NotificationSettings.Preview = .count
        ) -> String? {
            let item = FeedItem(id: "n", user: ana, at: now, createdAt: now, subject: subject, title: title, body: body)
            return MailSubject.words(for: item, preview: preview)
        }
        func visit(_ name: String, _ count: Int, isArea: Bool = false) -> FeedItem.Subject {
            let content = (1...count).map { FeedItem.Content(id: StoryID(high: 0, low: UInt64($0)), sourceID: nil) }
            return .nearby(
                FeedItem.Visit(
                    kind: .entered,
                    placeName: name,
                    place: Street.start,
                    content: content,
                    confidence: 1,
                    isArea: isArea
                )
            )
        }
        #expect(subject(visit("Sweet Auburn", 3), "Sweet Auburn", "") == "3 stories near you: Sweet Auburn")
        #expect(subject(visit("Sweet Auburn", 3, isArea: true), "", "") == "3 stories around Sweet Auburn")
        #expect(subject(visit("here", 1), "Near you", "") == "1 story near you")
        #expect(subject(visit("Sweet Auburn", 3), "Sweet Auburn", "", .none) == nil)
        let news = FeedItem.Subject.newStories(.init(author: ana, content: []))
        #expect(subject(news, "Grandpa Joe", "added 2 stories") == "Grandpa Joe added 2 stories")
        let answer = FeedItem.Subject.message(.init(type: .invitationAnswer))
        #expect(
            subject(answer, "Invitation accepted", "Ben accepted your invitation.") == "Ben accepted your invitation"
        )
        #expect(MailSubject.words(forSeveral: 3, every: .weekly) == "Your week on Waymark: 3 notifications")
    }
}
