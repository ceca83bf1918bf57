import Geometry
import Stories

/// Finds rows by the id of their story: open addressing, four bytes a slot.
///
/// The ids stay where they are; whoever asks passes them along.
struct StoryTable: Sendable {
    /// Zero is empty, otherwise one more than the row.
    private var slots: [UInt32]
    /// How many rows are in the table.
    private(set) var count = 0

    /// The bytes of the slots.
    var bytes: Int { slots.bytes }

    private init(capacity: Int) {
        var size = 4
        // At most three of four slots are filled.
        while size * 3 < capacity * 4 { size *= 2 }
        slots = [UInt32](repeating: 0, count: size)
    }

    /// The table of all rows; of those with one id the first is found first.
    init(_ rows: [IndexedStory]) {
        self.init(capacity: rows.count)
        count = rows.count
        for (row, story) in rows.enumerated() {
            var slot = slot(of: story.id)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(row + 1)
        }
    }

    /// The table of the last row of each id.
    init(lastOf count: Int, id: (Int) -> StoryID) {
        self.init(capacity: count)
        for row in 0..<count {
            let wanted = id(row)
            var slot = slot(of: wanted)
            while slots[slot] != 0, id(Int(slots[slot]) - 1) != wanted { slot = (slot + 1) & (slots.count - 1) }
            if slots[slot] == 0 { self.count += 1 }
            slots[slot] = UInt32(row + 1)
        }
    }

    /// Calls `body` with the rows of a story until it returns `false`.
    func forEachRow(of wanted: StoryID, id: (Int) -> StoryID, while body: (Int) -> Bool) {
        var slot = slot(of: wanted)
        while slots[slot] != 0 {
            let row = Int(slots[slot]) - 1
            if id(row) == wanted, !body(row) { return }
            slot = (slot + 1) & (slots.count - 1)
        }
    }

    private func slot(of id: StoryID) -> Int {
        Int(truncatingIfNeeded: SplitMix64.mix(id.low &+ id.high)) & (slots.count - 1)
    }
}
