/// The main names of all places in order of importance, each with a signature, scanned for names with two typos.
package struct NameScan: Sendable {
    /// The signature and key number of each place's main name, u32 each.
    let entries: ByteView
    /// The signature and key number of long aliases of great cities and regions, u32 each.
    let aliases: ByteView
    /// Places by region and country, u32 each.
    let members: ByteView
    /// The place number of each region and country and the start of its members, u32 each, sorted by place number; a
    /// final record contains the end of the last members.
    let regions: ByteView

    /// Returns the letters of a text as bits, with its length above them.
    ///
    /// One edit changes at most two of the bits, and the length by at most one.
    static func signature(_ letters: some Sequence<UInt32>) -> UInt32 {
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for letter in letters {
            bits |= 1 << (letter % 26)
            count += 1
        }
        return bits | min(count, 63) << 26
    }

    /// Returns the signature of a folded name.
    package static func signature(ofKey key: [UInt8]) -> UInt32 { signature(FoldedText.letters(key)) }

    /// Returns whether texts with two signatures may be at most `edits` edits apart.
    @inline(__always)
    static func mayBeNear(_ first: UInt32, _ second: UInt32, edits: Int) -> Bool {
        guard abs(Int(first >> 26) - Int(second >> 26)) <= edits else { return false }
        // Clears the lowest bits one by one, because not every processor is sure to count them in one instruction.
        var different = (first ^ second) & ((1 << 26) - 1)
        for _ in 0..<(2 * edits) { different &= different &- 1 }
        return different == 0
    }

    /// Calls `body` with the key number of each main name that may be at most `edits` edits from a text with this
    /// signature, among the first `most` places by rank.
    @inline(__always)
    func forEachKey(near signature: UInt32, edits: Int, most: Int, _ body: (Int) -> Void) {
        for place in 0..<min(most, entries.count / 8) { check(place, signature, edits, body) }
    }

    /// Calls `body` with the key number of each long alias that may be at most `edits` edits from a text with this
    /// signature.
    @inline(__always)
    func forEachAlias(near signature: UInt32, edits: Int, _ body: (Int) -> Void) {
        for alias in 0..<(aliases.count / 8) where Self.mayBeNear(aliases.load(alias * 8), signature, edits: edits) {
            body(Int(aliases.load(alias * 8 + 4, as: UInt32.self)))
        }
    }

    /// Calls `body` with the key number of each main name that may be at most `edits` edits from a text with this
    /// signature, among the places in a region or country.
    @inline(__always)
    func forEachKey(near signature: UInt32, edits: Int, region: Int, _ body: (Int) -> Void) {
        for index in memberRange(of: region) { check(member(index), signature, edits, body) }
    }

    /// Returns the range of the places in a region or country among all members, the best known first.
    func memberRange(of region: Int) -> Range<Int> {
        var (low, high) = (0, regions.count / 8 - 1)
        while low < high {
            let middle = (low + high) / 2
            if Int(regions.load(middle * 8, as: UInt32.self)) < region { low = middle + 1 } else { high = middle }
        }
        guard Int(regions.load(low * 8, as: UInt32.self)) == region else { return 0..<0 }
        let start = Int(regions.load(low * 8 + 4, as: UInt32.self))
        return start..<max(start, min(Int(regions.load(low * 8 + 12, as: UInt32.self)), members.count / 4))
    }

    /// Returns the place number of a member by its index.
    func member(_ index: Int) -> Int { Int(members.load(index * 4, as: UInt32.self)) }

    /// Returns the key number of a place's main name.
    func mainKey(of place: Int) -> Int { Int(entries.load(place * 8 + 4, as: UInt32.self)) }

    @inline(__always)
    private func check(_ place: Int, _ signature: UInt32, _ edits: Int, _ body: (Int) -> Void) {
        let own: UInt32 = entries.load(place * 8)
        guard Self.mayBeNear(own, signature, edits: edits) else { return }
        body(Int(entries.load(place * 8 + 4, as: UInt32.self)))
    }
}

extension FoldedText {
    /// Returns the characters of folded bytes without spaces, each as a distinct number.
    static func letters(_ bytes: some Sequence<UInt8>) -> [UInt32] {
        var letters: [UInt32] = []
        letters.reserveCapacity(24)
        for byte in bytes where byte != 0x20 {
            if byte & 0xC0 == 0x80, let last = letters.popLast() {
                letters.append(last << 6 | UInt32(byte & 0x3F))
            } else {
                letters.append(UInt32(byte))
            }
        }
        return letters
    }
}
