import Foundation

/// How many files and connections the process may have open.
enum OpenFiles {
    /// Raises the limit to the most that the system allows this user: each connection counts, and what a shell hands on
    /// is often a thousand.
    static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(.init(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(.init(RLIMIT_NOFILE.rawValue), &limit)
    }
}
