import Geometry

extension Story {
    /// The day of the story, or `nil` if its date is unknown or less precise than a day.
    public var day: CalendarDay? { date.flatMap { $0.first == $0.last ? $0.first : nil } }

    /// Returns whether another story of the owner reveals this story's position more closely than its cell does: a
    /// story of the same day, shown more precisely, in the same cell or next to it (PRV-09).
    ///
    /// Viewers are not shown the day. But anyone who learns from text, pictures or a list of trips that the two stories
    /// belong together knows that they were recorded on one walk.
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
