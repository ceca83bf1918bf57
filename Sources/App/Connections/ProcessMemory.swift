import Foundation

/// How the process keeps memory that it has freed.
///
/// glibc gives each thread that meets another in `malloc` an arena of its own, eight for each core, and keeps what is
/// freed in any of them. A service whose every request allocates a little on whichever thread is free so ends up with all
/// arenas as large as the busiest one ever was (mallopt(3), M_ARENA_MAX; malloc_trim(3)).
public enum ProcessMemory: Sendable {
    /// Has few arenas made; to be called before there are threads.
    ///
    /// Elsewhere than with glibc it does nothing.
    public static func prepare() {
        typealias Function = @convention(c) (CInt, CInt) -> CInt
        guard let address = address(of: "mallopt") else { return }
        // M_ARENA_MAX is -8 (malloc.h).
        _ = unsafeBitCast(address, to: Function.self)(-8, 2)
    }

    /// Gives the system back what is free, also amid what is in use; takes some milliseconds for each hundred megabytes.
    static func giveBack() {
        typealias Function = @convention(c) (Int) -> CInt
        guard let address = address(of: "malloc_trim") else { return }
        _ = unsafeBitCast(address, to: Function.self)(0)
    }

    /// A function of the C library, or `nil` where it has none of that name; Swift's module of glibc leaves these out.
    private static func address(of function: String) -> UnsafeMutableRawPointer? {
        #if canImport(Glibc)
        dlsym(nil, function)
        #else
        nil
        #endif
    }
}
