/// The cost of a misspelling, as an order of magnitude of its frequency.
///
/// The noisy channel model (Kernighan, Church, Gale 1990): each position has 25 wrong letters, but only one letter to
/// omit and one to swap with, so of two names one edit away, the one reached by an omission or a swap is likelier.
/// Doubled letters, vowels and keyboard neighbours are confused more often than others.
package enum EditCost: Sendable {
    /// The cost of one text as a misspelling of another.
    package struct Outcome: Equatable, Sendable {
        /// The number of edits.
        package var edits: Int
        /// The cost of these edits beyond the basic cost of a misspelling.
        package var cost: Double
    }

    private static let missing = 0.0
    private static let missingDouble = -0.3
    private static let swapped = 0.0
    private static let extra = 1.0
    private static let extraDouble = 0.1
    private static let wrong = 1.2
    private static let wrongVowel = 0.6
    private static let wrongNeighbour = 0.7
    private static let firstLetter = 0.2

    /// Compares the typed text with a name, both without spaces; `nil` beyond two edits.
    package static func between(_ typed: [UInt32], _ name: [UInt32]) -> Outcome? {
        guard abs(typed.count - name.count) <= 2 else { return nil }
        var start = 0
        while start < typed.count, start < name.count, typed[start] == name[start] { start += 1 }
        var (typedEnd, nameEnd) = (typed.count, name.count)
        while typedEnd > start, nameEnd > start, typed[typedEnd - 1] == name[nameEnd - 1] {
            typedEnd -= 1
            nameEnd -= 1
        }
        switch (typedEnd - start, nameEnd - start) {
        case (0, 0): return Outcome(edits: 0, cost: 0)
        case (0, 1): return Outcome(edits: 1, cost: missingCost(name, start))
        case (1, 0): return Outcome(edits: 1, cost: extraCost(typed, start))
        case (1, 1): return Outcome(edits: 1, cost: wrongCost(typed[start], name[start], at: start))
        case (2, 2) where typed[start] == name[start + 1] && typed[start + 1] == name[start]:
            return Outcome(edits: 1, cost: swapped + (start == 0 ? firstLetter / 2 : 0))
        default: return align(typed, start..<typedEnd, name, start..<nameEnd)
        }
    }

    private static func missingCost(_ name: [UInt32], _ at: Int) -> Double {
        if at > 0, name[at - 1] == name[at] { return missingDouble }
        if at + 1 < name.count, name[at + 1] == name[at] { return missingDouble }
        return at == 0 ? firstLetter : missing
    }

    private static func extraCost(_ typed: [UInt32], _ at: Int) -> Double {
        if at > 0, typed[at - 1] == typed[at] { return extraDouble }
        if at + 1 < typed.count, typed[at + 1] == typed[at] { return extraDouble }
        return at == 0 ? extra + firstLetter : extra
    }

    private static func wrongCost(_ typed: UInt32, _ meant: UInt32, at: Int) -> Double {
        let more = at == 0 ? firstLetter : 0
        if isVowel(typed), isVowel(meant) { return wrongVowel + more }
        return (areNeighbours(typed, meant) ? wrongNeighbour : wrong) + more
    }

    private static func isVowel(_ letter: UInt32) -> Bool {
        switch letter {
        case 0x61, 0x65, 0x69, 0x6F, 0x75, 0x79: true
        default: false
        }
    }

    private static let rows: [[UInt8]] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"].map { Array($0.utf8) }

    /// The neighbours of each letter on an English keyboard, as bits.
    private static let neighbours: [UInt32] = {
        var bits = [UInt32](repeating: 0, count: 26)
        for (row, letters) in rows.enumerated() {
            for (column, letter) in letters.enumerated() {
                for (otherRow, others) in rows.enumerated() where abs(otherRow - row) <= 1 {
                    for near in [column - 1, column, column + 1] where others.indices.contains(near) {
                        bits[Int(letter) - 97] |= 1 << UInt32(others[near] - 97)
                    }
                }
            }
        }
        return bits
    }()

    private static func areNeighbours(_ first: UInt32, _ second: UInt32) -> Bool {
        guard (97...122).contains(first), (97...122).contains(second) else { return false }
        return neighbours[Int(first) - 97] & (1 << (second - 97)) != 0
    }

    /// The maximum number of edits.
    private static let mostEdits = 2
    /// The cost of an edit during an alignment, more than all surcharges together, so that the fewest edits win.
    private static let unit = 10.0

    /// Returns the cheapest alignment of two ranges with at most two edits (optimal string alignment).
    ///
    /// A path with two edits never leaves the two diagonals on either side of the main one, so only these five are
    /// computed (E. Ukkonen, "Algorithms for Approximate String Matching", 1985), and none is stored but those of the
    /// last three rows. Most names fail within the first rows.
    private static func align(
        _ typed: [UInt32],
        _ typedRange: Range<Int>,
        _ name: [UInt32],
        _ nameRange: Range<Int>
    ) -> Outcome? {
        let (rows, columns) = (typedRange.count, nameRange.count)
        guard rows <= 48, columns <= 48, abs(rows - columns) <= mostEdits else { return nil }
        // Column `row + lane - 2` is in this lane; outside the table and the band, no path exists.
        let none = SIMD8<Double>(repeating: .infinity)
        let middle = mostEdits
        var (beforeLast, last) = (none, none)
        for row in 0...rows {
            var costs = none
            for lane in 0...(2 * mostEdits) {
                let column = row + lane - middle
                guard column >= 0, column <= columns else { continue }
                guard row + column > 0 else {
                    costs[lane] = 0
                    continue
                }
                var best = Double.infinity
                let (i, j) = (typedRange.lowerBound + row - 1, nameRange.lowerBound + column - 1)
                if row > 0 { best = min(best, last[lane + 1] + unit + extraCost(typed, i)) }
                if column > 0, lane > 0 { best = min(best, costs[lane - 1] + unit + missingCost(name, j)) }
                if row > 0, column > 0 {
                    let step = typed[i] == name[j] ? 0 : unit + wrongCost(typed[i], name[j], at: j)
                    best = min(best, last[lane] + step)
                }
                if row > 1, column > 1, typed[i] == name[j - 1], typed[i - 1] == name[j] {
                    best = min(best, beforeLast[lane] + unit + swapped)
                }
                costs[lane] = best
            }
            // A swap reaches over one row.
            let least = min(costs.min(), row > 0 ? last.min() + unit : .infinity)
            if least >= unit * (Double(mostEdits) + 0.5) { return nil }
            (beforeLast, last) = (last, costs)
        }
        let sum = last[columns - rows + middle]
        guard sum < unit * (Double(mostEdits) + 0.5) else { return nil }
        let edits = Int((sum / unit).rounded())
        return Outcome(edits: edits, cost: sum - Double(edits) * unit)
    }
}
