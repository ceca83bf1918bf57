package import Geometry
import Storage
package import Stories
package import StoryMap

/// The counts of facets, with the names of the users and families among their values.
package struct StoryFacets: Sendable {
    /// The counts.
    package let counts: FacetCounts
    /// The names of owners and families by id, as far as they have any.
    package let names: [FacetSet: [String: String]]
}

extension MapService {
    /// The maximum number of values listed per facet.
    package static let mostFacetValues = 200

    /// Returns how many stories of a search have each value of some facets.
    ///
    /// The count of a value is exact: the number of stories found if its facet wanted this value alone, and everything
    /// else of the search applied. With a box, only stories with a point in it count.
    package func facets(
        _ choice: FacetChoice,
        in box: BoundingBox?,
        search: StorySearch,
        viewer: Viewer
    ) async throws -> StoryFacets {
        let question = try await facetQuery(search, viewer: viewer)
        let counts = await question.counts(choice, in: box, index.snapshot())
        let names = try await names(of: counts, viewer: viewer)
        return StoryFacets(counts: counts, names: names)
    }

    /// Returns the query for a search, with favourites and collections kept apart.
    private func facetQuery(_ search: StorySearch, viewer: Viewer) async throws -> FacetQuery {
        var plain = search
        plain.onlyFavourites = false
        plain.filter.collections = []
        var question = FacetQuery(try await mapQuery(plain, viewer: viewer), onlyFavourites: search.onlyFavourites)
        question.query.filter.collections = search.filter.collections
        let asksStore = viewer.user != nil || search.filter.collections.contains { CollectionID($0) != nil }
        guard asksStore else { return question }
        return try await context.store.read { [question] transaction in
            var question = question
            question.favourites = StorySet(try viewer.user.map(transaction.favourites) ?? [])
            if let found = try MapService.stories(in: search.filter.collections, viewer: viewer, transaction) {
                question.query.filter.collections = []
                question.collected = StorySet(found)
            }
            return question
        }
    }

    /// Returns the names of the users and families among the values: a viewer sees the name of an owner with a story,
    /// and belongs to every family counted.
    private func names(of counts: FacetCounts, viewer: Viewer) async throws -> [FacetSet: [String: String]] {
        let owners = Set((counts.values[.owners]?.entries ?? []).compactMap { UserID($0.value) })
        let asksFamilies = counts.values[.families]?.entries.isEmpty == false
        guard !owners.isEmpty || asksFamilies else { return [:] }
        return try await context.store.read { transaction in
            let users = try transaction.names(of: owners).map { ($0.key.rawValue, $0.value) }
            let families = try viewer.user.map(transaction.families) ?? []
            return [
                .owners: Dictionary(uniqueKeysWithValues: users),
                .families: Dictionary(
                    families.map { ($0.family.id.rawValue, $0.family.name) },
                    uniquingKeysWith: { first, _ in first }
                ),
            ]
        }
    }
}

extension FacetQuery {
    /// Counts off the threads that answer other requests, because a large map takes a while.
    @concurrent
    fileprivate func counts(_ choice: FacetChoice, in box: BoundingBox?, _ snapshot: MapSnapshot) async -> FacetCounts {
        snapshot.facets(choice, in: box, self)
    }
}
