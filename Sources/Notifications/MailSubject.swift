/// The subject lines of e-mails, which describe the event and not only the place.
///
/// Titles are written for screens, with the text below; in a mailbox the subject stands alone.
public enum MailSubject: Sendable {
    /// Returns the subject for one notification; `nil` if its title already describes the event or the recipient's
    /// preview setting withholds it.
    public static func words(for item: FeedItem, preview: NotificationSettings.Preview) -> String? {
        guard preview != .none else { return nil }
        switch item.subject {
        case .nearby(let visit):
            let count = Wording.number(visit.content.count, "story", "stories")
            let name = Wording.shortened(visit.placeName)
            if visit.placeName == NoticeWriter.namelessPlace || name.isEmpty { return "\(count) near you" }
            return visit.isArea ? "\(count) around \(name)" : "\(count) near you: \(name)"
        // "Grandpa Joe" and "added 2 stories" form one sentence.
        case .newStories: return "\(item.title) \(item.body)"
        case .message(let message) where message.type == .invitation: return item.body.trimmed(of: ".")
        case .message(let message) where message.type == .invitationAnswer: return item.body.trimmed(of: ".")
        case .message, .familyDeleted, .gone: return nil
        }
    }

    /// Returns the subject of an e-mail with several notifications: a digest sent weekly or monthly, or, if `every` is
    /// `nil` or `never`, the notifications that waited for quiet hours to end.
    public static func words(forSeveral count: Int, every: DigestSchedule.Every?) -> String {
        let number = Wording.number(count, "notification", "notifications")
        switch every {
        case .weekly: return "Your week on Waymark: \(number)"
        case .monthly: return "Your month on Waymark: \(number)"
        case .never, nil: return "\(number) during your quiet hours"
        }
    }
}

extension String {
    /// Returns the text without a final `end` character.
    fileprivate func trimmed(of end: Character) -> String { last == end ? String(dropLast()) : self }
}
