import Synchronization

/// What there is no room for on the disk of a database.
public enum DiskShortage: Hashable, Sendable {
    /// The last write that may not use the reserve found no room.
    case refusing
    /// Writes find room, but the reserve for withdrawals and erasures is not whole.
    case reserveUsed
}

/// Whether the disk had room for what was written last.
final class DiskGauge: Sendable {
    /// With less than this free, in bytes, a small write that fits does not mean that the next one does.
    private static let enough = 1 << 20

    private let isRefusing = Mutex(false)

    /// What there is no room for; `nil` when all is well.
    func shortage(_ reserve: DiskReserve) -> DiskShortage? {
        if isRefusing.withLock({ $0 }) { return .refusing }
        return reserve.isWhole ? nil : .reserveUsed
    }

    /// Notes that something was not written for want of room.
    func refuse() { isRefusing.withLock { $0 = true } }

    /// Notes that something was written without the reserve.
    func accept(room: @autoclosure () -> Int) {
        isRefusing.withLock { if $0, room() >= DiskGauge.enough { $0 = false } }
    }
}
