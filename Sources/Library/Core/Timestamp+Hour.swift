package import Stories

extension Timestamp {
    /// The beginning of the hour: no more is stored of when a key or session was used.
    package var startOfHour: Timestamp { Timestamp(milliseconds: milliseconds - milliseconds % 3_600_000) }

    /// The beginning of the day in UTC: no more is stored of when a link was used.
    package var startOfDay: Timestamp { Timestamp(milliseconds: milliseconds - milliseconds % 86_400_000) }
}
