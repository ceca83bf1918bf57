import Foundation
import ServiceLifecycle

/// Gives memory back to the system after many connections or long bodies ended.
///
/// glibc keeps what was freed for the next time, and so for ever, when something small lies behind it.
struct MemoryUpkeep: Service {
    let counts: ConnectionCounts

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(15))
                guard counts.takeRelease() else { continue }
                // It takes a lock of the allocator for some milliseconds at a time.
                await Task(executorPreference: LongWorkExecutor.shared) { MemoryUpkeep.giveBack() }.value
            }
        }
    }

    /// Returns the pages that hold nothing to the system; does nothing where the C library has no such call.
    static func giveBack() {
        #if os(Linux)
        // `malloc_trim` is glibc's own, declared in a header that Swift's module of it leaves out.
        typealias Trim = @convention(c) (Int) -> Int32
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
        #endif
    }
}
