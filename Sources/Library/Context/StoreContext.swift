package import Storage
package import Stories

/// The dependencies of every service of the library: the database, the clock, and the source of ids and secrets.
package struct StoreContext: Sendable {
    /// The database.
    package let store: StoryStore
    /// The clock that stamps changes: steady while the wall clock jumps.
    package let clock: ServiceClock
    /// The id of the machine's current boot, or `nil` if it is unknown.
    package let boot: String?
    /// The source of ids and secrets.
    package let random: RandomSource
    /// The warnings of parts that the library does not know.
    package let board = WarningBoard()

    /// Creates a value from its parts.
    package init(store: StoryStore, clock: ServiceClock, boot: String?, random: RandomSource) {
        self.store = store
        self.clock = clock
        self.boot = boot
        self.random = random
    }

    /// The current time by ``clock``.
    package var now: @Sendable () -> Timestamp { { [clock] in clock.now } }

    /// The current time for measuring the age of data to destroy.
    ///
    /// It is never later than the confirmed time, so no data seems too old because the clock is ahead. See
    /// ``ConfirmedTime``.
    package var certainTime: Timestamp { clock.certain }
}
