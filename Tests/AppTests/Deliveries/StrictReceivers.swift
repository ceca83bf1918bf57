import App
import Library
import Formats
import Notifications

/// The ends of channels as strict as the strictest of their kind: what says nothing is refused.
enum StrictReceivers: Sendable {
    /// Answers as Gotify, ntfy, Apprise, a webhook's end or a mail server does; one that has no text is answered 400, as
    /// Gotify answers it, and as ntfy would not: it shows "triggered".
    static func answer(_ message: OutgoingMessage) -> ChannelAnswer {
        switch message {
        case .mail(let mail):
            return ChannelAnswer(status: hasText(mail) ? 250 : 554)
        case .publication(let publication):
            let json = try? JSONValue(parsing: publication.payload)
            return ChannelAnswer(status: isReadable(json?["notification"]?["body"]) ? 200 : 400)
        case .http(let http):
            guard let json = try? JSONValue(parsing: http.body) else { return ChannelAnswer(status: 400) }
            if let challenge = json["data"]?["challenge"]?.string {
                return ChannelAnswer(status: 200, body: Array(challenge.utf8))
            }
            let texts = http.url.contains("/notify/") ? [json["body"]] : [words(json)]
            return ChannelAnswer(status: texts.allSatisfy(isReadable) ? 200 : 400)
        }
    }

    private static func words(_ json: JSONValue) -> JSONValue? { json["message"] ?? json["data"]?["body"] }

    private static func isReadable(_ text: JSONValue?) -> Bool {
        text?.string.map { $0.contains { !$0.isWhitespace } } ?? false
    }

    /// Whether the plain part holds anything between its blank line and the next part, and the subject says something.
    private static func hasText(_ mail: OutgoingMail) -> Bool {
        let lines = String(decoding: mail.bytes, as: UTF8.self)
            .split(
                separator: "\r\n",
                omittingEmptySubsequences: false
            )
        let subject = lines.first { $0.hasPrefix("Subject:") }?.dropFirst(8) ?? ""
        guard let start = lines.firstIndex(of: "Content-Type: text/plain; charset=utf-8") else { return false }
        let text = lines[start...].drop { !$0.isEmpty }.prefix { !$0.hasPrefix("--=_") }
        // The headline, the sentence and the link stand there, each with a blank line between.
        return subject.contains { $0 != " " } && text.filter { !$0.isEmpty }.count >= 2
    }
}
