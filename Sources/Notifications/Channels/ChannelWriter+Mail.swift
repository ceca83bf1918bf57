import Formats
import Crypto
import Stories

extension ChannelWriter {
    /// Writes an e-mail in plain text and HTML; its header contains only validated addresses, encoded words and
    /// numbers.
    func mail(_ message: ChannelMessage, to email: EmailTarget, at now: Timestamp) throws -> OutgoingMail {
        guard let sender = credentials.sender else { throw ChannelError.noCredentials(.email) }
        let letter = MailLetter(message: message, sender: sender, recipient: email.address, at: now)
        return OutgoingMail(from: sender.address, to: email.address, bytes: letter.bytes)
    }
}

/// An e-mail as bytes (RFC 5322, RFC 2045 and following).
struct MailLetter {
    /// The maximum number of items in a digest.
    static let mostItems = 100

    let message: ChannelMessage
    let sender: MailSender
    let recipient: String
    let at: Timestamp

    /// The whole message: ASCII lines of at most 998 characters, ended by CR LF.
    var bytes: [UInt8] {
        let boundary = self.boundary
        var lines = header(boundary: boundary)
        lines += ["", "--\(boundary)", "Content-Type: text/plain; charset=utf-8"]
        lines += ["Content-Transfer-Encoding: quoted-printable", "", QuotedPrintable.encode(plain)]
        lines += ["--\(boundary)"] + htmlPart + ["--\(boundary)--", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    /// The HTML form; with a picture, both as one part (RFC 2387).
    private var htmlPart: [String] {
        let text = ["Content-Type: text/html; charset=utf-8", "Content-Transfer-Encoding: quoted-printable", ""]
        guard let picture = message.picture else { return text + [QuotedPrintable.encode(html)] }
        let inner = boundary + "_"
        var lines = ["Content-Type: multipart/related; type=\"text/html\";\r\n boundary=\"\(inner)\"", ""]
        lines += ["--\(inner)"] + text + [QuotedPrintable.encode(html), "--\(inner)"]
        lines += ["Content-Type: image/png", "Content-Transfer-Encoding: base64", "Content-ID: <\(pictureID)>"]
        lines += ["Content-Disposition: inline; filename=\"map.png\"", ""]
        // Base64 with lines of 76 characters (RFC 2045, section 6.8): 57 bytes each.
        lines += stride(from: 0, to: picture.png.count, by: 57)
            .map { Base64.encode(Array(picture.png[$0..<min($0 + 57, picture.png.count)])) }
        return lines + ["--\(inner)--"]
    }

    /// The id of the picture within the message.
    private var pictureID: String { "map.\(message.id)\(sender.address.drop { $0 != "@" })" }

    private var unsubscribe: String? { Payload.link(message.unsubscribeLink, most: 900) }
    private var title: String { Payload.line(message.title, most: 300) }
    private var subject: String { Payload.line(message.subject ?? message.title, most: 300) }

    /// The MIME boundary, derived from the message's id and the recipient: the same for every attempt.
    ///
    /// It cannot occur in a part, because `=_` is impossible in quoted-printable text.
    private var boundary: String {
        let digest = SHA256.hash(data: Array("waymark boundary 1|\(message.id)|\(recipient)".utf8))
        return "=_" + Base64.encodeURL(Array(digest).prefix(18))
    }

    private func header(boundary: String) -> [String] {
        let from =
            sender.name.isEmpty ? sender.address : "\(EncodedWords.encode(sender.name, after: 6)) <\(sender.address)>"
        let domain = sender.address.drop { $0 != "@" }
        var lines = [
            "Date: \(HTTPDate.mail(at))", "From: \(from)", "To: \(recipient)",
            "Subject: \(EncodedWords.encode(subject, after: 9))", "Message-ID: <\(message.id)\(domain)>",
        ]
        if let unsubscribe {
            lines.append("List-Unsubscribe: <\(unsubscribe)>")
            // RFC 8058 requires https for one-click unsubscribe.
            if unsubscribe.lowercased().hasPrefix("https:") {
                lines.append("List-Unsubscribe-Post: List-Unsubscribe=One-Click")
            }
        }
        lines += ["Auto-Submitted: auto-generated", "X-Waymark-Id: \(message.id)", "X-Waymark-Type: \(message.type)"]
        lines += ["MIME-Version: 1.0", "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\""]
        return lines
    }

    private var plain: String {
        var parts = [title, Payload.text(message.body, most: 20_000)]
        if let link = Payload.link(message.link) { parts.append(link) }
        for item in message.items.prefix(MailLetter.mostItems) {
            let texts = [Payload.line(item.title, most: 500), Payload.text(item.body, most: 2_000)]
            let link = Payload.link(item.link).map { [$0] } ?? []
            parts.append("* " + (texts.filter { !$0.isEmpty } + link).joined(separator: "\n  "))
        }
        if message.items.count > MailLetter.mostItems {
            parts.append("and \(message.items.count - MailLetter.mostItems) more")
        }
        if let unsubscribe { parts.append("-- \nUnsubscribe from these e-mails: \(unsubscribe)") }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private var html: String {
        var parts = [
            "<!DOCTYPE html>",
            "<html><head><meta charset=\"utf-8\"><title>\(MailLetter.escaped(title))</title></head><body>",
            "<h1>\(linked(title, message.link))</h1>",
        ]
        parts.append("<p>\(MailLetter.paragraph(Payload.text(message.body, most: 20_000)))</p>")
        if let picture = message.picture {
            parts.append(
                """
                <p><img src="cid:\(MailLetter.escaped(pictureID))" width="\(picture.width)" \
                height="\(picture.height)" style="max-width: 100%; height: auto" \
                alt="\(MailLetter.escaped(picture.alternative))"></p>
                """
            )
        }
        if !message.items.isEmpty {
            parts.append("<ul>")
            for item in message.items.prefix(MailLetter.mostItems) {
                let body = MailLetter.paragraph(Payload.text(item.body, most: 2_000))
                let title = linked(Payload.line(item.title, most: 500), item.link)
                parts.append("<li>\(title)\(body.isEmpty ? "" : "<br>\(body)")</li>")
            }
            parts.append("</ul>")
            let more = message.items.count - MailLetter.mostItems
            if more > 0 { parts.append("<p>and \(more) more</p>") }
        }
        if let unsubscribe {
            parts.append("<hr><p><a href=\"\(MailLetter.escaped(unsubscribe))\">Unsubscribe from these e-mails</a></p>")
        }
        return (parts + ["</body></html>", ""]).joined(separator: "\n")
    }

    private func linked(_ text: String, _ link: String?) -> String {
        let text = MailLetter.escaped(text)
        return Payload.link(link).map { "<a href=\"\(MailLetter.escaped($0))\">\(text)</a>" } ?? text
    }

    private static func paragraph(_ text: String) -> String { escaped(text).replacing("\n", with: "<br>\n") }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// Encoding of text in header fields (RFC 2047).
enum EncodedWords: Sendable {
    /// Encodes and folds a text for a header field.
    ///
    /// Short plain ASCII is unchanged; everything else becomes encoded words of at most 75 characters, so that no text
    /// can end a line or be taken for an address.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - width: the number of characters already used on the first line.
    /// - Returns: the field's text, on several lines if long.
    static func encode(_ text: String, after width: Int) -> String {
        if width + text.utf8.count <= 76, text.utf8.allSatisfy(isPlain), text.first != " ", text.last != " " {
            return text
        }
        var words: [String] = []
        var bytes: [UInt8] = []
        // Base64 takes four characters per three bytes; with twelve for the frame of the word, a line has at most 76.
        // Words are split only between scalars.
        var room = max(12, (64 - width) / 4 * 3)
        for scalar in text.unicodeScalars {
            let encoded = Array(String(scalar).utf8)
            if bytes.count + encoded.count > room {
                words.append(word(bytes))
                bytes = []
                room = 45
            }
            bytes += encoded
        }
        if !bytes.isEmpty { words.append(word(bytes)) }
        return words.joined(separator: "\r\n ")
    }

    private static func word(_ bytes: [UInt8]) -> String { "=?utf-8?B?\(Base64.encode(bytes))?=" }

    /// Returns whether a byte is a letter, a digit, a space or a mark without meaning in any header field.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: " -'!*+/".utf8.contains(byte)
        }
    }
}

/// Quoted-printable encoding of bodies (RFC 2045, section 6.7).
enum QuotedPrintable: Sendable {
    /// Returns the text with lines of at most 76 characters, ended by CR LF.
    static func encode(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { encode(line: $0.utf8) }
            .joined(separator: "\r\n")
    }

    private static func encode(line: Substring.UTF8View) -> String {
        var text: [UInt8] = []
        var width = 0
        for (index, byte) in zip(line.indices, line) {
            let isLast = line.index(after: index) == line.endIndex
            let isBlank = byte == 0x20 || byte == 0x09
            // A leading dot is doubled in transit and some servers alter a leading "From": both are encoded.
            let isRisky = width == 0 && (byte == UInt8(ascii: ".") || byte == UInt8(ascii: "F"))
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=") && !isRisky || isBlank && !isLast
            let piece = isPlain ? [byte] : [UInt8(ascii: "="), digit(byte >> 4), digit(byte & 15)]
            if width + piece.count > 75 {
                text += Array("=\r\n".utf8)
                width = 0
            }
            text += piece
            width += piece.count
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}
