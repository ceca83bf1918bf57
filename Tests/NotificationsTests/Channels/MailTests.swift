import Formats
import Geometry
import Notifications
import Stories
import Testing

@Suite("E-mail")
struct MailTests {
    private let now = ChannelSamples.now

    private func letter(_ message: ChannelMessage, sender: MailSender? = nil) throws -> String {
        var credentials = try ChannelSamples.credentials()
        if let sender { credentials.sender = sender }
        var generator = SplitMix64(seed: 1)
        let target = try ChannelSamples.target(.email)
        let written = try ChannelWriter(credentials: credentials).write(message, to: target, at: now, using: &generator)
        return String(decoding: try #require(written.letter).bytes, as: UTF8.self)
    }

    private func message(title: String, body: String = "b") -> ChannelMessage {
        ChannelMessage(id: "n_1", type: "digest", title: title, body: body, occurredAt: now)
    }

    @Test("DLV-03 An e-mail has every field mailbox providers require, and both forms of the text")
    func letter() throws {
        var message = message(title: "Your week", body: "2 new stories")
        message.link = "https://stories.example.org/?a=1&b=2"
        message.unsubscribeLink = "https://stories.example.org/u/abc"
        message.items = [ChannelMessage.Item(title: "The mill", body: "An interview", link: "https://e.org/s/1")]
        let text = try letter(message)
        let expected = [
            "Date: Sat, 21 Nov 2026 12:00:00 +0000", "From: Waymark <waymark@stories.example.org>",
            "To: ana@example.org", "Subject: Your week", "Message-ID: <n_1@stories.example.org>",
            "List-Unsubscribe: <https://stories.example.org/u/abc>",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click", "Auto-Submitted: auto-generated", "X-Waymark-Id: n_1",
            "X-Waymark-Type: digest", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Type: text/html; charset=utf-8", "* The mill", "  An interview", "  https://e.org/s/1",
            "<li><a href=3D\"https://e.org/s/1\">The mill</a><br>An interview</li>",
        ]
        let lines = text.components(of: "\r\n").map(String.init)
        for line in expected { #expect(lines.contains(line), "\(line)") }
        #expect(text.contains("?a=3D1&amp;b=3D2"))
        #expect(lines.allSatisfy { $0.utf8.count <= 78 })
        let isFramed = text.utf8.reduce(into: (last: UInt8(0), good: true)) { state, byte in
            if byte == 0x0A, state.last != 0x0D { state.good = false }
            if state.last == 0x0D, byte != 0x0A { state.good = false }
            state.last = byte
        }
        #expect(isFramed.good && text.hasSuffix("--\r\n"))
    }

    @Test("DLV-05 A picture lies within the message, beside the HTML that shows it; the plain text comes first")
    func picture() throws {
        var message = message(title: "Your week", body: "2 new stories")
        let png = (0..<1_000).map { UInt8($0 % 251) }
        message.picture = InlinePicture(png: png, width: 560, height: 338, alternative: "Map of \"2\" stories")
        let text = try letter(message)
        let lines = text.components(of: "\r\n").map(String.init)
        #expect(lines.allSatisfy { $0.utf8.count <= 78 })
        let types = lines.filter { $0.hasPrefix("Content-Type: ") }
        let expected = [
            "multipart/alternative;", "text/plain;", "multipart/related; type=\"text/html\";", "text/html;",
            "image/png",
        ]
        #expect(types.count == expected.count)
        for (type, start) in zip(types, expected) { #expect(type.hasPrefix("Content-Type: " + start), "\(type)") }
        let start = try #require(lines.firstIndex(of: "Content-Disposition: inline; filename=\"map.png\"")) + 2
        let coded = lines[start...].prefix { !$0.hasPrefix("--") }.joined()
        #expect(Base64.decode(coded) == png)
        #expect(lines.contains("Content-ID: <map.n_1@stories.example.org>"))
        let html = text.replacing("=\r\n", with: "")
        #expect(html.contains("<img src=3D\"cid:map.n_1@stories.example.org\" width=3D\"560\" height=3D\"338\""))
        #expect(html.contains("alt=3D\"Map of &quot;2&quot; stories\""))
        // Every part ends, the inner ones first.
        let ends = lines.filter { $0.hasPrefix("--=_") && $0.hasSuffix("--") }
        #expect(ends.count == 2 && ends[0].hasPrefix(String(ends[1].dropLast(2))))
        #expect(try !letter(self.message(title: "Your week")).contains("multipart/related"))
    }

    @Test("NTF-13 DLV-03 The subject of an e-mail describes the event if that says more than the title")
    func subject() throws {
        var message = message(title: "Auburn Avenue")
        #expect(try letter(message).contains("\r\nSubject: Auburn Avenue\r\n"))
        message.subject = "2 stories near you"
        let text = try letter(message)
        #expect(text.contains("\r\nSubject: 2 stories near you\r\n"))
        #expect(!text.contains("Subject: Auburn"))
    }

    @Test(
        "DLV-03 Headers in any script become encoded words that decode to the same text (RFC 2047)",
        arguments: [
            "Erzählcafé", "物語が三つ、近くにあります。物語が三つ、近くにあります。物語が三つ", "👩‍👩‍👧‍👦 family", "a, b <c@d.example>",
            String(repeating: "long ", count: 50), "=?utf-8?B?eA==?=", " blank", "", "a\"b\\c",
        ]
    )
    func subjects(title: String) throws {
        let lines = try letter(message(title: title)).components(of: "\r\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("Subject:") })
        let rest = lines[lines.index(after: start)...].prefix { $0.hasPrefix(" ") }
        let words = ([lines[start].dropFirst("Subject: ".count)] + rest.map { $0.dropFirst() }).map(String.init)
        #expect(([lines[start]] + rest).allSatisfy { $0.utf8.count <= 76 })
        var decoded = ""
        for word in words {
            if word.hasPrefix("=?utf-8?B?"), word.hasSuffix("?=") {
                let bytes = try #require(Base64.decode(word.dropFirst(10).dropLast(2)))
                decoded += String(decoding: bytes, as: UTF8.self)
                #expect(!decoded.contains("\u{FFFD}"))
            } else {
                #expect(word.utf8.allSatisfy { $0 != 0x2C && $0 != 0x3C && $0 != 0x3D && $0 < 0x80 })
                decoded += word
            }
        }
        #expect(decoded == (title.isEmpty ? "Waymark" : title))
    }

    @Test("DLV-03 Bodies in any script survive their seven-bit lines (RFC 2045)")
    func bodies() throws {
        let body = "Grüße,\n.\n..\nFrom here = there\nends in blanks  \n" + String(repeating: "日本語", count: 40) + "\t"
        let text = try letter(message(title: "t", body: body))
        let part = try #require(text.components(of: "quoted-printable\r\n\r\n").dropFirst().first)
        let encoded = try #require(part.components(of: "\r\n--=_").first)
        #expect(encoded.components(of: "\r\n").allSatisfy { !$0.hasPrefix(".") && !$0.hasPrefix("From") })
        #expect(encoded.components(of: "\r\n").allSatisfy { $0.utf8.count <= 76 && $0.last != " " && $0.last != "\t" })
        var bytes: [UInt8] = []
        var rest = Array(encoded.replacing("=\r\n", with: "").replacing("\r\n", with: "\n").utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            bytes.append(try #require(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)))
            rest = rest.dropFirst(2)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "t\n\n\(body.dropLast()) \n")
    }

    @Test("DLV-03 The sender's name cannot become an address")
    func sender() throws {
        let sender = try MailSender(address: "a@example.org", name: "Eve <eve@example.org>,\r\nBcc: x@y.example")
        let text = try letter(message(title: "t"), sender: sender)
        #expect(!text.contains("eve@") && !text.contains("Bcc"))
        #expect(throws: ChannelCredentialsError.self) { try MailSender(address: "a@b\r\nx") }
    }

    @Test(
        "DLV-03 Links are absolute addresses, with or without a fragment; anything else is left out",
        arguments: [
            ("https://example.org/#/n/1", true), ("https://example.org/?a=b#c", true), ("https://example.org/#", true),
            ("https://example.org/#a#b", false), ("https://example.org/#>,<mailto:x", false), ("#a", false),
            ("https://example.org/# a", false), ("https://example.org/#\r\nBcc:x", false), ("javascript:x", false),
        ]
    )
    func links(link: String, isGood: Bool) throws {
        var message = message(title: "t")
        message.unsubscribeLink = link
        #expect(try letter(message).contains("List-Unsubscribe: <\(link)>") == isGood)
    }

    @Test(
        "DLV-03 Only plain addresses are accepted",
        arguments: [
            ("ana@example.org", true), ("a.b+tag@sub.example.org", true), ("o'hara@example.org", true),
            ("ana@localhost", true), ("ana", false), ("@example.org", false), ("ana@", false),
            ("ana@@example.org", false), ("ana@example.org,eve@example.org", false), ("ana@example.org\n", false),
            ("<ana@example.org>", false), ("\"a b\"@example.org", false), ("ana@[127.0.0.1]", false),
            (".ana@example.org", false), ("a..b@example.org", false), ("ana@-example.org", false),
            ("ana@exa_mple.org", false), ("änä@example.org", false), ("ana@exämple.org", false),
            ("ana@example.org.", false), (String(repeating: "a", count: 65) + "@example.org", false),
        ]
    )
    func addresses(text: String, isValid: Bool) {
        #expect(((try? ChannelTarget(kind: .email, fields: ["address": text])) != nil) == isValid)
    }
}
