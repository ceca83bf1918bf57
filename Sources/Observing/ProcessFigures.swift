import Foundation

/// What the system says about this process, under the names that Prometheus' own libraries use.
public enum ProcessFigures: Sendable {
    /// The figures at this moment; those that the system does not tell are absent.
    public static var families: [MetricFamily] {
        guard let status = Status() else { return [] }
        var families: [MetricFamily] = [
            .counter("process_cpu_seconds_total", status.cpuSeconds, "The time that the processors worked for it."),
            .gauge("process_resident_memory_bytes", status.resident, "The memory that it holds."),
            .gauge("process_virtual_memory_bytes", status.virtual, "The addresses that it reserved."),
            .gauge("process_threads", status.threads, "The number of its threads."),
        ]
        if let start = status.startSeconds {
            families.append(.gauge("process_start_time_seconds", start, "When it was started, in seconds since 1970."))
        }
        if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            families.append(.gauge("process_open_fds", Double(open), "The number of open files and connections."))
        }
        var limit = rlimit()
        if getrlimit(filesKind, &limit) == 0 {
            families.append(.gauge("process_max_fds", Double(limit.rlim_cur), "The most that may be open."))
        }
        return families
    }

    #if canImport(Glibc)
    private static let filesKind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let filesKind = RLIMIT_NOFILE
    #endif

    /// The numbers of `/proc/self/stat` (proc_pid_stat(5)).
    struct Status: Sendable {
        let cpuSeconds: Double
        let threads: Double
        let virtual: Double
        let resident: Double
        let startSeconds: Double?

        init?() {
            guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8) else { return nil }
            let system = try? String(contentsOfFile: "/proc/stat", encoding: .utf8)
            self.init(
                stat: stat,
                system: system ?? "",
                ticks: Double(sysconf(Int32(_SC_CLK_TCK))),
                page: Double(sysconf(Int32(_SC_PAGESIZE)))
            )
        }

        /// Reads the text of the two files; `ticks` are those of a second, `page` is the size of one in bytes.
        init?(stat: String, system: String, ticks: Double, page: Double) {
            // The name of the program, in brackets, may contain blanks and brackets.
            guard let end = stat.lastIndex(of: ")"), ticks > 0 else { return nil }
            let fields = stat[stat.index(after: end)...].split(separator: " ").map { Double($0) ?? 0 }
            // The first of them is the third of the manual.
            guard fields.count > 21 else { return nil }
            cpuSeconds = (fields[11] + fields[12]) / ticks
            threads = fields[17]
            virtual = fields[20]
            resident = fields[21] * page
            let boot = system.split(separator: "\n").first { $0.hasPrefix("btime ") }
                .flatMap { Double($0.dropFirst(6)) }
            startSeconds = boot.map { $0 + fields[19] / ticks }
        }
    }
}
