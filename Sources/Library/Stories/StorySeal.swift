import Storage
package import Stories

/// Seals deleted stories under a key that lies outside the database.
package struct StorySeal: Sendable {
    private let seal: RowSeal

    package init(secret: [UInt8]) { seal = RowSeal(secret: secret, purpose: "waymark sealed story 1") }

    /// The sealed bytes.
    package func seal(_ bytes: [UInt8], of id: StoryID, random: RandomSource) throws -> [UInt8] {
        try seal.seal(bytes, of: id.description, random: random)
    }

    /// The bytes again.
    ///
    /// - Throws: ``StoreError`` when they were sealed under another key, for another story, or changed since.
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
