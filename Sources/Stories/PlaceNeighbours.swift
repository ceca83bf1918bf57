import Geometry

extension Story {
    /// The one day the story happened on, `nil` when that is not known so exactly.
    public var day: CalendarDay? { date.flatMap { $0.first == $0.last ? $0.first : nil } }

    /// Whether another story of the owner's helps others to place this one better than its cell does: of the same day,
    /// shown more exactly, and where the cell is or beside it (PRV-09).
    ///
    /// Others are not told the day. But who finds out by other ways, by words, pictures or a list of trips, that the two
    /// belong together, knows that they were told on one walk.
    public func isNarrowed(by other: Story) -> Bool {
        guard other.id != id, other.owner == owner, let day, other.day == day else { return false }
        guard effectivePrivacy != .private, other.effectivePrivacy != .private else { return false }
        guard let location, let theirs = other.location, let point = other.publishedPoint else { return false }
        guard theirs.published != location.published,
            location.published.stricter(theirs.published) == location.published
        else { return false }
        guard let cell = location.published.cell else { return true }
        let reach = cell.degrees / 2 * GreatCircle.metresPerDegree
        return cell.box(of: location.coordinate).expanded(byMetres: reach).contains(point)
    }
}
