import Foundation
import Stories

/// The clocks of this machine, read here and nowhere else.
enum SystemClock: Sendable {
    /// The clock on the wall, which can be set.
    static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }

    /// The clock that only runs, in milliseconds since the machine started, also while it sleeps.
    static var running: Int64 {
        var time = timespec()
        #if os(Linux)
        clock_gettime(CLOCK_BOOTTIME, &time)
        #else
        // There it counts on while the machine sleeps.
        clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Which run of the machine this is, or `nil` where the system does not say.
    static let boot: String? = {
        guard let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8) else {
            return nil
        }
        let id = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return id.isEmpty ? nil : id
    }()
}
