import App
import Library
import Foundation
import Notifications
import Synchronization
import Testing

@Suite("Egress")
struct EgressTests {
    /// Sends nothing.
    private struct NoSender: ChannelSender {
        func send(_ message: OutgoingMessage) async throws -> ChannelAnswer { throw CancellationError() }
    }

    @Test("A link costs the same after many were written: the address is not wrapped again")
    func sameDepth() throws {
        let depths = Mutex<[Int]>([])
        let egress = Egress()
        egress.open(NoSender(), writer: ChannelWriter()) {
            depths.withLock { $0.append(Thread.callStackReturnAddresses.count) }
            return "https://stories.example.org"
        }
        for _ in 0..<40 { #expect(egress.address == "https://stories.example.org") }
        let seen = depths.withLock { $0 }
        let (first, last) = (try #require(seen.first), try #require(seen.last))
        #expect(last == first, "\(first) frames at the first link, \(last) at the last")
    }
}
