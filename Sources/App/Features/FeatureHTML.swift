import Formats
import Library

/// A JSON document as a page for people: everything that is in it, and its links as links.
struct FeatureHTML {
    let title: String
    let site: PageSite
    let document: JSONValue

    /// Members that come first, in this order; the others follow by name, and links come last.
    private static let first = [
        "id", "type", "title", "description", "kind", "date", "text", "numberMatched", "numberReturned", "collections",
        "conformsTo", "features", "geometry", "properties",
    ]

    /// The whole page.
    var bytes: [UInt8] {
        PageFrame.document(title: title, site: site, isIndexed: false, hasScript: false, head: { _ in }) { html in
            html.element("main", [.text("id", "story"), .text("class", "story-sheet")]) { html in
                html.element("h1", text: title)
                write(document, to: &html)
            }
        }
    }

    private func write(_ value: JSONValue, to html: inout HTMLWriter) {
        if let members = value.object { return write(members, to: &html) }
        if let items = value.array { return write(items, to: &html) }
        if let text = value.string { return write(text, to: &html) }
        if let whole = value.integer { return html.text(String(whole)) }
        if let number = value.number { return html.text(String(number)) }
        if let flag = value.bool { return html.text(flag ? "true" : "false") }
        html.text("–")
    }

    private func write(_ text: String, to html: inout HTMLWriter) {
        guard text.hasPrefix("http://") || text.hasPrefix("https://"), let address = WebAddress(text) else {
            return html.element("bdi", text: text)
        }
        html.element("a", [.href(address), .text("rel", "noreferrer")], text: text)
    }

    private func write(_ items: [JSONValue], to html: inout HTMLWriter) {
        guard !items.isEmpty else { return html.text("–") }
        html.element("ol") { html in
            for item in items {
                html.element("li") { html in write(item, to: &html) }
                html.markup("\n")
            }
        }
    }

    private func write(_ members: [String: JSONValue], to html: inout HTMLWriter) {
        if let address = members["href"]?.string { return writeLink(members, to: address, to: &html) }
        func rank(_ name: String) -> Int {
            FeatureHTML.first.firstIndex(of: name) ?? (name == "links" ? .max : FeatureHTML.first.count)
        }
        let names = members.keys.sorted { (rank($0), $0) < (rank($1), $1) }
        html.element("dl", [.text("class", "story-facts")]) { html in
            for name in names {
                html.element("div") { html in
                    html.element("dt", text: name)
                    html.element("dd") { html in write(members[name] ?? .null, to: &html) }
                }
                html.markup("\n")
            }
        }
    }

    private func writeLink(_ members: [String: JSONValue], to address: String, to html: inout HTMLWriter) {
        let relation = members["rel"]?.string ?? ""
        let name = members["title"]?.string ?? relation
        html.element("a", [.href(WebAddress(address)), .text("rel", relation)], text: name)
        html.text(" (\(relation), \(members["type"]?.string ?? ""))")
    }
}
