import Synchronization

/// A shortage of disk space for a database.
public enum DiskShortage: Hashable, Sendable {
    /// The last write that may not use the reserve found no space.
    case refusing
    /// Less space is free than ``SpaceLimits/refuseBelow``, so ordinary writes are refused before the disk is full.
    case refusingEarly(free: Int, limit: Int)
    /// Writes find space, but the reserve for withdrawals and erasures is not full.
    case reserveUsed
    /// Less space is free than ``SpaceLimits/warnBelow``.
    case low(free: Int, limit: Int)

    /// Whether ordinary writes are refused.
    public var refusesWrites: Bool {
        switch self {
        case .refusing, .refusingEarly: true
        case .reserveUsed, .low: false
        }
    }
}

/// Tracks whether the disk had space for the last write, and how much space is free.
final class DiskGauge: Sendable {
    /// Below this number of free bytes, the success of one small write does not mean that the next one will fit.
    private static let enough = 1 << 20

    /// The free space of the disk, by the limits of the operator.
    let space = SpaceWatch()
    private let isRefusing = Mutex(false)

    /// Returns the current shortage; `nil` if all is well.
    func shortage(_ reserve: DiskReserve) -> DiskShortage? {
        if isRefusing.withLock({ $0 }) { return .refusing }
        let space = space.shortage
        if let space, space.refusesWrites { return space }
        return reserve.isWhole ? space : .reserveUsed
    }

    /// Records that a write failed for lack of space.
    func refuse() { isRefusing.withLock { $0 = true } }

    /// Records that a write succeeded without the reserve.
    func accept(room: @autoclosure () -> Int) {
        isRefusing.withLock { if $0, room() >= DiskGauge.enough { $0 = false } }
    }
}
