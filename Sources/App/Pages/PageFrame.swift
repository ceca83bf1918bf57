import Basemap
import Library
import Stories

/// What all pages that the server writes have in common with each other and not with their reader.
struct PageSite: Sendable {
    /// The URL of the service, without a trailing slash.
    let url: String
    /// The origins from which pages may load media, such as `https://media.example`.
    let mediaOrigins: [String]
    /// The tiles from which small maps are drawn; `nil` until they are ready.
    var tiles: TileArchive?
    var language = PageLanguage.english
    /// The languages to choose from.
    var languages: [PageLanguage] = []
    /// Whether the page has a form that asks this service.
    var hasForms = false

    /// The content security policy: scripts, styles and requests of this service only, media also from the origins that
    /// the operator named, and nothing inline.
    var contentPolicy: String {
        let media = mediaOrigins.map { " " + $0 }.joined()
        return "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'\(media); "
            + "media-src 'self'\(media); base-uri 'none'; form-action \(hasForms ? "'self'" : "'none'"); frame-ancestors 'none'"
    }
}

/// The frame of a page: head, bar and main part.
enum PageFrame: Sendable {
    /// The maximum number of characters of a title in the head.
    private static let titleLength = 80

    /// Returns a whole page as UTF-8.
    ///
    /// The title is shortened and shown in one direction: a tab shows nothing else. `isIndexed` says whether search engines
    /// may list the page; `head` writes what the head has besides, `main` the main part. Without `hasScript` the page
    /// loads none.
    static func document(
        title: String,
        site: PageSite,
        isIndexed: Bool,
        hasScript: Bool = true,
        head: (inout HTMLWriter) -> Void,
        main: (inout HTMLWriter) -> Void
    ) -> [UInt8] {
        var html = HTMLWriter()
        html.markup("<!DOCTYPE html>\n")
        let direction: [HTMLAttribute] = site.language.isLeftward ? [.text("dir", "rtl")] : []
        html.element("html", [.text("lang", site.language.code)] + direction) { html in
            html.element("head") { html in
                html.markup(
                    """
                    <meta charset="utf-8">
                    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
                    <meta name="referrer" content="no-referrer">

                    """
                )
                if !isIndexed { html.markup("<meta name=\"robots\" content=\"noindex\">\n") }
                html.element("title", text: "\(plain(title, characters: titleLength)) – Waymark")
                html.markup(
                    """

                    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
                    <link rel="stylesheet" href="/assets/page.css">
                    <link rel="stylesheet" href="/assets/story.css">

                    """
                )
                if hasScript { writeScript(site, to: &html) }
                head(&html)
            }
            html.markup("\n")
            html.element("body", [.text("class", "story-page")]) { html in
                html.markup("<a class=\"skip\" href=\"#story\">")
                html.text(site.language.words(.skip))
                html.markup("</a>\n")
                writeBar(site, to: &html)
                html.markup("\n")
                main(&html)
                if hasScript { writeLanguages(site, to: &html) }
            }
        }
        html.markup("\n")
        return html.bytes
    }

    /// Writes the script, and before it the texts that it loads for readers of another language than English.
    private static func writeScript(_ site: PageSite, to html: inout HTMLWriter) {
        if let file = site.language.fileName {
            let texts: [HTMLAttribute] = [
                .text("rel", "preload"), .href(WebAddress("/assets/\(file)")), .text("as", "fetch"),
                .flag("crossorigin"),
            ]
            html.void("link", texts)
            html.markup("\n")
        }
        html.markup("<script type=\"module\" src=\"/assets/story.js\"></script>\n")
    }

    private static func writeLanguages(_ site: PageSite, to html: inout HTMLWriter) {
        let group: [HTMLAttribute] = [
            .text("class", "languages"), .text("role", "group"), .text("aria-label", site.language.words(.language)),
        ]
        html.markup("\n")
        html.element("footer") { html in
            html.element("p", group) { html in PageTranslation.writeChoice(of: site.languages, to: &html) }
        }
        html.markup("\n")
    }

    private static func writeBar(_ site: PageSite, to html: inout HTMLWriter) {
        html.element("header", [.text("class", "bar")]) { html in
            html.element("a", [.text("class", "wordmark"), .href(WebAddress("/"))]) { html in
                html.markup("<img src=\"/assets/icon.svg\" alt=\"\" width=\"28\" height=\"28\">Waymark")
            }
            html.text(" ")
            html.element("a", [.text("class", "plain"), .href(WebAddress("/"))], text: site.language.words(.openMap))
        }
    }

    /// Returns the page for a story that is not there, or not for the viewer: the same for every viewer and every id.
    static func notFound(site: PageSite) -> [UInt8] {
        let words = site.language.words
        return document(title: words(.notFoundTitle), site: site, isIndexed: false, head: { _ in }) { html in
            html.element("main", [.text("id", "story"), .text("class", "story-sheet")]) { html in
                html.element("h1", text: words(.notFoundTitle))
                html.element("p", text: words(.notFoundText))
                html.element("p") { html in
                    html.element("a", [.href(WebAddress("/"))], text: words(.openMap))
                }
            }
        }
    }

    /// Returns a part of a text for a line: without what turns the direction of writing, line breaks as spaces.
    static func shown(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !scalar.turnsText { line.append(scalar.breaksLine ? " " : scalar) }
        return String(line)
    }

    /// Returns a text as one line in one direction, for places that cannot isolate it, shortened to some characters.
    ///
    /// A single character may be of any length, so bytes are limited too.
    static func plain(_ text: String, characters limit: Int) -> String {
        var line = String.UnicodeScalarView()
        var (isBlank, count) = (true, 0)
        for scalar in text.unicodeScalars where !scalar.turnsText {
            let blank = scalar.breaksLine || scalar == " "
            if !(blank && isBlank) { line.append(blank ? " " : scalar) }
            isBlank = blank
            count += 1
            if count > 8 * limit { break }
        }
        let whole = String(line)
        let short = whole.prefix(limit)
        return short.endIndex == whole.endIndex ? whole : String(short) + "…"
    }
}
