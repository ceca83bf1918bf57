import Gazetteer
package import Importing
package import Storage
package import Stories

/// What became of stories whose places were looked for or chosen.
package struct LocatingOutcome: Hashable, Sendable {
    /// The number that got a location.
    package var located = 0
    /// The number of places that wait for the owners of their stories.
    package var proposed = 0
    /// The number about which a person said that they have no place.
    package var without = 0
    /// The number that has a location already, or whose owner removed one.
    package var kept = 0
    /// The lines of a review whose story does not exist.
    package var missing: [Int] = []

    /// Creates an outcome: nothing.
    package init() {}
}

/// Gives stories of earlier imports the places that their words mean, or that somebody chose.
package struct LocatingService: StoreService {
    package let context: StoreContext
    private let maps: MapService
    private let imports: ImportService
    private let proposals: ProposalService

    /// Creates the service with the parts of the one that imports.
    package init(_ imports: ImportService) {
        (context, maps, self.imports, proposals) = (imports.context, imports.maps, imports, imports.proposals)
    }

    /// The number of stories that are read and located at once.
    private static let portion = 200

    /// Looks for the places of stories without a location, and stores those that are sure enough.
    ///
    /// Each two hundred stories are one transaction, so that an interrupted run goes on where it stopped, and others can
    /// write in between. `review` gets the
    /// stories for which no place was sure enough, with the places to choose from. Returns also the number of stories
    /// without words.
    package func locate(
        of owner: UserID?,
        source: String?,
        by geocoding: RowGeocoding,
        dryRun: Bool,
        review: (UnlocatedStory, RowPlacement) throws -> Void
    ) async throws -> (outcome: LocatingOutcome, left: Int, wordless: Int) {
        var outcome = LocatingOutcome()
        var (left, last) = (0, StoryID?.none)
        while true {
            let after = last
            let found = try await store.read { transaction in
                try transaction.unlocatedStories(of: owner, source: source, after: after, limit: Self.portion)
            }
            guard let end = found.last else { break }
            last = end.id
            var placements: [(StoryID, RowPlacement)] = []
            for story in found {
                guard var placement = story.words.placement else { continue }
                let candidates = geocoding.locator.candidates(for: placement.words, limit: PlacingRules.candidates)
                placement.place = geocoding.rules.choice(among: candidates)
                if placement.place == nil {
                    placement.candidates = candidates
                    left += 1
                    try review(story, placement)
                } else {
                    placements.append((story.id, placement))
                }
            }
            let part = try await store(placements, dryRun: dryRun)
            outcome.located += part.located
            outcome.proposed += part.proposed
            outcome.kept += part.kept
        }
        let wordless = try await store.read { try $0.wordlessStories(of: owner, source: source) }
        return (outcome, left, wordless)
    }

    private func store(_ placements: [(StoryID, RowPlacement)], dryRun: Bool) async throws -> LocatingOutcome {
        let now = now()
        guard !placements.isEmpty else { return LocatingOutcome() }
        return try await store.write(isLong: true) { [self] transaction in
            var outcome = LocatingOutcome()
            for (id, placement) in placements {
                guard let place = placement.place, let story = try transaction.story(id) else { continue }
                let location = placement.location(at: place, names: placement.words.names)
                let step = Step(story: story, location: location, now: now, isDryRun: dryRun)
                guard try settle(step, counting: &outcome, in: transaction) else { continue }
                var words = StoredPlaceWords(placement)
                words.settle(place, as: .located)
                try transaction.save(words, of: id, at: now)
            }
            return outcome
        }
    }

    /// Stores what somebody chose, in one transaction: all of it or nothing.
    package func apply(_ rows: [ReviewedRow], dryRun: Bool) async throws -> LocatingOutcome {
        let now = now()
        return try await store.write(isLong: true) { [self] transaction in
            var outcome = LocatingOutcome()
            for row in rows where row.choice != .open {
                guard let story = try story(of: row, in: transaction) else {
                    outcome.missing.append(row.line)
                    continue
                }
                try apply(row.choice, to: story, at: now, dryRun: dryRun, counting: &outcome, in: transaction)
            }
            // The list is of no use if some of its stories are somewhere else.
            if !outcome.missing.isEmpty, !dryRun { throw Missing(lines: outcome.missing) }
            return outcome
        }
    }

    /// Stories of a review do not exist.
    package struct Missing: Error, Sendable {
        /// The lines of the review.
        package let lines: [Int]

        /// Creates the error.
        package init(lines: [Int]) { self.lines = lines }
    }

    private func story(of row: ReviewedRow, in transaction: StoreTransaction) throws -> Story? {
        if let id = row.story, let story = try transaction.story(id) { return story }
        guard let owner = row.owner, !row.sourceID.isEmpty,
            let known = try transaction.imported(owner: owner, source: row.source, sourceID: row.sourceID)
        else { return nil }
        return try transaction.story(known.id)
    }

    private func apply(
        _ choice: ReviewChoice,
        to story: Story,
        at now: Timestamp,
        dryRun: Bool,
        counting outcome: inout LocatingOutcome,
        in transaction: StoreTransaction
    ) throws {
        var kept = try transaction.placeWords(of: story.id)
        let placement = kept?.placement
        let names = placement?.words.names ?? [:]
        var location: StoryLocation
        switch choice {
        case .open: return
        case .none:
            guard story.location == nil else {
                outcome.kept += 1
                return
            }
            outcome.without += 1
            kept?.state = .none
            if let kept, !dryRun { try transaction.save(kept, of: story.id, at: now) }
            return
        case .candidate(let place):
            location = RowPlacement(words: placement?.words ?? PlaceWords()).location(at: place, names: names)
            location.precision = location.precision.stricter(placement?.precision ?? .exact)
            derive(&location, place.extent)
            kept?.settle(place, as: .chosen)
        case .position(let coordinate):
            location = StoryLocation(
                coordinate: coordinate,
                precision: placement?.precision ?? .exact,
                familySeesExact: placement?.familySeesExact ?? false,
                names: names
            )
            location = maps.derivingNames(location)
            kept?.state = .chosen
        }
        let step = Step(story: story, location: location, now: now, isDryRun: dryRun)
        guard try settle(step, counting: &outcome, in: transaction), let kept else { return }
        try transaction.save(kept, of: story.id, at: now)
    }

    /// Fills in the names of what surely lies around a place: around a county only its state.
    private func derive(_ location: inout StoryLocation, _ extent: PlaceExtent) {
        guard let match = maps.placeSearch?.reverse(location.coordinate) else { return }
        var found: [(LocationName, String?)] = [(.country, match.place.country)]
        if extent <= .county { found.append((.state, match.place.admin1)) }
        if extent <= .settlement, !match.isNear { found.append((.city, match.settlementName)) }
        for (name, value) in found where location.names[name] == nil {
            guard let value, !value.isEmpty else { continue }
            location.names[name] = value
            location.derived.insert(name)
        }
    }
}

