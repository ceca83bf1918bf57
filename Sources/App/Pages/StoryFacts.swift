import Library
import Stories

/// The facts of a story, as a list of names and values.
struct StoryFacts: Sendable {
    let page: StoryHTML

    private var story: Story { page.story }

    /// Writes the list.
    func write(to html: inout HTMLWriter) {
        html.element("section", [.text("aria-labelledby", "facts-title")]) { html in
            html.element("h2", [.text("id", "facts-title"), .text("class", "unseen")], text: page.words(.facts))
            html.element("dl", [.text("class", "story-facts")]) { html in
                write(.toldBy, [page.view.ownerName ?? story.owner.rawValue], to: &html)
                writeLevel(to: &html)
                write(.people, story.people, to: &html)
                write(.tags, story.tags, to: &html)
                write(.mentions, story.mentions, to: &html)
                write(.collection, story.collection.map { [$0] } ?? [], to: &html)
            }
        }
    }

    /// Writes a fact of one or several values; nothing without a value.
    private func write(_ name: PageText, _ values: [String], to html: inout HTMLWriter) {
        guard !values.isEmpty else { return }
        html.element("div") { html in
            html.element("dt", text: page.words(name))
            for value in values {
                html.element("dd") { html in html.element("bdi", text: value) }
            }
        }
        html.markup("\n")
    }

    private func writeLevel(to html: inout HTMLWriter) {
        let level = story.effectivePrivacy
        html.element("div") { html in
            html.element("dt", text: page.words(.visibleTo))
            html.element("dd") { html in
                html.markup(StoryShapes.level(level))
                html.text("\(page.words(.level(level))). \(page.words(.levelMeaning(level)))")
            }
        }
        html.markup("\n")
    }
}
