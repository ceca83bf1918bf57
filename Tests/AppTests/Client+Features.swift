import Formats
import Testing

extension Client {
    /// Returns the features on all pages of a collection's items, and the number that the first page gives for all of them.
    func features(
        _ items: String,
        _ query: String,
        as user: String?
    ) async throws -> (features: [JSONValue], matched: Int?) {
        var (found, matched) = ([JSONValue](), nil as Int?)
        var next: String? = "\(items)?\(query)"
        while let path = next {
            let page = try await get(path, as: user)
            try #require(page.status == 200, "\(String(decoding: page.bytes, as: UTF8.self))")
            if found.isEmpty { matched = page.json["numberMatched"]?.integer }
            let features = page.json["features"]?.array ?? []
            #expect(page.json["numberReturned"]?.integer == features.count)
            found += features
            let link = page.json["links"]?.array?.first { $0["rel"]?.string == "next" }?["href"]?.string
            next = link.flatMap { link in link.firstRange(of: items).map { String(link[$0.lowerBound...]) } }
        }
        return (found, matched)
    }
}
