import Foundation

/// What this thread and this process have used.
enum BenchClock: Sendable {
    /// Seconds of processor time that `body` takes on this thread, so that what else the machine does counts little.
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

    /// The bytes of memory that the process holds, zero where the system does not say.
    static var memory: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
