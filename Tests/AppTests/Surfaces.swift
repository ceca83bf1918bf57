import App
import Library
import Formats
import HTTPTypes
import Testing

/// Everything over HTTP that can show a story to somebody or count it for them.
struct Surfaces: Sendable {
    let client: Client
    /// The only story that there is on the map and in lists.
    let id: String
    /// A word of its title.
    let word: String

    /// Who looks: its owner, their family, a stranger, nobody in particular.
    static let viewers: [String?] = ["ana", "ben", "cora", nil]

    /// Which surfaces show the story to a user, by name; all or none of them should.
    func showing(_ user: String?) async throws -> Set<String> {
        var shown: Set<String> = []
        let clusters = try await client.get("/v1/clusters?bbox=-180,-85,180,85&zoom=3", as: user).json
        if clusters["numberMatched"]?.integer != 0 { shown.insert("count") }
        if clusters["features"]?.array?.isEmpty == false { shown.insert("clusters") }
        for (name, path) in [
            ("list", "/v1/stories?limit=5"), ("box", "/v1/stories?bbox=-180,-90,180,90"),
            ("search", "/v1/stories?q=\(word)"), ("filter", "/v1/stories?owner=ana&kind=interview"),
        ] {
            let list = try await client.get(path, as: user).json
            if list["numberMatched"]?.integer != 0 { shown.insert(name + " count") }
            if list["features"]?.array?.isEmpty == false { shown.insert(name) }
        }
        for (name, path) in [
            ("nearby", "/v1/nearby?lat=0&lon=0&limit=100"), ("view", "/v1/stories?view=shared,family,mine"),
        ] where try await client.get(path, as: user).json["features"]?.array?.isEmpty == false {
            shown.insert(name)
        }
        let dates = try await client.get("/v1/histogram?from=0001&to=9999&bins=1", as: user).json
        if dates["undated"]?.integer != 0 || dates["numberMatched"]?.integer != 0 { shown.insert("histogram") }
        let facets = try await client.get("/v1/facets", as: user).json
        if facets["numberMatched"]?.integer != 0 { shown.insert("facets") }
        if facets["owners"]?["values"]?.array?.isEmpty == false { shown.insert("facet values") }
        if try await client.get("/v1/bounds", as: user).json["bbox"]?.isNull == false { shown.insert("bounds") }
        if try await client.get("/v1/stories/\(id)", as: user).status == 200 { shown.insert("single") }
        let features = "/collections/stories/items"
        for (name, query) in [("features", ""), ("features by a filter", "?filter=title%20LIKE%20'%25'")] {
            let page = try await client.get(features + query, as: user).json
            if page["numberMatched"]?.integer != 0 { shown.insert("count of " + name) }
            if page["features"]?.array?.isEmpty == false { shown.insert(name) }
        }
        if try await client.get("\(features)/\(id)", as: user).status == 200 { shown.insert("feature") }
        if try await client.get("/collections/stories", as: user).json["extent"] != nil { shown.insert("extent") }
        if try await client.get("/stories/\(id)", as: user).status == 200 { shown.insert("page") }
        return shown
    }

    /// All the names that ``showing(_:)`` can give.
    static let all: Set<String> = [
        "count", "clusters", "list", "list count", "box", "box count", "search", "search count", "filter",
        "filter count", "bounds", "single", "nearby", "view", "histogram",
        "facets", "facet values", "page", "features", "count of features", "features by a filter",
        "count of features by a filter", "feature", "extent",
    ]

    /// Expects every surface to show the story to exactly these viewers.
    func expect(_ seen: Set<String?>, _ why: String) async throws {
        for user in Surfaces.viewers {
            let shown = try await showing(user)
            #expect(shown == (seen.contains(user) ? Surfaces.all : []), "\(why): \(user ?? "anonymous")")
        }
    }
}
