import Formats

/// Puts the words of a language into the files that browsers get as they are: HTML and the manifest.
///
/// They are translated before they are sent, so nobody sees English first and nothing on the page moves.
struct PageTranslation: Sendable {
    let language: PageLanguage
    /// All languages to choose from.
    let languages: [PageLanguage]

    /// The attributes that people read or hear.
    private static let attributes = ["alt", "aria-label", "placeholder", "title"]

    /// The comment in whose place the buttons stand that choose a language.
    private static let languagesComment = "<!-- languages -->"
    private static let htmlStart = #"<html lang="en">"#
    private static let manifestName = "manifest.webmanifest"

    /// Returns the name under which the manifest of a language is served.
    static func manifestName(_ language: PageLanguage) -> String {
        language.bytes == nil ? manifestName : "manifest-\(language.code).webmanifest"
    }

    /// Returns an HTML file of the page in the language.
    func html(_ text: String) -> String {
        var text = text
        if let file = language.fileName {
            let direction = language.isLeftward ? #" dir="rtl""# : ""
            text = translated(text)
                .replacing(PageTranslation.htmlStart, with: "<html lang=\"\(language.code)\"\(direction)>")
                .replacing(
                    "/assets/\(PageTranslation.manifestName)",
                    with: "/assets/\(PageTranslation.manifestName(language))"
                )
                .replacing(
                    "<script type=\"module\"",
                    with:
                        "<link rel=\"preload\" href=\"/assets/\(file)\" as=\"fetch\" crossorigin>\n<script type=\"module\""
                )
        }
        var writer = HTMLWriter(capacity: 512)
        PageTranslation.writeChoice(of: languages, to: &writer)
        return text.replacing(PageTranslation.languagesComment, with: String(decoding: writer.bytes, as: UTF8.self))
    }

    /// Writes the buttons that choose a language; hidden, because a script makes them work.
    static func writeChoice(of languages: [PageLanguage], to html: inout HTMLWriter) {
        for (index, language) in languages.enumerated() {
            if index > 0 { html.text(" ") }
            let attributes: [HTMLAttribute] = [
                .text("class", "plain"), .text("type", "button"), .text("lang", language.code),
                .text("data-language", language.code), .flag("hidden"),
            ]
            html.element("button", attributes, text: language.name)
        }
    }

    /// Returns the manifest in the language.
    func manifest(_ text: String) -> String {
        guard language.bytes != nil else { return text }
        var (written, rest) = ("", text[...])
        // Its texts are whole strings without escapes.
        while let start = rest.firstIndex(of: "\""), let end = rest[rest.index(after: start)...].firstIndex(of: "\"") {
            let string = String(rest[rest.index(after: start)..<end])
            written += rest[..<start]
            var json = JSONWriter(capacity: 64)
            json.value(language.translation(of: string) ?? string)
            written += String(decoding: json.bytes, as: UTF8.self)
            rest = rest[rest.index(after: end)...]
        }
        var json = JSONWriter(capacity: 16)
        json.value(language.code)
        return (written + rest)
            .replacing("{", with: "{\n  \"lang\": \(String(decoding: json.bytes, as: UTF8.self)),", maxReplacements: 1)
    }

    private func translated(_ text: String) -> String {
        var written = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            written += words(rest[..<start])
            written += tag(String(rest[start...end]))
            rest = rest[rest.index(after: end)...]
        }
        return written + words(rest)
    }

    /// Translates the text between two tags; the space around it stays.
    private func words(_ text: Substring) -> String {
        guard let first = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace }),
            let words = translation(of: text[first...last])
        else { return String(text) }
        return text[..<first] + PageTranslation.escaped(words) + text[text.index(after: last)...]
    }

    private func tag(_ tag: String) -> String {
        var tag = tag
        for name in PageTranslation.attributes {
            guard let start = tag.firstRange(of: " \(name)=\"")?.upperBound,
                let end = tag[start...].firstIndex(of: "\""), let words = translation(of: tag[start..<end])
            else { continue }
            tag.replaceSubrange(start..<end, with: PageTranslation.escaped(words))
        }
        return tag
    }

    private func translation(of html: Substring) -> String? {
        let english = html.split(whereSeparator: \.isWhitespace).joined(separator: " ").replacing("&amp;", with: "&")
        return language.translation(of: english)
    }

    private static func escaped(_ text: String) -> String {
        var html = HTMLWriter(capacity: text.utf8.count + 16)
        html.text(text)
        return String(decoding: html.bytes, as: UTF8.self)
    }
}
