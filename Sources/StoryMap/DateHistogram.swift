public import Stories

/// The number of stories over time (MAP-12).
///
/// The days are divided into bins that differ by at most one day: of *D* days and *N* bins, bin *i* holds the days from
/// *i·D/N* up to but not including *(i+1)·D/N*, both rounded down. A story counts in every bin that its span of days
/// overlaps, just as the filters `from` and `to` find it, so the counts of the bins can sum to more than ``total``.
public struct DateHistogram: Hashable, Sendable {
    /// A range of days with the number of stories that may have happened on them.
    public struct Bin: Hashable, Sendable {
        /// The days.
        public let days: ClosedRange<CalendarDay>
        /// The number of stories that overlap the days.
        public let count: Int
    }

    /// The whole range; `nil` if no story overlaps the given range, or if no range was given and no story is dated.
    public let days: ClosedRange<CalendarDay>?
    /// The bins in order of time, at most one per day.
    public let bins: [Bin]
    /// The number of stories that overlap the range, each counted once.
    public let total: Int
    /// The number of stories without a date.
    public let undated: Int

    /// Creates the histogram of the given spans over the days from `from` to `to`.
    ///
    /// A missing bound defaults to the earliest or latest known day of any story; "before 1900" ends in 1899.
    ///
    /// - Complexity: O(*n*) in the spans.
    init(_ spans: DateSpans, from: CalendarDay?, to: CalendarDay?, bins: Int) {
        undated = spans.undated
        let first = from?.daysSince1970 ?? spans.first
        let last = to?.daysSince1970 ?? spans.last
        guard let first, let last, first <= last else {
            self.days = nil
            self.bins = []
            total = 0
            return
        }
        days = CalendarDay(daysSince1970: first)...CalendarDay(daysSince1970: last)
        let division = Division(first: Int(first), days: Int(last) - Int(first) + 1, bins: bins)
        // Adds one in the first bin of a span and subtracts one after its last.
        var changes = [Int](repeating: 0, count: division.bins + 1)
        var total = 0
        for span in spans.dated where span.first <= last && span.last >= first {
            total += Int(span.sign)
            changes[division.bin(of: Int(max(first, span.first)))] += Int(span.sign)
            changes[division.bin(of: Int(min(last, span.last))) + 1] -= Int(span.sign)
        }
        self.total = total
        var count = 0
        self.bins = (0..<division.bins)
            .map { index in
                count += changes[index]
                return Bin(days: division.days(of: index), count: count)
            }
    }

    /// A range of days divided into bins.
    private struct Division {
        let first: Int
        let days: Int
        let bins: Int

        init(first: Int, days: Int, bins: Int) {
            self.first = first
            self.days = days
            self.bins = min(max(1, bins), days)
        }

        /// Returns the bin of a day: the last that begins on or before it.
        func bin(of day: Int) -> Int { ((day - first + 1) * bins - 1) / days }

        private func start(of bin: Int) -> Int { first + bin * days / bins }

        func days(of bin: Int) -> ClosedRange<CalendarDay> {
            let (start, end) = (start(of: bin), start(of: bin + 1) - 1)
            return CalendarDay(daysSince1970: Int32(start))...CalendarDay(daysSince1970: Int32(end))
        }
    }
}

/// The spans of days of stories that were added, and of those removed again.
struct DateSpans: Sendable {
    /// One span, added or removed.
    struct Span: Sendable {
        let first: Int32
        let last: Int32
        /// ±1.
        let sign: Int32
    }

    private(set) var dated: [Span] = []
    private(set) var undated = 0

    mutating func add(_ story: IndexedStory, sign: Int) {
        if story.first <= story.last {
            dated.append(Span(first: story.first, last: story.last, sign: Int32(sign)))
        } else {
            undated += sign
        }
    }

    /// The first known day of all remaining spans; an open beginning is not a day on which anything happened.
    var first: Int32? { least { $0.first == CalendarDay.earliest.daysSince1970 ? $0.last : $0.first } }

    /// The last known day of all remaining spans.
    var last: Int32? {
        least { ~($0.last == CalendarDay.latest.daysSince1970 ? $0.first : $0.last) }.map { ~$0 }
    }

    /// Returns the minimum value of the spans that remain after removals cancel additions.
    private func least(_ value: (Span) -> Int32) -> Int32? {
        let gone = Set(dated.lazy.filter { $0.sign < 0 }.map(value))
        // The minimum of the values without removals is certain to remain; only smaller values must be counted.
        var least: Int32?
        for span in dated where span.sign > 0 {
            let value = value(span)
            if value < least ?? .max || least == nil, !gone.contains(value) { least = value }
        }
        guard !gone.isEmpty else { return least }
        var counts: [Int32: Int32] = [:]
        for span in dated {
            let value = value(span)
            if least.map({ value < $0 }) ?? true { counts[value, default: 0] += span.sign }
        }
        return counts.filter { $0.value > 0 }.keys.min() ?? least
    }
}