// One story.
extension LocatingService {
    private struct Step {
        let story: Story
        let location: StoryLocation
        let now: Timestamp
        let isDryRun: Bool
    }

    /// Gives a story a location, unless it has one or its owner removed one; returns whether anything was stored.
    ///
    /// The story is shown no more precisely than its last location was.
    private func settle(
        _ step: Step,
        counting outcome: inout LocatingOutcome,
        in transaction: StoreTransaction
    ) throws -> Bool {
        let old = step.story
        guard old.location == nil, old.absentLocation?.isRemoved != true else {
            outcome.kept += 1
            return false
        }
        var story = old
        var location = step.location
        if let absent = old.absentLocation {
            location.precision = location.precision.stricter(absent.precision)
            location.familySeesExact = location.familySeesExact && absent.familySeesExact
        }
        story.location = location
        let proposal: StoryLocation?
        do {
            proposal = try story.settleLocation(replacing: old)
        } catch {
            outcome.kept += 1
            return false
        }
        if proposal == nil { outcome.located += 1 } else { outcome.proposed += 1 }
        if step.isDryRun { return false }
        story.location?.stamp(at: step.now, replacing: nil)
        story.touch(at: step.now, replacing: old)
        try imports.feed.update(story, in: transaction)
        if let proposal {
            do {
                _ = try proposals.settle(story, replacing: old, proposal, at: step.now, in: transaction)
            } catch is ExtractionRefusal {
                // Its owner rejected this place before.
                return false
            }
        } else if let source = story.source, let sourceID = story.sourceID,
            let known = try transaction.imported(owner: story.owner, source: source, sourceID: sourceID)
        {
            // A later import of the row may change it, as if the row had given it.
            try transaction.stampImport(of: story.id, digest: known.digest, location: story.location)
        }
        return true
    }
}

extension PlaceWords {
    /// The words as names of a location.
    var names: [LocationName: String] {
        let whole: [(LocationName, String)] = [
            (.name, name), (.address, street), (.city, city), (.state, state), (.country, country),
        ]
        return Dictionary(uniqueKeysWithValues: whole.filter { !$0.1.isEmpty })
    }
}
