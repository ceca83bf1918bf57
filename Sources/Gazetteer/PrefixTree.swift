/// The best rank in each stretch of the sorted names, in levels of increasingly long stretches.
///
/// It finds the best-known names with a prefix without examining all of them.
package struct PrefixTree: Sendable {
    /// The number of names, or of stretches of the level below, in a stretch.
    package static let width = 16

    /// The levels, u32 each, stored consecutively, the shortest stretches first.
    private let words: ByteView
    /// The start of each level above the names, and its number of stretches.
    private let levels: [(start: Int, count: Int)]

    /// Reads the levels over `count` names; ranks missing from a damaged file are read as zero.
    init(words: ByteView, count: Int) {
        self.words = words
        var levels: [(start: Int, count: Int)] = []
        var start = 0
        var size = count
        while size > Self.width {
            size = (size + Self.width - 1) / Self.width
            levels.append((start, size))
            start += size
        }
        self.levels = levels
    }

    /// A stretch: its level, 0 for single names, and its index there.
    struct Stretch: Sendable {
        var level: Int
        var number: Int
    }

    /// Returns the best rank in a stretch of level 1 or higher.
    func rank(_ stretch: Stretch) -> Int {
        guard stretch.level > 0, stretch.level <= levels.count else { return 0 }
        return Int(words.load((levels[stretch.level - 1].start + stretch.number) * 4, as: UInt32.self))
    }

    /// Calls `body` with the longest stretches that together form exactly the names in `range`.
    func forEachStretch(of range: Range<Int>, _ body: (Stretch) -> Void) {
        var (low, high) = (range.lowerBound, range.upperBound)
        var level = 0
        while low < high {
            // Names, or stretches, before the first and after the last whole stretch of the next level.
            guard level < levels.count else {
                for number in low..<high { body(Stretch(level: level, number: number)) }
                return
            }
            while low < high, low % Self.width != 0 {
                body(Stretch(level: level, number: low))
                low += 1
            }
            while high > low, high % Self.width != 0 {
                high -= 1
                body(Stretch(level: level, number: high))
            }
            low /= Self.width
            high /= Self.width
            level += 1
        }
    }

    /// Returns the stretches one level below that form `stretch`.
    func parts(of stretch: Stretch, names count: Int) -> Range<Int> {
        let below = stretch.level - 1
        let size = below == 0 ? count : levels[below - 1].count
        let start = min(size, stretch.number * Self.width)
        return start..<min(size, start + Self.width)
    }
}
