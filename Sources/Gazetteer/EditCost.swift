/// The cost of a misspelling, as an order of magnitude of its frequency.
///
/// The noisy channel model (Kernighan, Church, Gale 1990): each position has 25 wrong letters, but only one letter to
/// omit and one to swap with, so of two names one edit away, the one reached by an omission or a swap is likelier.
/// Doubled letters, vowels and keyboard neighbours are confused more often than others.
enum EditCost: Sendable {
    /// The cost of one text as a misspelling of another.
    struct Outcome: Sendable {
        /// The number of edits.
        var edits: Int
        /// The cost of these edits beyond the basic cost of a misspelling.
        var cost: Double
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
    static func between(_ typed: [UInt32], _ name: [UInt32]) -> Outcome? {
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

    /// Returns the cheapest alignment of two ranges with at most two edits (optimal string alignment).
    private static func align(
        _ typed: [UInt32],
        _ typedRange: Range<Int>,
        _ name: [UInt32],
        _ nameRange: Range<Int>
    ) -> Outcome? {
        let (rows, columns) = (typedRange.count, nameRange.count)
        guard rows <= 48, columns <= 48 else { return nil }
        // An edit costs more than all surcharges together, so that the fewest edits win.
        let unit = 10.0
        let width = columns + 1
        var table = [Double](repeating: 0, count: (rows + 1) * width)
        for row in 0...rows {
            for column in 0...columns where row + column > 0 {
                var best = Double.infinity
                let (i, j) = (typedRange.lowerBound + row - 1, nameRange.lowerBound + column - 1)
                if row > 0 { best = min(best, table[(row - 1) * width + column] + unit + extraCost(typed, i)) }
                if column > 0 { best = min(best, table[row * width + column - 1] + unit + missingCost(name, j)) }
                if row > 0, column > 0 {
                    let step = typed[i] == name[j] ? 0 : unit + wrongCost(typed[i], name[j], at: j)
                    best = min(best, table[(row - 1) * width + column - 1] + step)
                }
                if row > 1, column > 1, typed[i] == name[j - 1], typed[i - 1] == name[j] {
                    best = min(best, table[(row - 2) * width + column - 2] + unit + swapped)
                }
                table[row * width + column] = best
            }
        }
        let sum = table[rows * width + columns]
        let edits = Int((sum / unit).rounded())
        guard edits <= 2 else { return nil }
        return Outcome(edits: edits, cost: sum - Double(edits) * unit)
    }
}
