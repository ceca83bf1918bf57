import Notifications
import Stories
import Testing

/// DLV-08: how an app has its links written.
@Suite("Links to apps")
struct NoticeLinkTests {
    private func link(_ template: String, to target: NoticeTarget) throws -> String {
        let template = try #require(LinkTemplate(template))
        return template.link(to: target, of: "n1", type: .nearby).text
    }

    @Test("DLV-08 A template contains the target and the notification")
    func filled() throws {
        let story = StoryID(high: 1, low: 2)
        #expect(try link("myapp://{kind}/{id}", to: .story(story)) == "myapp://story/\(story)")
        #expect(
            try link("myapp://open/{kind}/{id}?n={notification}&t={type}", to: .stories)
                == "myapp://open/stories/n1?n=n1&t=story.nearby"
        )
        #expect(try link("my-app+x:open/{kind}/{id}#top", to: .family("lake")) == "my-app+x:open/family/lake#top")
        #expect(try link("myapp://n/{notification}", to: .invitation("abc")) == "myapp://n/n1")
        #expect(try #require(LinkTemplate("myapp://x/{id}")).scheme == "myapp")
    }

    @Test(
        "DLV-08 A template that cannot be an app link is rejected",
        arguments: [
            "", "myapp", "myapp://open", "myapp://{story}", "myapp://{id", "myapp://id}{id}", "http://a.example/{id}",
            "javascript:alert({id})", "data:text/html,{id}", "file:///{id}", "MyApp://{id}", "1app://{id}", "a://{id}",
            "my app://{id}", "myapp://{id}/ x", "myapp://{id}/\u{7}", "myapp://é/{id}", "{kind}://{id}",
            "myapp:{id}", "myapp://{{id}}", "myapp://{id}/" + String(repeating: "x", count: 300),
        ]
    )
    func refused(text: String) {
        #expect(LinkTemplate(text) == nil)
    }

    @Test("DLV-08 Every type opens its subject")
    func targets() throws {
        let (ana, now) = (try #require(UserID("ana")), Timestamp(milliseconds: 0))
        func target(_ subject: FeedItem.Subject) -> NoticeTarget {
            FeedItem(id: "n", user: ana, at: now, createdAt: now, subject: subject, title: "", body: "").target
        }
        let stories = (1...2).map { FeedItem.Content(id: StoryID(high: 0, low: UInt64($0)), sourceID: nil) }
        #expect(target(.newStories(.init(author: ana, content: stories))) == .stories)
        #expect(target(.newStories(.init(author: ana, content: [stories[1]]))) == .story(stories[1].id))
        #expect(target(.familyDeleted) == .notification && target(.gone) == .notification)
        func message(_ type: NoticeType, _ details: [String: String] = [:]) -> NoticeTarget {
            target(.message(.init(type: type, details: details)))
        }
        #expect(message(.invitation, ["invitation": "i", "family": "f"]) == .invitation("i"))
        #expect(message(.invitationAnswer, ["invitation": "i", "family": "f"]) == .family("f"))
        #expect(message(.syncFailed) == .sync && message(.channelDisabled, ["channel": "c"]) == .channel("c"))
        #expect(target(.message(.init(type: .syncFinished, content: stories))) == .stories)
        #expect(message(try #require(NoticeType(rawValue: "comment.new")), ["family": "f"]) == .notification)
    }
}
