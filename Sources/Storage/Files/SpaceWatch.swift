import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The free space below which a service warns, and below which it refuses ordinary writes; in bytes, 0 for never.
///
/// A store has none until ``StoryStore/watchSpace(_:measuring:now:)``: a command that only adds a token, and a test on a
/// small disk in memory, work until the disk is full.
public struct SpaceLimits: Hashable, Sendable {
    /// Below this, the operator is warned.
    public let warnBelow: Int
    /// Below this, only withdrawals, deletions, revocations and erasures are stored.
    public let refuseBelow: Int

    /// Creates limits.
    public init(warnBelow: Int, refuseBelow: Int) {
        self.warnBelow = warnBelow
        self.refuseBelow = refuseBelow
    }

    /// No limits.
    public static let none = SpaceLimits(warnBelow: 0, refuseBelow: 0)
    /// The limits of `waymark serve` and `waymark import`: 1 GB and 200 MB.
    public static let standard = SpaceLimits(warnBelow: 1_000_000_000, refuseBelow: 200_000_000)
}

/// Measures the free space of the database's disk, at most once a second, and compares it with the limits.
final class SpaceWatch: Sendable {
    /// How long a measurement is good for, in milliseconds.
    private static let validity: Int64 = 1_000

    /// Closures stored directly in a `Mutex` would be wrapped anew by every access; as fields they stay as they are.
    private struct State: Sendable {
        var limits = SpaceLimits.none
        var measure: @Sendable () -> Int? = { nil }
        var now: @Sendable () -> Int64 = { 0 }
        var last: (at: Int64, free: Int?)?
    }

    private let state = Mutex(State())

    /// Watches by these limits from now on.
    ///
    /// `measure` returns the number of free bytes, or `nil` if they are unknown, which counts as plenty. `now` is a
    /// monotonic clock in milliseconds.
    func watch(_ limits: SpaceLimits, measure: @escaping @Sendable () -> Int?, now: @escaping @Sendable () -> Int64) {
        state.withLock { $0 = State(limits: limits, measure: measure, now: now) }
    }

    /// The limits.
    var limits: SpaceLimits { state.withLock(\.limits) }

    /// The number of free bytes, at most a second old; `nil` if unknown.
    var free: Int? {
        state.withLock { state in
            let now = state.now()
            if let last = state.last, now >= last.at, now - last.at < SpaceWatch.validity { return last.free }
            let free = state.measure()
            state.last = (now, free)
            return free
        }
    }

    /// Whether ordinary writes are refused at present; measures nothing without a limit.
    var refusesWrites: Bool {
        let limit = limits.refuseBelow
        return limit > 0 && free.map { $0 < limit } ?? false
    }

    /// The shortage by the limits; `nil` if there is none.
    var shortage: DiskShortage? {
        let limits = limits
        guard limits != .none, let free else { return nil }
        if free < limits.refuseBelow { return .refusingEarly(free: free, limit: limits.refuseBelow) }
        return free < limits.warnBelow ? .low(free: free, limit: limits.warnBelow) : nil
    }

    /// Returns the number of bytes that an ordinary program may still write into a folder; `nil` if unknown.
    static func free(in folder: String) -> Int? {
        var room = statvfs()
        guard statvfs(folder, &room) == 0 else { return nil }
        let bytes = UInt64(room.f_bavail).multipliedReportingOverflow(by: UInt64(room.f_frsize))
        return bytes.overflow ? .max : Int(clamping: bytes.partialValue)
    }

    /// Returns the monotonic time in milliseconds.
    static func monotonic() -> Int64 {
        var time = timespec()
        guard clock_gettime(CLOCK_MONOTONIC, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// Less space is free than the operator wants to keep, so an ordinary write was not made; see ``SpaceLimits``.
///
/// It is no ``StoreError`` while a group of writes is committed: a write for which the disk is really full is tried again
/// with the reserve, and this one is not.
struct SpaceShort: Error {
    /// What the caller gets.
    static func explained(path: String) -> StoreError {
        StoreError(
            .diskFull,
            "The disk has less free space than is kept for withdrawals and erasures; nothing was written to \(path). "
                + "Free some space and try again."
        )
    }
}
