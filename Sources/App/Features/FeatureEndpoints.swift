import Formats
import Geometry
import HTTPTypes
import Library
import Stories
import StoryMap
import Web

/// The routes of OGC API – Features: stories and their further places as features, for GIS programs.
///
/// They show what `/v1/stories` and exports show to the same viewer.
struct FeatureEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec
    let address: PublicAddress
    let projection: FeatureProjection
    /// Returns the page of the map, for browsers that ask for `/`.
    let mapPage: @Sendable (_ headers: HTTPFields) throws -> Answer

    var all: [Endpoint] {
        [
            landing, conformance, collections, collection(.stories, name: "featureCollection"),
            queryables(.stories, name: "queryables"), items, item,
            collection(.places, name: "placeFeatureCollection"), queryables(.places, name: "placeQueryables"),
            placeItems, placeItem,
        ]
    }

    static func okay(
        _ schema: String,
        _ description: String,
        as mediaType: String = MediaType.json
    ) -> [Endpoint.Success] {
        [
            .init(
                status: .ok,
                mediaType: mediaType,
                schema: .named(schema),
                description: description,
                otherTypes: [MediaType.html]
            )
        ]
    }

    private var landing: Endpoint {
        Endpoint(
            method: .get,
            path: "/",
            name: "landingPage",
            summary:
                "Returns the landing page of the API, or the page of the map to browsers that do not choose with f.",
            access: .anyone,
            cost: .free,
            caching: .shared,
            parameters: [FeatureFormat.parameter],
            // The page of the map has parameters of its own.
            isLenient: true,
            success: FeatureEndpoints.okay("LandingPage", "The links to everything else."),
            handler: { call in
                let chosen = call.query.all[FeatureFormat.parameter.name]
                if chosen == nil, call.headers[.accept]?.contains("text/html") == true {
                    return try mapPage(call.headers)
                }
                if let unknown = call.query.all.keys.sorted().first(where: { $0 != FeatureFormat.parameter.name }) {
                    throw InvalidParameter(name: unknown, message: "is unknown; the only parameter here is f")
                }
                try call.query.check(FeatureFormat.parameter.declarations)
                return try answer(call, "Waymark API", MediaType.json) { own in
                    FeatureDocuments.landing(base: base(call), own: own)
                }
            }
        )
    }

    private var conformance: Endpoint {
        Endpoint(
            method: .get,
            path: "/conformance",
            name: "conformance",
            summary: "Returns the classes of OGC's standards that the service conforms to.",
            access: .anyone,
            caching: .shared,
            parameters: [FeatureFormat.parameter],
            success: FeatureEndpoints.okay("Conformance", "The classes."),
            handler: { call in
                try answer(call, "Conformance", MediaType.json) {
                    FeatureDocuments.conformance(links: $0)
                }
            }
        )
    }

    private var collections: Endpoint {
        Endpoint(
            method: .get,
            path: "/collections",
            name: "featureCollections",
            summary: "Lists the collections of features: the stories, and their further places.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [FeatureFormat.parameter],
            success: FeatureEndpoints.okay("FeatureCollections", "The collections."),
            handler: { call in
                var found: [(collection: FeatureLayer, box: BoundingBox?)] = []
                for collection in FeatureLayer.all {
                    found.append((collection: collection, box: try await box(of: collection, call)))
                }
                return try answer(call, "Collections", MediaType.json) { own in
                    FeatureDocuments.collections(found, base: base(call), own: own)
                }
            }
        )
    }

    private func collection(_ collection: FeatureLayer, name: String) -> Endpoint {
        Endpoint(
            method: .get,
            path: collection.path,
            name: name,
            summary: "Describes the collection of \(collection.noun): its box, its reference systems and its links.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [FeatureFormat.parameter],
            success: FeatureEndpoints.okay("FeatureCollectionInfo", "The collection."),
            handler: { call in
                let box = try await box(of: collection, call)
                return try answer(call, collection.title, MediaType.json) { own in
                    FeatureDocuments.collection(collection, base: base(call), own: own, box: box)
                }
            }
        )
    }

    /// Returns the box around everything in a collection that the viewer may see.
    private func box(of collection: FeatureLayer, _ call: Call) async throws -> BoundingBox? {
        guard collection.id == FeatureLayer.places.id else {
            return try await library.maps.bounds(StorySearch(), viewer: call.viewer)
        }
        return try await LongWork.run(for: call.client) {
            try await PlaceListing(maps: library.maps)
                .bounds(viewer: call.viewer) { stories in
                    try FeatureEndpoints.charge(call, forReading: stories)
                }
        }
    }

    /// Charges as much for reading stories as `/v1/stories` does, or `weight` times as much.
    static func charge(_ call: Call, forReading stories: Int, weight: Double = 1) throws {
        if stories > 0 { try call.charge(Double(stories) / 200 * weight) }
    }

    private func queryables(_ collection: FeatureLayer, name: String) -> Endpoint {
        Endpoint(
            method: .get,
            path: collection.path + "/queryables",
            name: name,
            summary: "Returns the properties of \(collection.noun) that filter can name, as a JSON Schema.",
            access: .anyone,
            caching: .shared,
            parameters: [FeatureFormat.parameter],
            success: FeatureEndpoints.okay("Queryables", "The schema.", as: MediaType.jsonSchema),
            handler: { call in
                let address = base(call) + collection.path + "/queryables"
                return try answer(call, "Queryables", MediaType.jsonSchema) { own in
                    FeatureDocuments.queryables(of: collection, address: address, links: own)
                }
            }
        )
    }

    private var items: Endpoint {
        Endpoint(
            method: .get,
            path: FeatureLayer.stories.path + "/items",
            name: "features",
            summary: "Returns stories as features, newest first, also those without a point.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: FeatureLayer.stories.parameters,
            success: FeatureEndpoints.okay("FeaturePage", "A GeoJSON FeatureCollection.", as: MediaType.geoJSON),
            handler: handleItems
        )
    }

    private var item: Endpoint {
        Endpoint(
            method: .get,
            path: FeatureLayer.stories.path + "/items/\(PathPart.story)",
            name: "feature",
            summary: "Returns a story as a feature.",
            access: .anyone,
            scope: .storiesRead,
            caching: .revalidate,
            parameters: [FeatureParameters.answerSystem, FeatureFormat.parameter],
            success: FeatureEndpoints.okay("Feature", "A GeoJSON Feature.", as: MediaType.geoJSON),
            handler: { call in
                let id = try call[PathPart.story]
                guard let story = try await library.stories.story(id, viewer: call.viewer) else {
                    throw Problem.notFound
                }
                let items = try features(call)
                let parent = parent(.stories, call)
                let isHTML = try FeatureFormat(of: call) == .html
                let title = isHTML ? story.story.title : ""
                return try answer(call, title, MediaType.geoJSON, in: items.system) { own in
                    try items.feature(story, links: own + [parent])
                }
            }
        )
    }

    private func features(_ call: Call) throws -> FeatureItems {
        FeatureItems(system: try call[FeatureParameters.answerSystem], projection: projection)
    }

    @Sendable private func handleItems(_ call: Call) async throws -> Answer {
        var question = try FeatureQuestion(call, of: .stories, projection: projection)
        let scope = FeatureEndpoints.scope(of: call)
        question.start(after: try call.listCursor(cursors, scope: scope))
        let found = try await find(question, call)
        let format = try FeatureFormat(of: call)
        let next = found.next.map { cursors.encode($0, scope: scope) }
        let links = [parent(.stories, call)] + nextLink(call, format, next)
        let items = try features(call)
        return try answer(call, "Stories", MediaType.geoJSON, in: items.system) { own in
            try items.page(found.stories, matched: found.matched, links: own + links)
        }
    }

    /// Returns the link of an item or of a page of them to their collection.
    func parent(_ collection: FeatureLayer, _ call: Call) -> FeatureLink {
        FeatureLink("collection", MediaType.json, collection.title, base(call) + collection.path)
    }

    /// Returns the link to the page that begins with a cursor, if there is one.
    func nextLink(_ call: Call, _ format: FeatureFormat, _ cursor: String?) -> [FeatureLink] {
        guard let cursor else { return [] }
        let type = format == .html ? "text/html" : MediaType.geoJSON
        let address = base(call) + call.address(setting: Paging.cursor, to: cursor)
        return [FeatureLink("next", type, "The next page", address)]
    }

    private func find(_ question: FeatureQuestion, _ call: Call) async throws -> FilteredList {
        guard !question.isPlain else {
            let list = try await library.maps.stories(question.window, search: question.search, viewer: call.viewer)
            return FilteredList(stories: list.stories, next: list.next, matched: list.matched)
        }
        return try await LongWork.run(for: call.client) {
            try await FilteredStories(maps: library.maps)
                .stories(
                    question.window,
                    search: question.search,
                    viewer: call.viewer,
                    // As much as reading them by /v1/stories, and more for long conditions.
                    pay: { try FeatureEndpoints.charge(call, forReading: $0, weight: question.weight) },
                    where: { try question.fits($0) }
                )
        }
    }

    /// Returns the scope of a cursor: the viewer, and the query but for what does not change the list.
    static func scope(of call: Call) -> String {
        let others = Paging.names.union([FeatureFormat.parameter.name, FeatureParameters.answerSystem.name])
        let query = call.query.texts(without: others)
            .map { "\($0.key)=\($0.value.joined(separator: "\u{1F}"))" }.sorted()
        return ([call.viewer.user?.rawValue ?? "", call.path] + query).joined(separator: "\u{1E}")
    }

    func base(_ call: Call) -> String { address.url(authority: call.authority, headers: call.headers) }

    /// Returns a document in the representation that the call asks for; `write` gets its links to itself.
    func answer(
        _ call: Call,
        _ title: String,
        _ mediaType: String,
        in system: ReferenceSystem? = nil,
        _ write: (_ own: [FeatureLink]) throws -> [UInt8]
    ) throws -> Answer {
        let format = try FeatureFormat(of: call)
        let base = base(call)
        let own = FeatureLink.own(base + call.path + call.query.address, as: format, mediaType) { other in
            base + call.address(setting: FeatureFormat.parameter, to: other.rawValue)
        }
        let json = try write(own)
        var headers: HTTPFields = [.vary: "Accept"]
        if let system { headers[.contentCrs] = "<\(system.uri)>" }
        guard format == .html else { return Answer(mediaType: mediaType, headers: headers, body: json) }
        let site = PageSite(url: base, mediaOrigins: [])
        let document = try JSONValue(parsing: json, limits: .init(bytes: .max))
        headers[.contentSecurityPolicy] = site.contentPolicy
        headers[.referrerPolicy] = "no-referrer"
        let page = FeatureHTML(title: title, site: site, document: document)
        return Answer(mediaType: MediaType.html, headers: headers, body: page.bytes)
    }
}

extension HTTPField.Name {
    /// `Content-Crs`, the reference system of an answer (OGC 18-058).
    fileprivate static let contentCrs = known("Content-Crs")
}
