public import Stories

/// Collects the visits of one user for a few seconds, so that places entered together are announced together.
///
/// A window stays open only while another of the user's places is undecided; once none is, ``close()`` ends it. Windows
/// use the evaluator's clock, so live and replayed visits fall into the same windows.
public struct VisitWindow: Hashable, Sendable {
    /// The maximum time that a window stays open, in milliseconds.
    public let span: Int64
    /// The visits of the open window, in the order in which they are announced.
    public private(set) var visits: [PlaceVisit] = []

    /// Creates a collector without an open window; `span` is clamped to 0...60,000 milliseconds.
    public init(span: Int64 = NoticeOptions().window) {
        self.span = min(60_000, max(0, span))
    }

    /// Restores a window with its visits.
    public init(span: Int64 = NoticeOptions().window, continuing visits: [PlaceVisit]) {
        self.init(span: span)
        self.visits = visits.sorted(by: PlaceVisit.precedes)
    }

    /// The latest time at which the open window closes, or `nil` if none is open.
    public var closesAt: Timestamp? {
        visits.first.map {
            Timestamp(milliseconds: $0.decidedAt.milliseconds.addingReportingOverflow(span).partialValue)
        }
    }

    /// Adds a visit; if it is too late for the open window, closes that window first and returns its visits.
    public mutating func add(_ visit: PlaceVisit) -> [PlaceVisit] {
        let closed = pass(visit.decidedAt)
        // With two devices, the slower one may report the earlier visit.
        let index = visits.firstIndex { PlaceVisit.precedes(visit, $0) } ?? visits.count
        visits.insert(visit, at: index)
        return closed
    }

    /// Advances the clock; returns the visits of the window if it has ended.
    public mutating func pass(_ time: Timestamp) -> [PlaceVisit] {
        guard let end = closesAt, time > end else { return [] }
        return close()
    }

    /// Closes the window because nothing else is undecided, and returns its visits.
    public mutating func close() -> [PlaceVisit] {
        defer { visits = [] }
        return visits
    }
}
