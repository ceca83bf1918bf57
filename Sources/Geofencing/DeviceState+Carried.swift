extension DeviceState {
    /// For how long the device that moved last counts as the one that is carried, in milliseconds.
    public static let carriedFor: Int64 = 600_000

    /// Finds which of a person's devices they carry, so that a tablet left at home does not speak for them.
    ///
    /// - Parameters:
    ///   - states: the states of all devices of the person.
    ///   - now: the receiver's clock, milliseconds since 1970.
    /// - Returns: the position of the one that moved last, of those equally late the first; `nil` when none has moved within
    ///   ``carriedFor``, so that each may be the one.
    public static func carried(among states: [DeviceState], at now: Int64) -> Int? {
        var carried: (index: Int, movedAt: Int64)?
        for (index, state) in states.enumerated() {
            guard let movedAt = state.movedAt, now.subtractingReportingOverflow(movedAt).partialValue <= carriedFor
            else {
                continue
            }
            if carried.map({ movedAt > $0.movedAt }) ?? true { carried = (index, movedAt) }
        }
        return carried?.index
    }
}
