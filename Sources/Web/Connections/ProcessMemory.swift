import Foundation

/// Controls how the process retains freed memory.
///
/// glibc gives each thread that meets contention in `malloc` its own arena, up to eight per core, and retains freed
/// memory in all of them. A service in which every request allocates a little on any free thread thus ends up with all
/// arenas as large as the busiest one ever was (mallopt(3), M_ARENA_MAX; malloc_trim(3)).
public enum ProcessMemory: Sendable {
    /// Limits the number of arenas; call it before any threads exist.
    ///
    /// Without glibc it has no effect.
    public static func prepare() {
        typealias Function = @convention(c) (CInt, CInt) -> CInt
        guard let address = address(of: "mallopt") else { return }
        // M_ARENA_MAX is -8 (malloc.h).
        _ = unsafeBitCast(address, to: Function.self)(-8, 2)
    }

    /// Returns free memory to the system, even between blocks in use; takes a few milliseconds per hundred megabytes.
    static func giveBack() {
        typealias Function = @convention(c) (Int) -> CInt
        guard let address = address(of: "malloc_trim") else { return }
        _ = unsafeBitCast(address, to: Function.self)(0)
    }

    /// Looks up a function of the C library by name, because Swift's glibc module omits the functions used here;
    /// returns `nil` if there is none.
    private static func address(of function: String) -> UnsafeMutableRawPointer? {
        #if canImport(Glibc)
        dlsym(nil, function)
        #else
        nil
        #endif
    }
}
