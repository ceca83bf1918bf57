/// Counts the values of stories over all segments of a snapshot.
///
/// Values are counted by their numbers in a segment. The first segment, usually by far the largest, keeps its numbers,
/// so that only values of later segments are looked up.
struct ValueTally<Value: Hashable & Sendable> {
    private let base: Interner<Value>
    private var sums: NumberTally
    /// The counts of values that the first segment does not know.
    private var others: [Value: Int] = [:]

    /// Creates a tally of values that the first segment numbers by `base`.
    init(_ base: Interner<Value>) {
        self.base = base
        sums = NumberTally(count: 0)
    }

    /// Adds the counts of a segment whose values are numbered by `words`; with `isBase`, those of the first segment.
    mutating func add(_ tally: inout NumberTally, _ words: Interner<Value>, isBase: Bool) {
        guard !isBase else { return sums = tally }
        tally.drain { number, count in
            let value = words[number]
            if let known = base.number(of: value) {
                sums.add(known, count)
            } else {
                others[value, default: 0] += count
            }
        }
    }

    /// Calls `body` with every value that has stories, in no particular order, and forgets the counts.
    mutating func drain(_ body: (_ value: Value, _ count: Int) -> Void) {
        sums.drain { number, count in
            if count > 0 { body(base[number], count) }
        }
        for (value, count) in others where count > 0 { body(value, count) }
    }
}

/// Counts numbers below a maximum, and remembers which occurred: most do not occur in a small box.
struct NumberTally: Sendable {
    private var counts: [Int32]
    private var touched: [UInt32] = []

    /// Creates an empty tally of the numbers below `count`.
    init(count: Int) { counts = [Int32](repeating: 0, count: count) }

    /// Adds to the count of a number; ``IndexedStory/none`` is ignored.
    mutating func add(_ number: UInt32, _ change: Int) {
        guard Int(number) < counts.count else { return }
        if counts[Int(number)] == 0 { touched.append(number) }
        counts[Int(number)] += Int32(change)
    }

    /// Calls `body` once with each number whose count is not zero, and sets all counts to zero.
    mutating func drain(_ body: (_ number: UInt32, _ count: Int) -> Void) {
        for number in touched where counts[Int(number)] != 0 {
            body(number, Int(counts[Int(number)]))
            counts[Int(number)] = 0
        }
        touched = []
    }
}
