import Foundation

/// The resources used by this thread and this process.
enum BenchClock: Sendable {
    /// Returns the processor time in seconds that `body` takes on this thread, which other load on the machine affects
    /// little.
    static func seconds(_ body: () -> Void) -> Double {
        let start = now
        body()
        return now - start
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    /// The memory used by the process in bytes, zero if the system does not report it.
    static var memory: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
