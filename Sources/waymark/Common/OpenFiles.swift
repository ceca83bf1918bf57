import Foundation

/// The limit on the process's open files and connections.
enum OpenFiles {
    /// Raises the limit to the maximum that the system allows this user: each connection counts, and the limit
    /// inherited from a shell is often a thousand.
    static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(.init(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(.init(RLIMIT_NOFILE.rawValue), &limit)
    }
}
