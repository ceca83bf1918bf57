package import Storage
package import Stories

/// A service of the library: the use cases of one feature over the database, with their own state.
package protocol StoreService: Sendable {
    /// The database, the clock, and the source of ids and secrets.
    var context: StoreContext { get }
}

extension StoreService {
    /// The database.
    package var store: StoryStore { context.store }

    /// The current time.
    package var now: @Sendable () -> Timestamp { context.now }

    /// The source of ids and secrets.
    package var random: RandomSource { context.random }
}
