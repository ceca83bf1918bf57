import Library
import Stories

/// A list of stories as a page that needs no script: for text browsers, for search engines, for whoever wants to read.
///
/// It shows what `/v1/stories` shows to the same viewer, by the same filters.
struct StoriesHTML: Sendable {
    /// The stories; `nil` if there is a problem.
    let list: StoryList?
    let site: PageSite
    /// What was asked for: the texts of the filters by their names.
    let asked: [String: [String]]
    /// The address of the next page.
    let next: String?
    /// The name of a filter that cannot be used, and why.
    let problem: (name: String, words: String)?
    /// Whether this is the first page of all stories, which search engines may list.
    let isFirst: Bool

    /// The maximum number of characters of a story's text in the list.
    private static let excerptLength = 280

    private func words(_ text: PageText) -> String { site.language.words(text) }

    /// The whole page.
    var bytes: [UInt8] {
        PageFrame.document(
            title: words(.stories),
            site: site,
            isIndexed: isFirst,
            hasScript: false,
            head: { _ in },
            main: { html in
                html.element("main", [.text("id", "story"), .text("class", "story-sheet")]) { html in
                    html.element("h1", text: words(.stories))
                    writeForm(to: &html)
                    if let problem {
                        html.element("p", [.text("class", "story-note"), .text("role", "alert")]) { html in
                            html.text(words(.filterProblem(problem.name)))
                            html.text(" ")
                            html.element("bdi", text: problem.words)
                        }
                    }
                    if let list {
                        html.element("p", [.text("class", "story-line")], text: words(.matched(list.matched)))
                        write(list.stories, to: &html)
                    }
                    writeNext(to: &html)
                }
            }
        )
    }

    private func write(_ stories: [StoryView], to html: inout HTMLWriter) {
        html.element("ol", [.text("class", "story-list")]) { html in
            for view in stories {
                html.element("li") { html in
                    html.element("article") { html in write(view, to: &html) }
                }
                html.markup("\n")
            }
        }
    }

    private func write(_ view: StoryView, to html: inout HTMLWriter) {
        let story = view.story
        html.element("h2", [.text("dir", "auto")]) { html in
            html.element("a", [.href(WebAddress("/stories/\(story.id)"))]) { html in
                write(view.excerpts.first { $0.part == .title }?.excerpt, or: story.title, to: &html)
            }
        }
        html.element("p", [.text("class", "story-line")]) { html in
            html.text(words(.kind(story.kind)))
            if let date = story.times(for: view.viewer).date {
                html.text(" · ")
                html.element("bdi", text: DateWords(site.language).words(date.text))
            }
            if let location = story.location(for: view.viewer), story.precision(for: view.viewer).cell == nil {
                let names = PlaceSection.names(of: location)
                if !names.isEmpty {
                    html.text(" · ")
                    html.element("bdi", text: names)
                }
            }
            html.text(" · ")
            html.text(words(.level(story.effectivePrivacy)))
        }
        if let picture = story.picture {
            let address = StoryJSON.pictureAddress(of: story.id, version: picture.version)
            html.void(
                "img",
                [
                    .text("class", "story-picture"), .src(WebAddress(address)), .text("alt", story.alt ?? ""),
                    .text("loading", "lazy"), .text("width", String(picture.width)),
                    .text("height", String(picture.height)),
                ]
            )
        }
        if let text = story.text, !text.isEmpty {
            let short = PageFrame.plain(text, characters: StoriesHTML.excerptLength)
            html.element("p", [.text("dir", "auto")]) { html in
                write(view.excerpts.first { $0.part == .text }?.excerpt, or: short, to: &html)
            }
        }
    }

    /// Writes an excerpt with its marks; without one, the text.
    private func write(_ excerpt: TextExcerpt?, or text: String, to html: inout HTMLWriter) {
        guard let excerpt else { return html.text(text) }
        if excerpt.isCutBefore { html.text("… ") }
        for piece in excerpt.pieces {
            let shown = PageFrame.shown(piece.text)
            if piece.isMarked { html.element("mark", text: shown) } else { html.text(shown) }
        }
        if excerpt.isCutAfter { html.text(" …") }
    }

    private func writeNext(to html: inout HTMLWriter) {
        guard let next else { return }
        html.element("p") { html in
            html.element(
                "a",
                [.text("class", "media-link"), .text("rel", "next"), .href(WebAddress(next))],
                text: words(.nextStories)
            )
        }
    }
}

// The filters.
extension StoriesHTML {
    private func first(_ name: String) -> String { asked[name]?.first ?? "" }

    private func writeForm(to html: inout HTMLWriter) {
        html.element(
            "form",
            [.text("class", "story-filters"), .text("method", "get"), .text("aria-label", words(.filter))]
        ) { html in
            writeField("q", .searchWords, to: &html)
            html.markup("\n<p>")
            html.element("label", [.text("for", "kind")], text: words(.kindOfStory))
            html.text(" ")
            html.element("select", [.text("id", "kind"), .text("name", "kind")]) { html in
                writeOption("", words(.everyKind), isChosen: first("kind").isEmpty, to: &html)
                for kind in StoryKind.known {
                    writeOption(kind.rawValue, words(.kind(kind)), isChosen: first("kind") == kind.rawValue, to: &html)
                }
            }
            html.markup("</p>\n")
            writeField("from", .fromDate, to: &html)
            writeField("to", .toDate, to: &html)
            html.markup("\n<p>")
            html.element("label", [.text("for", "sort")], text: words(.sortOrder))
            html.text(" ")
            html.element("select", [.text("id", "sort"), .text("name", "sort")]) { html in
                let hasWords = !first("q").isEmpty
                writeOption("", words(hasWords ? .bestFirst : .newestFirst), isChosen: first("sort").isEmpty, to: &html)
                if hasWords {
                    writeOption("newest", words(.newestFirst), isChosen: first("sort") == "newest", to: &html)
                }
                writeOption("date", words(.oldestFirst), isChosen: first("sort") == "date", to: &html)
            }
            html.markup("</p>\n")
            // What a link asked for besides stays asked for.
            for name in ["tag", "person", "collection", "owner", "family", "view"] {
                for value in asked[name] ?? [] {
                    html.void("input", [.text("type", "hidden"), .text("name", name), .text("value", value)])
                }
            }
            html.element("p") { html in
                html.element("button", [.text("class", "primary"), .text("type", "submit")], text: words(.filter))
            }
        }
        html.markup("\n")
    }

    private func writeField(_ name: StaticString, _ label: PageText, to html: inout HTMLWriter) {
        html.markup("\n<p>")
        html.element("label", [.text("for", name.description)], text: words(label))
        html.text(" ")
        html.void(
            "input",
            [
                .text("id", name.description), .text("name", name.description), .text("type", "text"),
                .text("dir", "auto"), .text("value", first(name.description)),
            ]
        )
        html.markup("</p>\n")
    }

    private func writeOption(_ value: String, _ text: String, isChosen: Bool, to html: inout HTMLWriter) {
        var attributes: [HTMLAttribute] = [.text("value", value)]
        if isChosen { attributes.append(.flag("selected")) }
        html.element("option", attributes, text: text)
    }
}
