import Geometry
import Storage
package import Stories
package import StoryMap

/// Adds, changes and removes the further places of stories, and settles those that programs extracted (LOC-10).
package struct StoryPlaceService: StoreService {
    package let context: StoreContext
    package let stories: StoryService

    /// Creates a value from its parts.
    package init(context: StoreContext, stories: StoryService) {
        self.context = context
        self.stories = stories
    }

    /// What became of a place that a caller added.
    package struct Added: Sendable {
        /// The id of the place.
        package let id: StoryID
        /// Whether it was not there before.
        package let isNew: Bool
        /// Whether it waits for the owner of the story.
        package let isWaiting: Bool
    }

    /// An extracted place that waits for a user, with its story.
    package struct Waiting: Sendable {
        /// The place.
        package let place: StoryPlace
        /// The story.
        package let story: Story
    }

    private var extracted: ExtractedPlaces { stories.extracted }

    /// Adds a place to a story, for its owner or a service; an extracted one waits for the owner.
    ///
    /// The same extraction again changes nothing.
    ///
    /// - Throws: ``Refusal``: not found, forbidden, precondition failed, every invalid field, or too many places;
    ///   ``ExtractionRefusal`` for an extracted place that the owner removed or rejected before.
    package func add(
        _ input: PlaceInput,
        to id: StoryID,
        by principal: Principal,
        precondition: Precondition<StoryView>?
    ) async throws -> Added {
        let now = now()
        return try await store.write { [self] transaction in
            var added: Added?
            _ = try stories.change(id, by: principal, precondition: precondition, at: now, in: transaction) {
                story,
                _ in
                var place = try input.whole(for: story) { point, role in
                    guard input.isExtracted else {
                        var generator = random
                        return StoryID(using: &generator)
                    }
                    return extracted.placeID(of: point, role, for: story.id)
                }
                if let known = try earlier(place, in: story, transaction) {
                    added = Added(id: known.id, isNew: false, isWaiting: !known.isConfirmed)
                    return
                }
                guard story.places.count < StoryLimits.placeCount else { throw Refusal.tooManyPlaces }
                place.location = place.location(namedBy: stories.maps)
                story.places.append(place)
                added = Added(id: place.id, isNew: true, isWaiting: !place.isConfirmed)
            }
            guard let added else { throw Refusal.notFound }
            return added
        }
    }

    /// Returns the place that an extraction found before.
    ///
    /// - Throws: ``ExtractionRefusal/rejected`` if the owner removed or rejected a place there.
    private func earlier(
        _ place: StoryPlace,
        in story: Story,
        _ transaction: StoreTransaction
    ) throws -> StoryPlace? {
        guard !place.isConfirmed else { return nil }
        let digests = extracted.digests(around: place.location.coordinate, for: story.id)
        guard try digests.isDisjoint(with: transaction.rejectedPlaces(of: story.id)) else {
            throw ExtractionRefusal.rejected
        }
        return story.places.first { extracted.isSame(place, as: $0, of: story.id) }
    }

    /// Changes a place; throws the errors of ``add(_:to:by:precondition:)``.
    package func change(
        _ place: StoryID,
        of id: StoryID,
        _ input: PlaceInput,
        by principal: Principal,
        precondition: Precondition<StoryView>?
    ) async throws {
        try await stories.change(id, by: principal, precondition: precondition) { [self] story, _ in
            let index = try story.index(of: place)
            var new = try input.change(of: story.places[index], in: story)
            new.location = new.location(namedBy: stories.maps)
            story.places[index] = new
        }
    }

    /// Removes a place, confirmed or not; what a program extracts there does not come back.
    ///
    /// - Throws: ``Refusal``: not found, forbidden, precondition failed.
    package func remove(
        _ place: StoryID,
        of id: StoryID,
        by principal: Principal,
        precondition: Precondition<StoryView>? = nil,
        onlyIfWaiting: Bool = false
    ) async throws {
        try await stories.change(id, by: principal, precondition: precondition) { story, _ in
            let index = try story.index(of: place)
            guard !onlyIfWaiting || !story.places[index].isConfirmed else { throw Refusal.notFound }
            story.places.remove(at: index)
        }
    }

    /// Publishes a place that waits, at the precision that its owner specifies; throws the errors of
    /// ``remove(_:of:by:precondition:onlyIfWaiting:)``.
    package func confirm(
        _ place: StoryID,
        of id: StoryID,
        by principal: Principal,
        shown: @escaping @Sendable (inout StoryLocation) throws -> Void
    ) async throws {
        try await stories.change(id, by: principal, precondition: nil) { story, _ in
            let index = try story.index(of: place)
            guard !story.places[index].isConfirmed else { throw Refusal.notFound }
            try shown(&story.places[index].location)
            story.places[index].isConfirmed = true
        }
    }

    /// Returns a page of the extracted places that wait for a user, newest first, and the start of the next page.
    package func waiting(
        of user: UserID,
        after cursor: ListCursor?,
        limit: Int
    ) async throws -> (places: [Waiting], next: ListCursor?) {
        try await store.read { reader in
            let found = try reader.waitingPlaces(
                of: user,
                after: cursor.map { ($0.createdAt, $0.id) },
                limit: limit + 1
            )
            let page = Array(found.prefix(limit))
            let stories = try reader.stories(page.map(\.story), withText: false)
            let places = page.compactMap { entry in
                stories[entry.story]
                    .flatMap { story in
                        story.places.first { $0.id == entry.place }.map { Waiting(place: $0, story: story) }
                    }
            }
            let next = found.count > limit ? page.last.map { ListCursor(createdAt: $0.createdAt, id: $0.place) } : nil
            return (places, next)
        }
    }
}

extension Story {
    /// Returns the position of a further place.
    ///
    /// - Throws: ``Refusal``: not found.
    fileprivate func index(of place: StoryID) throws -> Int {
        guard let index = places.firstIndex(where: { $0.id == place }) else { throw Refusal.notFound }
        return index
    }
}

extension Refusal {
    /// The story has as many further places as it may have.
    fileprivate static let tooManyPlaces = Refusal(
        .conflict,
        "too-many-places",
        "A story has at most \(StoryLimits.placeCount) places besides its location. Remove one first."
    )
}
