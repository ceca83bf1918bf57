import Stories

/// Reads the descriptions of placemarks, which are HTML, and what programs write beside them.
struct KMLDescriptions {
    private var elsewhere = 0
    private var example = ""
    private var shortened = 0
    private var further = 0

    /// The maximum number of pictures and recordings of a placemark.
    private static let mostLinks = 50

    /// Returns a description as text with its links to pictures and recordings.
    mutating func read(_ text: String) -> HTMLText.Content {
        let content = HTMLText.content(text)
        guard !StoryLimits.fits(content.text, characters: StoryLimits.textLength) else { return content }
        if content.bareText != content.text { shortened += 1 }
        return HTMLText.Content(text: content.bareText, bareText: content.bareText, links: content.links)
    }

    /// Returns those links of a placemark with these properties that an import can read, and counts the others: files
    /// beside the document, mailboxes, and what is too much.
    mutating func chosen(_ links: [WebLink], beside fields: [String: JSONValue]) -> [WebLink] {
        // Our own exports have a text that looks like HTML in a property as well.
        let read = links.filter { fields["text"] == nil || $0.property != "description" }
        for link in read where !link.isWeb {
            elsewhere += 1
            guard example.isEmpty else { continue }
            example = link.address.prefix(40).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        let web = read.filter(\.isWeb)
        further += max(0, web.count - KMLDescriptions.mostLinks)
        return Array(web.prefix(KMLDescriptions.mostLinks))
    }

    /// What was left out of the descriptions, for people.
    var remarks: [String] {
        var remarks: [String] = []
        if elsewhere > 0 {
            remarks.append(
                "links that do not begin with https:// or http:// were left out (\(elsewhere), the first is \(example)); put "
                    + "files on a server, and write the addresses there"
            )
        }
        if shortened > 0 {
            remarks.append("the addresses of links were left out of descriptions that are too long (\(shortened))")
        }
        if further > 0 {
            remarks.append(
                "pictures and recordings of placemarks were left out beyond \(KMLDescriptions.mostLinks) (\(further))"
            )
        }
        return remarks
    }

    /// The property in which Google My Maps writes the addresses of pictures and films.
    static let mediaProperty = "gx_media_links"

    /// Returns the addresses of ``mediaProperty``: the first picture, and the other ones.
    static func media(_ text: String) -> (picture: String?, links: [WebLink]) {
        // The pictures of My Maps have no endings, and its other media are films of YouTube.
        let links = text.split(whereSeparator: \.isWhitespace)
            .map { address in
                let isFilm = ["youtube.com/", "youtu.be/"].contains { address.contains($0) }
                let form = isFilm ? .recording : WebLink(String(address)).form
                return WebLink(String(address), as: form == .page ? .picture : form, of: mediaProperty)
            }
        guard let first = links.firstIndex(where: { $0.form == .picture }) else { return (nil, links) }
        return (links[first].address, Array(links[..<first] + links[(first + 1)...]))
    }

    /// Returns the summary of a placemark as a further paragraph, unless its name or description say the same.
    static func summary(_ text: String, beside fields: [String: JSONValue]) -> [String] {
        var short = plain(text)
        while short.hasSuffix(".") || short.hasSuffix("…") { short.removeLast() }
        let others = ["name", "description", "text"].compactMap { fields[$0]?.string }
        return others.contains { plain($0).contains(short) } || short.isEmpty ? [] : [text]
    }

    private static func plain(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
