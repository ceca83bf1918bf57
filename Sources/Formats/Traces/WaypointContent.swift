import Stories

/// What a waypoint of a GPX file says beside its name, description and time, for a story that is made of it.
package struct WaypointContent: Hashable, Sendable {
    /// Its time as the file writes it, unless ``TraceWaypoint/time`` is written the same.
    package private(set) var time: String?
    /// Its comment, if it has a description as well.
    package private(set) var comment: String?
    /// The category of its program.
    package private(set) var category: String?
    /// Where it links to, at most ``mostLinks``.
    package private(set) var links: [WebLink] = []
    /// The number of links beyond those.
    package private(set) var furtherLinks = 0
    /// The names of other elements with a value, each once.
    package private(set) var unread: [String] = []

    /// The links that are being read; GPX 1.0 has one, in two elements.
    private var parts: [Part] = []
    private var old = Part()

    private struct Part: Hashable {
        var address: String?
        var words: String?
        var mediaType: String?
    }

    /// The maximum number of links of a waypoint.
    package static let mostLinks = 50
    /// More different elements than that are not named.
    private static let mostNames = 100

    init() {}

    /// Notes the start of an element, at a depth below the waypoint.
    mutating func begin(_ name: String, attributes: [String: String], depth: Int) {
        if depth == 1, name == "link" {
            if parts.count < WaypointContent.mostLinks {
                parts.append(Part(address: attributes["href"]))
            } else {
                furtherLinks += 1
            }
        } else if attributes.keys.contains(where: { !$0.hasPrefix("xmlns") && !$0.hasPrefix("xsi:") }) {
            note(name)
        }
    }

    /// Reads an element with a value, at a depth below the waypoint and within an outermost element there.
    mutating func read(_ name: String, _ text: String, depth: Int, in outer: String) {
        switch (depth, name) {
        case (1, "name"), (1, "desc"), (1, "cmt"), (1, "time"): break
        case (1, "type"): category = category ?? text
        case (1, "link"):
            // Some programs write the address as the value.
            if hasOpenLink, parts[parts.count - 1].address == nil { parts[parts.count - 1].address = text }
        case (1, "url"): old.address = text
        case (1, "urlname"): old.words = text
        case (2, "text") where outer == "link": if hasOpenLink { parts[parts.count - 1].words = text }
        case (2, "type") where outer == "link": if hasOpenLink { parts[parts.count - 1].mediaType = text }
        default: if WaypointStory(rawValue: name) == nil || outer.lowercased() != "extensions" { note(name) }
        }
    }

    /// Returns the content once the waypoint was read.
    func completed(from raw: RawTracePoint, time instant: Timestamp?) -> WaypointContent {
        var content = self
        (content.parts, content.old) = ([], Part())
        for part in old == Part() ? parts : [old] + parts {
            if let address = part.address.flatMap(TraceText.words) {
                content.links.append(WebLink(address, words: part.words, mediaType: part.mediaType))
            } else {
                content.note("link")
            }
        }
        if raw.words != nil { content.comment = raw.comment.flatMap(TraceText.words) }
        content.category = category.flatMap(TraceText.words)
        let words = raw.time.flatMap(TraceText.words)
        if words != instant.map(RFC3339.format) { content.time = words }
        return content
    }

    /// Whether the link that is being read is kept.
    private var hasOpenLink: Bool { !parts.isEmpty && furtherLinks == 0 }

    private mutating func note(_ name: String) {
        if unread.count < WaypointContent.mostNames, !unread.contains(name) { unread.append(name) }
    }
}
