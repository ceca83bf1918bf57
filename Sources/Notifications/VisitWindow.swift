public import Stories

/// Collects the visits of one user for a few seconds, so that places entered together are announced together.
///
/// It waits only while another place of theirs is undecided; once nothing is, ``close()`` ends it. A value on the evaluator's clock:
/// live and replayed visits fall into the same windows.
public struct VisitWindow: Hashable, Sendable {
    /// How long a window stays open at most, in milliseconds.
    public let span: Int64
    /// The visits of the open window, in the order in which they are announced.
    public private(set) var visits: [PlaceVisit] = []

    /// Creates a closed window; `span` is clamped into 0...60,000 milliseconds.
    public init(span: Int64 = NoticeOptions().window) {
        self.span = min(60_000, max(0, span))
    }

    /// Continues a window with the visits it held.
    public init(span: Int64 = NoticeOptions().window, continuing visits: [PlaceVisit]) {
        self.init(span: span)
        self.visits = visits.sorted(by: PlaceVisit.precedes)
    }

    /// When the open window closes at the latest, or `nil` when none is open.
    public var closesAt: Timestamp? {
        visits.first.map {
            Timestamp(milliseconds: $0.decidedAt.milliseconds.addingReportingOverflow(span).partialValue)
        }
    }

    /// Adds a visit and returns the visits of the window it closed, if it did.
    public mutating func add(_ visit: PlaceVisit) -> [PlaceVisit] {
        let closed = pass(visit.decidedAt)
        // Of two devices the slower may tell of the earlier.
        let index = visits.firstIndex { PlaceVisit.precedes(visit, $0) } ?? visits.count
        visits.insert(visit, at: index)
        return closed
    }

    /// Lets the clock move on; returns the visits of the window if its time is over.
    public mutating func pass(_ time: Timestamp) -> [PlaceVisit] {
        guard let end = closesAt, time > end else { return [] }
        return close()
    }

    /// Closes the window, because nothing else is undecided, and returns its visits.
    public mutating func close() -> [PlaceVisit] {
        defer { visits = [] }
        return visits
    }
}
