import Foundation
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("Commit listeners")
struct ChangeSignalTests {
    @Test("Announcing a commit costs the same after many commits: the listener is not wrapped again")
    func sameDepth() async throws {
        let fixture = try StoreFixture()
        let depths = Mutex<[Int]>([])
        let listening = fixture.store.onChange { _ in
            depths.withLock { $0.append(Thread.callStackReturnAddresses.count) }
        }
        let story = try makeStory(1)
        for _ in 0..<40 { try await fixture.store.write { try $0.noteRemoved(story.id) } }
        withExtendedLifetime(listening) {}
        let seen = depths.withLock { $0 }
        #expect(seen.count == 40)
        let (first, last) = (try #require(seen.first), try #require(seen.last))
        #expect(last < first + 20, "\(first) frames at the first commit, \(last) at the last")
    }

    @Test("A listener that is let go hears no more commits, and does not take its successor with it")
    func letGo() async throws {
        let fixture = try StoreFixture()
        let heard = Mutex<[String]>([])
        let story = try makeStory(1)
        var first: ChangeListening? = fixture.store.onChange { _ in heard.withLock { $0.append("first") } }
        try await fixture.store.write { try $0.noteRemoved(story.id) }
        withExtendedLifetime(first) {}
        var second: ChangeListening? = fixture.store.onChange { _ in heard.withLock { $0.append("second") } }
        first = nil
        try await fixture.store.write { try $0.noteRemoved(story.id) }
        withExtendedLifetime(second) {}
        second = nil
        try await fixture.store.write { try $0.noteRemoved(story.id) }
        #expect(heard.withLock { $0 } == ["first", "second"])
    }
}
