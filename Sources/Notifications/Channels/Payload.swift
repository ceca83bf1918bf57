import Formats
import Stories

/// The part of a message that fits into a payload.
struct Payload {
    /// The limits of a payload: `title`, `body` and `link` in bytes, `content` and `kinds` in entries.
    ///
    /// If the result is too large, the next smaller limits are used.
    struct Limits {
        let title: Int
        let body: Int
        let link: Int
        let content: Int
        let kinds: Int

        static let webhook = Limits(title: 500, body: 2_000, link: 2_048, content: 100, kinds: 64)
        static let push = Limits(title: 200, body: 1_000, link: 1_024, content: 10, kinds: 16)
        static let brief = Limits(title: 120, body: 300, link: 512, content: 0, kinds: 0)
        static let least = Limits(title: 80, body: 120, link: 256, content: 0, kinds: 0)
    }

    let message: ChannelMessage
    let limits: Limits

    var title: String { Payload.line(message.title, most: limits.title) }
    var body: String { Payload.text(message.body, most: limits.body) }
    /// The app link if it fits, else the link, else the short link; `nil` if none fits.
    var link: String? {
        if let app = message.appLink, app.text.utf8.count <= limits.link { return app.text }
        return Payload.link(message.link, most: limits.link) ?? Payload.link(message.shortLink, most: limits.link)
    }

    /// Returns what `write` produces with the first limits that keep it within `most` bytes; if none do, with the last
    /// ones.
    static func fitted(
        _ message: ChannelMessage,
        most: Int,
        limits: [Limits] = [.push, .brief, .least],
        _ write: (Payload) -> [UInt8]
    ) -> [UInt8] {
        var written: [UInt8] = []
        for limits in limits {
            written = write(Payload(message: message, limits: limits))
            if written.count <= most { break }
        }
        return written
    }

    /// Writes the data for programs: the content and the time, never the user's position.
    func facts(in json: inout JSONWriter) {
        json.beginObject()
        member("id", message.id, in: &json)
        member("type", message.type, in: &json)
        if let kind = message.kind { member("kind", kind.rawValue, in: &json) }
        if let place = message.place {
            json.key("place")
            json.beginObject()
            member("id", Payload.line(place.id, most: 64), in: &json)
            member("name", Payload.line(place.name, most: limits.title), in: &json)
            json.endObject()
        }
        if !message.counts.isEmpty { counts(in: &json) }
        member("title", title, in: &json)
        member("body", body, in: &json)
        if !message.contentIDs.isEmpty, limits.content > 0 {
            json.key("content_ids")
            json.value(message.contentIDs.prefix(limits.content).map(\.description))
        }
        if let confidence = message.confidence {
            json.key("confidence")
            json.value((confidence * 1000).rounded() / 1000)
        }
        json.key("simulated")
        json.value(message.isSimulated)
        times(in: &json)
        if let badge = message.badge {
            json.key("badge")
            json.value(badge)
        }
        if let link { member("url", link, in: &json) }
        json.endObject()
    }

    private func counts(in json: inout JSONWriter) {
        json.key("counts")
        json.beginObject()
        let kinds = message.counts.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(limits.kinds)
        for (kind, count) in kinds.sorted(by: { $0.key < $1.key }) {
            json.key(kind.rawValue)
            json.value(count)
        }
        json.key("total")
        json.value(message.counts.values.reduce(0) { $0.addingReportingOverflow($1).partialValue })
        json.endObject()
    }

    private func times(in json: inout JSONWriter) {
        member("occurred_at", RFC3339.format(message.occurredAt), in: &json)
        member("detected_at", RFC3339.format(message.detectedAt), in: &json)
        if let expiresAt = message.expiresAt { member("expires_at", RFC3339.format(expiresAt), in: &json) }
    }

    private func member(_ name: String, _ value: String, in json: inout JSONWriter) {
        json.key(name)
        json.value(value)
    }

    /// Returns a text on one line, at most `most` bytes long, without control characters.
    static func line(_ text: String, most: Int) -> String { cut(PlainText.line(text), most: most) }

    /// Returns a text of at most `most` bytes, in which line breaks are the only control characters.
    static func text(_ text: String, most: Int) -> String { cut(PlainText.lines(text), most: most) }

    /// Returns the link if it is an absolute URL of at most `most` bytes; otherwise `nil`.
    static func link(_ text: String?, most: Int = HTTPAddress.mostBytes) -> String? {
        // ``HTTPAddress`` rejects fragments, but links may have one for the browser that opens the page.
        guard let text, text.utf8.count <= most else { return nil }
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard HTTPAddress(String(parts[0])) != nil else { return nil }
        return parts.dropFirst().allSatisfy { $0.utf8.allSatisfy(HTTPAddress.isAllowed) } ? text : nil
    }

    private static func cut(_ text: String, most: Int) -> String {
        guard text.utf8.count > most else { return text }
        let mark = "…"
        var (kept, bytes) = (text.startIndex, mark.utf8.count)
        for index in text.indices {
            bytes += text[index].utf8.count
            if bytes > most { break }
            kept = text.index(after: index)
        }
        return text[..<kept] + mark
    }
}
