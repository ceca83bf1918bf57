import Geometry
package import Importing
import Notifications
import Storage
import Stories

/// The outcome of an import, in numbers of stories.
public struct ImportOutcome: Hashable, Sendable {
    /// The number of new stories.
    public var created = 0
    /// The number of existing stories whose row in the file has changed.
    public var updated = 0
    /// The number of rows without a change, including those whose story was deleted.
    public var unchanged = 0

    /// Creates an outcome.
    public init(created: Int = 0, updated: Int = 0, unchanged: Int = 0) {
        self.created = created
        self.updated = updated
        self.unchanged = unchanged
    }
}

/// Stores stories read from files.
package struct ImportService: StoreService {
    package let context: StoreContext
    package let maps: MapService
    package let feed: FeedService
    package let proposals: ProposalService

    /// Creates a value from its parts.
    package init(context: StoreContext, maps: MapService, feed: FeedService, proposals: ProposalService) {
        self.context = context
        self.maps = maps
        self.feed = feed
        self.proposals = proposals
    }

    /// Stores the stories of one file in one transaction: all of them or none.
    ///
    /// A row stored by an earlier import is applied only if the row itself has changed since: changes made by the owner
    /// in the meantime are kept. `progress` receives the number of stories done; it is called on the writer.
    package func add(
        _ imported: [ImportedStory],
        dryRun: Bool = false,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> ImportOutcome {
        let now = now()
        return try await store.write(isLong: true) { [self] transaction in
            var outcome = ImportOutcome()
            try feed.writeStories(in: transaction) { writes in
                for (number, row) in imported.enumerated() {
                    if number.isMultiple(of: 500) { progress(number) }
                    let known = try transaction.imported(owner: row.owner, source: row.source, sourceID: row.sourceID)
                    let digest = row.contentDigest
                    let id = known?.id ?? id(of: row)
                    if try known?.digest == digest || (known == nil && transaction.isDeletedImport(id)) {
                        outcome.unchanged += 1
                        continue
                    }
                    let (story, proposal) = try story(of: row, id: id, known: known, now: now, in: transaction)
                    if known == nil { outcome.created += 1 } else { outcome.updated += 1 }
                    guard !dryRun else { continue }
                    let stored = try known == nil ? writes.insert(story) : writes.update(story)
                    let place = row.isProposal ? nil : row.location
                    try transaction.stampImport(of: id, digest: digest, location: place)
                    if let proposal { try propose(proposal, for: stored, at: now, in: transaction) }
                }
            }
            progress(imported.count)
            return outcome
        }
    }

    /// Stores the location that the file's extraction proposes, unless the owner rejected its place before.
    private func propose(
        _ proposal: StoryLocation,
        for story: Story,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        do {
            _ = try proposals.settle(story, replacing: nil, proposal, at: now, in: transaction)
        } catch is ExtractionRefusal {
            return
        }
    }

    /// Returns the new story of a row or, if an earlier import created it, the existing story with the changes of the
    /// row.
    ///
    /// A location extracted by a program is returned as a proposal: it waits for the owner, even if the owner imports
    /// it (LOC-11).
    ///
    /// All stories of a file have the same creation time: their order would otherwise reveal the number of stories
    /// between them that a viewer may not see.
    private func story(
        of row: ImportedStory,
        id: StoryID,
        known: StoreTransaction.ImportedRow?,
        now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> (story: Story, proposal: StoryLocation?) {
        guard let known, let old = try transaction.story(id) else {
            var story = row.story(id: id, now: now)
            story.location = story.location.map(maps.derivingNames)
            let proposal = row.settleLocation(of: &story, replacing: nil)
            story.location?.stamp(at: now, replacing: nil)
            return (story, proposal)
        }
        var story = old
        // A location that the owner removed does not come back, whether the row has contained a location all along or
        // contains one only now.
        let isRemoved = old.absentLocation?.isRemoved == true
        row.update(&story, replacingLocation: !isRemoved && transaction.hasImportedLocation(old, known))
        story.location = story.location.map(maps.derivingNames)
        story.location?.floor = old.location?.floor ?? .exact
        let proposal = row.settleLocation(of: &story, replacing: old)
        story.location?.stamp(at: now, replacing: old.location)
        story.touch(at: now, replacing: old)
        return (story, proposal)
    }

    private func id(of row: ImportedStory) -> StoryID {
        KeyedID.imported(
            secret: store.keys[.storyIDs],
            owner: row.owner,
            source: row.source,
            sourceID: row.sourceID
        )
    }
}

extension ImportedStory {
    /// Accepts the location that the row gave a story; a proposed one is removed from the story and returned, to wait
    /// for the owner.
    fileprivate func settleLocation(of story: inout Story, replacing old: Story?) -> StoryLocation? {
        guard isProposal, story.location?.source == .aiExtracted else {
            if story.location != nil {
                story.absentLocation = nil
            } else if let gone = old?.location {
                // The row no longer contains the location, which does not count as a removal by the owner. A later
                // import may add one again, at no higher precision.
                story.absentLocation = AbsentLocation(
                    precision: gone.precision,
                    familySeesExact: gone.familySeesExact
                )
            }
            return nil
        }
        do {
            return try story.settleLocation(replacing: old)
        } catch {
            story.location = old?.location
            return nil
        }
    }

    /// A digest of the whole content of a row, to detect whether it changed since it was stored.
    var contentDigest: [UInt8] {
        var digest = ContentDigest()
        for value in [
            kind.rawValue, privacy.rawValue, family?.rawValue, title, text, date?.text, date?.first?.description,
            date?.last?.description, collection, mediaURL, thumbnailURL, alt,
        ] {
            // A missing value differs from an empty one.
            digest.add(value.map { "=" + $0 } ?? "")
        }
        for list in [tags, people, mentions] {
            digest.add(String(list.count))
            list.forEach { digest.add($0) }
        }
        digest.add(location.map { "\($0.coordinate.latitude) \($0.coordinate.longitude)" } ?? "")
        digest.add(location.map { "\($0.source) \($0.accuracy ?? -1) \($0.precision) \($0.familySeesExact)" } ?? "")
        // Only for extracted locations, so that the digests of older imports stay valid.
        if location?.source == .aiExtracted { digest.add(isLocationConfirmed ? "confirmed" : "proposed") }
        for name in LocationName.allCases { digest.add(location?.names[name].map { "=" + $0 } ?? "") }
        return Array(digest.hexadecimal.utf8)
    }
}
