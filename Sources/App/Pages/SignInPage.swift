/// A page with a few words for a person on their way to a provider and back.
struct SignInPage: Sendable {
    let title: SignInText
    let text: SignInText?
    /// A link besides the one to the map.
    var link: (address: WebAddress?, text: SignInText)?
    let site: PageSite

    /// The page as UTF-8.
    var bytes: [UInt8] {
        let words = site.language.words
        return PageFrame.document(title: words(.signIn(title)), site: site, isIndexed: false, head: { _ in }) { html in
            html.element("main", [.text("id", "story"), .text("class", "story-sheet")]) { html in
                html.element("h1", text: words(.signIn(title)))
                if let text { html.element("p", text: words(.signIn(text))) }
                html.element("p") { html in
                    if let link {
                        html.element("a", [.href(link.address)], text: words(.signIn(link.text)))
                        html.markup("<br>\n")
                    }
                    html.element("a", [.href(WebAddress("/"))], text: words(.openMap))
                }
            }
        }
    }
}
