import Library
import Storage
import Stories

/// The page of a story as its viewer may see it: complete without JavaScript, which only adds what changes something.
struct StoryHTML: Sendable {
    let view: StoryView
    /// The places that await the viewer's confirmation, if the story is theirs.
    let proposals: [LocationProposal]
    let site: PageSite

    /// The maximum number of characters of a description for other sites.
    private static let descriptionLength = 200

    var story: Story { view.story }
    var isOwn: Bool { view.viewer.user == story.owner }

    /// The whole page.
    var bytes: [UInt8] {
        let isPublic = story.effectivePrivacy == .public
        return PageFrame.document(
            title: story.title,
            site: site,
            isIndexed: isPublic,
            head: { html in if isPublic { writeOpenGraph(to: &html) } },
            main: { html in
                html.element("main", mainAttributes) { html in
                    html.element("article", [.text("aria-labelledby", "story-title")]) { html in
                        writeHead(to: &html)
                        writePicture(to: &html)
                        writeText(to: &html)
                        StoryFacts(page: self).write(to: &html)
                        PlaceSection(page: self).write(to: &html)
                        FurtherPlaces(page: self).write(to: &html)
                    }
                    // Filled by the script.
                    html.markup("\n<div id=\"actions\"></div>\n<p id=\"said\" role=\"status\"></p>\n")
                    if view.viewer.user == nil {
                        html.element("noscript") { html in html.element("p", text: words(.noScript)) }
                    }
                }
            }
        )
    }

    /// Returns a text in the language of the page.
    func words(_ text: PageText) -> String { site.language.words(text) }

    /// What the script needs to know; nothing that the page does not show.
    private var mainAttributes: [HTMLAttribute] {
        var attributes: [HTMLAttribute] = [
            .text("id", "story"), .text("class", "story-sheet"), .text("data-story", story.id.description),
        ]
        guard view.viewer.user != nil else { return attributes }
        attributes.append(.flag("data-signed-in"))
        if isOwn { attributes.append(.text("data-own", story.privacy.rawValue)) }
        if view.isFavourite { attributes.append(.flag("data-favourite")) }
        if view.isHidden { attributes.append(.flag("data-hidden")) }
        return attributes
    }

    /// What other sites show of a link to a public story: what everybody sees, without place and date.
    private func writeOpenGraph(to html: inout HTMLWriter) {
        func write(_ property: String, _ content: String) {
            html.void("meta", [.text("property", property), .text("content", content)])
            html.markup("\n")
        }
        write("og:type", "article")
        write("og:site_name", "Waymark")
        write("og:url", "\(site.url)/stories/\(story.id)")
        write("og:title", PageFrame.plain(story.title, characters: StoryHTML.descriptionLength))
        if let text = story.text {
            write("og:description", PageFrame.plain(text, characters: StoryHTML.descriptionLength))
        }
        guard let picture = story.picture else { return }
        write("og:image", site.url + StoryJSON.pictureAddress(of: story.id, version: picture.version))
        write("og:image:type", StoryPicture.mediaType)
        write("og:image:width", String(picture.width))
        write("og:image:height", String(picture.height))
        if let alt = story.alt {
            write("og:image:alt", PageFrame.plain(alt, characters: StoryHTML.descriptionLength))
        }
    }

    private func writeHead(to html: inout HTMLWriter) {
        html.element("h1", [.text("id", "story-title"), .text("dir", "auto")], text: story.title)
        html.element("p", [.text("class", "story-line")]) { html in
            html.markup(StoryShapes.kind(story.kind))
            html.text(words(.kind(story.kind)))
            if let date = story.times(for: view.viewer).date {
                html.text(" · ")
                html.element("bdi", text: DateWords(site.language).words(date.text))
            }
            html.text(" · ")
            html.element("span", [.text("class", "level")]) { html in
                html.markup(StoryShapes.level(story.effectivePrivacy))
                html.text(words(.level(story.effectivePrivacy)))
            }
        }
        // Others never see a story in these states, and nobody can hide their own.
        if story.autoPrivate { note(.autoPrivate(chosen: story.privacy), in: &html) }
        if story.isWithheld { note(.withheld, in: &html) }
        if view.isHidden { note(.hidden, in: &html) }
    }

    private func note(_ text: PageText, in html: inout HTMLWriter) {
        html.element("p", [.text("class", "story-note")], text: words(text))
    }

    private func writeText(to html: inout HTMLWriter) {
        guard let text = story.text else { return }
        html.element("div", [.text("class", "story-text")]) { html in
            for paragraph in StoryHTML.paragraphs(of: text) {
                html.element("p", [.text("dir", "auto")]) { html in
                    for (index, line) in paragraph.enumerated() {
                        if index > 0 { html.markup("<br>") }
                        html.text(String(line))
                    }
                }
                html.markup("\n")
            }
        }
    }

    /// Returns the lines of a text in paragraphs, which empty lines separate.
    private static func paragraphs(of text: String) -> [[Substring]] {
        var paragraphs: [[Substring]] = [[]]
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if line.allSatisfy(\.isWhitespace) {
                if paragraphs[paragraphs.count - 1] != [] { paragraphs.append([]) }
            } else {
                paragraphs[paragraphs.count - 1].append(line)
            }
        }
        return paragraphs.filter { !$0.isEmpty }
    }
}

// Pictures and players.
extension StoryHTML {
    private func writePicture(to html: inout HTMLWriter) {
        let medium = StoryMedium(of: story, origins: site.mediaOrigins)
        let label = story.alt ?? story.title
        if let picture = story.picture {
            let address = StoryJSON.pictureAddress(of: story.id, version: picture.version)
            html.void(
                "img",
                [
                    .text("class", "story-picture"), .src(WebAddress(address)), .text("alt", label),
                    .text("width", String(picture.width)), .text("height", String(picture.height)),
                ]
            )
        } else if let address = story.thumbnailURL.flatMap({ WebAddress($0) }),
            StoryMedium.mayLoad(address, from: site.mediaOrigins)
        {
            html.void("img", [.text("class", "story-picture"), .src(address), .text("alt", label)])
        }
        guard let medium else { return }
        html.element("div", [.text("class", "media")]) { html in write(medium, label: label, to: &html) }
    }

    private func write(_ medium: StoryMedium, label: String, to html: inout HTMLWriter) {
        let name = words(.medium(medium.form, ending: medium.ending))
        let player: [HTMLAttribute] = [
            .src(medium.address), .flag("controls"), .text("preload", "none"), .text("aria-label", "\(name): \(label)"),
        ]
        switch medium.form {
        case .audio where medium.isLoaded: html.element("audio", player) { _ in }
        case .video where medium.isLoaded: html.element("video", player) { _ in }
        case .image where medium.isLoaded:
            // Full size, so only for who asks for it.
            html.element("details") { html in
                html.element("summary", text: words(.wholePicture))
                html.void("img", [.src(medium.address), .text("alt", label), .text("loading", "lazy")])
            }
        default: break
        }
        let link: [HTMLAttribute] = [
            .text("class", "media-link"), .href(medium.address), .text("rel", "noreferrer"),
        ]
        html.element("a", link) { html in
            html.text(name)
            guard let host = medium.host else { return }
            html.text(" \(words(.mediumAt)) ")
            html.element("bdi", text: host)
        }
    }
}
