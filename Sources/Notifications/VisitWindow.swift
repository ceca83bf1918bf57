public import Stories

/// Collects the visits of one user for a few seconds, so that places entered together are announced together.
///
/// A value on the evaluator's clock: live and replayed visits fall into the same windows.
public struct VisitWindow: Hashable, Sendable {
    /// How long a window stays open, in milliseconds.
    public let span: Int64
    /// The visits of the open window.
    public private(set) var visits: [PlaceVisit] = []

    /// Creates a closed window; `span` is clamped into 0...60,000 milliseconds.
    public init(span: Int64 = NoticeOptions().window) {
        self.span = min(60_000, max(0, span))
    }

    /// When the open window closes, or `nil` when none is open.
    public var closesAt: Timestamp? {
        visits.first.map {
            Timestamp(milliseconds: $0.decidedAt.milliseconds.addingReportingOverflow(span).partialValue)
        }
    }

    /// Adds a visit, in the order of decisions, and returns the visits of the window it closed, if it did.
    public mutating func add(_ visit: PlaceVisit) -> [PlaceVisit] {
        var closed: [PlaceVisit] = []
        if let end = closesAt, visit.decidedAt > end { closed = close() }
        visits.append(visit)
        return closed
    }

    /// Closes the window and returns its visits.
    public mutating func close() -> [PlaceVisit] {
        defer { visits = [] }
        return visits
    }
}
