import HTTPTypes
import Library
import Storage
import Stories
import StoryMap
import Web

/// The routes of the further places of stories.
///
/// Who sees which place, and how exactly, is decided by ``Story/places(for:)`` alone, as in the layer of the same name in
/// exports.
extension FeatureEndpoints {
    var placeItems: Endpoint {
        Endpoint(
            method: .get,
            path: FeatureLayer.places.path + "/items",
            name: "placeFeatures",
            summary:
                "Returns the further places of stories as features, those of the newest stories first. Filters of stories mean "
                + "the story of a place; bbox means its point, its line or its area.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: FeatureLayer.places.parameters,
            success: FeatureEndpoints.okay("PlaceFeaturePage", "A GeoJSON FeatureCollection.", as: MediaType.geoJSON),
            handler: handlePlaceItems
        )
    }

    var placeItem: Endpoint {
        Endpoint(
            method: .get,
            path: FeatureLayer.places.path + "/items/\(PathPart.storyPlace)",
            name: "placeFeature",
            summary: "Returns a further place of a story as a feature.",
            access: .anyone,
            scope: .storiesRead,
            caching: .revalidate,
            parameters: [FeatureParameters.answerSystem, FeatureFormat.parameter],
            success: FeatureEndpoints.okay("PlaceFeature", "A GeoJSON Feature.", as: MediaType.geoJSON),
            handler: { call in
                let id = try call[PathPart.storyPlace]
                guard let found = try await library.stories.place(id, viewer: call.viewer) else {
                    throw Problem.notFound
                }
                let place = ExportedPlace(place: found.place, story: found.story.story)
                let items = try places(call)
                let parent = parent(.places, call)
                let title = try FeatureFormat(of: call) == .html ? place.name ?? place.story.title : ""
                return try answer(call, title, MediaType.geoJSON, in: items.system) { own in
                    try items.feature(place, links: own + [parent])
                }
            }
        )
    }

    @Sendable private func handlePlaceItems(_ call: Call) async throws -> Answer {
        let question = try FeatureQuestion(call, of: .places, projection: projection)
        let scope = FeatureEndpoints.scope(of: call)
        let cursor = try placeCursor(call, scope: scope)
        let found = try await find(question, after: cursor, call)
        let format = try FeatureFormat(of: call)
        let next = found.next.map { cursors.encode($0, scope: scope) }
        let links = [parent(.places, call)] + nextLink(call, format, next)
        let items = try places(call)
        let exported = found.places.map { ExportedPlace(place: $0.place, story: $0.story.story) }
        return try answer(call, FeatureLayer.places.title, MediaType.geoJSON, in: items.system) { own in
            try items.page(exported, matched: found.matched, links: own + links)
        }
    }

    /// Returns the start of the page that the cursor names; `nil` for the first page.
    private func placeCursor(_ call: Call, scope: String) throws -> PlaceCursor? {
        guard let text = try call[Paging.cursor] else { return nil }
        guard let cursor = cursors.decodePlace(text, scope: scope) else {
            throw Paging.cursor.invalid("was not issued to you by this list")
        }
        return cursor
    }

    private func places(_ call: Call) throws -> PlaceItems {
        PlaceItems(system: try call[FeatureParameters.answerSystem], projection: projection)
    }

    private func find(_ question: FeatureQuestion, after cursor: PlaceCursor?, _ call: Call) async throws -> PlaceList {
        let isPlain = question.isUnconditional && question.window.box == nil
        return try await LongWork.run(for: call.client) {
            let listing = PlaceListing(maps: library.maps)
            let (limit, search) = (question.window.limit, question.search)
            guard !isPlain else {
                return try await listing.places(
                    after: cursor,
                    limit: limit,
                    search: search,
                    viewer: call.viewer,
                    pay: { try FeatureEndpoints.charge(call, forReading: $0) }
                )
            }
            return try await listing.places(
                after: cursor,
                limit: limit,
                search: search,
                viewer: call.viewer,
                pay: { try FeatureEndpoints.charge(call, forReading: $0, weight: question.weight) },
                where: { places in
                    try question.fits(places.map { ExportedPlace(place: $0.place, story: $0.story.story) })
                }
            )
        }
    }
}
