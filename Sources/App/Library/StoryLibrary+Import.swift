import Geometry
public import Importing
import Notifications
import Storage
import Stories
import StoryMap

/// What an import came to.
public struct ImportOutcome: Hashable, Sendable {
    /// How many stories are new.
    public var created = 0
    /// How many were there and are different in the file now.
    public var updated = 0
    /// How many were there as they are.
    public var unchanged = 0

    /// Creates an outcome.
    public init(created: Int = 0, updated: Int = 0, unchanged: Int = 0) {
        self.created = created
        self.updated = updated
        self.unchanged = unchanged
    }
}

extension StoryLibrary {
    /// Stores the stories of one file in one transaction: all of them or none.
    ///
    /// A row that an earlier import stored is changed only when the row itself changed since: what its owner has
    /// changed by hand in the meantime stays. `progress` is told the number of stories done, on the writer.
    public func store(
        _ imported: [ImportedStory],
        dryRun: Bool = false,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> ImportOutcome {
        let now = now()
        return try await store.write { [self] transaction in
            var outcome = ImportOutcome()
            var changes: [Story] = []
            for (number, row) in imported.enumerated() {
                if number.isMultiple(of: 500) { progress(number) }
                let known = try transaction.imported(owner: row.owner, source: row.source, sourceID: row.sourceID)
                let digest = row.contentDigest
                let id = known?.id ?? id(of: row)
                if try known?.digest == digest || (known == nil && transaction.isDeletedImport(id)) {
                    outcome.unchanged += 1
                    continue
                }
                let story = try story(of: row, id: id, known: known, now: now, in: transaction)
                if known == nil { outcome.created += 1 } else { outcome.updated += 1 }
                guard !dryRun else { continue }
                let stored = try known == nil ? transaction.insertHeld(story) : transaction.updateHeld(story)
                try transaction.stampImport(of: id, digest: digest, location: row.location)
                changes.append(stored)
            }
            progress(imported.count)
            try publish(changes.map { .put($0) }, after: transaction)
            return outcome
        }
    }

    /// The story a row makes, or the one that an earlier import made of it, brought up to date.
    ///
    /// All stories of a file are equally old: their order would count those between them that a viewer may not see.
    private func story(
        of row: ImportedStory,
        id: StoryID,
        known: StoreTransaction.ImportedRow?,
        now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> Story {
        guard let known, let old = try transaction.story(id) else {
            var story = row.story(id: id, now: now)
            story.location = story.location.map(derivingNames)
            return story
        }
        var story = old
        row.update(&story, replacingLocation: transaction.hasImportedLocation(old, known))
        story.location = story.location.map(derivingNames)
        story.location?.floor = old.location?.floor ?? .exact
        story.touch(at: now, replacing: old)
        return story
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
    /// A digest of everything a row says, to find out whether it changed since it was stored.
    var contentDigest: [UInt8] {
        var digest = ContentDigest()
        for value in [
            kind.rawValue, privacy.rawValue, family?.rawValue, title, text, date?.text, date?.first.description,
            date?.last.description, collection, mediaURL, thumbnailURL, alt,
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
        for name in LocationName.allCases { digest.add(location?.names[name].map { "=" + $0 } ?? "") }
        return Array(digest.hexadecimal.utf8)
    }
}
