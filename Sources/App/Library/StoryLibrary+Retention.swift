import Storage
public import Stories

/// Seals deleted stories under a key that lies outside the database.
struct StorySeal: Sendable {
    private let seal: RowSeal

    init(secret: [UInt8]) { seal = RowSeal(secret: secret, purpose: "waymark sealed story 1") }

    /// The sealed bytes.
    func seal(_ bytes: [UInt8], of id: StoryID, random: RandomSource) throws -> [UInt8] {
        try seal.seal(bytes, of: id.description, random: random)
    }

    /// The bytes again.
    ///
    /// - Throws: ``StoreError`` when they were sealed under another key, for another story, or changed since.
    func open(_ sealed: [UInt8], of id: StoryID) throws -> [UInt8] {
        guard let bytes = seal.open(sealed, of: id.description) else {
            throw StoreError(
                .failed,
                "Story \(id) cannot be restored: it was sealed under another key. Put the old sealing.key back into the "
                    + "folder of keys beside the database."
            )
        }
        return bytes
    }
}

extension StoryLibrary {
    /// Forgets what has served its time: a day for repeated requests and batches, and sign-ins that have ended.
    ///
    /// This is a matter of the clock alone: a request clears only what is its own user's.
    package func forgetStaleRequests() async throws {
        let now = context.certainTime
        let yesterday = Timestamp(milliseconds: now.milliseconds - 86_400_000)
        try await store.write { transaction in
            try transaction.dropRequestKeys(of: nil, usedBefore: yesterday)
            try transaction.dropBatchAnswers(of: nil, before: yesterday)
            try transaction.dropSignIns(of: nil, endedBy: now)
        }
    }

    /// Seals a story that is about to be removed, with everything the store knows of it.
    func seal(_ id: StoryID, at time: Timestamp, in transaction: StoreTransaction) throws {
        guard let story = try transaction.story(id), let bytes = try transaction.frozenStory(id) else { return }
        let blob = try StorySeal(secret: store.keys[.sealing]).seal(bytes, of: id, random: random)
        try transaction.save(SealedStory(id: id, owner: story.owner, deletedAt: time, blob: blob))
    }

    /// Whether deleted stories are kept that cannot be restored, because the key they were sealed under is lost.
    ///
    /// The first and the last are looked at: the key went between two of them, if at all.
    func hasLostSealedStories() async throws -> Bool {
        let seal = StorySeal(secret: store.keys[.sealing])
        return try await store.read { try $0.outermostSealedStories() }
            .contains { (try? seal.open($0.blob, of: $0.id)) == nil }
    }

    /// Brings a deleted story back as it was; returns whether it was still retained.
    ///
    /// Its level holds as its owner left it, but for a family that is gone or that the owner left it is private and trusts
    /// nobody with its exact point; it is withheld only if a report says so now.
    ///
    /// - Throws: ``StoreError`` when it cannot be opened, or the owner stored another story under its client id since.
    public func restore(_ id: StoryID) async throws -> Bool {
        try await store.write { [self] transaction in
            guard let sealed = try transaction.sealedStory(id) else { return false }
            var frozen = try FrozenStory(bytes: StorySeal(secret: store.keys[.sealing]).open(sealed.blob, of: id))
            if let family = frozen.story.family,
                try transaction.viewer(frozen.story.owner)?.families[family] == nil
            {
                frozen.story.withdraw(from: family)
            }
            frozen.story.isWithheld = try transaction.isWithheldByReport(id)
            try feed.insert(frozen.story, in: transaction)
            try transaction.restoreDetails(of: frozen)
            try transaction.removeSealed(id)
            transaction.noteReturn(of: id, at: now())
            return true
        }
    }

    /// Destroys what was deleted more than so many days ago, in small transactions; returns how much that was.
    ///
    /// By the time that is certain: a clock that runs ahead, after a start for instance, destroys nothing.
    public func purgeRetained(olderThanDays days: Int) async throws -> Int {
        let age = Int64(max(0, days)).multipliedReportingOverflow(by: 86_400_000)
        guard !age.overflow else { return 0 }
        // Whoever wants all of it gone does not ask for its age.
        let limit = days == 0 ? now() : Timestamp(milliseconds: context.certainTime.milliseconds - age.partialValue)
        var total = 0
        while true {
            let isFirst = total == 0
            let purged = try await store.write { transaction in
                let purged = try transaction.purgeSealed(deletedUpTo: limit, limit: 500)
                if isFirst, purged > 0 { try transaction.noteRetentionEnd(of: limit) }
                return purged
            }
            total += purged
            guard purged == 500 else { return total }
        }
    }
}
