import Foundation
import Stories

/// The clocks of this machine, which are read only here.
enum SystemClock: Sendable {
    /// The wall clock, which can be set.
    static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }

    /// The monotonic clock in milliseconds since the machine started, including sleep.
    static var running: Int64 {
        var time = timespec()
        #if os(Linux)
        clock_gettime(CLOCK_BOOTTIME, &time)
        #else
        // Elsewhere, this clock includes the time asleep.
        clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The id of the machine's current boot, or `nil` if the system does not report it.
    static let boot: String? = {
        guard let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8) else {
            return nil
        }
        let id = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return id.isEmpty ? nil : id
    }()
}
