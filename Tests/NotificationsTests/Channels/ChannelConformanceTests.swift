import Formats
import Geometry
import Notifications
import Stories
import Testing

/// What every channel has to keep to, whatever its kind.
@Suite("Channel conformance")
struct ChannelConformanceTests {
    private let now = ChannelSamples.now

    private func write(
        _ message: ChannelMessage,
        _ kind: ChannelKind,
        seconds: Int64 = 0,
        seed: UInt64 = 11
    ) throws -> OutgoingMessage {
        var generator = SplitMix64(seed: seed)
        let at = Timestamp(milliseconds: now.milliseconds + seconds * 1000)
        let target = try ChannelSamples.target(kind)
        return try ChannelSamples.writer(at: at).write(message, to: target, at: at, using: &generator)
    }

    /// What the receiver reads: the body, of Web Push decrypted, of e-mail decoded.
    private func text(_ message: OutgoingMessage, _ kind: ChannelKind) throws -> String {
        switch message {
        case .http(let http):
            let body = kind == .webPush ? try WebPushReceiver().read(http.body) : http.body
            return String(decoding: body, as: UTF8.self)
        case .mail(let mail): return String(decoding: mail.bytes, as: UTF8.self)
        case .publication(let publication): return String(decoding: publication.payload, as: UTF8.self)
        }
    }

    /// The body and the fields of the header.
    private func wire(_ message: OutgoingMessage, _ kind: ChannelKind) throws -> String {
        let headers = message.httpRequest?.headers.map { "\($0.name): \($0.value)" } ?? []
        return try text(message, kind) + "\n" + headers.joined(separator: "\n")
    }

