package import Storage
package import Stories

/// Seals deleted stories under a key that is stored outside the database.
package struct StorySeal: Sendable {
    private let seal: RowSeal

    package init(keys: StoreKeys) { seal = RowSeal(secrets: keys.known(.sealing), purpose: "waymark sealed story 1") }

    /// Returns the sealed bytes.
    package func seal(_ bytes: [UInt8], of id: StoryID, random: RandomSource) throws -> [UInt8] {
        try seal.seal(bytes, of: id.description, random: random)
    }

    /// Returns a story sealed under the present key if it was sealed under a former one; otherwise `nil`.
    package func renewed(_ sealed: SealedStory, random: RandomSource) throws -> SealedStory? {
        try seal.renewed(sealed.blob, of: sealed.id.description, random: random)
            .map { SealedStory(id: sealed.id, owner: sealed.owner, deletedAt: sealed.deletedAt, blob: $0) }
    }

    /// Returns whether a story is sealed under a former key.
    package func isFormer(_ sealed: SealedStory) -> Bool {
        seal.isFormer(sealed.blob, of: sealed.id.description)
    }

    /// Opens sealed bytes.
    ///
    /// - Throws: ``StoreError`` if they were sealed under another key or for another story, or have been altered.
    package func open(_ sealed: [UInt8], of id: StoryID) throws -> [UInt8] {
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
