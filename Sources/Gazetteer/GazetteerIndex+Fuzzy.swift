/// The remaining budget for misspelt names in one search.
struct FuzzyWork: Sendable {
    /// The remaining numbers of word runs to look up and of names to compare.
    private var runs = 48
    private var names = 6_000

    /// Returns whether another run of words may be looked up.
    mutating func takeRun() -> Bool {
        runs -= 1
        return runs >= 0
    }

    /// Returns whether another name may be compared.
    mutating func takeName() -> Bool {
        names -= 1
        return names >= 0
    }

    var mayGoOn: Bool { runs > 0 && names > 0 }
}

extension GazetteerIndex {
    /// The maximum number of names considered for one misspelt run of words.
    private static let mostReadings = 48
    /// The number of best-known places searched for names with two typos.
    private static let bestKnown = 60_000
    /// The minimum number of letters of an alias with two typos.
    private static let longByname = 11
    /// The penalties for the first typo, for the second, and for different spacing.
    private static let firstEdit = 1.2
    private static let secondEdit = 2.4
    private static let otherBlanks = 0.3

    /// Returns the names that `typed`, without spaces, may be a misspelling of.
    ///
    /// `words` is the number of typed words; `ends` specifies how a name must begin and end; `edits` is the maximum
    /// number of typos: 1, or 2 for longer names. Names with two typos are searched in `regions`, or among the
    /// best-known places of the world if there are none. The postings `known`, with exactly this name, are excluded.
    func readings(
        like typed: ArraySlice<UInt8>,
        words: Int,
        between ends: (first: ArraySlice<UInt8>, last: ArraySlice<UInt8>),
        edits: Int,
        in regions: [Int],
        except known: Range<Int>?,
        _ work: inout FuzzyWork
    ) -> [ParsedQuery.Reading] {
        guard typed.count <= FuzzyTable.longest, work.takeRun() else { return [] }
        let letters = FoldedText.letters(typed)
        guard letters.count >= 3 else { return [] }
        let most = letters.count >= 7 ? edits : 1
        var keys: [Int] = []
        typed.withUnsafeBytes { bytes in
            FuzzyTable.forEachHash(bytes) { hash in fuzzy.forEachKey(hash) { keys.append($0) } }
            if most > 1 { collectTwice(bytes, &keys) }
        }
        if most > 1 {
            let signature = NameScan.signature(letters)
            for region in regions {
                nameScan.forEachKey(near: signature, edits: most, region: region) { keys.append($0) }
            }
            if regions.isEmpty {
                nameScan.forEachKey(near: signature, edits: most, most: Self.bestKnown) { keys.append($0) }
                // Shorter texts are close to too many names, and the work for each text is limited.
                if letters.count >= Self.longByname {
                    nameScan.forEachAlias(near: signature, edits: most) { keys.append($0) }
                }
            }
        }
        keys.sort()
        var readings: [(reading: ParsedQuery.Reading, worth: Double)] = []
        var last = -1
        for key in keys where key != last {
            last = key
            guard work.takeName() else { break }
            let postings = postingRange(of: key)
            guard postings != known, let first = postings.first else { continue }
            let name = FoldedText.letters(self.key(key))
            guard self.key(key).starts(with: ends.first),
                ends.last.isEmpty || self.key(key).suffix(ends.last.count).elementsEqual(ends.last)
            else { continue }
            let blanks = self.key(key).count { $0 == 0x20 }
            guard let outcome = EditCost.between(letters, name), outcome.edits <= most else { continue }
            if outcome.edits == 1, blanks + 1 > words, isWithoutWord(typed, self.key(key)) { continue }
            let penalty = Self.penalty(outcome, length: letters.count, hasOtherBlanks: blanks + 1 != words)
            let best = place(posting(first).place)?.importance ?? 0
            readings.append(
                (
                    ParsedQuery.Reading(postings: postings, edits: outcome.edits, penalty: penalty),
                    best * GazetteerFormat.fullImportance - penalty
                )
            )
        }
        readings.sort {
            $0.worth != $1.worth ? $0.worth > $1.worth : $0.reading.postings.lowerBound < $1.reading.postings.lowerBound
        }
        return readings.prefix(Self.mostReadings).map(\.reading)
    }

    /// Returns whether a text is a name without its one-letter words: Africa is not a misspelling of South Africa ("S
    /// Africa").
    private func isWithoutWord(_ typed: ArraySlice<UInt8>, _ key: UnsafeRawBufferPointer) -> Bool {
        key.split(separator: 0x20).filter { $0.count > 1 }.joined().elementsEqual(typed)
    }

    /// Returns the penalty for a misspelt name; in a short name, a wrong letter leaves more doubt about the meaning.
    private static func penalty(_ outcome: EditCost.Outcome, length: Int, hasOtherBlanks: Bool) -> Double {
        var penalty = hasOtherBlanks ? otherBlanks : 0
        guard outcome.edits > 0 else { return penalty }
        penalty += firstEdit + outcome.cost
        if outcome.edits > 1 { penalty += secondEdit }
        if length < 5 { penalty += 0.3 * Double(5 - length) }
        return penalty
    }

    /// Collects the names that match the text with two of its letters omitted.
    private func collectTwice(_ text: UnsafeRawBufferPointer, _ keys: inout [Int]) {
        var shorter = [UInt8](repeating: 0, count: text.count)
        var skipped = 0
        while skipped < text.count {
            var end = skipped + 1
            while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
            let count = text.count - (end - skipped)
            for index in 0..<skipped { shorter[index] = text[index] }
            for index in end..<text.count { shorter[index - (end - skipped)] = text[index] }
            shorter.withUnsafeBytes { bytes in
                FuzzyTable.forEachHash(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { hash in
                    fuzzy.forEachKey(hash) { keys.append($0) }
                }
            }
            skipped = end
        }
    }
}