    @Test("DLV-03 The message's id is on the wire, the same in every attempt", arguments: ChannelKind.allCases)
    func stableID(kind: ChannelKind) throws {
        var message = ChannelSamples.message()
        message.link = nil
        let id = kind == .apns ? "5f0c0000-0000-0000-0000-000000000001" : message.id
        for (seconds, seed) in [(0, 1), (5, 2), (86_400, 3)] {
            let written = try write(message, kind, seconds: Int64(seconds), seed: UInt64(seed))
            #expect(try wire(written, kind).contains(id))
            if case .http(let http) = written { #expect(http.isRepeatable == kind.dropsRepeats) }
        }
    }

    @Test(
        "DLV-03 Ten thousand stories at a place still fit, and so do endless texts",
        arguments: ChannelKind.allCases
    )
    func bounded(kind: ChannelKind) throws {
        let nasty = ["\u{1}", "\"", "\\", "ä", "👩‍👩‍👧‍👦", "\u{301}", "\n", "<"]
        for piece in nasty + ["x"] {
            let endless = String(repeating: piece, count: 6_000)
            var message = ChannelMessage(
                id: String(repeating: "a", count: 64),
                type: ChannelMessage.nearbyType,
                title: endless,
                body: endless,
                occurredAt: now
            )
            message.place = ChannelMessage.Place(id: endless, name: endless)
            message.contentIDs = (0..<10_000).map { StoryID(high: 7, low: UInt64($0)) }
            for number in 0..<500 {
                message.counts[try #require(StoryKind("k_\(number)_" + String(repeating: "x", count: 20)))] = .max
            }
            message.link = "https://example.org/" + String(repeating: "x", count: 2_000)
            message.group = endless
            let written = try write(message, kind)
            switch (kind, written) {
            case (.webhook, .http(let http)):
                #expect(http.body.count < ChannelWriter.mostWebhookBytes)
                #expect(try JSONValue(parsing: http.body)["data"]?["content_ids"]?.array?.count ?? 0 <= 100)
            case (.mqtt, .publication(let publication)):
                #expect(publication.payload.count <= ChannelWriter.mostPushBytes)
            case (.email, .mail(let mail)): #expect(mail.bytes.count < 200_000)
            case (.fcm, .http(let http)): #expect(http.body.count < ChannelWriter.mostPushBytes + 40)
            case (_, .http(let http)): #expect(http.body.count <= ChannelWriter.mostPushBytes)
            default: Issue.record("\(kind) is written in another way")
            }
            if kind != .email { _ = try JSONValue(parsing: Array(try text(written, kind).utf8)) }
        }
    }

    @Test("DLV-03 Ten thousand stories become a number and a short list", arguments: [ChannelKind.webhook, .webPush])
    func manyStories(kind: ChannelKind) throws {
        let written = try write(ChannelSamples.message(stories: 10_000), kind)
        let json = try JSONValue(parsing: Array(try text(written, kind).utf8))
        let facts = try #require(kind == .webhook ? json["data"] : json["notification"]?["data"])
        #expect(facts["counts"]?["total"]?.integer == 10_000 && facts["counts"]?["interview"]?.integer == 9_999)
        #expect((1...100).contains(try #require(facts["content_ids"]?.array?.count)))
    }

    @Test(
        "DLV-03 A message without text gets some on every channel, because receivers such as Gotify require it",
        arguments: ChannelKind.allCases
    )
    func neverEmpty(kind: ChannelKind) throws {
        for nothing in ["", " \n ", "\u{7}", "\u{200B}"] {
            let message = ChannelMessage(id: "n_1", type: "comment.new", title: nothing, body: nothing, occurredAt: now)
            let text = try text(try write(message, kind), kind)
            #expect(text.contains("Waymark") && text.contains(ChannelMessage.emptyBody), "\(kind)")
        }
    }

    @Test("DLV-03 Neither descriptions nor displayed fields contain a secret", arguments: ChannelKind.allCases)
    func secrets(kind: ChannelKind) throws {
        let target = try ChannelSamples.target(kind)
        let secrets = [
            "MfKQ9r8G", "secretpath", "JzLQ3raZ", "verysecret", ChannelSamples.browserAuth, "tk_", "AverysecretToken",
            "walks_of_ana", String(repeating: "ab", count: 30), "ya29",
        ]
        let message = try write(ChannelSamples.message(), kind)
        let shown =
            ["\(target)", "\(message)", "\(try ChannelSamples.credentials())"] + Array(target.publicFields.values)
        for text in shown { for secret in secrets { #expect(!text.contains(secret), "\(text)") } }
        #expect(!"\(message)".contains("example"))
        let url = message.httpRequest?.url ?? ""
        if kind == .ntfy || kind == .gotify { #expect(secrets.allSatisfy { !url.contains($0) }) }
    }

    @Test("DLV-03 Stored targets are read back unchanged", arguments: ChannelKind.allCases)
    func stored(kind: ChannelKind) throws {
        let target = try ChannelSamples.target(kind)
        #expect(try ChannelTarget(kind: target.kind, fields: target.fields) == target)
        #expect(ChannelKind(rawValue: kind.rawValue) == kind && !target.host.isEmpty)
    }

    @Test("DLV-03 Missing, wrong and unknown fields are named, never their values", arguments: ChannelKind.allCases)
    func problems(kind: ChannelKind) throws {
        let right = try #require(ChannelSamples.fields[kind])
        let needed = right.keys.filter { !["tag"].contains($0) && !(kind == .ntfy && $0 == "token") }
        let none = #expect(throws: ChannelTargetError.self) { try ChannelTarget(kind: kind, fields: [:]) }
        #expect(Set(none?.problems.map(\.field) ?? []) == Set(needed))
        for field in right.keys {
            for bad in ["", " ", "bad value\r\nx: y", "\u{0}", "https://user@bad value.example.org/"] {
                var fields = right
                fields[field] = bad
                let error = #expect(throws: ChannelTargetError.self, "\(kind) \(field) \(bad)") {
                    try ChannelTarget(kind: kind, fields: fields)
                }
                #expect(error?.problems.map(\.field) == [field])
                if bad.count > 2 { #expect(error?.description.contains(bad) == false) }
            }
        }
        var fields = right
        fields["colour"] = "red"
        fields["bad\r\nname"] = "red"
        let unknown = #expect(throws: ChannelTargetError.self) { try ChannelTarget(kind: kind, fields: fields) }
        #expect(unknown?.problems.map(\.field) == ["colour", "fields"])
    }

    @Test("DLV-03 Nothing in a message can end a header field", arguments: ChannelKind.allCases)
    func injection(kind: ChannelKind) throws {
        let evil = "x\r\nBcc: eve@example.org\r\n\r\n<script>\u{2028}\u{85}"
        var message = ChannelMessage(
            id: "n_1",
            type: "story.nearby",
            title: evil,
            body: evil,
            occurredAt: now
        )
        message.link = "https://example.org/\r\nx: y"
        message.unsubscribeLink = "https://example.org/>\r\nBcc: eve@example.org"
        message.group = evil
        message.place = ChannelMessage.Place(id: evil, name: evil)
        message.items = [ChannelMessage.Item(title: evil, body: evil, link: evil)]
        let written = try write(message, kind)
        for field in written.httpRequest?.headers ?? [] {
            #expect(field.value.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        }
        if let letter = written.letter {
            let text = String(decoding: letter.bytes, as: UTF8.self)
            #expect(!text.unicodeScalars.contains { !$0.isASCII || $0.value == 0x85 })
            let header = text.components(of: "\r\n").prefix { !$0.isEmpty }
            #expect(header.count > 8)
            #expect(header.allSatisfy { !$0.hasPrefix("Bcc") && !$0.contains("\r") && !$0.contains("\n") })
            #expect(!header.contains { $0.hasPrefix("List-Unsubscribe") })
            let html = try #require(text.components(of: "Content-Type: text/html").last)
            #expect(!html.contains("<script>") && html.contains("&lt;script&gt;"))
        }
        for (id, type) in [("n 1", "a"), ("", "a"), ("n\r\n1", "a"), ("é", "a"), ("n.1", "a"), ("n", ""), ("n", "a b")]
        {
            let bad = ChannelMessage(id: id, type: type, title: "", body: "", occurredAt: now)
            #expect(throws: ChannelError.badMessage) { try write(bad, kind) }
        }
    }

    @Test("DLV-03 Control characters and bidirectional marks are removed", arguments: ChannelKind.allCases)
    func words(kind: ChannelKind) throws {
        let title = "a\r\nb\u{1}\u{202E}c\u{85}\u{2066}d\u{7F}"
        let message = ChannelMessage(id: "n_1", type: "sync.failed", title: title, body: "x\r\ny\u{8}", occurredAt: now)
        let text = try text(try write(message, kind), kind)
        if kind == .email {
            #expect(text.contains("Subject: =?utf-8?B?") || text.contains("\r\nSubject: a  b c d \r\n"))
            #expect(text.contains("x\r\ny=20\r\n"))
        } else {
            #expect(text.contains("\"a  b c d \"") && text.contains("\"x\\ny \""), "\(text)")
        }
    }

    @Test(
        "DLV-03 An address is an absolute HTTP URL without a user name",
        arguments: [
            "https://user@example.org/", "https://user:word@example.org/", "https://example.org/#a", "//example.org/",
            "ftp://example.org/", "https://", "https:///x", "https://example.org:0/", "https://example.org:99999/",
            "https://example.org:/", "https://example.org\\@x/", "https://exämple.org/", "https://[::1/",
            "https://example.org/" + String(repeating: "a", count: 2_048),
        ]
    )
    func addresses(url: String) throws {
        for (kind, field) in [
            (ChannelKind.webhook, "url"), (.webPush, "endpoint"), (.ntfy, "url"), (.gotify, "url"), (.apprise, "url"),
        ] {
            var fields = try #require(ChannelSamples.fields[kind])
            fields[field] = url
            let error = #expect(throws: ChannelTargetError.self) { try ChannelTarget(kind: kind, fields: fields) }
            #expect(error?.problems.map(\.field) == [field])
        }
    }

    @Test("DLV-03 A channel without credentials is unavailable", arguments: ChannelKind.allCases)
    func credentials(kind: ChannelKind) throws {
        #expect(ChannelCredentials().allow(kind) == !kind.needsCredentials)
        #expect(try ChannelSamples.credentials().allow(kind))
        guard kind.needsCredentials else { return }
        var generator = SplitMix64(seed: 1)
        #expect(throws: ChannelError.noCredentials(kind)) {
            try ChannelWriter()
                .write(ChannelSamples.message(), to: try ChannelSamples.target(kind), at: now, using: &generator)
        }
    }
}

extension StringProtocol {
    /// The parts between a separator.
    func components(of separator: String) -> [SubSequence] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
