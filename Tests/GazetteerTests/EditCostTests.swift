import Gazetteer
import Geometry
import Testing

/// The cost of a misspelling, for which no name with at most two typos may be overlooked.
@Suite("Edit costs")
struct EditCostTests {
    /// Returns the number of edits between two texts (optimal string alignment), computed in the whole table.
    private func edits(_ first: [UInt32], _ second: [UInt32]) -> Int {
        var table = [[Int]](repeating: [Int](repeating: 0, count: second.count + 1), count: first.count + 1)
        for i in 0...first.count {
            for j in 0...second.count {
                guard i > 0, j > 0 else {
                    table[i][j] = i + j
                    continue
                }
                let step = first[i - 1] == second[j - 1] ? 0 : 1
                table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + step)
                if i > 1, j > 1, first[i - 1] == second[j - 2], first[i - 2] == second[j - 1] {
                    table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
                }
            }
        }
        return table[first.count][second.count]
    }

    private func letters(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

    @Test("GEO-01 the number of edits is that of the whole table, and nil beyond two")
    func countsEdits() {
        var generator = SplitMix64(seed: 20_261_127)
        var found = [0, 0, 0, 0]
        for _ in 0..<60_000 {
            let meant = (0..<Int.random(in: 0...14, using: &generator))
                .map { _ in
                    UInt32.random(in: 97...101, using: &generator)
                }
            var typed = meant
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let at = Int.random(in: 0...typed.count, using: &generator)
                let letter = UInt32.random(in: 97...101, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: typed.insert(letter, at: at)
                case 1 where at < typed.count: typed.remove(at: at)
                case 2 where at < typed.count: typed[at] = letter
                case 3 where at + 1 < typed.count: typed.swapAt(at, at + 1)
                default: break
                }
            }
            let expected = edits(typed, meant)
            let outcome = EditCost.between(typed, meant)
            #expect(outcome?.edits == (expected <= 2 ? expected : nil), "\(typed) for \(meant)")
            found[min(3, expected)] += 1
        }
        #expect(found.allSatisfy { $0 > 2_000 }, "\(found)")
    }

    @Test(
        "GEO-01 likelier misspellings cost less",
        arguments: [
            ("misisippi", "mississippi", 2, -0.6), ("atlanat", "atlanta", 1, 0.0), ("atlants", "atlanta", 1, 0.7),
            ("atlante", "atlanta", 1, 0.6), ("atlantq", "atlanta", 1, 0.7), ("atlantk", "atlanta", 1, 1.2),
            ("atlantta", "atlanta", 1, 0.1), ("tlanta", "atlanta", 1, 0.2), ("xatlanta", "atlanta", 1, 1.2),
            ("altanat", "atlanta", 2, 0.0), ("alabxmk", "alabama", 2, 1.9), ("", "ab", 2, 0.2), ("ab", "", 2, 2.2),
        ]
    )
    func costs(typed: String, meant: String, edits: Int, cost: Double) throws {
        let outcome = try #require(EditCost.between(letters(typed), letters(meant)))
        #expect(outcome.edits == edits)
        #expect(abs(outcome.cost - cost) < 1e-9, "\(outcome.cost)")
    }

    @Test("GEO-01 texts beyond the table's size are no misspellings, and do not trap")
    func ignoresLongTexts() {
        let long = [UInt32](repeating: 97, count: 300)
        let other = [UInt32](repeating: 98, count: 300)
        #expect(EditCost.between(long, other) == nil)
        #expect(EditCost.between(long, long)?.edits == 0)
        #expect(EditCost.between([], other) == nil)
    }
}
