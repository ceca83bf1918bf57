import Library
import GRDB
import Storage
import Stories
import TestSupport
import Testing

@Suite("Reading all stories at the start")
struct ParallelLoadTests {
    @Test("MAP-04 Ranges of keys hold every story exactly once, however the keys are spread")
    func ranges() async throws {
        let fixture = try await ServiceFixture()
        let store = fixture.library.store
        #expect(try await store.read { try $0.storyRanges(2) } == [Int64.min...Int64.max])
        try await fixture.makeFamilies()
        let now = fixture.clock.now
        let ids = (1...60).map { StoryID("\(String(repeating: "0", count: 30))\($0 + 10)") }
        try await store.write { transaction in
            for case let id? in ids {
                try transaction.insert(
                    Story(id: id, kind: .photo, title: "One", owner: UserID("ana") ?? .archive, createdAt: now)
                )
            }
        }
        // Keys far apart, as after many deletions.
        try store.inspect { try $0.execute(sql: "UPDATE stories SET fid = fid * 1001 WHERE fid % 3 <> 0") }
        for parts in 1...7 {
            let (ranges, read) = try await store.read { transaction in
                let ranges = try transaction.storyRanges(parts)
                var read: [StoryID] = []
                for range in ranges { try transaction.forEachStory(in: range) { read.append($0.id) } }
                return (ranges, read)
            }
            #expect(ranges.count == parts && ranges.first?.lowerBound == .min && ranges.last?.upperBound == .max)
            #expect(read.count == 60 && Set(read) == Set(ids.compactMap(\.self)), "\(parts)")
        }
    }
}
