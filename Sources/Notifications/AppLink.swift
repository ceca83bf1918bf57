public import Stories

/// What a notification opens.
public enum NoticeTarget: Hashable, Sendable {
    /// One story.
    case story(StoryID)
    /// The list of exactly the stories that it tells of.
    case stories
    /// A family.
    case family(String)
    /// An invitation that waits for an answer, by its id.
    case invitation(String)
    /// What became of a batch that an app sent.
    case sync
    /// A channel of the user's, by its id.
    case channel(String)
    /// The notification itself.
    case notification

    /// The word for it in links.
    public var word: String {
        switch self {
        case .story: "story"
        case .stories: "stories"
        case .family: "family"
        case .invitation: "invitation"
        case .sync: "sync"
        case .channel: "channel"
        case .notification: "notification"
        }
    }

    /// The id of what is opened; `nil` where the notification's own leads there.
    public var id: String? {
        switch self {
        case .story(let id): id.description
        case .family(let id), .invitation(let id), .channel(let id): id
        case .stories, .sync, .notification: nil
        }
    }
}

extension FeedItem {
    /// What this notification opens.
    public var target: NoticeTarget {
        if content.count == 1, let story = content.first { return .story(story.id) }
        if !content.isEmpty { return .stories }
        guard case .message(let message) = subject else { return .notification }
        switch message.type {
        case .invitation: return message.details["invitation"].map(NoticeTarget.invitation) ?? .notification
        case .invitationAnswer: return message.details["family"].map(NoticeTarget.family) ?? .notification
        case .syncFinished, .syncFailed: return .sync
        case .channelDisabled: return message.details["channel"].map(NoticeTarget.channel) ?? .notification
        default: return .notification
        }
    }
}

/// How an app wants the links of its user's notifications to be written, such as
/// `myapp://open/{kind}/{id}?notification={notification}` (DLV-08).
///
/// `{notification}` is the notification's id, `{type}` its type, `{kind}` what it opens (``NoticeTarget/word``) and `{id}`
/// the id of that; `{id}` is the notification's id where the notification alone says what it opens.
public struct LinkTemplate: Hashable, Sendable {
    /// The most bytes of a template.
    public static let mostBytes = 300

    /// The template as it was given.
    public let text: String
    /// Its scheme, in small letters.
    public let scheme: String

    private static let names = ["notification", "type", "kind", "id"]

    /// Reads a template.
    ///
    /// `nil` for one that has no scheme that an app can have (see ``isScheme(_:)``), holds what may not stand in an
    /// address or a name that is none of the four, or names no notification: with neither `{notification}` nor `{id}`
    /// every link would open the same.
    public init?(_ text: String) {
        guard text.utf8.count <= LinkTemplate.mostBytes, let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = String(text[..<colon])
        guard LinkTemplate.isScheme(scheme), let parts = LinkTemplate.parts(of: text) else { return nil }
        let names = parts.filter(\.isName).map(\.text)
        guard names.contains("notification") || names.contains("id") else { return nil }
        // A name in the scheme or right behind it would let a value choose where the link leads.
        guard !text[..<colon].contains("{"), !text[text.index(after: colon)...].hasPrefix("{") else { return nil }
        self.text = text
        self.scheme = scheme
    }

    /// Whether a text can be the scheme of an app's links (RFC 3986, section 3.1), in small letters: not one by which a
    /// browser runs a script or reads a file, and not `http`.
    public static func isScheme(_ text: String) -> Bool {
        let refused: Set = ["http", "javascript", "data", "file", "vbscript", "blob", "about", "view-source", "mailto"]
        guard (2...64).contains(text.utf8.count), !refused.contains(text), let first = text.utf8.first else {
            return false
        }
        return (97...122).contains(first)
            && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || "+-.".utf8.contains($0) }
    }

    /// The link of one notification.
    public func link(to target: NoticeTarget, of notification: String, type: NoticeType) -> AppLink {
        let values = [
            "notification": notification, "type": type.rawValue, "kind": target.word, "id": target.id ?? notification,
        ]
        let parts = LinkTemplate.parts(of: text) ?? []
        return AppLink(text: parts.map { $0.isName ? values[$0.text, default: ""] : $0.text }.joined())
    }

    private struct Part {
        let text: String
        let isName: Bool
    }

    /// The template's texts and names in their order; `nil` where a brace stands alone or a name is unknown.
    private static func parts(of text: String) -> [Part]? {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else { return nil }
            let name = String(rest[rest.index(after: open)..<close])
            guard names.contains(name) else { return nil }
            parts.append(Part(text: String(rest[..<open]), isName: false))
            parts.append(Part(text: name, isName: true))
            rest = rest[rest.index(after: close)...]
        }
        parts.append(Part(text: String(rest), isName: false))
        let isClean = parts.allSatisfy { part in
            part.isName || part.text.utf8.allSatisfy { HTTPAddress.isAllowed($0) || $0 == UInt8(ascii: "#") }
        }
        return isClean ? parts : nil
    }
}

/// The address by which an app opens a notification; made by ``LinkTemplate`` alone, so that it is one in every channel.
public struct AppLink: Hashable, Sendable {
    /// The address: ASCII, without blanks.
    public let text: String

    fileprivate init(text: String) { self.text = text }
}
