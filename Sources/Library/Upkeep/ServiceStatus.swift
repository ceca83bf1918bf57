package import Storage
package import Stories

/// The state of the service as its operator sees it, at one moment; it names nobody.
package struct ServiceStatus: Sendable {
    /// The disk of the database.
    package struct Disk: Sendable {
        /// The free space in bytes; `nil` if it is unknown or not watched.
        package let free: Int?
        /// The limits of the free space.
        package let limits: SpaceLimits
        /// The size of the database in bytes, without its log.
        package let database: Int
        /// The size of its log in bytes.
        package let log: Int
    }

    /// What is under way.
    package struct Traffic: Sendable {
        /// The number of messages that are being sent.
        package let sending: Int
        /// For how long the message that has been due for longest has been due, in milliseconds; 0 if none is due.
        package let deliveryLag: Int
        /// The number of open live streams.
        package let streams: Int
        /// For how long the slowest of them has not accepted a piece, in milliseconds; 0 if all have.
        package let streamLag: Int
    }

    /// When it was read, by the service's clock.
    package let at: Timestamp
    /// Whether the service is ready, and what needs attention.
    package let readiness: Readiness
    /// The last backup; `nil` if none is recorded.
    package let backup: UpkeepRecord?
    /// The last check; `nil` if none is recorded.
    package let check: UpkeepRecord?
    /// The disk.
    package let disk: Disk
    /// The version of SQLite.
    package let sqlite: SQLiteVersion
    /// The outbox, channels and devices.
    package let figures: OperatingFigures
    /// What is under way.
    package let traffic: Traffic

    /// Reads the state; nothing of it is older than a second.
    ///
    /// - Throws: ``StoreError`` if the database does not respond.
    package init(of library: StoryLibrary) async throws {
        let (store, now) = (library.store, library.now())
        readiness = try await Readiness(of: library)
        figures = try await store.read { try $0.operatingFigures(at: now) }
        at = now
        backup = UpkeepRecord(.backup, besideDatabase: store.path)
        check = UpkeepRecord(.check, besideDatabase: store.path)
        disk = Disk(free: store.freeSpace, limits: store.spaceLimits, database: store.size, log: store.logSize)
        sqlite = .current
        traffic = Traffic(
            sending: library.delivery.state.underWay,
            deliveryLag: figures.dueSince.map { max(0, Int(clamping: now.milliseconds &- $0.milliseconds)) } ?? 0,
            streams: library.live.count,
            streamLag: Int(clamping: library.live.longestWait(at: library.clock.lasting))
        )
    }
}
