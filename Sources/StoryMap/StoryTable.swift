import Geometry
import Stories

/// A hash table of rows by story id: open addressing, four bytes per slot.
///
/// The ids are stored elsewhere; callers pass them in.
struct StoryTable: Sendable {
    /// Zero for an empty slot, otherwise the row plus one.
    private var slots: [UInt32]
    /// The number of rows in the table.
    private(set) var count = 0

    /// The size of the slots in bytes.
    var bytes: Int { slots.bytes }

    private init(capacity: Int) {
        var size = 4
        // At most three out of four slots are filled.
        while size * 3 < capacity * 4 { size *= 2 }
        slots = [UInt32](repeating: 0, count: size)
    }

    /// Creates the table of all rows; if several rows have the same id, the first one is found first.
    init(_ rows: [IndexedStory]) {
        self.init(capacity: rows.count)
        count = rows.count
        for (row, story) in rows.enumerated() {
            var slot = slot(of: story.id)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(row + 1)
        }
    }

    /// Creates a table of the rows below `count` with only the last row of each id.
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
