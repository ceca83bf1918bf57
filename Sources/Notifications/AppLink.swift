public import Stories

/// The target that a notification opens.
public enum NoticeTarget: Hashable, Sendable {
    /// One story.
    case story(StoryID)
    /// A list of exactly the stories in the notification.
    case stories
    /// A family.
    case family(String)
    /// A pending invitation, by its id.
    case invitation(String)
    /// The result of a batch that an app sent.
    case sync
    /// One of the user's channels, by its id.
    case channel(String)
    /// The notification itself.
    case notification

    /// The name of the target in links.
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

    /// The id of the target; `nil` if it has none: links then contain the notification's id instead.
    public var id: String? {
        switch self {
        case .story(let id): id.description
        case .family(let id), .invitation(let id), .channel(let id): id
        case .stories, .sync, .notification: nil
        }
    }
}

extension FeedItem {
    /// The target this notification opens.
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

/// A template for the links in a user's notifications, such as `myapp://open/{kind}/{id}?notification={notification}`
/// (DLV-08).
///
/// `{notification}` is the notification's id, `{type}` its type, `{kind}` the kind of target (``NoticeTarget/word``)
/// and `{id}` the target's id, or the notification's id if the target has none of its own.
public struct LinkTemplate: Hashable, Sendable {
    /// The maximum size of a template, in bytes.
    public static let mostBytes = 300

    /// The template as given.
    public let text: String
    /// The scheme, in lower case.
    public let scheme: String

    private static let names = ["notification", "type", "kind", "id"]

    /// Parses a template.
    ///
    /// Returns `nil` if the text is longer than ``mostBytes``, begins with a scheme that is not allowed for an app (see
    /// ``isScheme(_:)``), has a placeholder directly after the scheme, or contains an unknown placeholder or a
    /// character that is invalid in a URL. Also returns `nil` if the text contains neither `{notification}` nor `{id}`,
    /// because every link would then be the same.
    public init?(_ text: String) {
        guard text.utf8.count <= LinkTemplate.mostBytes, let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = String(text[..<colon])
        guard LinkTemplate.isScheme(scheme), let parts = LinkTemplate.parts(of: text) else { return nil }
        let names = parts.filter(\.isName).map(\.text)
        guard names.contains("notification") || names.contains("id") else { return nil }
        // A placeholder in or directly after the scheme would let a value choose the link's destination.
        guard !text[..<colon].contains("{"), !text[text.index(after: colon)...].hasPrefix("{") else { return nil }
        self.text = text
        self.scheme = scheme
    }

    /// Returns whether a lower-case text can be the scheme of an app's links (RFC 3986, section 3.1).
    ///
    /// Schemes that run a script or read a file in a browser, and `http`, are not allowed.
    public static func isScheme(_ text: String) -> Bool {
        let refused: Set = ["http", "javascript", "data", "file", "vbscript", "blob", "about", "view-source", "mailto"]
        guard (2...64).contains(text.utf8.count), !refused.contains(text), let first = text.utf8.first else {
            return false
        }
        return (97...122).contains(first)
            && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || "+-.".utf8.contains($0) }
    }

    /// Returns the link of one notification.
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

    /// Splits the template into literals and placeholders; returns `nil` if a brace is unbalanced, a placeholder is
    /// unknown, or a literal contains a character that is invalid in a URL.
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

/// The URL by which an app opens a notification.
///
/// Only ``LinkTemplate`` creates it, so it is the same in every channel.
public struct AppLink: Hashable, Sendable {
    /// The URL: ASCII, without spaces.
    public let text: String

    fileprivate init(text: String) { self.text = text }
}
