/// What the subject of an e-mail says: what happened, not only where.
///
/// Titles are made for screens, where the sentence stands below; in a list of letters the subject stands alone.
public enum MailSubject: Sendable {
    /// The subject for one notification; `nil` where its title says what happened, or its reader wants nothing said.
    public static func words(for item: FeedItem, preview: NotificationSettings.Preview) -> String? {
        guard preview != .none else { return nil }
        switch item.subject {
        case .nearby(let visit):
            let count = Wording.number(visit.content.count, "story", "stories")
            let name = Wording.shortened(visit.placeName)
            if visit.placeName == NoticeWriter.namelessPlace || name.isEmpty { return "\(count) near you" }
            return visit.isArea ? "\(count) around \(name)" : "\(count) near you: \(name)"
        // "Grandpa Joe" and "added 2 stories" are one sentence.
        case .newStories: return "\(item.title) \(item.body)"
        case .message(let message) where message.type == .invitation: return item.body.trimmed(of: ".")
        case .message(let message) where message.type == .invitationAnswer: return item.body.trimmed(of: ".")
        case .message, .familyDeleted, .gone: return nil
        }
    }

    /// The subject for several notifications in one letter.
    public static func words(forSeveral count: Int, every: DigestSchedule.Every?) -> String {
        let number = Wording.number(count, "notification", "notifications")
        switch every {
        case .weekly: return "Your week on Waymark: \(number)"
        case .monthly: return "Your month on Waymark: \(number)"
        case .never, nil: return "\(number) while it was quiet"
        }
    }
}

extension String {
    /// Without that one character at the end.
    fileprivate func trimmed(of end: Character) -> String { last == end ? String(dropLast()) : self }
}
