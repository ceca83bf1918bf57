import Foundation
import GRDB
import Storage
import Stories
import Synchronization
import Testing
import TestSupport

@Suite("Free disk space")
struct SpaceTests {
    /// A disk whose free space a test sets, and how often it was measured.
    private final class Disk: Sendable {
        private let state: Mutex<(free: Int?, count: Int)>

        init(_ free: Int?) { state = Mutex((free, 0)) }

        var count: Int { state.withLock(\.count) }

        func set(_ free: Int?) { state.withLock { $0.free = free } }

        func measure() -> Int? {
            state.withLock { state in
                state.count += 1
                return state.free
            }
        }
    }

    private static let limits = SpaceLimits(warnBelow: 1_000, refuseBelow: 200)

    private func watch(_ fixture: StoreFixture, _ disk: Disk, _ clock: ManualClock) {
        fixture.store.watchSpace(SpaceTests.limits, measuring: disk.measure, now: { clock.now.milliseconds })
    }

    @Test(
        "REL-03 Below a limit the store warns, and below another it refuses ordinary writes",
        arguments: [
            (nil, nil, true), (1_000, nil, true), (999, .low(free: 999, limit: 1_000), true),
            (200, .low(free: 200, limit: 1_000), true), (199, .refusingEarly(free: 199, limit: 200), false),
            (0, .refusingEarly(free: 0, limit: 200), false),
        ] as [(Int?, DiskShortage?, Bool)]
    )
    func limits(free: Int?, shortage: DiskShortage?, isStored: Bool) async throws {
        let fixture = try StoreFixture()
        watch(fixture, Disk(free), ManualClock())
        #expect(fixture.store.diskShortage == shortage)
        #expect(fixture.store.refusesWrites != isStored)
        let story = try makeStory(1)
        if isStored {
            try await fixture.store.write { try $0.insert(story) }
        } else {
            let error = await #expect(throws: StoreError.self) {
                try await fixture.store.write { try $0.insert(story) }
            }
            #expect(error?.code == .diskFull)
        }
        #expect(try await fixture.store.read { try $0.story(story.id) } == (isStored ? story : nil))
        // What may use the reserve is stored, and leaves the reserve alone.
        let urgent = try makeStory(2)
        try await fixture.store.write(isUrgent: true) { try $0.insert(urgent) }
        #expect(try await fixture.store.read { try $0.story(urgent.id) } == urgent)
        #expect(fixture.store.refillReserve())
    }

    @Test("REL-03 Without limits nothing is measured, and a store begins without")
    func withoutLimits() async throws {
        let (fixture, disk) = (try StoreFixture(), Disk(0))
        let story = try makeStory(1)
        try await fixture.store.write { try $0.insert(story) }
        #expect(fixture.store.diskShortage == nil)
        fixture.store.watchSpace(.none, measuring: disk.measure, now: { 0 })
        try await fixture.store.write { try $0.insert(try makeStory(2)) }
        #expect(fixture.store.diskShortage == nil && disk.count == 0)
    }

    @Test("REL-03 The space is measured at most once a second, and writes go on within a second of its return")
    func pace() async throws {
        let (fixture, disk, clock) = (try StoreFixture(), Disk(100), ManualClock())
        watch(fixture, disk, clock)
        for number in 0..<20 {
            await #expect(throws: StoreError.self) {
                try await fixture.store.write { try $0.insert(try makeStory(UInt64(number))) }
            }
        }
        #expect(disk.count == 1)
        disk.set(5_000)
        clock.advance(seconds: 0.999)
        await #expect(throws: StoreError.self) { try await fixture.store.write { try $0.insert(try makeStory(50)) } }
        clock.advance(seconds: 0.001)
        try await fixture.store.write { try $0.insert(try makeStory(50)) }
        #expect(disk.count == 2 && fixture.store.diskShortage == nil)
    }

    @Test("REL-03 In one commit, what may be stored is, and the rest is refused")
    func mixed() async throws {
        let (fixture, disk, clock) = (try StoreFixture(), Disk(100), ManualClock())
        watch(fixture, disk, clock)
        // The writer is held until all writes wait, so that they share a commit.
        let gate = DispatchSemaphore(value: 0)
        fixture.store.inspectLater { _ in gate.wait() }
        let outcomes = try await withThrowingTaskGroup(of: (UInt64, Bool).self) { group in
            for number in 1...8 as ClosedRange<UInt64> {
                group.addTask {
                    do {
                        try await fixture.store.write(isUrgent: number.isMultiple(of: 2)) {
                            try $0.insert(try makeStory(number))
                        }
                        return (number, true)
                    } catch let error as StoreError where error.code == .diskFull {
                        return (number, false)
                    }
                }
            }
            while fixture.store.waitingWrites < 7 { await Task.yield() }
            gate.signal()
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for number in 1...8 as ClosedRange<UInt64> {
            #expect(outcomes[number] == number.isMultiple(of: 2))
            let stored = try await fixture.store.read { try $0.story(StoryID(high: 7, low: number)) }
            #expect((stored != nil) == number.isMultiple(of: 2), "\(number)")
        }
    }

    @Test("REL-03 The free space of a real disk is found")
    func real() throws {
        let fixture = try StoreFixture()
        fixture.store.watchSpace(SpaceLimits(warnBelow: 1, refuseBelow: 0))
        #expect(try #require(fixture.store.freeSpace) > 0)
    }
}
